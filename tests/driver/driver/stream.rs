//! Streams and events. Work is done when it is queued, so they order nothing.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::synchronized;
use crate::result::*;

/// A handle that no other object has.
fn handle() -> *mut c_void {
    static LAST: AtomicUsize = AtomicUsize::new(0x1000);
    ptr::without_provenance_mut(LAST.fetch_add(16, Ordering::Relaxed))
}

/// The number of the highest priority.
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;

/// The time of the last record of each event that has times; 0 before the first. Each record takes a
/// millisecond.
static RECORDS: Mutex<Option<HashMap<usize, u64>>> = Mutex::new(None);

fn records() -> MutexGuard<'static, Option<HashMap<usize, u64>>> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

functions! {
    fn cuStreamCreateWithPriority(stream: *mut *mut c_void, _flags: u32, priority: i32) {
        if !(GREATEST_PRIORITY..=0).contains(&priority) {
            return INVALID_VALUE;
        }
        *stream = handle();
        SUCCESS
    }

    fn cuStreamDestroy_v2(_stream: *mut c_void) {
        SUCCESS
    }

    fn cuStreamSynchronize(_stream: *mut c_void) {
        synchronized();
        SUCCESS
    }

    fn cuStreamQuery(_stream: *mut c_void) {
        SUCCESS
    }

    fn cuStreamWaitEvent(_stream: *mut c_void, _event: *mut c_void, _flags: u32) {
        SUCCESS
    }

    fn cuEventCreate(event: *mut *mut c_void, flags: u32) {
        *event = handle();
        if flags & DISABLE_TIMING == 0 {
            records().get_or_insert_default().insert((*event).addr(), 0);
        }
        SUCCESS
    }

    fn cuEventDestroy_v2(_event: *mut c_void) {
        SUCCESS
    }

    fn cuEventRecord(event: *mut c_void, _stream: *mut c_void) {
        static TIME: AtomicU64 = AtomicU64::new(1);
        let now = TIME.fetch_add(1, Ordering::Relaxed);
        if let Some(record) = records().get_or_insert_default().get_mut(&event.addr()) {
            *record = now;
        }
        SUCCESS
    }

    fn cuEventSynchronize(_event: *mut c_void) {
        SUCCESS
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: *mut c_void, end: *mut c_void) {
        let mut records = records();
        let records = records.get_or_insert_default();
        match (records.get(&start.addr()), records.get(&end.addr())) {
            (Some(&start @ 1..), Some(&end @ 1..)) => {
                *milliseconds = end as f32 - start as f32;
                SUCCESS
            }
            // It has no time, or was not recorded.
            _ => INVALID_HANDLE,
        }
    }

    fn cuEventQuery(_event: *mut c_void) {
        SUCCESS
    }
}
