//! The same memory as elements of another length: buffers and views of numbers as ones of arrays, and back.

use crate::Element;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::view::{RawView, View, ViewMut};

/// As many arrays of `N` elements as there are, and what is left over.
fn chunks<'v, T, const N: usize>(raw: &RawView<'v>) -> (RawView<'v>, RawView<'v>) {
    const { assert!(N != 0, "chunks have at least one element") };
    let count = raw.length / N as u64;
    // Within the allocation, so there is no overflow.
    let whole = count * N as u64;
    let rest = RawView {
        address: raw.address + whole * size_of::<T>() as u64,
        length: raw.length - whole,
        ..*raw
    };
    (RawView { length: count, ..*raw }, rest)
}

/// The elements of arrays, which lie side by side.
fn flattened<'v, const N: usize>(raw: &RawView<'v>) -> RawView<'v> {
    // An overflow takes elements of no size, of which there may be any number.
    RawView {
        length: raw.length.saturating_mul(N as u64),
        ..*raw
    }
}

impl<'v, T: Element> View<'v, T> {
    /// The elements as arrays of `N` each, and those that are left over, like `as_chunks` of a slice. Nothing is copied.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn lengths(#[each] point: &[f32; 2], #[each] length: &mut f32) {
    ///     *length = point[0].hypot(point[1]);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let numbers = device.upload(&[3.0, 4.0, 5.0, 12.0, 7.0])?;
    /// let (points, rest) = numbers.as_view().as_chunks::<2>();
    /// let mut found = device.zeros(points.len())?;
    /// lengths(points, &mut found).launch(&device)?;
    /// assert_eq!((found.download()?, rest.len()), (vec![5.0, 13.0], 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Does not compile for `N` = 0.
    pub fn as_chunks<const N: usize>(&self) -> (View<'v, [T; N]>, View<'v, T>) {
        let (chunks, rest) = chunks::<T, N>(self.raw());
        // SAFETY: `N` neighbours are an array, `'v` is the lifetime of the borrow, and what comes after the last array
        // are elements as before.
        unsafe { (View::from_raw(chunks), View::from_raw(rest)) }
    }
}

impl<'v, T: Element, const N: usize> View<'v, [T; N]> {
    /// The elements of all arrays, like `as_flattened` of a slice. Nothing is copied.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let pairs = Device::best()?.upload(&[[1, 2], [3, 4], [5, 6]])?;
    /// assert_eq!(pairs.slice(1..)?.as_flattened().download()?, [3, 4, 5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_flattened(&self) -> View<'v, T> {
        // SAFETY: the elements of arrays lie side by side, within the same memory, for as long.
        unsafe { View::from_raw(flattened::<N>(self.raw())) }
    }
}

impl<'v, T: Element> ViewMut<'v, T> {
    /// The elements as arrays of `N` each, and those that are left over, like `as_chunks_mut` of a slice. Nothing is
    /// copied.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3, 4, 5])?;
    /// let (mut pairs, mut rest) = x.as_view_mut().as_chunks_mut::<2>();
    /// pairs.write(&[[9, 8], [7, 6]])?;
    /// rest.fill(0)?;
    /// assert_eq!(x.download()?, [9, 8, 7, 6, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Does not compile for `N` = 0.
    pub fn as_chunks_mut<const N: usize>(self) -> (ViewMut<'v, [T; N]>, ViewMut<'v, T>) {
        let (chunks, rest) = chunks::<T, N>(self.raw());
        // SAFETY: `N` neighbours are an array; the two do not overlap, and this view is given away for them.
        unsafe { (ViewMut::from_raw(chunks), ViewMut::from_raw(rest)) }
    }
}

impl<'v, T: Element, const N: usize> ViewMut<'v, [T; N]> {
    /// The elements of all arrays, like `as_flattened_mut` of a slice. Nothing is copied.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut pairs = Device::best()?.upload(&[[1, 2], [3, 4]])?;
    /// pairs.as_view_mut().as_flattened_mut().slice_mut(1..3)?.fill(0)?;
    /// assert_eq!(pairs.download()?, [[1, 0], [0, 4]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_flattened_mut(self) -> ViewMut<'v, T> {
        // SAFETY: the elements of arrays lie side by side, and this view is given away for the other.
        unsafe { ViewMut::from_raw(flattened::<N>(self.raw())) }
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// The elements as arrays of `N` each, and those that are left over: see [`View::as_chunks`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3, 4, 5])?;
    /// let (pairs, rest) = x.as_chunks::<2>();
    /// assert_eq!((pairs.download()?, rest.download()?), (vec![[1, 2], [3, 4]], vec![5]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Does not compile for `N` = 0.
    pub fn as_chunks<const N: usize>(&self) -> (View<'_, [T; N]>, View<'_, T>) {
        self.as_view().as_chunks()
    }

    /// The elements as arrays of `N` each, and those that are left over: see [`ViewMut::as_chunks_mut`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn order(#[each] pair: &mut [u32; 2]) {
    ///     *pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[2, 1, 3, 4, 0])?;
    /// order(x.as_chunks_mut::<2>().0).launch(&device)?;
    /// assert_eq!(x.download()?, [1, 2, 3, 4, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Does not compile for `N` = 0.
    pub fn as_chunks_mut<const N: usize>(&mut self) -> (ViewMut<'_, [T; N]>, ViewMut<'_, T>) {
        self.as_view_mut().as_chunks_mut()
    }
}

impl<T: Element, const N: usize> DeviceBuffer<[T; N]> {
    /// The elements of all arrays: see [`View::as_flattened`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let pairs = Device::best()?.upload(&[[1, 2], [3, 4]])?;
    /// assert_eq!(pairs.as_flattened().download()?, [1, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_flattened(&self) -> View<'_, T> {
        self.as_view().as_flattened()
    }

    /// The elements of all arrays: see [`ViewMut::as_flattened_mut`].
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut pairs = Device::best()?.zeros::<[u32; 2]>(2)?;
    /// pairs.as_flattened_mut().write(&[1, 2, 3, 4])?;
    /// assert_eq!(pairs.download()?, [[1, 2], [3, 4]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_flattened_mut(&mut self) -> ViewMut<'_, T> {
        self.as_view_mut().as_flattened_mut()
    }
}
