//! A place or an extent along three axes.

/// A place or an extent along the axes x, y and z, as [`thread::idx`](crate::thread::idx) gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Index3 {
    /// Along x, the axis along which neighbouring threads lie.
    pub x: usize,
    /// Along y.
    pub y: usize,
    /// Along z.
    pub z: usize,
}
