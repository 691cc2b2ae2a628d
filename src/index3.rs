//! An index or size with three axes.

/// An index or size along the axes x, y and z, as [`thread::idx`](crate::thread::idx) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Index3 {
    /// Along x, the axis of neighbouring threads.
    pub x: usize,
    /// Along y.
    pub y: usize,
    /// Along z.
    pub z: usize,
}
