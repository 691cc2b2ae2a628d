//! Copies that are more than a range of bytes.

/// A copy to the host of as many elements as a counter of the device says.
#[derive(Clone, Copy)]
pub(crate) struct CountedRead {
    /// The address of the elements.
    pub(crate) from: u64,
    /// The most elements that are copied.
    pub(crate) most: u64,
    /// The bytes of an element.
    pub(crate) size: u64,
    /// The address of the counter.
    pub(crate) counter: u64,
    /// True for a counter of 64 bits, false for one of 32.
    pub(crate) is_wide: bool,
    /// The elements go here, to memory of [`Backend::allocate_host`](super::Backend::allocate_host) at a multiple of 16.
    pub(crate) target: *mut u8,
    /// The count, as a `u64`, goes here, to such memory at a multiple of 8. It may be more than are copied.
    pub(crate) count_to: *mut u8,
}

/// A part of host memory that is copied to the device, as a row of the table at the start of that memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ScatteredPart {
    /// The address of the target.
    pub(crate) to: u64,
    /// The offset of the source in the memory. It has the same remainder as the target when divided by 16.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

const _: () = assert!(size_of::<ScatteredPart>() == 16);
