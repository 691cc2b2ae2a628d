//! Finds and opens the library of the CUDA driver when a program first uses CUDA: programs start,
//! and run on the CPU, without one.

use libloading::{Error, Library};

/// The names of the driver's library, in the order of the search. A name without a folder is
/// searched in the system's paths.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else if cfg!(target_os = "linux") {
    &[
        // The driver installs this one.
        "libcuda.so.1",
        // A link to it; some containers have only this. It comes second because a toolkit has a
        // stub under this name, which is only meant for linking.
        "libcuda.so",
        // WSL has it here, which not every distribution there searches.
        "/usr/lib/wsl/lib/libcuda.so.1",
    ]
} else {
    // There is no driver for other systems.
    &[]
};

/// The driver's library, or the names that were tried.
pub(super) fn find() -> Result<Library, &'static [&'static str]> {
    NAMES.iter().find_map(|name| open(name).ok()).ok_or(NAMES)
}

#[cfg(not(windows))]
fn open(name: &str) -> Result<Library, Error> {
    // SAFETY: the initialisers of the driver's library are sound to run.
    unsafe { Library::new(name) }
}

/// Searches only the system folder, where the driver is, so that no other library of that name is
/// loaded from the current folder.
#[cfg(windows)]
fn open(name: &str) -> Result<Library, Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, Library as Windows};

    // SAFETY: the initialisers of the driver's library are sound to run.
    unsafe { Windows::load_with_flags(name, LOAD_LIBRARY_SEARCH_SYSTEM32) }.map(Library::from)
}
