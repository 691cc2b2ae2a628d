//! The examples as programs: options, exit codes, and what they refuse.

use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use super::checks::Shown;
use super::checks::{self, folder, program, refusal, run, text};

/// All examples that read a command line.
const EXAMPLES: [&str; 12] = [
    "edges",
    "histogram",
    "kmeans",
    "life",
    "mandelbrot",
    "nbody",
    "options",
    "reduce",
    "render",
    "scan",
    "search",
    "softmax",
];

#[test]
fn help_names_the_options() {
    checks::help_names_the_options(&EXAMPLES);
}

#[test]
fn unknown_options_are_refused() {
    checks::unknown_options_are_refused(&EXAMPLES);
    assert_eq!(refusal("reduce", &["1", "2"]), "reduce: unexpected argument \"2\"\n");
    assert_eq!(
        refusal("scan", &["--cpu"]),
        "scan: a pattern is missing; scan --help lists the options\n"
    );
}

#[test]
fn views_of_the_set_are_checked() {
    let refused = [
        (["--centre", "0.5"], "the centre is two decimal numbers"),
        (["--centre", "1e-3,0"], "the centre is two decimal numbers"),
        (["--centre", "9,0"], "the centre is two decimal numbers"),
        (["--radius", "1e-300"], "the radius is a number from 1e-140 to 2"),
        (["--radius", "NaN"], "the radius is a number from 1e-140 to 2"),
    ];
    for (arguments, expected) in refused {
        let message = refusal("mandelbrot", &arguments);
        assert!(message.contains(expected), "{message}");
    }
    let folder = folder("set");
    let output = folder.join("set.png");
    let arguments = ["--cpu", "--centre", "-0.5,0", "--size", "30x20", text(&output)];
    let run = run("mandelbrot", &arguments);
    let told = String::from_utf8(run.stdout).expect("text");
    assert!(
        run.status.success() && told.contains(" points escape as they do with all digits"),
        "{told}"
    );
    assert!(output.exists());
    std::fs::remove_dir_all(folder).expect("it is removed");
}

#[test]
fn boards_are_printed_where_there_is_no_terminal() {
    let folder = folder("boards");
    let file = folder.join("blinker.rle");
    std::fs::write(&file, "x = 3, y = 1\n3o!").expect("a file");
    let options = ["--cpu", "--size", "5x4", "--generations"];
    for (generations, expected) in [("0", ".....\n.OOO.\n"), ("7", "..O..\n..O..\n..O..\n.....\n")] {
        let output = run("life", &[&options[..], &[generations, text(&file)]].concat());
        assert!(output.status.success());
        let board = String::from_utf8(output.stdout).expect("text");
        assert!(board.contains(expected) && board.lines().count() == 4, "{board}");
    }
    let message = refusal("life", &["--size", "2x2", text(&file)]);
    assert!(
        message.ends_with("blinker.rle: the pattern has 3 x 1 cells, and the board 2 x 2\n"),
        "{message}"
    );
    std::fs::remove_dir_all(folder).expect("it is removed");
}

#[test]
fn words_are_found() {
    let output = run("search", &["--cpu", "-n", "3", "stream", "warp"]);
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(
        output.status.success() && told.contains("have found the same words"),
        "{told}"
    );
    assert!(told.starts_with("stream\n") && told.contains("\nwarp\n"), "{told}");
    let all = run("search", &["--cpu"]);
    assert!(all.status.success() && String::from_utf8_lossy(&all.stdout).contains("321 queries, 321 vectors"));
    let unknown = refusal("search", &["--cpu", "zebra"]);
    assert_eq!(unknown, "search: examples/data/words.vec: has no word \"zebra\"\n");
    let message = refusal("search", &["--cpu", "-n", "321"]);
    assert_eq!(message, "search: there are no 321 other words among 321\n");
    assert!(refusal("search", &["--vectors", "README.md"]).starts_with("search: README.md: line 1: "));
}

#[test]
fn clusters_are_drawn() {
    let folder = folder("clusters");
    let (table, picture) = (folder.join("points.csv"), folder.join("clusters.png"));
    let made = run("kmeans", &["--make", "100", text(&table)]);
    assert!(made.status.success());
    let message = refusal("kmeans", &["--make", "100", text(&table)]);
    assert!(message.ends_with("points.csv: the file exists already\n"), "{message}");

    let output = run("kmeans", &["--cpu", "-k", "3", text(&table), text(&picture)]);
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(
        output.status.success() && told.contains("equal those of rayon to the last bit"),
        "{told}"
    );
    assert!(std::fs::read(&picture).expect("a file").starts_with(b"\x89PNG"));
    let message = refusal("kmeans", &["--cpu", "-k", "101", text(&table), text(&picture)]);
    assert!(message.contains("100 points make no 101 clusters"), "{message}");
    std::fs::write(&table, "x,y\n1,2\n1,two\n").expect("a file");
    assert!(refusal("kmeans", &[text(&table), text(&picture)]).ends_with("points.csv: line 3: \"two\" is no number\n"));
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

/// A reader that stops early, as `head` does.
#[test]
fn closed_pipes_are_quiet() {
    let folder = folder("closed");
    let files = ["edges.png", "set.png", "orbits.png", "clusters.png"].map(|name| folder.join(name));
    let [edges, set, orbits, clusters] = files.each_ref().map(|path| text(path));
    let arguments: [&[&str]; 11] = [
        &["edges", "--cpu", "examples/data/crop.jpg", edges],
        &["mandelbrot", "--cpu", "--centre", "-0.5,0", "--size", "30x20", set],
        &["nbody", "--cpu", "64", "2", orbits],
        &["kmeans", "--cpu", "examples/data/spiral.csv", clusters],
        &["search", "--cpu"],
        &["life", "--cpu"],
        &["options", "--cpu", "1000", "2"],
        &["softmax", "--cpu", "4", "100"],
        &["scan", "--cpu", "a", "src"],
        &["histogram", "--cpu"],
        &["reduce", "--cpu", "1000"],
    ];
    checks::closed_pipes_are_quiet(&arguments);
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// A reader of standard error that stops early: the exit code is that of the work.
#[test]
fn closed_errors_are_quiet() {
    let arguments: [(&[&str], i32); 5] = [
        (&["scan", "--cpu", "Permission", "LICENSE-MIT"], 0),
        (&["scan", "--cpu", "zebra crossing", "LICENSE-MIT"], 1),
        (&["scan", "--cpu", "Permission", "missing"], 2),
        (&["life", "--cpu", "--generations", "2"], 0),
        (&["reduce", "--fast"], 2),
    ];
    for (arguments, code) in arguments {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(program(arguments[0]));
        let status = command.args(&arguments[1..]).stdout(Stdio::null()).stderr(writer);
        let status = status.status().expect("the program starts");
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

/// A file without an end, and less memory than a program that reads all of it would take.
#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_refused() {
    let programs: [(&[&str], &str); 6] = [
        (&["scan", "--cpu", "needle"], "a line has more than"),
        (&["histogram", "--cpu"], "the input has more than 1024 MiB"),
        (&["edges", "--cpu"], "the input has more than 1024 MiB"),
        (&["kmeans", "--cpu"], "the input has more than 1024 MiB"),
        (&["life", "--cpu"], "the input has more than 1024 MiB"),
        (&["search", "--cpu", "--vectors"], "the input has more than 1024 MiB"),
    ];
    for (arguments, expected) in programs {
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 4194304; exec \"$0\" \"$@\""])
            .arg(program(arguments[0]))
            .args(&arguments[1..])
            .arg("/dev/zero")
            .output()
            .expect("the shell starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        let expected = format!("{}: /dev/zero: {expected}", arguments[0]);
        assert!(told.starts_with(&expected), "{told}");
    }
}

/// In a terminal alone: `script` plays one.
#[cfg(target_os = "linux")]
#[test]
fn long_work_shows_its_progress() {
    let folder = folder("progress");
    let picture = folder.join("picture.png").display().to_string();
    let lines = folder.join("lines").display().to_string();
    std::fs::write(&lines, "progress\n".repeat(400)).expect("it is written");
    let vectors = folder.join("vectors").display().to_string();
    let vector = |word: u32| format!("word{word} {word} 100 {}\n", word * word % 17);
    std::fs::write(&vectors, (0..50).map(vector).collect::<String>()).expect("it is written");
    let programs: [Shown; 8] = [
        ("nbody", format!("--cpu 64 40 {picture}"), &[("step", " of 40")]),
        ("options", format!("--cpu 1000 2 {picture}"), &[("strike", " of 5")]),
        (
            "mandelbrot",
            format!("--cpu --centre -0.5,0 --size 30x60 {picture}"),
            &[("row", " of 60")],
        ),
        (
            "kmeans",
            format!("--cpu examples/data/spiral.csv {picture}"),
            &[("centre", " of 12"), ("iteration", " of 300")],
        ),
        (
            "search",
            format!("--cpu --vectors {vectors}"),
            &[("query", " of 50"), ("vector", " of 50")],
        ),
        ("scan", format!("--cpu progress {lines}"), &[("KiB", " of 3.52 KiB")]),
        (
            "life",
            "--cpu --generations 40 > /dev/null".to_owned(),
            &[("generation", " of 40")],
        ),
        ("render", format!("--size 30x20 {picture}"), &[("row", " of 20")]),
    ];
    checks::bars_are_shown(&programs);
    let silent = run("nbody", &["--cpu", "64", "40", &picture]);
    assert!(silent.status.success() && silent.stderr.is_empty());
    std::fs::remove_dir_all(folder).expect("it is removed");
}
