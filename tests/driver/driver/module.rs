//! Modules and libraries.
//!
//! A library is assembled when it is loaded, and comes into the context with the first function that is
//! asked for, as that of a real driver does. A module is there at once.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};

use crate::assembler::Log;
use crate::control::fails_allocation;
use crate::device::{BLOCK_SHARED, has_context};
use crate::own::Own;
use crate::result::*;

/// A module, or a library: the PTX that it is made of.
pub(crate) struct Module {
    text: String,
    log: Log,
    /// True if its code is in the context.
    present: bool,
}

/// A kernel of a library.
struct Kernel {
    library: *mut Module,
    function: Function,
}

/// An entry of a module.
#[derive(Clone)]
pub(crate) struct Function {
    module: usize,
    pub(crate) parameters: usize,
    pub(crate) faults: bool,
    /// True if its launches hold the device.
    pub(crate) holds: bool,
    /// True if it relies on conditions of its launches.
    pub(crate) assumed: bool,
    /// The kernel of the runtime itself that it is.
    pub(crate) own: Option<Own>,
    /// The bytes of shared memory that it declares, up to the start of dynamic memory.
    pub(crate) shared: u32,
    /// The most bytes of dynamic shared memory of a launch. The handles of an entry have it in common.
    pub(crate) most_dynamic: Arc<AtomicU32>,
}

/// The alignment of dynamic shared memory.
const DYNAMIC_ALIGN: u32 = 16;

/// The bytes of shared memory that a text declares, up to where dynamic memory would begin.
fn shared(text: &str) -> u32 {
    let mut bytes = 0u32;
    for line in text.lines().map(str::trim) {
        let Some(variable) = line.strip_prefix(".shared .align ") else {
            continue;
        };
        let align = variable.split_whitespace().next().and_then(|align| align.parse().ok());
        let count = variable.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let count = count.and_then(|(count, _)| count.parse::<u32>().ok());
        bytes = bytes.next_multiple_of(align.unwrap_or(1)) + count.unwrap_or(0);
    }
    bytes.next_multiple_of(DYNAMIC_ALIGN)
}

/// The addresses of the loaded modules and libraries.
static LOADED: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

fn loaded<T>(change: impl FnOnce(&mut HashSet<usize>) -> T) -> T {
    change(
        LOADED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

/// The number of loaded modules and libraries.
pub(crate) fn live() -> u64 {
    loaded(|modules| modules.len() as u64)
}

impl Function {
    pub(crate) fn is_loaded(&self) -> bool {
        loaded(|modules| modules.contains(&self.module))
    }
}

impl Module {
    /// Assembles a text.
    unsafe fn load(place: *mut *mut c_void, text: *const c_void, log: Result<Log, u32>) -> u32 {
        let log = match log {
            Ok(log) => log,
            Err(code) => return code,
        };
        // SAFETY: the caller passes a text that ends with a zero.
        let text = unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned();
        // SAFETY: by the contract of the driver's function.
        let code = unsafe { log.assemble(&text) };
        if code == SUCCESS {
            let new = Box::into_raw(Box::new(Module {
                text,
                log,
                present: false,
            }));
            loaded(|modules| modules.insert(new.addr()));
            // SAFETY: the caller passes a place.
            unsafe { *place = new.cast() };
        }
        code
    }

    unsafe fn unload(module: *mut c_void) -> u32 {
        if !loaded(|modules| modules.remove(&module.addr())) {
            return INVALID_HANDLE;
        }
        // SAFETY: it was loaded, and is not any more.
        drop(unsafe { Box::from_raw(module.cast::<Module>()) });
        SUCCESS
    }

    /// Brings the code into the context.
    fn enter(&mut self) -> u32 {
        if self.present {
            return SUCCESS;
        }
        if !has_context() {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        if self.text.contains("// played: late error\n") {
            // SAFETY: the log of a library is valid as long as the library.
            unsafe { self.log.tell("ptxas fatal   : Parsing error, found late") };
            return INVALID_PTX;
        }
        self.present = true;
        SUCCESS
    }

    /// An entry.
    unsafe fn function(module: *mut c_void, name: *const c_char) -> Result<Function, u32> {
        if !loaded(|modules| modules.contains(&module.addr())) {
            return Err(INVALID_HANDLE);
        }
        // SAFETY: it is loaded, and the caller passes a text that ends with a zero.
        let (text, name) = unsafe { (&(*module.cast::<Module>()).text, CStr::from_ptr(name)) };
        let start = format!(".entry {}(", name.to_string_lossy());
        let (_, rest) = text.split_once(&start).ok_or(NOT_FOUND)?;
        let signature = rest.split_once(')').map_or(rest, |(signature, _)| signature);
        Ok(Function {
            module: module.addr(),
            parameters: signature.matches(".param").count(),
            faults: text.contains("// played: fault\n"),
            holds: text.contains(".entry holds("),
            assumed: name.to_bytes().ends_with(b"__assumed"),
            own: Own::of(&name.to_string_lossy()),
            shared: shared(text),
            most_dynamic: Arc::new(AtomicU32::new(BLOCK_SHARED.saturating_sub(shared(text)))),
        })
    }
}

/// A handle, which lives as long as the process: a launch may come after its module went.
fn handle<T>(content: T) -> *mut c_void {
    ptr::from_mut(Box::leak(Box::new(content))).cast()
}

functions! {
    fn cuLibraryLoadData(
        library: *mut *mut c_void, code: *const c_void, options: *mut u32, values: *mut *mut c_void, count: u32,
        _own_options: *mut u32, _own_values: *mut *mut c_void, own_count: u32,
    ) {
        if own_count != 0 {
            return INVALID_VALUE;
        }
        if CStr::from_ptr(code.cast()).to_string_lossy().contains("// played: module\n") {
            return NO_BINARY;
        }
        Module::load(library, code, Log::of(count, options, values))
    }

    fn cuLibraryGetKernel(kernel: *mut *mut c_void, library: *mut c_void, name: *const c_char) {
        match Module::function(library, name) {
            Ok(function) => {
                *kernel = handle(Kernel { library: library.cast(), function });
                SUCCESS
            }
            Err(code) => code,
        }
    }

    fn cuKernelGetFunction(function: *mut *mut c_void, kernel: *mut c_void) {
        let kernel = &*kernel.cast::<Kernel>();
        if !kernel.function.is_loaded() {
            return INVALID_HANDLE;
        }
        let code = (*kernel.library).enter();
        if code == SUCCESS {
            *function = handle(kernel.function.clone());
        }
        code
    }

    fn cuLibraryUnload(library: *mut c_void) {
        Module::unload(library)
    }

    fn cuModuleLoadDataEx(
        module: *mut *mut c_void, data: *const c_void, count: u32, options: *mut u32, values: *mut *mut c_void,
    ) {
        if !has_context() {
            return INVALID_VALUE;
        }
        let code = Module::load(module, data, Log::of(count, options, values));
        if code != SUCCESS {
            return code;
        }
        let code = (*(*module).cast::<Module>()).enter();
        if code != SUCCESS {
            Module::unload(*module);
        }
        code
    }

    fn cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) {
        match Module::function(module, name) {
            Ok(found) => {
                *function = handle(found);
                SUCCESS
            }
            Err(code) => code,
        }
    }

    fn cuModuleUnload(module: *mut c_void) {
        Module::unload(module)
    }
}
