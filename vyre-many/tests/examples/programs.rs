//! The command lines of the examples.

use super::checks::{self, folder, text};

const EXAMPLES: [&str; 2] = ["heat", "train"];

/// `heat` writes a picture, and these arguments keep its work small.
const PICTURES: [(&str, &[&str]); 1] = [("heat", &["--cpu", "--size", "30x20", "--steps", "2"])];

#[test]
fn help_names_the_options() {
    checks::help_names_the_options(&EXAMPLES);
}

#[test]
fn unknown_options_are_refused() {
    checks::unknown_options_are_refused(&EXAMPLES);
}

#[test]
fn numbers_are_bounded_in_words() {
    checks::numbers_are_bounded(&[
        ("heat", "--ranks"),
        ("heat", "--steps"),
        ("train", "--chunks"),
        ("train", "--ranks"),
        ("train", "--samples"),
        ("train", "--steps"),
    ]);
}

#[test]
fn sizes_have_two_sides() {
    checks::sizes_have_two_sides(&["heat"]);
}

#[test]
fn outputs_are_named_as_what_they_are() {
    checks::outputs_are_named_as_what_they_are(&PICTURES);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_are_told() {
    checks::full_disks_are_told(&PICTURES);
}

#[cfg(unix)]
#[test]
fn names_of_files_are_bytes() {
    checks::names_of_pictures_are_bytes(&PICTURES);
}

#[test]
fn closed_pipes_are_quiet() {
    let folder = folder("closed");
    let picture = folder.join("heat.png");
    checks::closed_pipes_are_quiet(&[
        &["heat", "--cpu", "--size", "30x20", "--steps", "2", text(&picture)],
        &["train", "--cpu", "--samples", "64", "--steps", "2"],
    ]);
    std::fs::remove_dir_all(folder).expect("it is removed");
}

#[cfg(target_os = "linux")]
#[test]
fn long_work_shows_its_progress() {
    let folder = folder("progress");
    let picture = folder.join("picture.png").display().to_string();
    checks::bars_are_shown(&[
        (
            "heat",
            format!("--cpu --size 30x20 --steps 40 {picture}"),
            &[("step", " of 40")],
        ),
        (
            "train",
            "--cpu --samples 64 --chunks 2 --steps 4".to_owned(),
            &[("step", " of 4")],
        ),
    ]);
    std::fs::remove_dir_all(folder).expect("it is removed");
}
