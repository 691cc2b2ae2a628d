//! Launches, which compute nothing, and the faults that they play.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering;

use crate::capture;
use crate::control::{call, launched, played_hold};
use crate::device::MOST_SHARED;
use crate::graph::Work;
use crate::module::Function;
use crate::order::work;
use crate::result::*;

/// Offsets in `FaultControl`, `FaultChannel` and `FaultRecord` of the crate `vyre-abi`, whose tests
/// hold them.
const CONTROL_FREE: usize = 8;
pub(crate) const CONTROL_BASE: usize = 40;
const CHANNEL_LAUNCH: usize = 8;
const CHANNEL_KERNEL: usize = 16;
const RECORD_LAUNCH: usize = 8;
const RECORD_WRITTEN: usize = 60;
const RECORD_NEXT: usize = 112;

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MOST_DYNAMIC: u32 = 8;

/// Reports a fault as a kernel does: of the first thread, at site 0.
unsafe fn fault(channel: *const u8) {
    // SAFETY: the channel, the control that it leads to, and the first free record have these fields.
    unsafe {
        let word = |at: *const u8, offset: usize| at.add(offset).cast::<u64>().read();
        let memory = |address: u64| ptr::with_exposed_provenance_mut::<u8>(address as usize);
        let control = memory(word(channel, 0));
        let launch = word(channel, CHANNEL_LAUNCH) + word(control, CONTROL_BASE);
        if word(control, 0) >= launch {
            return;
        }
        control.cast::<u64>().write(launch);
        let record = memory(word(control, CONTROL_FREE));
        if record.is_null() {
            return;
        }
        control.add(CONTROL_FREE).cast::<u64>().write(word(record, RECORD_NEXT));
        record.cast::<u64>().write(word(channel, CHANNEL_KERNEL));
        record.add(RECORD_LAUNCH).cast::<u64>().write(launch);
        // Values, block, thread and site.
        record.add(16).write_bytes(0, RECORD_WRITTEN - 16);
        record.add(RECORD_WRITTEN).cast::<u32>().write(1);
    }
}

/// Launches a function with so many bytes of dynamic shared memory.
pub(crate) unsafe fn launch(function: *mut c_void, shared: u32, parameters: *mut *mut c_void) -> u32 {
    // SAFETY: functions live as long as the process.
    let function = unsafe { &*function.cast::<Function>() };
    if !function.is_loaded() {
        return INVALID_HANDLE;
    }
    if let Some(own) = function.own {
        // SAFETY: there is a pointer for each parameter.
        unsafe { own.run(&own.parameters(parameters)) };
        return SUCCESS;
    }
    if shared > function.most_dynamic.load(Ordering::Relaxed) {
        return INVALID_VALUE;
    }
    launched();
    if function.assumed {
        call("__assumed");
    }
    if function.holds {
        played_hold();
    }
    if function.faults {
        // SAFETY: there is a pointer for each parameter; the channel is the last.
        unsafe { fault((*parameters.add(function.parameters - 1)).cast()) };
    }
    SUCCESS
}

functions! {
    fn cuFuncGetAttribute(value: *mut i32, attribute: u32, function: *mut c_void) {
        let function = &*function.cast::<Function>();
        // The numbers are those of `CUfunction_attribute`.
        *value = match attribute {
            // Threads of a block.
            0 => 1024,
            1 => function.shared as i32,
            MOST_DYNAMIC => function.most_dynamic.load(Ordering::Relaxed) as i32,
            _ => return INVALID_VALUE,
        };
        SUCCESS
    }

    // The sum with what the function declares is at most what a block may have.
    fn cuFuncSetAttribute(function: *mut c_void, attribute: u32, value: i32) {
        let function = &*function.cast::<Function>();
        let most = MOST_SHARED - function.shared;
        if attribute != MOST_DYNAMIC || !(0..=most as i32).contains(&value) {
            return INVALID_VALUE;
        }
        function.most_dynamic.store(value as u32, Ordering::Relaxed);
        SUCCESS
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        count: *mut i32, function: *mut c_void, threads: i32, shared: usize,
    ) {
        let function = &*function.cast::<Function>();
        // None of those that may not be launched.
        let fits = shared <= function.most_dynamic.load(Ordering::Relaxed) as usize;
        *count = if fits { 2048 / threads.max(1) } else { 0 };
        SUCCESS
    }

    // One cluster for each multiprocessor.
    fn cuOccupancyMaxActiveClusters(count: *mut i32, _function: *mut c_void, _config: *const c_void) {
        *count = crate::device::MULTIPROCESSORS;
        SUCCESS
    }

    fn cuLaunchKernel(
        function: *mut c_void, x: u32, y: u32, z: u32, width: u32, height: u32, depth: u32, shared: u32,
        stream: *mut c_void, parameters: *mut *mut c_void, _extra: *mut *mut c_void,
    ) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let node = || Work::of_launch(function, [x, y, z, width, height, depth, shared], parameters);
        if let Some(code) = capture::take(stream, node) {
            return code;
        }
        launch(function, shared, parameters)
    }

    fn cuLaunchCooperativeKernel(
        function: *mut c_void, x: u32, y: u32, z: u32, width: u32, height: u32, depth: u32, shared: u32,
        stream: *mut c_void, parameters: *mut *mut c_void,
    ) {
        if !work(stream) {
            return INVALID_CONTEXT;
        }
        let node = || Work::of_launch(function, [x, y, z, width, height, depth, shared], parameters);
        if let Some(code) = capture::take(stream, node) {
            return code;
        }
        launch(function, shared, parameters)
    }
}
