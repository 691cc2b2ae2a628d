//! Checking mode as users have it: `Device::checked`, and the variables of the environment.

mod device;
mod environment;
mod planted;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by tests whose launches fault on the default stream of the device, which all share.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
