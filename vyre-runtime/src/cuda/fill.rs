//! Memory that is filled with a pattern.

use cudarc::driver::sys::{CUdeviceptr, CUstream};

use super::context::Context;
use super::driver::call;
use crate::error::Result;

/// Writes `count` copies of a pattern, in the order of a stream.
///
/// # Safety
/// As for [`Queue::fill`](crate::backend::Queue::fill), and the context is current.
pub(super) unsafe fn fill(
    context: &Context,
    stream: CUstream,
    address: CUdeviceptr,
    pattern: &[u8],
    count: usize,
) -> Result<()> {
    let driver = context.driver();
    let (size, unit) = (pattern.len(), unit(pattern));
    let set = |at: u64, unit: &[u8], count| {
        // SAFETY: by the contract the memory is valid, aligned, and used in the order of this
        // stream.
        unsafe {
            match *unit {
                [byte] => call!(driver, cuMemsetD8Async(at, byte, count, stream)),
                [low, high] => call!(
                    driver,
                    cuMemsetD16Async(at, u16::from_le_bytes([low, high]), count, stream)
                ),
                [a, b, c, d] => call!(
                    driver,
                    cuMemsetD32Async(at, u32::from_le_bytes([a, b, c, d]), count, stream)
                ),
                _ => Ok(()),
            }
        }
    };
    if pattern.chunks(unit).all(|part| *part == pattern[..unit]) {
        return set(address, &pattern[..unit], size / unit * count);
    }
    // The first copy piece by piece, then doubling by copies of the part that is done.
    for (number, part) in pattern.chunks(unit).enumerate() {
        set(address + (number * unit) as u64, part, 1)?;
    }
    let (mut done, all) = (size, size * count);
    while done < all {
        let bytes = done.min(all - done);
        // SAFETY: as above, and the source ends at the start of the target.
        unsafe {
            call!(
                driver,
                cuMemcpyDtoDAsync_v2(address + done as u64, address, bytes, stream)
            )?
        };
        done += bytes;
    }
    Ok(())
}

/// The number of bytes of a pattern to set at once: 1, 2 or 4, chosen for few distinct values.
pub(super) fn unit(pattern: &[u8]) -> usize {
    match pattern.len() {
        _ if pattern.iter().all(|byte| *byte == pattern[0]) => 1,
        size if size % 4 == 0 => 4,
        size if size % 2 == 0 => 2,
        _ => 1,
    }
}
