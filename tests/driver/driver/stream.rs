//! Streams and events. Work is done when it is queued, so they order nothing. While the test holds it, it does not seem
//! to be over.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::capture;
use crate::contexts::{is_current, made};
use crate::control::{hold, wait_for_work};
use crate::memory::synchronized;
use crate::order;
use crate::result::*;

/// A handle that no other object has, of the context of the thread.
fn handle() -> *mut c_void {
    static LAST: AtomicUsize = AtomicUsize::new(0x1000);
    let new = ptr::without_provenance_mut(LAST.fetch_add(16, Ordering::Relaxed));
    made(new);
    new
}

/// The number of the highest priority.
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;

/// The last record of an event.
#[derive(Clone, Copy, Default)]
struct Record {
    /// 0 before the first, and for one without times. Each takes a millisecond.
    time: u64,
    has_times: bool,
    /// The hold in which it was made; 0 for none.
    hold: u64,
}

/// The events.
static RECORDS: Mutex<Option<HashMap<usize, Record>>> = Mutex::new(None);

fn records() -> MutexGuard<'static, Option<HashMap<usize, Record>>> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last record of an event.
fn record(event: *mut c_void) -> Record {
    let mut records = records();
    let known = records.get_or_insert_default().get(&event.addr());
    known.copied().unwrap_or_default()
}

functions! {
    fn cuStreamCreateWithPriority(stream: *mut *mut c_void, _flags: u32, priority: i32) {
        if !(GREATEST_PRIORITY..=0).contains(&priority) {
            return INVALID_VALUE;
        }
        *stream = handle();
        SUCCESS
    }

    fn cuStreamCreate(stream: *mut *mut c_void, _flags: u32) {
        *stream = handle();
        SUCCESS
    }

    fn cuStreamDestroy_v2(_stream: *mut c_void) {
        SUCCESS
    }

    fn cuStreamSynchronize(stream: *mut c_void) {
        if let Some(code) = capture::breaks(stream) {
            return code;
        }
        if !wait_for_work(hold()) {
            return UNKNOWN;
        }
        order::settle(stream);
        synchronized();
        SUCCESS
    }

    fn cuStreamQuery(stream: *mut c_void) {
        if let Some(code) = capture::breaks(stream) {
            return code;
        }
        if hold() == 0 { SUCCESS } else { NOT_READY }
    }

    fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: u32) {
        if !is_current(stream) {
            return INVALID_CONTEXT;
        }
        let code = capture::wait(stream, event);
        if code == SUCCESS {
            order::wait(stream, event);
        }
        code
    }

    fn cuEventCreate(event: *mut *mut c_void, flags: u32) {
        *event = handle();
        let new = Record { has_times: flags & DISABLE_TIMING == 0, ..Record::default() };
        records().get_or_insert_default().insert((*event).addr(), new);
        SUCCESS
    }

    fn cuEventDestroy_v2(_event: *mut c_void) {
        SUCCESS
    }

    fn cuEventRecord(event: *mut c_void, stream: *mut c_void) {
        if !is_current(event) || !is_current(stream) {
            return INVALID_CONTEXT;
        }
        let code = capture::record(event, stream);
        if code != SUCCESS {
            return code;
        }
        order::record(event, stream);
        static TIME: AtomicU64 = AtomicU64::new(1);
        let now = TIME.fetch_add(1, Ordering::Relaxed);
        if let Some(record) = records().get_or_insert_default().get_mut(&event.addr()) {
            record.hold = hold();
            if record.has_times {
                record.time = now;
            }
        }
        SUCCESS
    }

    fn cuEventSynchronize(event: *mut c_void) {
        let code = capture::ask(event);
        if code != SUCCESS {
            return code;
        }
        if wait_for_work(record(event).hold) { SUCCESS } else { UNKNOWN }
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: *mut c_void, end: *mut c_void) {
        if !is_current(start) || !is_current(end) {
            return INVALID_CONTEXT;
        }
        match (record(start).time, record(end).time) {
            (start @ 1.., end @ 1..) => {
                *milliseconds = end as f32 - start as f32;
                SUCCESS
            }
            // It has no time, or was not recorded.
            _ => INVALID_HANDLE,
        }
    }

    fn cuEventQuery(event: *mut c_void) {
        let code = capture::ask(event);
        if code != SUCCESS {
            return code;
        }
        let hold = hold();
        if hold == 0 || record(event).hold != hold { SUCCESS } else { NOT_READY }
    }
}
