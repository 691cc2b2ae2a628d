//! Tests that all examples share, by tables of them: those of this package and, in its tests, of `vyre-many`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program of an example: cargo builds it beside the tests, and a GPU pack has it in the same folder.
pub(crate) fn program(example: &str) -> PathBuf {
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

pub(crate) fn run(example: &str, arguments: &[&str]) -> Output {
    Command::new(program(example))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// The text on standard error of a program that ends with the exit code 2.
pub(crate) fn refusal(example: &str, arguments: &[&str]) -> String {
    let output = run(example, arguments);
    assert_eq!(output.status.code(), Some(2), "{example} {arguments:?}");
    assert_eq!(output.stdout, b"", "{example} {arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// A folder for the files of one test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("vyre-programs-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

/// `--help` names the options; `render` has no device to choose.
pub(crate) fn help_names_the_options(examples: &[&str]) {
    for example in examples {
        let output = run(example, &["--help"]);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(
            output.status.success() && help.contains(&format!("usage: {example}")),
            "{help}"
        );
        assert_eq!(help.contains("--cpu"), *example != "render");
    }
}

pub(crate) fn unknown_options_are_refused(examples: &[&str]) {
    for example in examples {
        let expected = format!("{example}: invalid option '--fast'\n{example} --help lists the options\n");
        assert_eq!(refusal(example, &["--fast"]), expected);
    }
}

/// A reader that stops early, as `head` does. An example comes first in its command line.
pub(crate) fn closed_pipes_are_quiet(command_lines: &[&[&str]]) {
    for arguments in command_lines {
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

/// An example with its arguments, and each of its bars by its unit and its end: what is drawn between depends on the time.
#[cfg(target_os = "linux")]
pub(crate) type Shown = (&'static str, String, &'static [(&'static str, &'static str)]);

/// Bars are drawn in a terminal: `script` plays one.
#[cfg(target_os = "linux")]
pub(crate) fn bars_are_shown(programs: &[Shown]) {
    for (example, arguments, bars) in programs {
        let command = format!("stty cols 80; {} {arguments}", program(example).display());
        // Without a terminal's name bars are hidden.
        let mut script = Command::new("script");
        script.args(["-qefc", &command, "/dev/null"]).env("TERM", "xterm");
        let Ok(output) = script.output() else {
            println!("SKIP-TERMINAL: there is no `script`");
            return;
        };
        let told = String::from_utf8_lossy(&output.stdout);
        let is_shown = bars.iter().all(|(unit, end)| told.contains(unit) && told.contains(end));
        assert!(output.status.success() && is_shown, "{example}: {told}");
    }
}

/// Options whose argument is a number of at least 1.
pub(crate) fn numbers_are_bounded(options: &[(&str, &str)]) {
    for &(example, option) in options {
        for number in ["0", "-1", "many", "", "18446744073709551615", "99999999999999999999"] {
            // A game of no generations is its first one.
            if (option, number) != ("--generations", "0") {
                let message = refusal(example, &[option, number]);
                let expected = format!("{example}: cannot parse argument {number:?}: {option} is a number from ");
                assert!(message.starts_with(&expected), "{message}");
            }
        }
    }
}

/// Examples with the option `--size`.
pub(crate) fn sizes_have_two_sides(examples: &[&str]) {
    for example in examples {
        for size in [
            "0x5",
            "5x0",
            "99999x99999",
            "18446744073709551615x2",
            "-1x2",
            "0x10",
            "5",
            "x",
            "",
        ] {
            let message = refusal(example, &["--cpu", "--size", size]);
            let expected = format!("{example}: cannot parse argument {size:?}: the size is two numbers from 1 to ");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}

/// Examples that write a picture, with the arguments before its name.
pub(crate) fn outputs_are_named_as_what_they_are(pictures: &[(&str, &[&str])]) {
    let folder = folder("outputs");
    let file = folder.join("file");
    std::fs::write(&file, "").expect("a file");
    for &(example, before) in pictures {
        for name in ["picture.jpg", "picture", ".png"] {
            let path = folder.join(name);
            let message = refusal(example, &[before, &[text(&path)]].concat());
            let expected = "the output is a PNG file, and its name must end in .png";
            assert_eq!(message, format!("{example}: {}: {expected}\n", path.display()));
            assert!(!path.exists());
        }
        // Below a file.
        let message = refusal(example, &[before, &[text(&file.join("picture.png"))]].concat());
        assert!(
            message.starts_with(&format!("{example}: {}: ", file.display())),
            "{message}"
        );
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// A disk that is full, as this device is: no program says that it has written its picture. `render` renders for long.
#[cfg(target_os = "linux")]
pub(crate) fn full_disks_are_told(pictures: &[(&str, &[&str])]) {
    let folder = folder("full");
    let picture = folder.join("picture.png");
    std::os::unix::fs::symlink("/dev/full", &picture).expect("a link");
    for &(example, before) in pictures.iter().filter(|(example, _)| *example != "render") {
        let output = run(example, &[before, &[text(&picture)]].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{example}: {told}");
        assert!(
            told.starts_with(&format!("{example}: {}: No space left", picture.display())),
            "{told}"
        );
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// Names of pictures need not be UTF-8. `render` renders for long.
#[cfg(unix)]
pub(crate) fn names_of_pictures_are_bytes(pictures: &[(&str, &[&str])]) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder("names-of-pictures");
    for &(example, before) in pictures.iter().filter(|(example, _)| *example != "render") {
        let picture = folder.join(OsStr::from_bytes(&[example.as_bytes(), b"\xe9.png"].concat()));
        ends_well(example, before, &picture, None);
        assert!(
            std::fs::read(&picture).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")),
            "{example}"
        );
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// The standard output of a program that ends with the exit code 0.
pub(crate) fn ends_well(example: &str, arguments: &[&str], path: &Path, last: Option<&Path>) -> Vec<u8> {
    let mut command = Command::new(program(example));
    command.args(arguments).arg(path).args(last);
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{example}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}
