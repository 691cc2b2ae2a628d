//! Constants set by the host.
//!
//! A launch passes their current values among its parameters. So setting one does not wait for
//! earlier launches, and a launch on any stream sees the latest value set before it.

use crate::load::kernel::HostConstant;
use crate::memory::element::bytes_of;
use crate::{Device, Element};

impl HostConstant<'_> {
    /// The bytes that a launch on a device would pass now.
    pub fn bytes(&self, device: &Device) -> Vec<u8> {
        match device.state().constants().get(self.key, self.initial.len()) {
            Some(value) => value.bytes(),
            None => self.initial.to_vec(),
        }
    }
}

/// Sets the constant with this key for later launches on a device.
pub fn set_constant<T: Element>(device: &Device, key: u64, value: &T) {
    device.state().constants().set(key, &bytes_of(value));
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
