//! The library of the CUDA driver, looked for when a program first asks for a CUDA device, so that a
//! program starts, and runs on the CPU, where there is none.

use std::ffi::{CStr, CString, c_void};
use std::mem;
use std::ptr::NonNull;

/// The names under which the driver's library is looked for, in this order. A name without a folder
/// is looked for where the system looks for libraries.
const NAMES: &[&CStr] = if cfg!(windows) {
    &[c"nvcuda.dll"]
} else if cfg!(target_os = "linux") {
    &[
        // What the driver installs.
        c"libcuda.so.1",
        // A link to it, which is all that some containers have. It comes second because a toolkit
        // has a stub under this name, which is good for linking alone.
        c"libcuda.so",
        // Where the Linux inside Windows has it, which not every distribution there searches.
        c"/usr/lib/wsl/lib/libcuda.so.1",
    ]
} else {
    // There is no driver for other systems.
    &[]
};

/// A function of a library, of whatever type.
pub(super) type Symbol = unsafe extern "C" fn();

/// A library that is loaded. It stays so for the rest of the process, for the driver starts threads of its own.
#[derive(Clone, Copy)]
pub(super) struct Library(NonNull<c_void>);

impl Library {
    /// The first library of the driver that is there, else the names that were looked for.
    pub(super) fn find() -> Result<Library, &'static [&'static CStr]> {
        let found = NAMES.iter().find_map(|name| NonNull::new(system::open(name)));
        found.map(Library).ok_or(NAMES)
    }

    /// The function of this name.
    pub(super) fn function(self, name: &str) -> Option<Symbol> {
        let name = CString::new(name).ok()?;
        // SAFETY: an address that may be zero and that of a function are alike, and nothing is called here.
        unsafe { mem::transmute::<*mut c_void, Option<Symbol>>(system::address(self.0.as_ptr(), &name)) }
    }
}

#[cfg(not(windows))]
mod system {
    use std::ffi::{CStr, c_char, c_int, c_void};

    // Of the system's C library, with which Rust's own is linked.
    unsafe extern "C" {
        fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// What a library lacks is found when it is called.
    const RTLD_LAZY: c_int = 1;

    pub(super) fn open(name: &CStr) -> *mut c_void {
        // SAFETY: loading the driver's library runs its initialisers, which are sound to run.
        unsafe { dlopen(name.as_ptr(), RTLD_LAZY) }
    }

    pub(super) fn address(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the library was opened above and is never closed.
        unsafe { dlsym(library, name.as_ptr()) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{CStr, c_char, c_void};
    use std::ptr;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryExA(name: *const c_char, file: *mut c_void, flags: u32) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// Looks in the folder of the system alone, where the driver is, so that no other library of that
    /// name is loaded from the current folder.
    const LOAD_LIBRARY_SEARCH_SYSTEM32: u32 = 0x800;

    pub(super) fn open(name: &CStr) -> *mut c_void {
        // SAFETY: loading the driver's library runs its initialisers, which are sound to run.
        unsafe { LoadLibraryExA(name.as_ptr(), ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32) }
    }

    pub(super) fn address(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the library was opened above and is never closed.
        unsafe { GetProcAddress(library, name.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C library of Linux stands in for the driver's.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn functions_are_found_by_name() {
        let library = Library(NonNull::new(system::open(c"libc.so.6")).unwrap());
        let labs = library.function("labs").unwrap();
        // SAFETY: the function has this type.
        let labs = unsafe { mem::transmute::<Symbol, unsafe extern "C" fn(i64) -> i64>(labs) };
        // SAFETY: it takes any number but the least.
        assert_eq!(unsafe { labs(-5) }, 5);
        assert!(library.function("no_such_function").is_none());
        assert!(library.function("la\0bs").is_none());
    }

    #[test]
    fn a_library_that_is_missing_is_none() {
        assert!(system::open(c"vyre-has-no-such-library").is_null());
    }
}
