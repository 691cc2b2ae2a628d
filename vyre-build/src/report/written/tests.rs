use std::path::{Path, PathBuf};

use super::{beside, folder, output};

fn arguments(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn reports_lie_in_the_folder_of_the_profile() {
    for (out, profile) in [
        ("/x/target/debug/deps", Some("/x/target/debug")),
        ("/x/target/release/examples", Some("/x/target/release")),
        ("/x/target/debug/build/heat-0123/out", Some("/x/target/debug")),
        // A folder around the project has the name, too.
        ("/build/x/target/debug/deps", Some("/build/x/target/debug")),
        ("/x/elsewhere", None),
    ] {
        assert_eq!(beside(Path::new(out)), profile.map(PathBuf::from), "{out}");
    }
}

#[test]
fn the_folder_of_output_is_an_argument() {
    let line = "rustc --crate-name a --out-dir /x/target/debug/deps -C metadata=1";
    assert_eq!(
        output(&mut arguments(line)),
        Some(PathBuf::from("/x/target/debug/deps"))
    );
    let line = "rustc --out-dir=/y --crate-name a";
    assert_eq!(output(&mut arguments(line)), Some(PathBuf::from("/y")));
}

#[test]
fn the_variable_is_a_switch_or_a_folder() {
    let line = "rustc --out-dir /x/target/debug/deps";
    assert_eq!(folder("0", &mut arguments(line)), None);
    assert_eq!(folder("", &mut arguments(line)), None);
    let beside_output = folder("1", &mut arguments(line)).expect("it is asked for");
    assert!(
        beside_output.starts_with("/x/target/debug/vyre-report"),
        "{beside_output:?}"
    );
    let named = folder("/reports", &mut arguments("rustc")).expect("it is asked for");
    assert!(named.starts_with("/reports"), "{named:?}");
}
