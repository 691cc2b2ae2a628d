//! The played driver as the test sees it that runs on it.

use std::ffi::{CString, c_char, c_void};

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

    /// From here on no work is over, until [`resume`](Driver::resume).
    pub fn hold(&self) {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let hold = self.0.get::<unsafe extern "C" fn()>("played_hold");
            hold.expect("it has the function")()
        }
    }

    /// Ends the work that is held.
    pub fn resume(&self) {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let resume = self.0.get::<unsafe extern "C" fn()>("played_resume");
            resume.expect("it has the function")()
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

    /// Loses the device after so many launches: all later calls answer a code. Of 709, a context that was destroyed,
    /// it recovers once a context is retained.
    pub fn lose(&self, launches: u64, code: u32) {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let lose = self.0.get::<unsafe extern "C" fn(u64, u32)>("played_lose");
            lose.expect("it has the function")(launches, code)
        }
    }

    /// The context of the calling thread, as a number; 0 for none.
    pub fn context(&self) -> usize {
        let mut context = std::ptr::null_mut();
        // SAFETY: the library defines the function with this type, and the pointer is valid for the call.
        unsafe {
            let get = self
                .0
                .get::<unsafe extern "C" fn(*mut *mut c_void) -> u32>("cuCtxGetCurrent");
            assert_eq!(get.expect("it has the function")(&mut context), 0);
        }
        context.addr()
    }

    /// Sets the context of the calling thread, as another library does.
    pub fn set_context(&self, context: usize) {
        // SAFETY: the library defines the function with this type, and takes any number.
        unsafe {
            let set = self
                .0
                .get::<unsafe extern "C" fn(*mut c_void) -> u32>("cuCtxSetCurrent");
            let context = std::ptr::without_provenance_mut(context);
            assert_eq!(set.expect("it has the function")(context), 0);
        }
    }

    /// True if later work on a stream comes after all work that is on another one now, by their handles.
    pub fn follows(&self, later: usize, earlier: usize) -> bool {
        // SAFETY: the library defines the function with this type, and takes any numbers.
        unsafe {
            let follows = self
                .0
                .get::<unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool>("played_follows");
            let [later, earlier] = [later, earlier].map(std::ptr::without_provenance_mut);
            follows.expect("it has the function")(later, earlier)
        }
    }

    /// True if the host has waited for the stream since its last work, by its handle. Waits for events do not count.
    pub fn is_settled(&self, stream: usize) -> bool {
        // SAFETY: the library defines the function with this type, and takes any number.
        unsafe {
            let settled = self
                .0
                .get::<unsafe extern "C" fn(*mut c_void) -> bool>("played_settled");
            settled.expect("it has the function")(std::ptr::without_provenance_mut(stream))
        }
    }

    /// The ranges of NVTX since the last call: a line `+ text` where one began, and `-` where one ended.
    pub fn ranges(&self) -> String {
        let mut buffer = vec![0u8; 1 << 16];
        // SAFETY: the library defines the function with this type, and the buffer has so many bytes.
        unsafe {
            let ranges = self.0.get::<unsafe extern "C" fn(*mut u8, usize)>("played_ranges");
            ranges.expect("it has the function")(buffer.as_mut_ptr(), buffer.len());
        }
        let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
        String::from_utf8_lossy(&buffer[..end]).into_owned()
    }

    /// The number of allocations that were not freed, of the device and of the host.
    pub fn allocations(&self) -> u64 {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let live = self.0.get::<unsafe extern "C" fn() -> u64>("played_allocations");
            live.expect("it has the function")()
        }
    }

    /// The number of graphs, and of those that can be launched, that were not destroyed.
    pub fn graphs(&self) -> u64 {
        // SAFETY: the library defines the function with this type.
        unsafe {
            let live = self.0.get::<unsafe extern "C" fn() -> u64>("played_graphs");
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
