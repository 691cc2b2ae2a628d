//! The index of a thread in its warp. See [`warp`](crate::warp).

/// The index of this thread in its warp, 0 to 31: the linear index in its block modulo
/// [`warp::size`](crate::warp::size).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 64)]
/// fn lanes(#[each] y: &mut usize) {
///     *y = lane::index();
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 64];
/// Lanes::dispatch(&Device::best()?, &mut y)?;
/// assert_eq!((y[0], y[31], y[32], y[63]), (0, 31, 0, 31));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn index() -> usize {
    crate::outside("lane::index()")
}
