//! An `Option` that lies in memory.

pub use of_device::Maybe;

#[vyre::device]
mod of_device {
    /// An `Option` with a layout in memory: an element of buffers, a field of structs, a parameter of kernels.
    ///
    /// Rust says nothing about the layout of `Option`. This is the same with a defined one, and zeros, as in new
    /// buffers, are `Nothing`. `From` converts both ways on the host; in kernels `Maybe::from`, [`new`](Maybe::new) and
    /// [`get`](Maybe::get) do.
    ///
    /// ```
    /// use vyre::Maybe;
    /// use vyre::prelude::*;
    ///
    /// #[vyre::kernel]
    /// fn roots(limit: Maybe<f32>, #[each] x: &f32, #[each] root: &mut Maybe<f32>) {
    ///     let found = if *x < 0.0 { None } else { Some(x.sqrt()) };
    ///     *root = Maybe::new(found.filter(|&root| root < limit.get().unwrap_or(f32::INFINITY)));
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut found = device.zeros(4)?;
    /// roots(Some(3.0).into(), &device.upload(&[4.0, -1.0, 16.0, 0.0])?, &mut found).launch(&device)?;
    /// let found: Vec<Option<f32>> = found.download()?.into_iter().map(Option::from).collect();
    /// assert_eq!(found, [Some(2.0), None, None, Some(0.0)]);
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(u32)]
    pub enum Maybe<T> {
        /// No value.
        Nothing,
        /// A value.
        Just(T),
    }

    impl<T: Copy> Maybe<T> {
        /// The value of an `Option`.
        ///
        /// ```
        /// assert_eq!(vyre::Maybe::new(Some(3)), vyre::Maybe::Just(3));
        /// ```
        pub fn new(option: Option<T>) -> Self {
            match option {
                Some(value) => Self::Just(value),
                None => Self::Nothing,
            }
        }

        /// The same as an `Option`.
        ///
        /// ```
        /// assert_eq!(vyre::Maybe::Just(3).get(), Some(3));
        /// ```
        pub fn get(self) -> Option<T> {
            match self {
                Self::Just(value) => Some(value),
                Self::Nothing => None,
            }
        }
    }

    impl<T: Copy> From<Option<T>> for Maybe<T> {
        fn from(option: Option<T>) -> Self {
            Maybe::new(option)
        }
    }
}

impl<T: Copy> From<Maybe<T>> for Option<T> {
    fn from(maybe: Maybe<T>) -> Self {
        maybe.get()
    }
}
