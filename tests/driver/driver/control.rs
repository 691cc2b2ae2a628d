//! The controls and counters by which a test directs and observes the driver.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::result::{CONTEXT_IS_DESTROYED, NOT_INITIALIZED};

/// The time that an assembler waits.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct State {
    calls: HashMap<String, u64>,
    /// Assemblers at work, and the most that were.
    assembling: u64,
    most_assembling: u64,
    released: bool,
    /// Allocations that work before some fail, and the number of those that fail.
    failing_allocations: Option<(u64, u64)>,
    /// The launches until the device is lost, and the code that calls answer then.
    losing: Option<(u64, u32)>,
    /// The process in which the driver was initialised.
    process: Option<u32>,
    /// True while work that is queued does not end.
    held: bool,
    /// The number of times that it was held.
    holds: u64,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    let result = change(lock().get_or_insert_default());
    CHANGED.notify_all();
    result
}

/// Waits until a condition holds; false if it does not in time.
fn wait(condition: impl Fn(&State) -> bool) -> bool {
    let waiting = |state: &mut Option<State>| !condition(state.get_or_insert_default());
    let waited = CHANGED.wait_timeout_while(lock(), PATIENCE, waiting);
    !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
}

/// The number of times that work was held; 0 while it is not.
pub(crate) fn hold() -> u64 {
    with(|state| if state.held { state.holds } else { 0 })
}

/// Waits until work that was queued in a hold is over; false if it is not in time.
pub(crate) fn wait_for_work(queued: u64) -> bool {
    wait(|state| !state.held || state.holds != queued)
}

/// Functions that work without a device.
const ALWAYS: [&str; 4] = ["cuDriverGetVersion", "cuInit", "cuGetErrorName", "cuDeviceGetCount"];

/// Counts a call. `Some` is the code that it answers in place of doing anything: the device was lost, or the process is
/// a fork of the one that has initialised the driver.
pub(crate) fn call(name: &str) -> Option<u32> {
    with(|state| {
        *state.calls.entry(name.to_owned()).or_default() += 1;
        let own = std::process::id();
        if name == "cuInit" {
            state.process.get_or_insert(own);
        }
        match state.losing {
            _ if ALWAYS.contains(&name) => None,
            _ if state.process.is_some_and(|process| process != own) => Some(NOT_INITIALIZED),
            // A context that was destroyed can be made again.
            Some((0, CONTEXT_IS_DESTROYED)) if name.starts_with("cuDevice") => {
                if name == "cuDevicePrimaryCtxRetain" {
                    state.losing = None;
                }
                None
            }
            Some((0, code)) => Some(code),
            _ => None,
        }
    })
}

/// Counts a launch that may be the one after which the device is lost.
pub(crate) fn launched() {
    with(|state| {
        if let Some((left, _)) = &mut state.losing {
            *left = left.saturating_sub(1);
        }
    });
}

/// An assembler at work.
pub(crate) struct Assembling;

impl Assembling {
    pub(crate) fn start() -> Assembling {
        with(|state| {
            state.assembling += 1;
            state.most_assembling = state.most_assembling.max(state.assembling);
        });
        Assembling
    }

    /// Waits for as many at the same time.
    pub(crate) fn meets(&self, count: u64) -> bool {
        wait(|state| state.most_assembling >= count)
    }

    /// Waits for the test.
    pub(crate) fn is_released(&self) -> bool {
        wait(|state| state.released)
    }
}

impl Drop for Assembling {
    fn drop(&mut self) {
        with(|state| state.assembling -= 1);
    }
}

/// True if the allocation that is made now is one to fail.
pub(crate) fn fails_allocation() -> bool {
    with(|state| match &mut state.failing_allocations {
        Some((0, 0)) | None => false,
        Some((0, failing)) => {
            *failing -= 1;
            true
        }
        Some((working, _)) => {
            *working -= 1;
            false
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn played_calls(name: *const c_char) -> u64 {
    // SAFETY: the test passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    with(|state| state.calls.get(&*name).copied().unwrap_or(0))
}

#[unsafe(no_mangle)]
extern "C" fn played_release() {
    with(|state| state.released = true);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn played_hold() {
    with(|state| {
        // A hold goes on if it is held again.
        state.holds += u64::from(!state.held);
        state.held = true;
    });
}

#[unsafe(no_mangle)]
extern "C" fn played_resume() {
    with(|state| state.held = false);
}

#[unsafe(no_mangle)]
extern "C" fn played_fail_allocations(working: u64, failing: u64) {
    with(|state| state.failing_allocations = Some((working, failing)));
}

#[unsafe(no_mangle)]
extern "C" fn played_lose(launches: u64, code: u32) {
    with(|state| state.losing = Some((launches, code)));
}

#[unsafe(no_mangle)]
extern "C" fn played_allocations() -> u64 {
    crate::memory::live()
}

#[unsafe(no_mangle)]
extern "C" fn played_graphs() -> u64 {
    crate::graph::live()
}

#[unsafe(no_mangle)]
extern "C" fn played_modules() -> u64 {
    crate::module::live()
}
