//! Processes that find another driver.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// Set for the process that plays a test.
const PART: &str = "VYRE_TEST_DRIVER";

/// The library of the played driver.
const DRIVER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcuda.so.1"));

/// The time that a process may take: a test that hangs fails.
const DEADLINE: Duration = Duration::from_secs(120);

/// True in the process in which a test finds the driver that was made for it.
pub fn plays(test: &str) -> bool {
    env::var(PART).as_deref() == Ok(test)
}

/// A driver's library, and the test that runs again in processes that find it.
pub struct Stage {
    test: String,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Stage {
    /// The played driver. `target` is the folder for a test's files, `CARGO_TARGET_TMPDIR`; `test` is
    /// the name of the calling test.
    ///
    /// `None`, with a line that says so, where the folder cannot be made.
    pub fn new(target: &str, test: &str) -> Option<Stage> {
        let stage = Stage::empty(target, test)?;
        stage.place(|library| fs::write(library, DRIVER));
        Some(stage)
    }

    /// A driver of this source.
    ///
    /// `None`, with a line that says so, where there is no rustc.
    pub fn with_source(target: &str, test: &str, source: &str) -> Option<Stage> {
        let stage = Stage::empty(target, test)?;
        let file = stage.folder.join("driver.rs");
        fs::write(&file, source).expect("the folder can be written");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        if Command::new(&rustc).arg("--version").output().is_err() {
            return skipped(test, "there is no rustc to make a driver with");
        }
        stage.place(|library| {
            let output = Command::new(&rustc)
                .args(["--crate-name=cuda", "--crate-type=cdylib", "--edition=2024", "-o"])
                .args([library, &file])
                .output()?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Ok(())
        });
        Some(stage)
    }

    fn empty(target: &str, test: &str) -> Option<Stage> {
        let folder = folder(target, test);
        if fs::create_dir_all(&folder).is_err() {
            return skipped(test, "its folder cannot be made");
        }
        Some(Stage {
            test: test.to_owned(),
            folder,
            environment: Vec::new(),
        })
    }

    /// Puts the library into the folder: aside first, for another run of the same test may have one of that name loaded.
    fn place(&self, write: impl FnOnce(&Path) -> std::io::Result<()>) {
        let aside = self.folder.join(format!("aside-{}", process::id()));
        write(&aside)
            .and_then(|()| fs::rename(&aside, self.library()))
            .expect("the folder can be written");
    }

    /// The functions of the driver's library.
    pub fn functions(&self) -> Vec<String> {
        let bytes = fs::read(self.library()).expect("the library is there");
        let names = bytes
            .split(|&byte| byte == 0)
            .filter_map(|name| str::from_utf8(name).ok());
        let is_function = |name: &&str| {
            let rest = name.strip_prefix("cu").unwrap_or_default();
            let begins = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_uppercase());
            // rustc may put several texts of the driver behind each other, without a zero between them.
            begins(rest)
                && !rest.match_indices("cu").any(|(at, _)| begins(&rest[at + 2..]))
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let mut functions: Vec<String> = names.filter(is_function).map(str::to_owned).collect();
        functions.sort();
        functions.dedup();
        functions
    }

    /// The same driver without a function.
    pub fn without(&self, function: &str) -> Stage {
        let mut bytes = fs::read(self.library()).expect("the library is there");
        // Its name becomes another one, which nobody looks up.
        let mut count = 0;
        for name in bytes.split_mut(|&byte| byte == 0) {
            if name == function.as_bytes() {
                name[0] = b'x';
                count += 1;
            }
        }
        assert!(count > 0, "the driver has no `{function}`");
        let stage = Stage {
            test: self.test.clone(),
            folder: self.folder.join(format!("without-{function}")),
            environment: self.environment.clone(),
        };
        fs::create_dir_all(&stage.folder).expect("the folder can be made");
        stage.place(|library| fs::write(library, bytes));
        stage
    }

    fn library(&self) -> PathBuf {
        self.folder.join("libcuda.so.1")
    }

    /// The folder of the library, for files of the test.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets a variable for the processes that are started from now on.
    pub fn env(&mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Stage {
        let variable = (key.as_ref().to_owned(), value.as_ref().to_owned());
        self.environment.push(variable);
        self
    }

    /// Starts the test in a process, in which no variable of vyre is set but those of the stage. See
    /// [`finish`](Stage::finish).
    pub fn start(&self) -> Child {
        let mut paths = vec![self.folder.clone()];
        paths.extend(env::split_paths(&env::var_os("LD_LIBRARY_PATH").unwrap_or_default()));
        let paths = env::join_paths(paths).expect("folders without a colon");
        let mut command = Command::new(env::current_exe().expect("a process knows its program"));
        for (name, _) in env::vars_os().filter(|(name, _)| is_vyre(name)) {
            command.env_remove(name);
        }
        command
            .args([&self.test, "--exact", "--nocapture"])
            .env("LD_LIBRARY_PATH", paths)
            .env(PART, &self.test)
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the test runs again")
    }

    /// Waits for a process, and fails as it fails.
    pub fn finish(&self, mut process: Child) {
        let start = Instant::now();
        while process.try_wait().expect("a child can be waited for").is_none() {
            if start.elapsed() > DEADLINE {
                let _ = process.kill();
                let output = process.wait_with_output().expect("a child has output");
                panic!("{} hangs: {}", self.test, String::from_utf8_lossy(&output.stderr));
            }
            thread::sleep(Duration::from_millis(5));
        }
        let output = process.wait_with_output().expect("a child has output");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let summary = String::from_utf8_lossy(&output.stdout);
        assert!(
            summary.contains(" 1 passed;"),
            "there is no test `{}`: {summary}",
            self.test
        );
    }

    /// Runs the test in a process, and fails as it fails.
    pub fn run(&self) {
        self.finish(self.start());
    }
}

/// The folder of a test. The path of a module has colons, which separate folders in lists.
fn folder(target: &str, test: &str) -> PathBuf {
    Path::new(target).join(test.replace("::", "-"))
}

fn is_vyre(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("VYRE_")
}

fn skipped<T>(test: &str, why: &str) -> Option<T> {
    // Not by `println!`, which the test harness keeps to itself.
    let _ = writeln!(std::io::stderr(), "skipped {test}: {why}");
    None
}
