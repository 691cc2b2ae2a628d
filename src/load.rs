//! Loads that say how they go through the caches of a GPU.
//!
//! They take a reference, `load::streaming(&x[i])`, and yield the scalar that is there, on every device the
//! same. What a kernel takes as `&[T]` goes through the read-only cache by itself (CUDA `__ldg`).
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// y := x, of which nothing need stay in the caches.
//! #[vyre::kernel]
//! fn copy(x: &[f32], y: &mut [f32]) {
//!     let i = thread::index();
//!     if i < y.len() {
//!         store::streaming(&mut y[i], load::streaming(&x[i]));
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut y = [0.0; 3];
//! Copy::dispatch(&Device::best()?, 3, &[1.0, 2.0, 3.0], &mut y)?;
//! assert_eq!(y, [1.0, 2.0, 3.0]);
//! # Ok(())
//! # }
//! ```

/// Loads what is accessed once and leaves the caches first (CUDA `__ldcs`, PTX `ld.cs`).
#[inline(always)]
pub fn streaming<T: Copy>(place: &T) -> T {
    *place
}

/// Loads past the cache of the multiprocessor, from the one that all share (CUDA `__ldcg`, PTX `ld.cg`).
#[inline(always)]
pub fn l2<T: Copy>(place: &T) -> T {
    *place
}

/// Loads from memory as often as it is called, in order (CUDA `volatile`, PTX `ld.volatile`).
///
/// What other threads write meanwhile is seen in the end, without any order among several places: for
/// that there are atomics. A loop that waits for a value ends when another thread of the launch faults.
#[inline(always)]
pub fn volatile<T: Copy>(place: &T) -> T {
    // SAFETY: a reference is valid for reads.
    unsafe { core::ptr::read_volatile(place) }
}
