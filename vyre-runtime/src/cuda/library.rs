//! Finds and opens the library of the CUDA driver, once a program first asks for a CUDA device: it
//! starts, and runs on the CPU, where there is none.

use libloading::{Error, Library};

/// The names under which the driver's library is looked for, in this order. A name without a folder
/// is looked for where the system looks for libraries.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else if cfg!(target_os = "linux") {
    &[
        // The driver installs this one.
        "libcuda.so.1",
        // A link to it, which is all that some containers have. It comes second because a toolkit
        // has a stub under this name, which is good for linking alone.
        "libcuda.so",
        // WSL has it here, which not every distribution there searches.
        "/usr/lib/wsl/lib/libcuda.so.1",
    ]
} else {
    // There is no driver for other systems.
    &[]
};

/// The driver's library; the names that were looked for if there is none.
pub(super) fn find() -> Result<Library, &'static [&'static str]> {
    NAMES.iter().find_map(|name| open(name).ok()).ok_or(NAMES)
}

#[cfg(not(windows))]
fn open(name: &str) -> Result<Library, Error> {
    // SAFETY: the initialisers of the driver's library are sound to run.
    unsafe { Library::new(name) }
}

/// Looks in the folder of the system alone, where the driver is, so that no other library of that
/// name is loaded from the current folder.
#[cfg(windows)]
fn open(name: &str) -> Result<Library, Error> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, Library as Windows};

    // SAFETY: the initialisers of the driver's library are sound to run.
    unsafe { Windows::load_with_flags(name, LOAD_LIBRARY_SEARCH_SYSTEM32) }.map(Library::from)
}
