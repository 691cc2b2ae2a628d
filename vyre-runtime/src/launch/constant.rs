//! Constants that the host sets.
//!
//! A launch passes them among its parameters, as they are at that time. So whoever sets one need not wait for
//! launches before, and a launch on any stream sees what was set before it was made.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Device, Element};

/// A constant that the host sets, as a kernel knows it.
#[derive(Debug)]
pub struct HostConstant {
    /// Tells it from all others.
    pub key: u64,
    /// What it holds where nothing was set.
    pub initial: &'static [u8],
}

impl HostConstant {
    /// What a launch on a device would pass now.
    pub fn bytes(&self, device: &Device) -> Vec<u8> {
        let values = device.state().constants().values();
        set_as(&values, self.key, self.initial.len()).map_or_else(|| self.initial.to_vec(), |set| set.bytes().to_vec())
    }
}

/// Sets the constant of a key for launches on a device that are made from now on.
pub fn set_constant<T: Element>(device: &Device, key: u64, value: &T) {
    let mut words = vec![0_u64; size_of::<T>().div_ceil(8)];
    // SAFETY: there are at least as many bytes as the value has, and the value has no padding.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const *value).cast::<u8>(),
            words.as_mut_ptr().cast(),
            size_of::<T>(),
        )
    };
    let set = Set {
        words: words.into(),
        size: size_of::<T>(),
    };
    device.state().constants().values().insert(key, set);
}

/// The constant of a key as launches on a device see it now; `initial` is what it holds where nothing was set.
///
/// # Safety
/// What was set for the key, if it is of the same size, is of the same type.
pub unsafe fn constant<T: Element>(device: &Device, key: u64, initial: &T) -> T {
    match set_as(&device.state().constants().values(), key, size_of::<T>()) {
        // SAFETY: the words are aligned and hold such a value, by the contract.
        Some(set) => unsafe { set.words.as_ptr().cast::<T>().read() },
        None => *initial,
    }
}

/// What was set on a device, by key.
#[derive(Debug, Default)]
pub(crate) struct Constants(Mutex<HashMap<u64, Set>>);

/// A value that was set, in words so that it is aligned as any element is.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    words: Arc<[u64]>,
    size: usize,
}

/// What was set for a key, if it has this size: should keys of two constants meet, none is read past its end.
fn set_as(values: &HashMap<u64, Set>, key: u64, size: usize) -> Option<&Set> {
    values.get(&key).filter(|set| set.size == size)
}

impl Set {
    fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes were written into the words.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.size) }
    }

    pub(crate) fn pointer(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}

impl Constants {
    fn values(&self) -> MutexGuard<'_, HashMap<u64, Set>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was set of these, all at one time. Nothing is done for kernels without constants.
    #[inline]
    pub(crate) fn of(&self, constants: &[HostConstant]) -> Vec<Option<Set>> {
        match constants {
            [] => Vec::new(),
            some => self.of_some(some),
        }
    }

    fn of_some(&self, constants: &[HostConstant]) -> Vec<Option<Set>> {
        let values = self.values();
        let set = |constant: &HostConstant| set_as(&values, constant.key, constant.initial.len()).cloned();
        constants.iter().map(set).collect()
    }
}

#[cfg(test)]
mod tests;
