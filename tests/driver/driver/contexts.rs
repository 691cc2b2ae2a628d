//! The contexts of streams and events: calls for them fail in another one.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use crate::device::current;

/// The context of each handle, as numbers.
static CONTEXTS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

/// A stream or an event is made in the context of the thread.
pub(crate) fn made(handle: *mut c_void) {
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    contexts.get_or_insert_default().insert(handle.addr(), current().addr());
}

/// True if the context of the thread is that of a stream or of an event. The handles of the default streams are those of
/// any context.
pub(crate) fn is_current(handle: *mut c_void) -> bool {
    let contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let own = contexts.as_ref().and_then(|contexts| contexts.get(&handle.addr()));
    own.is_none_or(|&own| own == current().addr())
}
