//! The index of a thread in its warp. See [`warp`](crate::warp).

/// The index of this thread in its warp, 0 to 31: the linear index in its block modulo
/// [`warp::size`](crate::warp::size).
#[track_caller]
pub fn index() -> usize {
    crate::outside("lane::index()")
}
