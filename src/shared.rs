//! Memory that the threads of a block share.

/// An array in the shared memory of the block: `let tile = shared::<[[f32; 33]; 32]>();`.
///
/// Every thread of the block sees the same memory. Its content is unspecified when the block
/// starts, and what one thread writes others see after [`block::sync`](crate::block::sync). A
/// block has 48 KiB of it. `T` is an array, or an array of arrays, of scalars or atomics.
///
/// See [`block`](crate::block) for an example.
#[track_caller]
pub fn shared<T>() -> &'static mut T {
    crate::outside("shared()")
}
