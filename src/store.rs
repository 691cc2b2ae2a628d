//! Stores that say how they go through the caches of a GPU.
//!
//! They take a reference and a scalar, `store::streaming(&mut y[i], value)`. [`load`](crate::load) has an example.

/// Stores what is not accessed again and leaves the caches first (CUDA `__stcs`, PTX `st.cs`).
#[inline(always)]
pub fn streaming<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores past the cache of the multiprocessor, to the one that all share (CUDA `__stcg`, PTX `st.cg`).
#[inline(always)]
pub fn l2<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores through the caches to memory (CUDA `__stwt`, PTX `st.wt`).
#[inline(always)]
pub fn write_through<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores to memory as often as it is called, in order (CUDA `volatile`, PTX `st.volatile`).
#[inline(always)]
pub fn volatile<T: Copy>(place: &mut T, value: T) {
    // SAFETY: an exclusive reference is valid for writes.
    unsafe { core::ptr::write_volatile(place, value) }
}
