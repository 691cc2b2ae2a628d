use std::path::Path;

use super::module_name;

#[test]
fn names_are_paths_without_src_and_extension() {
    let name = |path: &str| module_name(Path::new("/home/crate"), Path::new(path)).map_err(|error| error.to_string());
    for (path, expected) in [
        ("src/kernels.rs", "kernels"),
        ("kernels.rs", "kernels"),
        ("src/a/k.rs", "a/k"),
        ("./src/b/k.rs", "b/k"),
        ("gpu/src/k.rs", "gpu/src/k"),
        ("src/with space/k l.rs", "with space/k l"),
        ("src/fft.radix2.rs", "fft.radix2"),
        ("../shared/k.rs", "shared/k"),
        ("src/../gpu/k.rs", "gpu/k"),
        ("/home/crate/src/k.rs", "k"),
        ("/home/crate/../other/src/k.rs", "other/src/k"),
        ("src", "src"),
    ] {
        assert_eq!(name(path).as_deref(), Ok(expected), "{path}");
    }
    for (path, reason) in [("/tmp/k.rs", "from the crate's folder"), ("..", "of a file")] {
        assert!(name(path).unwrap_err().contains(reason), "{path}");
    }
}

#[cfg(windows)]
#[test]
fn folders_of_windows_are_parted_as_others() {
    let name = module_name(Path::new(r"C:\crate"), Path::new(r"src\a\k.rs"));
    assert_eq!(name.ok().as_deref(), Some("a/k"));
    let name = module_name(Path::new(r"C:\crate"), Path::new(r"C:\crate\src\k.rs"));
    assert_eq!(name.ok().as_deref(), Some("k"));
}
