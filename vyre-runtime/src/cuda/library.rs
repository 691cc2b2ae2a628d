//! The library of the CUDA driver, looked for when a program first asks for a CUDA device, so that a
//! program starts, and runs on the CPU, where there is none.

use libloading::Library;

/// The names under which the driver's library is looked for, in this order. A name without a folder
/// is looked for where the system looks for libraries.
#[cfg(not(windows))]
const NAMES: &[&str] = if cfg!(target_os = "linux") {
    &[
        // What the driver installs.
        "libcuda.so.1",
        // A link to it, which is all that some containers have. It comes second because a toolkit
        // has a stub under this name, which is good for linking alone.
        "libcuda.so",
        // Where the Linux inside Windows has it, which not every distribution there searches.
        "/usr/lib/wsl/lib/libcuda.so.1",
    ]
} else {
    // There is no driver for other systems.
    &[]
};
#[cfg(windows)]
const NAMES: &[&str] = &["nvcuda.dll"];

/// The first library that is there, else the names that were looked for. It stays loaded for the
/// rest of the process, for it starts threads of its own.
pub(super) fn find() -> Result<&'static Library, &'static [&'static str]> {
    match NAMES.iter().find_map(|name| open(name)) {
        Some(library) => Ok(Box::leak(Box::new(library))),
        None => Err(NAMES),
    }
}

#[cfg(not(windows))]
fn open(name: &str) -> Option<Library> {
    // SAFETY: loading the driver's library runs its initialisers, which are sound to run.
    unsafe { Library::new(name) }.ok()
}

/// Looks in the folder of the system alone, where the driver is, so that no other library of that
/// name is loaded from the current folder.
#[cfg(windows)]
fn open(name: &str) -> Option<Library> {
    use libloading::os::windows::{LOAD_LIBRARY_SEARCH_SYSTEM32, Library};
    // SAFETY: loading the driver's library runs its initialisers, which are sound to run.
    let library = unsafe { Library::load_with_flags(name, LOAD_LIBRARY_SEARCH_SYSTEM32) };
    library.ok().map(Into::into)
}
