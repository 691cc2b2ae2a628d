//! One server and one crate for all tests of a process.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{env, fs, io};

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::document::Document;

/// The server, with the crate that it has open.
pub struct Editor {
    connection: Connection,
    /// The one file of the crate.
    uri: String,
    version: u64,
    // Held so that the process lives as long as the editor.
    _server: Child,
}

/// The editor, for the test that runs; the others wait. `None` where there is no rust-analyzer, which standard error says.
pub fn editor() -> Option<MutexGuard<'static, Editor>> {
    static EDITOR: OnceLock<Option<Mutex<Editor>>> = OnceLock::new();
    let editor = EDITOR.get_or_init(|| program().map(|program| Mutex::new(Editor::start(program))));
    match editor {
        Some(editor) => Some(editor.lock().unwrap_or_else(PoisonError::into_inner)),
        None => {
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            // Past the test harness, which captures what `eprintln!` writes.
            let line = format!("SKIP-EDITOR {test}: `rustup component add rust-analyzer` installs it");
            let _ = writeln!(io::stderr(), "{line}");
            None
        }
    }
}

/// The program. rustup puts one on `PATH` even where the component is missing.
fn program() -> Option<&'static str> {
    let program = "rust-analyzer";
    let output = Command::new(program).arg("--version").output().ok()?;
    output.status.success().then_some(program)
}

impl Editor {
    fn start(program: &str) -> Self {
        // Tests run in the root of their package.
        let root = fs::canonicalize("../..").expect("the root of the workspace");
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        let folder = target.join("tmp/editor");
        write_crate(&root, &folder).expect("the crate is written");
        let uri = |path: &Path| format!("file://{}", path.display());
        let mut server = Command::new(program);
        server.current_dir(&folder);
        // Those of the test's own package.
        for (name, _) in env::vars_os() {
            let is_own = name
                .to_str()
                .is_some_and(|name| name.starts_with("CARGO_PKG") || name.starts_with("CARGO_MANIFEST"));
            if is_own {
                server.env_remove(name);
            }
        }
        let mut server = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rust-analyzer starts");
        let mut connection = Connection::new(&mut server);
        let parameters = json!({
            "processId": std::process::id(),
            "rootUri": uri(&folder),
            "capabilities": {
                "experimental": { "serverStatusNotification": true },
                "general": { "positionEncodings": ["utf-8"] },
                "textDocument": {
                    "completion": { "completionItem": { "snippetSupport": false, "labelDetailsSupport": true } },
                    "definition": { "linkSupport": false },
                    "hover": { "contentFormat": ["markdown"] },
                    "diagnostic": {},
                },
            },
            "initializationOptions": {
                "cachePriming": { "enable": false },
                "checkOnSave": false,
                "cargo": {
                    "extraEnv": { "CARGO_TARGET_DIR": target, "CARGO_NET_OFFLINE": "true" },
                    "allTargets": false,
                    "sysrootSrc": root.join("tests/editor/sysroot"),
                },
                "completion": { "autoimport": { "enable": false }, "limit": 10_000 },
                "numThreads": 2,
            },
        });
        connection.request("initialize", &parameters);
        connection.notify("initialized", &json!({}));
        let uri = uri(&folder.join("src/lib.rs"));
        let opened = json!({ "textDocument": { "uri": uri, "languageId": "rust", "version": 0, "text": "" } });
        connection.notify("textDocument/didOpen", &opened);
        connection.wait_until_quiet();
        Editor {
            connection,
            uri,
            version: 0,
            _server: server,
        }
    }

    /// Makes the document the content of the crate.
    pub fn open(&mut self, document: &Document) {
        self.version += 1;
        let changed = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "text": document.text() }],
        });
        self.connection.notify("textDocument/didChange", &changed);
    }

    fn ask(&mut self, method: &str, document: &Document, more: &[(&str, Value)]) -> Value {
        self.open(document);
        let mut parameters = json!({ "textDocument": { "uri": self.uri }, "position": document.position() });
        for (name, value) in more {
            parameters[*name] = value.clone();
        }
        self.connection.request(method, &parameters)
    }

    /// The labels of what can be written at the cursor.
    pub fn completions(&mut self, document: &Document) -> Vec<String> {
        let answer = self.ask("textDocument/completion", document, &[]);
        let items = answer.get("items").unwrap_or(&answer);
        let labels = items.as_array().into_iter().flatten().map(|item| &item["label"]);
        labels.filter_map(|label| label.as_str().map(str::to_owned)).collect()
    }

    /// The text shown for the name at the cursor.
    pub fn hover(&mut self, document: &Document) -> String {
        let answer = self.ask("textDocument/hover", document, &[]);
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The places where the name at the cursor is defined: lines of the crate, or paths of other files.
    pub fn definitions(&mut self, document: &Document) -> Vec<String> {
        let answer = self.ask("textDocument/definition", document, &[]);
        let place = |location: &Value| match location["uri"].as_str() {
            Some(uri) if uri == self.uri => document.line(&location["range"]).to_owned(),
            uri => uri.unwrap_or_default().to_owned(),
        };
        answer.as_array().into_iter().flatten().map(place).collect()
    }

    /// The text in which the name at the cursor is another one everywhere.
    pub fn renamed(&mut self, document: &Document, name: &str) -> String {
        let answer = self.ask("textDocument/rename", document, &[("newName", name.into())]);
        let (changes, whole) = (&answer["changes"][&self.uri], &answer["documentChanges"][0]["edits"]);
        let edits = changes
            .as_array()
            .or(whole.as_array())
            .expect("edits of the crate's file");
        document.edited(edits)
    }

    /// The errors: the text that is marked, and the message.
    pub fn errors(&mut self, document: &Document) -> Vec<(String, String)> {
        self.open(document);
        let parameters = json!({ "textDocument": { "uri": self.uri } });
        let answer = self.connection.request("textDocument/diagnostic", &parameters);
        let errors = answer["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|item| item["severity"] == 1);
        errors
            .map(|error| {
                let message = error["message"].as_str().unwrap_or_default();
                (document.within(&error["range"]).to_owned(), message.to_owned())
            })
            .collect()
    }
}

/// A crate that depends on vyre, with the versions that the workspace has.
fn write_crate(root: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"fixture\"\nedition = \"2024\"\n\n[dependencies]\nvyre = {{ path = {root:?} }}\n\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/lib.rs"), "")?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}
