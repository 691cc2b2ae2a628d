//! Constants that the host sets.
//!
//! A launch passes them among its parameters, as they are at that time. So whoever sets one need not wait for
//! launches before, and a launch on any stream sees what was set before it was made.

use crate::load::kernel::HostConstant;
use crate::memory::element::bytes_of;
use crate::{Device, Element};

impl HostConstant {
    /// The bytes that a launch on a device would pass now.
    pub fn bytes(&self, device: &Device) -> Vec<u8> {
        match device.state().constants().get(self.key, self.initial.len()) {
            Some(value) => value.bytes(),
            None => self.initial.to_vec(),
        }
    }
}

/// Sets the constant of a key for launches on a device that are made from now on.
pub fn set_constant<T: Element>(device: &Device, key: u64, value: &T) {
    device.state().constants().set(key, bytes_of(value));
}

/// The constant of a key as launches on a device see it now; `initial` is what it holds where nothing was set.
///
/// # Safety
/// A value that was set for the key, if it is of the same size, is of the same type.
pub unsafe fn constant<T: Element>(device: &Device, key: u64, initial: &T) -> T {
    match device.state().constants().get(key, size_of::<T>()) {
        // SAFETY: the words are aligned and hold such a value, by the contract.
        Some(value) => unsafe { value.pointer().cast::<T>().read() },
        None => *initial,
    }
}

#[cfg(test)]
mod tests;
