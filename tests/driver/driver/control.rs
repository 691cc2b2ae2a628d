//! The controls and counters by which a test directs and observes the driver.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

/// Counts a call.
pub(crate) fn count(name: &str) {
    with(|state| *state.calls.entry(name.to_owned()).or_default() += 1);
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
extern "C" fn played_fail_allocations(working: u64, failing: u64) {
    with(|state| state.failing_allocations = Some((working, failing)));
}

#[unsafe(no_mangle)]
extern "C" fn played_allocations() -> u64 {
    crate::memory::live()
}

#[unsafe(no_mangle)]
extern "C" fn played_modules() -> u64 {
    crate::module::live()
}
