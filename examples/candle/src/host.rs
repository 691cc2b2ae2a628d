//! Tensors on the CPU, lent to kernels without a copy.

use std::ffi::c_void;

use vyre::{Device, Foreign, Lent, LentMut, View, ViewMut};

/// Values in memory of the host, lent by the functions of this file alone.
struct Host {
    address: u64,
    length: usize,
}

// SAFETY: both functions below borrow so many values for as long as they lend them, exclusively for writing. Work on the CPU
// is over when its call returns.
unsafe impl Foreign<f32> for Host {
    fn device(&self) -> Device {
        Device::cpu()
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn length(&self) -> usize {
        self.length
    }

    fn acquire(&self, _stream: *mut c_void) -> vyre::Result<()> {
        Ok(())
    }

    fn release(&self, _stream: *mut c_void) -> vyre::Result<()> {
        Ok(())
    }
}

/// Lends values for reading.
pub(crate) fn lend<R>(values: &[f32], work: impl FnOnce(View<'_, f32>) -> vyre::Result<R>) -> vyre::Result<R> {
    let host = Host {
        address: values.as_ptr().expose_provenance() as u64,
        length: values.len(),
    };
    let lent = Lent::new(&host)?;
    work(lent.as_view())
}

/// Lends values for writing.
pub(crate) fn lend_mut<R>(
    values: &mut [f32],
    work: impl FnOnce(ViewMut<'_, f32>) -> vyre::Result<R>,
) -> vyre::Result<R> {
    let mut host = Host {
        address: values.as_mut_ptr().expose_provenance() as u64,
        length: values.len(),
    };
    let mut lent = LentMut::new(&mut host)?;
    work(lent.as_view_mut())
}
