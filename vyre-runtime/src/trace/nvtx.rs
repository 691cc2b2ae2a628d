//! Ranges of NVTX, by the injection library that a profiler names in `NVTX_INJECTION64_PATH`. Without one nothing is
//! loaded.
//!
//! The library has a function `InitializeInjectionNvtx2`. It takes a function that finds tables by number: one of the
//! version of NVTX that this is, and one with a function that finds the table of each module. Such a table has the
//! addresses of slots, in which the library stores its own functions. Of all those, this calls two.

use std::ffi::{CString, OsString, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, transmute};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

/// The version of the interface.
const VERSION: u32 = 3;

/// `NVTX_ETID_CALLBACKS` and `NVTX_ETID_VERSIONINFO`.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// The numbers of functions of each module, `NVTX_CBID_CORE_SIZE` and so on: none, core, CUDA, OpenCL, the CUDA runtime,
/// core with domains, synchronisation.
const FUNCTIONS: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
const CORE: usize = 1;
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;

/// Functions of the largest module.
const MOST: usize = 16;

type Slot = AtomicPtr<c_void>;

/// The functions that the profiler has stored, by module and number.
static SLOTS: [[Slot; MOST]; FUNCTIONS.len()] =
    [const { [const { AtomicPtr::new(ptr::null_mut()) }; MOST] }; FUNCTIONS.len()];

/// The addresses of a module's slots, with null at number 0, which no function has, and at the end.
type Table = [*const Slot; MOST + 1];

struct Tables([Table; FUNCTIONS.len()]);

// SAFETY: the pointers lead to a static.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = [[ptr::null(); MOST + 1]; FUNCTIONS.len()];
        for (module, table) in tables.iter_mut().enumerate() {
            for (number, place) in table.iter_mut().enumerate().take(FUNCTIONS[module]).skip(1) {
                *place = &SLOTS[module][number];
            }
        }
        Tables(tables)
    })
}

#[repr(C)]
struct Callbacks {
    size: usize,
    table: unsafe extern "C" fn(c_uint, *mut *const *const Slot, *mut c_uint) -> c_int,
}

#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    set_version: unsafe extern "C" fn(u32),
}

unsafe extern "C" fn module_table(module: c_uint, table: *mut *const *const Slot, size: *mut c_uint) -> c_int {
    let Some(found) = tables().0.get(module as usize).filter(|_| module != 0) else {
        return 0;
    };
    // SAFETY: the library passes null or a place for each result.
    unsafe {
        if !table.is_null() {
            *table = found.as_ptr();
        }
        if !size.is_null() {
            *size = FUNCTIONS[module as usize] as c_uint;
        }
    }
    1
}

unsafe extern "C" fn set_version(_: u32) {}

unsafe extern "C" fn export_table(number: u32) -> *const c_void {
    static CALLBACK_TABLE: Callbacks = Callbacks {
        size: size_of::<Callbacks>(),
        table: module_table,
    };
    static VERSION_TABLE: VersionInfo = VersionInfo {
        size: size_of::<VersionInfo>(),
        version: VERSION,
        reserved: 0,
        set_version,
    };
    match number {
        CALLBACKS => (&raw const CALLBACK_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => ptr::null(),
    }
}

/// True if a profiler has stored its functions.
fn is_listened_to() -> bool {
    static LISTENED: OnceLock<bool> = OnceLock::new();
    *LISTENED.get_or_init(|| {
        let path = std::env::var_os("NVTX_INJECTION64_PATH");
        path.filter(|path| !path.is_empty()).is_some_and(load)
    })
}

fn load(path: OsString) -> bool {
    type Initialize = unsafe extern "C" fn(unsafe extern "C" fn(u32) -> *const c_void) -> c_int;
    // SAFETY: the user, or the profiler for him, has named the library to be loaded into the program.
    let Ok(library) = (unsafe { Library::new(path) }) else {
        return false;
    };
    // It stays loaded for the rest of the process, with the functions that it has stored.
    let library = ManuallyDrop::new(library);
    // SAFETY: the function has this type by the protocol, and the tables live for ever.
    unsafe {
        let initialize = library.get::<Initialize>("InitializeInjectionNvtx2");
        initialize.is_ok_and(|initialize| initialize(export_table) != 0)
    }
}

fn function(number: usize) -> Option<*mut c_void> {
    let function = SLOTS[CORE][number].load(Ordering::Acquire);
    (!function.is_null()).then_some(function)
}

/// A range on the timeline of the thread, until it is dropped there.
pub(crate) struct Range(PhantomData<*const ()>);

impl Range {
    /// Begins a range; `None` if nobody listens.
    pub(super) fn begin(text: impl FnOnce() -> String) -> Option<Range> {
        if !is_listened_to() {
            return None;
        }
        let push = function(RANGE_PUSH)?;
        let text = CString::new(text()).ok()?;
        // SAFETY: the slot has a function of this type, and the text lives during the call.
        unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> c_int>(push)(text.as_ptr()) };
        Some(Range(PhantomData))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some(pop) = function(RANGE_POP) {
            // SAFETY: the slot has a function of this type.
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(pop)() };
        }
    }
}
