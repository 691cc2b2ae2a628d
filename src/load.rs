//! Loads with cache hints, and loads of elements that other threads write.
//!
//! They take a reference, `load::streaming(&x[i])`, and return the scalar, the same on every device. `&[T]`
//! parameters are read through the read-only cache anyway (CUDA `__ldg`).
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

/// Loads an element that other threads may write, on purpose: the access is no race. It is a plain load.
///
/// Which of the values comes is not specified. Loads of one place may be merged and moved out of loops: to wait for a value, use
/// [`volatile`] or atomics.
#[inline(always)]
pub fn relaxed<T: Copy>(place: &T) -> T {
    *place
}

/// Loads data that is accessed once, and is evicted first (CUDA `__ldcs`, PTX `ld.cs`).
#[inline(always)]
pub fn streaming<T: Copy>(place: &T) -> T {
    *place
}

/// Loads from L2, bypassing L1 (CUDA `__ldcg`, PTX `ld.cg`).
#[inline(always)]
pub fn l2<T: Copy>(place: &T) -> T {
    *place
}

/// Loads from memory exactly as often as it is called, in order (CUDA `volatile`, PTX `ld.volatile`).
///
/// Values that other threads write become visible eventually, without any order between several places: use
/// atomics for that. A loop that waits for a value ends when another thread of the launch faults.
#[inline(always)]
pub fn volatile<T: Copy>(place: &T) -> T {
    // SAFETY: a reference is valid for reads.
    unsafe { core::ptr::read_volatile(place) }
}

/// Loads data that L1 evicts first (PTX `ld.L1::evict_first`).
#[inline(always)]
pub fn evict_first<T: Copy>(place: &T) -> T {
    *place
}

/// Loads data that L1 evicts last, because it is used again (PTX `ld.L1::evict_last`).
#[inline(always)]
pub fn evict_last<T: Copy>(place: &T) -> T {
    *place
}

/// Loads without allocating a line of L1 (PTX `ld.L1::no_allocate`).
#[inline(always)]
pub fn no_allocate<T: Copy>(place: &T) -> T {
    *place
}

/// Loads data that L2 evicts first (PTX `ld.L2::cache_hint` with an `L2::evict_first` policy). Needs a GPU of
/// compute capability 8.0.
#[inline(always)]
pub fn l2_evict_first<T: Copy>(place: &T) -> T {
    *place
}

/// Loads data that L2 evicts last, because it is used again (PTX `ld.L2::cache_hint` with an `L2::evict_last`
/// policy). Needs a GPU of compute capability 8.0.
#[inline(always)]
pub fn l2_evict_last<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and prefetches the surrounding 64 bytes into L2 (PTX `ld.L2::64B`). Needs a GPU of compute capability
/// 7.5.
#[inline(always)]
pub fn ahead_64<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and prefetches the surrounding 128 bytes into L2 (PTX `ld.L2::128B`). Needs a GPU of compute
/// capability 7.5.
#[inline(always)]
pub fn ahead_128<T: Copy>(place: &T) -> T {
    *place
}

/// Loads, and prefetches the surrounding 256 bytes into L2 (PTX `ld.L2::256B`). Needs a GPU of compute
/// capability 8.0.
#[inline(always)]
pub fn ahead_256<T: Copy>(place: &T) -> T {
    *place
}
