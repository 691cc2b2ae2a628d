//! A profiler: it takes the ranges of NVTX, when a test names this library as the one to inject.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, PoisonError};

/// The ranges as they began and ended, a line for each.
static LOG: Mutex<String> = Mutex::new(String::new());

fn log(line: &str) {
    let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    log.push_str(line);
    log.push('\n');
}

unsafe extern "C" fn push(text: *const c_char) -> c_int {
    // SAFETY: the caller passes a text that ends with a zero.
    log(&format!("+ {}", unsafe { CStr::from_ptr(text) }.to_string_lossy()));
    0
}

unsafe extern "C" fn pop() -> c_int {
    log("-");
    0
}

type ModuleTable = unsafe extern "C" fn(c_uint, *mut *mut *mut *const c_void, *mut c_uint) -> c_int;

#[unsafe(no_mangle)]
unsafe extern "C" fn InitializeInjectionNvtx2(find: unsafe extern "C" fn(u32) -> *const c_void) -> c_int {
    // SAFETY: the tables are as the header of NVTX has them: sizes first, then the version, or the function.
    unsafe {
        let version = find(3).cast::<usize>();
        assert!(version.read() >= 24 && version.add(1).cast::<u32>().read() == 3);
        let callbacks = find(1).cast::<usize>();
        assert!(callbacks.read() >= 16 && find(2).is_null());
        let module_table = callbacks.add(1).cast::<ModuleTable>().read();
        let (mut table, mut size) = (std::ptr::null_mut(), 0);
        // Each module has its functions.
        for (module, functions) in [(1, 16), (2, 9), (3, 15), (4, 7), (5, 16), (6, 7)] {
            assert_eq!(module_table(module, &mut table, &mut size), 1);
            assert_eq!(size, functions);
            assert!((1..size as usize).all(|number| !(*table.add(number)).is_null()));
        }
        assert_eq!(module_table(0, &mut table, &mut size), 0);
        assert_eq!(module_table(7, &mut table, &mut size), 0);
        module_table(1, &mut table, &mut size);
        **table.add(9) = push as *const c_void;
        **table.add(11) = pop as *const c_void;
    }
    1
}

/// Copies the log into a buffer, with a zero at its end, and clears it.
#[unsafe(no_mangle)]
unsafe extern "C" fn played_ranges(buffer: *mut u8, size: usize) {
    let log = std::mem::take(&mut *LOG.lock().unwrap_or_else(PoisonError::into_inner));
    let count = log.len().min(size - 1);
    // SAFETY: the buffer has so many bytes.
    unsafe {
        buffer.copy_from(log.as_ptr(), count);
        buffer.add(count).write(0);
    }
}
