//! The played driver as the test sees it that runs on it.

use std::ffi::{CString, c_char};

use libloading::Library;

use crate::plays;

/// The played driver of this process.
pub struct Driver(Library);

impl Driver {
    /// The driver, in the process that plays this test.
    pub fn of(test: &str) -> Option<Driver> {
        // SAFETY: the library has no initialisers.
        plays(test).then(|| Driver(unsafe { Library::new("libcuda.so.1") }.expect("the stage has the library")))
    }

    /// The number of calls of a function until now.
    pub fn calls(&self, function: &str) -> u64 {
        let name = CString::new(function).expect("a name without zero bytes");
        // SAFETY: the library defines the function with this type, and the name lives during the call.
        unsafe {
            let calls = self.0.get::<unsafe extern "C" fn(*const c_char) -> u64>("played_calls");
            calls.expect("it has the function")(name.as_ptr())
        }
    }

    /// Ends the assemblers that are held, now and later.
    pub fn release(&self) {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let release = self.0.get::<unsafe extern "C" fn()>("played_release");
            release.expect("it has the function")()
        }
    }

    /// Lets some allocations work, and fails as many after them. The code of a module is an allocation, too.
    pub fn fail_allocations(&self, working: u64, failing: u64) {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let fail = self.0.get::<unsafe extern "C" fn(u64, u64)>("played_fail_allocations");
            fail.expect("it has the function")(working, failing)
        }
    }

    /// The number of allocations that were not freed, of the device and of the host.
    pub fn allocations(&self) -> u64 {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let live = self.0.get::<unsafe extern "C" fn() -> u64>("played_allocations");
            live.expect("it has the function")()
        }
    }

    /// The number of modules and libraries that are loaded.
    pub fn modules(&self) -> u64 {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let live = self.0.get::<unsafe extern "C" fn() -> u64>("played_modules");
            live.expect("it has the function")()
        }
    }
}
