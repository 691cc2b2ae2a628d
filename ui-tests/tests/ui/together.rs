//! Cases that are modules of a program, which rustc compiles at once.
//!
//! rustc reports the errors of all modules, as long as it stops for none of them before it looks at the others. A case
//! whose messages are not all there, or are others, is compiled again on its own, and that decides. So a case passes
//! together with others if they hide nothing of it but additional messages of later stages, for which trybuild looks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::diagnostics::{Diagnostic, rendered};

/// The folder of this package, where tests run.
fn package() -> PathBuf {
    std::env::current_dir().expect("tests run in a folder")
}

/// The files in a folder and its folders, from this package's, with `/` between the parts.
fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.expect("an entry").file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if Path::new(&path).is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The library of vyre that this test was built with: the newest that is not newer than the test.
fn library() -> (PathBuf, PathBuf) {
    let exe = std::env::current_exe().expect("the path of this test");
    let folder = exe.parent().expect("a folder").to_owned();
    let built = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let until = built(&exe);
    let libraries = std::fs::read_dir(&folder).expect("a folder").filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?;
        let is_it = name.starts_with("libvyre-") && name.ends_with(".rlib") && built(&path) <= until;
        is_it.then(|| (built(&path), path.clone()))
    });
    let (_, library) = libraries.max().expect("the library of vyre");
    (folder, library)
}

/// A case with what rustc has to say about it.
struct Case {
    file: String,
    expected: Vec<Diagnostic>,
    /// True if only what rustc finds and where is compared, not what it adds.
    by_heads: bool,
}

impl Case {
    /// True if these are its diagnostics. rustc may say them in another order together with other cases, and one of them
    /// twice, of which cargo shows one.
    fn is_said_by(&self, found: &[Diagnostic]) -> bool {
        if self.by_heads {
            let found: Vec<_> = found.iter().map(Diagnostic::head).collect();
            return self.expected.iter().all(|one| found.contains(&one.head()));
        }
        let set = |all: &[Diagnostic]| all.iter().cloned().collect::<BTreeSet<_>>();
        set(&self.expected) == set(found)
    }
}

struct Compiler {
    root: PathBuf,
    package: PathBuf,
    dependencies: PathBuf,
    library: PathBuf,
    folder: PathBuf,
}

impl Compiler {
    fn folders(&self) -> (&Path, &Path) {
        (&self.root, &self.package)
    }

    /// The texts of the diagnostics for a program.
    fn compile(&self, name: &str, file: &Path) -> Vec<String> {
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args([
                "--edition=2024",
                "--crate-type=bin",
                "--emit=metadata",
                "--error-format=json",
            ])
            .args([
                "--verbose",
                "--cfg=trybuild",
                "-Adead_code",
                "--diagnostic-width=140",
                "--crate-name",
                name,
                "-L",
            ])
            .arg(format!("dependency={}", self.dependencies.display()))
            .arg("--extern")
            .arg(format!("vyre={}", self.library.display()))
            .arg("-o")
            .arg(self.folder.join(format!("{name}.rmeta")))
            .arg(file)
            // The paths of the files of vyre begin here.
            .current_dir(&self.root)
            // rustc advises users of cargo.
            .env("CARGO_CRATE_NAME", name)
            .output()
            .expect("rustc runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said = rendered(&stderr);
        assert!(output.status.success() || !said.is_empty(), "rustc says {stderr}");
        said
    }

    /// The diagnostics for each of some cases, as modules of one program.
    fn together(&self, number: usize, cases: &[&Case]) -> BTreeMap<String, Vec<Diagnostic>> {
        let mut program = String::from("#![allow(dead_code)]\n");
        for (number, case) in cases.iter().enumerate() {
            let path = self.package.join(&case.file);
            writeln!(program, "#[path = {path:?}] mod case{number};").expect("writes to memory");
        }
        program += "fn main() {}\n";
        let name = format!("together{number}");
        let file = self.folder.join(format!("{name}.rs"));
        std::fs::write(&file, program).expect("the program is written");
        let mut found: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for text in self.compile(&name, &file) {
            // That of the case is the first file of the package that it shows.
            let of = text.lines().find_map(|line| {
                let (_, path) = line.split_once("--> ").or_else(|| line.split_once("::: "))?;
                let path = path.strip_prefix(&format!("{}/", self.package.display()))?;
                let end = path.find(".rs")? + ".rs".len();
                Some(path[..end].to_owned())
            });
            if let Some(file) = of {
                let diagnostic = Diagnostic::new(&text, self.folders(), &file, &name);
                found.entry(file).or_default().push(diagnostic);
            }
        }
        found
    }

    /// The diagnostics for a case.
    fn alone(&self, number: usize, case: &Case) -> Vec<Diagnostic> {
        let name = format!("alone{number}");
        let texts = self.compile(&name, &self.package.join(&case.file));
        let diagnostic = |text: &String| Diagnostic::new(text, self.folders(), &case.file, &name);
        texts.iter().map(diagnostic).collect()
    }
}

/// The errors after which rustc looks at no types: those of names, and of the parser, which have no code.
const NAMES: [&str; 15] = [
    "E0405", "E0407", "E0412", "E0422", "E0423", "E0424", "E0425", "E0426", "E0432", "E0433", "E0434", "E0435",
    "E0573", "E0574", "E0603",
];

/// The cases in groups, by the stages of rustc that find their mistakes.
fn groups<'c>(cases: &[&'c Case]) -> Vec<Vec<&'c Case>> {
    let is_of_names = |diagnostic: &Diagnostic| {
        let head = &diagnostic.lines[0];
        let is_error =
            |rest: &str| !(rest.starts_with('V') && rest[1..].starts_with(|next: char| next.is_ascii_digit()));
        NAMES.iter().any(|code| head.starts_with(&format!("error[{code}]")))
            || head.strip_prefix("error: ").is_some_and(is_error)
    };
    let is_of_vyre = |diagnostic: &Diagnostic| diagnostic.lines[0].starts_with("error: ");
    let mut groups = [Vec::new(), Vec::new(), Vec::new()];
    for case in cases {
        let group = match &case.expected {
            expected if expected.iter().any(is_of_names) => 0,
            expected if expected.iter().all(is_of_vyre) => 1,
            _ => 2,
        };
        groups[group].push(*case);
    }
    groups.into_iter().filter(|group| !group.is_empty()).collect()
}

/// Does something for each element on all cores, and gathers the results.
fn on_all_cores<T: Sync, R: Send>(list: &[T], run: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, results) = (Mutex::new(0..list.len()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(number) = next.lock().expect("no panic").next() else {
                        break;
                    };
                    let result = run(number, &list[number]);
                    results.lock().expect("no panic").push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Compares what rustc says about all cases but those left out; how many are compared, and how many programs that took.
pub(crate) fn compare(left_out: &[&str], by_heads: &[&str]) -> (usize, usize) {
    let package = package();
    let (dependencies, library) = library();
    let compiler = Compiler {
        root: package.parent().expect("the workspace").to_owned(),
        folder: std::env::temp_dir().join(format!("vyre-ui-tests-{}", std::process::id())),
        package,
        dependencies,
        library,
    };
    std::fs::create_dir_all(&compiler.folder).expect("a folder");
    let of_rust = files("cases")
        .into_iter()
        .filter(|file| file.ends_with(".rs") && !left_out.contains(&file.as_str()));
    let cases: Vec<Case> = of_rust
        .map(|file| {
            let path = Path::new(&file).with_extension("stderr");
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let expected = Diagnostic::all(&text.replace("\r\n", "\n"), compiler.folders(), &file);
            assert!(!expected.is_empty(), "{} has no diagnostics", path.display());
            let by_heads = by_heads.contains(&file.as_str());
            Case {
                file,
                expected,
                by_heads,
            }
        })
        .collect();
    let (mut left, mut programs): (Vec<&Case>, usize) = (cases.iter().collect(), 0);
    // The next time, the errors that hid others are gone.
    loop {
        let before = left.len();
        let groups = groups(&left);
        let found = on_all_cores(&groups, |number, group| compiler.together(number, group));
        let found: BTreeMap<String, Vec<Diagnostic>> = found.into_iter().flatten().collect();
        left.retain(|case| !found.get(&case.file).is_some_and(|found| case.is_said_by(found)));
        programs += groups.len();
        if (before - left.len()) * 3 < before {
            break;
        }
    }
    if std::env::var_os("VYRE_SHOW").is_some() {
        left.iter().for_each(|case| println!("on its own: {}", case.file));
    }
    let wrong: Vec<String> = on_all_cores(&left, |number, case| {
        let found = compiler.alone(number, case);
        (!case.is_said_by(&found)).then(|| format!("{}: {}", case.file, difference(&case.expected, &found)))
    })
    .into_iter()
    .flatten()
    .collect();
    std::fs::remove_dir_all(&compiler.folder).expect("the folder is removed");
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
    (cases.len(), programs + left.len())
}

/// The diagnostics that one list has and the other has not.
fn difference(expected: &[Diagnostic], found: &[Diagnostic]) -> String {
    let mut text = String::new();
    for (title, these, others) in [("is not said", expected, found), ("is said", found, expected)] {
        for diagnostic in these.iter().filter(|diagnostic| !others.contains(diagnostic)) {
            writeln!(text, "{title}:\n{}", diagnostic.lines.join("\n")).expect("writes to memory");
        }
    }
    text
}
