//! The numbers of a launch that its conditions ask for.

use std::ffi::c_void;

use vyre_abi::assumption::Source;

/// A number of a launch of so many blocks.
///
/// # Safety
/// The pointers are to the arguments of a kernel, in order, and the source is a scalar within them if it is an argument.
#[inline]
pub(crate) unsafe fn number(source: Source, pointers: &[*const c_void], blocks: [u64; 3], shared_bytes: u64) -> u64 {
    match source {
        Source::Argument { pointer, offset, bytes } => {
            let from = pointers[pointer].cast::<u8>().wrapping_add(offset);
            // SAFETY: by the contract.
            unsafe { read(from, bytes) }
        }
        Source::Grid(axis) => blocks[axis],
        Source::SharedBytes => shared_bytes,
    }
}

/// The unsigned number of a size in bytes.
///
/// # Safety
/// The pointer is valid for reads of so many bytes.
#[inline]
unsafe fn read(from: *const u8, bytes: usize) -> u64 {
    // SAFETY: by the contract.
    unsafe {
        match bytes {
            1 => from.read().into(),
            2 => from.cast::<u16>().read_unaligned().into(),
            4 => from.cast::<u32>().read_unaligned().into(),
            _ => from.cast::<u64>().read_unaligned(),
        }
    }
}
