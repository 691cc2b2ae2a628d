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

/// Loads what leaves the cache of the multiprocessor first (PTX `ld.L1::evict_first`).
#[inline(always)]
pub fn evict_first<T: Copy>(place: &T) -> T {
    *place
}

/// Loads what leaves the cache of the multiprocessor last, because it is used again (PTX `ld.L1::evict_last`).
#[inline(always)]
pub fn evict_last<T: Copy>(place: &T) -> T {
    *place
}

/// Loads what takes no place in the cache of the multiprocessor (PTX `ld.L1::no_allocate`).
#[inline(always)]
pub fn no_allocate<T: Copy>(place: &T) -> T {
    *place
}

/// Loads what leaves the cache that all multiprocessors share first (PTX `ld.L2::cache_hint` with an
/// `L2::evict_first` policy). Needs a GPU of compute capability 8.0.
#[inline(always)]
pub fn l2_evict_first<T: Copy>(place: &T) -> T {
    *place
}

/// Loads what leaves the cache that all multiprocessors share last, because it is used again (PTX
/// `ld.L2::cache_hint` with an `L2::evict_last` policy). Needs a GPU of compute capability 8.0.
#[inline(always)]
pub fn l2_evict_last<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and brings the 64 bytes around into the cache that all multiprocessors share (PTX `ld.L2::64B`).
/// Needs a GPU of compute capability 7.5.
#[inline(always)]
pub fn ahead_64<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and brings the 128 bytes around into the cache that all multiprocessors share (PTX `ld.L2::128B`).
/// Needs a GPU of compute capability 7.5.
#[inline(always)]
pub fn ahead_128<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and brings the 256 bytes around into the cache that all multiprocessors share (PTX `ld.L2::256B`).
/// Needs a GPU of compute capability 8.0.
#[inline(always)]
pub fn ahead_256<T: Copy>(place: &T) -> T {
    *place
}
