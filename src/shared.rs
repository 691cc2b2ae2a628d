//! Memory that the threads of a block share.
//!
//! [`shared()`] has a size that the compiler knows. [`slice()`] and [`dynamic`] take theirs from
//! what the launch gives by `.shared_bytes(n)`: each slice begins behind those before it, at the next
//! multiple of 16 bytes.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Of each block the values that are above a limit, and how often each remainder occurs.
//! #[vyre::kernel(block = 64)]
//! fn summary(values: &[u32], buckets: usize, counts: &[AtomicU32], above: &mut [u32]) {
//!     let histogram = shared::slice::<AtomicU32>(buckets);
//!     let window = shared::dynamic::<u32>();
//!     let (i, t) = (thread::index(), thread::idx().x);
//!     if t < buckets {
//!         histogram[t].store(0, Ordering::Relaxed);
//!     }
//!     block::sync();
//!     window[t] = values[i];
//!     histogram[values[i] as usize % buckets].fetch_add(1, Ordering::Relaxed);
//!     block::sync();
//!     above[i] = window[window.len() - 1 - t];
//!     if t < buckets {
//!         counts[t].fetch_add(histogram[t].load(Ordering::Relaxed), Ordering::Relaxed);
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let numbers: Vec<u32> = (0..128).collect();
//! let (values, buckets) = (device.upload(&numbers)?, 4);
//! let (mut counts, mut above) = (device.zeros::<u32>(buckets)?, device.zeros::<u32>(128)?);
//! summary(&values, buckets, &mut counts, &mut above)
//!     .over(128)
//!     .shared_bytes(buckets * 4 + 64 * 4)
//!     .launch(&device)?;
//! assert_eq!(counts.download()?, [32; 4]);
//! assert_eq!(above.download()?[..2], [63, 62]);
//! # Ok(())
//! # }
//! ```

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

/// So many elements of the launch's dynamic shared memory: `let keys = shared::slice::<u32>(n);`.
///
/// All threads of a block take the same lengths. Where the launch gives too little, the kernel
/// faults. `T` is a number or an atomic. What else holds of [`shared()`] holds here too.
#[track_caller]
pub fn slice<T>(length: usize) -> &'static mut [T] {
    let _ = length;
    crate::outside("shared::slice()")
}

/// All of the launch's dynamic shared memory that no [`slice()`] before has taken:
/// `let tile = shared::dynamic::<f32>();`.
///
/// Its length is what the launch gives, `.shared_bytes(n)`, in elements. `T` is a number or an atomic.
/// What else holds of [`shared()`] holds here too.
#[track_caller]
pub fn dynamic<T>() -> &'static mut [T] {
    crate::outside("shared::dynamic()")
}
