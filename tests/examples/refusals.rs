//! Arguments that every example takes or refuses alike: numbers, sizes, names of files that are read and written.

use super::checks::{self, folder, refusal, run, text};

/// The examples that write a picture, with arguments before its name that keep the work small.
const PICTURES: [(&str, &[&str]); 6] = [
    ("edges", &["--cpu", "examples/data/crop.jpg"]),
    ("kmeans", &["--cpu", "-k", "2", "examples/data/spiral.csv"]),
    ("mandelbrot", &["--cpu", "--centre", "-0.5,0", "--size", "30x20"]),
    ("nbody", &["--cpu", "64", "2"]),
    ("options", &["--cpu", "1000", "2"]),
    // Renders for long, and only after its arguments have been checked.
    ("render", &[]),
];

/// The examples that read a file, with the arguments before its name.
const READERS: [(&str, &[&str], &str); 6] = [
    ("edges", &["--cpu"], "examples/data/crop.jpg"),
    ("histogram", &["--cpu"], "LICENSE-MIT"),
    ("kmeans", &["--cpu", "-k", "2"], "examples/data/spiral.csv"),
    ("life", &["--cpu", "--generations", "2"], "blinker.rle"),
    ("scan", &["--cpu", "e"], "LICENSE-MIT"),
    ("search", &["--cpu", "-n", "1", "--vectors"], "examples/data/words.vec"),
];

#[test]
fn numbers_are_bounded_in_words() {
    let options = [
        ("kmeans", "-k"),
        ("kmeans", "--make"),
        ("life", "--generations"),
        ("life", "--speed"),
        ("mandelbrot", "--iterations"),
        ("search", "-n"),
    ];
    checks::numbers_are_bounded(&options);
    let places: [(&str, &[&str], &str); 7] = [
        ("nbody", &[], "BODIES"),
        ("nbody", &["64"], "STEPS"),
        ("options", &[], "PATHS"),
        ("options", &["1000"], "STEPS"),
        ("reduce", &[], "COUNT"),
        ("softmax", &[], "ROWS"),
        ("softmax", &["1"], "COLUMNS"),
    ];
    for (example, before, name) in places {
        for number in ["0", "-1", "many", "", "18446744073709551615", "99999999999999999999"] {
            let message = refusal(example, &[&["--cpu", "--"], before, &[number]].concat());
            let is_told = message.starts_with(&format!("{example}: {name} is a number from "))
                && message.ends_with(&format!(", and not {number:?}\n"));
            assert!(is_told, "{message}");
        }
    }
}

#[test]
fn sizes_have_two_sides() {
    checks::sizes_have_two_sides(&["life", "mandelbrot"]);
}

#[test]
fn outputs_are_named_as_what_they_are() {
    checks::outputs_are_named_as_what_they_are(&PICTURES);
}

/// A disk that is full, as this device is: no program says that it has written its picture.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_told() {
    checks::full_disks_are_told(&PICTURES);
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = folder("inputs");
    for (example, data) in [
        ("edges", "examples/data/still-life.png"),
        ("kmeans", "examples/data/spiral.csv"),
    ] {
        let input = folder.join(format!("{example}.png"));
        std::fs::copy(data, &input).expect("a copy");
        let other_way = folder.join("..").join(folder.file_name().expect("a name"));
        let output = other_way.join(input.file_name().expect("a name"));
        let message = refusal(example, &["--cpu", text(&input), text(&output)]);
        assert!(message.contains("the output would overwrite the input"), "{message}");
        assert_eq!(std::fs::read(&input).ok(), std::fs::read(data).ok());
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

#[test]
fn errors_of_files_name_them() {
    let folder = folder("missing");
    for (example, before, _) in READERS {
        let missing = folder.join("missing");
        let message = refusal(example, &[before, &[text(&missing)]].concat());
        assert!(
            message.starts_with(&format!("{example}: {}: ", missing.display())),
            "{message}"
        );
        // `scan` reads what is in a folder.
        if example != "scan" {
            let message = refusal(example, &[before, &[text(&folder)]].concat());
            assert!(
                message.starts_with(&format!("{example}: {}: ", folder.display())),
                "{message}"
            );
        }
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// Names need not be UTF-8, of files that are read and of those that are written.
#[cfg(unix)]
#[test]
fn names_of_files_are_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder("names");
    checks::names_of_pictures_are_bytes(&PICTURES);
    std::fs::write(folder.join("blinker.rle"), "x = 3, y = 1\n3o!").expect("a file");
    for (example, before, data) in READERS {
        let input = folder.join(OsStr::from_bytes(&[example.as_bytes(), b"\xe9"].concat()));
        let data = if example == "life" {
            folder.join(data)
        } else {
            data.into()
        };
        std::fs::copy(data, &input).expect("a copy");
        let picture = folder.join("picture.png");
        let draws = ["edges", "kmeans"].contains(&example);
        let told = checks::ends_well(example, before, &input, draws.then_some(&*picture));
        if example == "scan" {
            assert!(told.starts_with(&[input.as_os_str().as_bytes(), b":"].concat()));
        }
    }
    std::fs::remove_dir_all(folder).expect("it is removed");
}

/// Files that are no pictures, tables or patterns, and truncated ones.
#[test]
fn contents_are_checked() {
    let folder = folder("contents");
    let whole = std::fs::read("examples/data/crop.jpg").expect("a file");
    let picture = std::fs::read("examples/data/still-life.png").expect("a file");
    let contents: [(&str, &[&str], &[u8]); 6] = [
        ("edges", &["--cpu"], &whole[..whole.len() / 2]),
        ("edges", &["--cpu"], &picture[..picture.len() / 2]),
        ("edges", &["--cpu"], b"no picture"),
        ("kmeans", &["--cpu"], &picture),
        ("life", &["--cpu"], &picture),
        ("search", &["--cpu", "--vectors"], &picture),
    ];
    let input = folder.join("input.png");
    for (example, before, bytes) in contents {
        std::fs::write(&input, bytes).expect("a file");
        let output = folder.join("output.png");
        let draws = ["edges", "kmeans"].contains(&example);
        let last: &[&str] = if draws { &[text(&output)] } else { &[] };
        let message = refusal(example, &[before, &[text(&input)], last].concat());
        assert!(
            message.starts_with(&format!("{example}: {}: ", input.display())),
            "{message}"
        );
        assert!(!output.exists());
    }
    // The content says what a picture is, and not its name.
    std::fs::write(&input, &whole).expect("a file");
    assert!(
        run("edges", &["--cpu", text(&input), text(&folder.join("output.png"))])
            .status
            .success()
    );
    std::fs::remove_dir_all(folder).expect("it is removed");
}
