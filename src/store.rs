//! Stores with cache hints, and stores to elements that the author knows to be apart.
//!
//! They take a reference and a scalar, `store::streaming(&mut y[i], value)`. [`load`](crate::load) has an example.

/// Stores to an element that other threads may access, or to one of which the author knows that they do not, such as
/// `y[place[i]]` of a permutation: the access is no race. It is a plain store.
///
/// ```
/// use vyre::prelude::*;
///
/// /// `to` is a permutation.
/// #[vyre::kernel]
/// fn permute(to: &[u32], x: &[f32], y: &mut [f32]) {
///     let i = thread::index();
///     if i < x.len() {
///         store::relaxed(&mut y[to[i] as usize], x[i]);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0.0; 3];
/// Permute::dispatch(&Device::best()?, 3, &[2, 0, 1], &[1.0, 2.0, 3.0], &mut y)?;
/// assert_eq!(y, [2.0, 3.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// If several threads store to one element, one of the values stays, and it is not specified which.
#[inline(always)]
pub fn relaxed<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores data that is not accessed again, and is evicted first (CUDA `__stcs`, PTX `st.cs`).
#[inline(always)]
pub fn streaming<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores to L2, bypassing L1 (CUDA `__stcg`, PTX `st.cg`).
#[inline(always)]
pub fn l2<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores through the caches to memory (CUDA `__stwt`, PTX `st.wt`).
#[inline(always)]
pub fn write_through<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores to memory exactly as often as it is called, in order (CUDA `volatile`, PTX `st.volatile`).
#[inline(always)]
pub fn volatile<T: Copy>(place: &mut T, value: T) {
    // SAFETY: an exclusive reference is valid for writes.
    unsafe { core::ptr::write_volatile(place, value) }
}

/// Stores data that L1 evicts first (PTX `st.L1::evict_first`).
#[inline(always)]
pub fn evict_first<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores data that L1 evicts last, because it is used again (PTX `st.L1::evict_last`).
#[inline(always)]
pub fn evict_last<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores without allocating a line of L1 (PTX `st.L1::no_allocate`).
#[inline(always)]
pub fn no_allocate<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores data that L2 evicts first (PTX `st.L2::cache_hint` with an `L2::evict_first` policy). Needs a GPU of
/// compute capability 8.0.
#[inline(always)]
pub fn l2_evict_first<T: Copy>(place: &mut T, value: T) {
    *place = value;
}

/// Stores data that L2 evicts last, because it is used again (PTX `st.L2::cache_hint` with an `L2::evict_last`
/// policy). Needs a GPU of compute capability 8.0.
#[inline(always)]
pub fn l2_evict_last<T: Copy>(place: &mut T, value: T) {
    *place = value;
}
