//! The examples as programs: options, exit codes, and what they refuse.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// All examples that read a command line.
const EXAMPLES: [&str; 6] = ["edges", "histogram", "nbody", "reduce", "render", "scan"];

/// The program of an example: cargo builds it beside the tests, and a GPU pack has it in the same folder.
fn program(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().expect("a folder");
    let name = format!("{example}{}", std::env::consts::EXE_SUFFIX);
    let candidates = [
        folder.join("../examples").join(&name),
        folder.join(format!("example-{name}")),
    ];
    let found = candidates.iter().find(|path| path.exists());
    found.expect("`cargo build --examples` builds the programs").clone()
}

fn run(example: &str, arguments: &[&str]) -> Output {
    Command::new(program(example))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// The text on standard error of a program that ends with the exit code 2.
fn refusal(example: &str, arguments: &[&str]) -> String {
    let output = run(example, arguments);
    assert_eq!(output.status.code(), Some(2), "{example} {arguments:?}");
    assert_eq!(output.stdout, b"", "{example} {arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A folder for the files of one test.
fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vyre-programs-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

#[test]
fn help_names_the_options() {
    for example in EXAMPLES {
        let output = run(example, &["--help"]);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(
            output.status.success() && help.contains(&format!("usage: {example}")),
            "{help}"
        );
        assert_eq!(help.contains("--cpu"), example != "render");
    }
}

#[test]
fn unknown_options_are_refused() {
    for example in EXAMPLES {
        let expected = format!("{example}: invalid option '--fast'\n{example} --help lists the options\n");
        assert_eq!(refusal(example, &["--fast"]), expected);
    }
    assert_eq!(refusal("reduce", &["1", "2"]), "reduce: unexpected argument \"2\"\n");
    assert_eq!(
        refusal("scan", &["--cpu"]),
        "scan: a pattern is missing; scan --help lists the options\n"
    );
}

#[test]
fn sizes_are_bounded() {
    for count in ["0", "-1", "many", "18446744073709551615", "99999999999999999999"] {
        let message = refusal("reduce", &["--cpu", "--", count]);
        assert_eq!(
            message,
            format!("reduce: COUNT is a number from 1 to 1073741824, and not {count:?}\n")
        );
        let message = refusal("nbody", &["--cpu", "--", "64", count]);
        assert_eq!(
            message,
            format!("nbody: STEPS is a number from 1 to 1073741824, and not {count:?}\n")
        );
    }
}

#[test]
fn pictures_are_not_overwritten_or_misnamed() {
    let folder = folder("pictures");
    let input = folder.join("photo.png");
    std::fs::copy("examples/data/still-life.png", &input).expect("a copy");
    let same = folder
        .join("../")
        .join(folder.file_name().expect("a name"))
        .join("photo.png");
    let message = refusal("edges", &["--cpu", text(&input), text(&same)]);
    assert!(message.contains("the output would overwrite the input"), "{message}");
    for name in ["edges.jpg", "edges"] {
        let message = refusal("edges", &["--cpu", text(&input), name]);
        assert_eq!(
            message,
            format!("edges: {name}: the output is a PNG file, and its name must end in .png\n")
        );
    }
    let message = refusal("edges", &["--cpu", "missing.png"]);
    assert!(message.starts_with("edges: missing.png: "), "{message}");

    let whole = std::fs::read("examples/data/crop.jpg").expect("a file");
    let cut = folder.join("cut.jpg");
    std::fs::write(&cut, &whole[..whole.len() / 2]).expect("a file");
    let message = refusal("edges", &["--cpu", text(&cut), text(&folder.join("cut.png"))]);
    assert!(message.starts_with(&format!("edges: {}: ", cut.display())), "{message}");
    assert!(!folder.join("cut.png").exists());
    std::fs::remove_dir_all(folder).expect("it is removed");
}

#[test]
fn scan_exits_as_grep_does() {
    let codes = [
        (vec!["--cpu", "zebra crossing", "LICENSE-MIT"], 1),
        (vec!["--cpu", "Permission", "LICENSE-MIT"], 0),
        (vec!["--cpu", "Permission", "LICENSE-MIT", "missing"], 2),
        (
            vec!["--cpu", "-e", "Permission", "-e", "zebra crossing", "--", "LICENSE-MIT"],
            0,
        ),
        (vec!["--cpu", "--", "--cpu", "LICENSE-MIT"], 1),
    ];
    for (arguments, code) in codes {
        assert_eq!(run("scan", &arguments).status.code(), Some(code), "{arguments:?}");
    }
    let output = run("scan", &["--cpu", "Permission", "LICENSE-MIT", "missing"]);
    assert_eq!(output.stdout, b"LICENSE-MIT:1\n");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("scan: missing: "));
}

#[cfg(unix)]
#[test]
fn names_of_files_are_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("names");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    std::fs::write(folder.join(name), "tea tea").expect("a file");
    let output = Command::new(program("scan"))
        .current_dir(&folder)
        .args(["--cpu", "tea"])
        .output()
        .expect("the program starts");
    assert_eq!(output.stdout, b"./caf\xe9:2\n");
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// A reader that stops early, as `head` does.
#[test]
fn closed_pipes_are_quiet() {
    let arguments: [&[&str]; 3] = [
        &["scan", "--cpu", "a", "src"],
        &["histogram", "--cpu"],
        &["reduce", "--cpu", "1000"],
    ];
    for arguments in arguments {
        let mut child = Command::new(program(arguments[0]))
            .args(&arguments[1..])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !stderr.contains("panic"),
            "{arguments:?}: {stderr}"
        );
    }
}
