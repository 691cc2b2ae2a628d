//! The extents of launches whose kernel is known only at run time.

/// The extent of a launch: a number, `[width, height]` or `[width, height, depth]`.
pub trait Domain: sealed::Sealed {
    /// The extent along x, y and z; 1 along axes that it does not have.
    #[doc(hidden)]
    fn extent(self) -> [u64; 3];
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for [usize; 2] {}
    impl Sealed for [usize; 3] {}
}

impl Domain for usize {
    fn extent(self) -> [u64; 3] {
        [self as u64, 1, 1]
    }
}

impl Domain for [usize; 2] {
    fn extent(self) -> [u64; 3] {
        [self[0] as u64, self[1] as u64, 1]
    }
}

impl Domain for [usize; 3] {
    fn extent(self) -> [u64; 3] {
        self.map(|extent| extent as u64)
    }
}
