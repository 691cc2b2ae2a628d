//! Views of matrices, passed by launches for [`Slice2`] and [`SliceMut2`].

use std::fmt;
use std::ops::RangeBounds;

use crate::Element;
use crate::device::Device;
use crate::error::Result;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::shape2::{Shape2, matrix};
use crate::memory::slice2::{Slice2, SliceMut2};
use crate::memory::view::{View, ViewMut};

/// An immutable matrix in a [`DeviceBuffer`], with a distance of `pitch` elements between
/// consecutive rows.
///
/// Kernels take it for [`Slice2`] parameters. It is made by [`DeviceBuffer::view2`].
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn row_sums(x: Slice2<'_, f32>, sums: &mut [f32]) {
///     let row = thread::index();
///     if row < x.rows() {
///         let mut sum = 0.0;
///         for column in 0..x.cols() {
///             sum += x[[row, column]];
///         }
///         sums[row] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut sums = device.zeros(2)?;
/// row_sums(x.view2(2, 3)?, &mut sums).over(2).launch(&device)?;
/// assert_eq!(sums.download()?, [6.0, 15.0]);
/// # Ok(())
/// # }
/// ```
pub struct View2<'v, T> {
    elements: View<'v, T>,
    shape: Shape2,
}

/// A mutable matrix in a [`DeviceBuffer`], like [`View2`].
///
/// Kernels take it for [`SliceMut2`] parameters. It is made by [`DeviceBuffer::view2_mut`].
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn number(mut x: SliceMut2<'_, u32>) {
///     let (column, row) = thread::index_2d();
///     if row < x.rows() && column < x.cols() {
///         x[[row, column]] = (10 * row + column) as u32;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.zeros(6)?;
/// number(x.view2_mut(2, 3)?).over([3, 2]).launch(&device)?;
/// assert_eq!(x.download()?, [0, 1, 2, 10, 11, 12]);
/// # Ok(())
/// # }
/// ```
pub struct ViewMut2<'v, T> {
    elements: ViewMut<'v, T>,
    shape: Shape2,
}

impl<'v, T: Element> View<'v, T> {
    /// The first elements as a row-major matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[0, 1, 2, 3, 4, 5, 6])?;
    /// let matrix = x.slice(1..)?.view2(2, 3)?; // behind a head of one element
    /// assert_eq!((matrix.rows(), matrix.cols()), (2, 3));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::view2`].
    pub fn view2(self, rows: usize, cols: usize) -> Result<View2<'v, T>> {
        let shape = Shape2::new(rows, cols, cols, self.len())?;
        Ok(View2 { elements: self, shape })
    }
}

impl<'v, T: Element> ViewMut<'v, T> {
    /// The first elements as a row-major matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn number(mut x: SliceMut2<'_, u32>) {
    /// #     let (column, row) = thread::index_2d();
    /// #     if row < x.rows() && column < x.cols() {
    /// #         x[[row, column]] = (10 * row + column) as u32;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[7; 7])?;
    /// number(x.slice_mut(1..)?.view2_mut(2, 3)?).over([3, 2]).launch(&device)?;
    /// assert_eq!(x.download()?, [7, 0, 1, 2, 10, 11, 12]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::view2`].
    pub fn view2_mut(self, rows: usize, cols: usize) -> Result<ViewMut2<'v, T>> {
        let shape = Shape2::new(rows, cols, cols, self.len())?;
        Ok(ViewMut2 { elements: self, shape })
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// The first elements as an immutable row-major matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.zeros::<f32>(6)?;
    /// let matrix = x.view2(2, 3)?;
    /// assert_eq!((matrix.rows(), matrix.cols(), matrix.pitch()), (2, 3, 3));
    /// assert!(x.view2(3, 3).is_err()); // nine elements
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::MatrixSize`](crate::Error::MatrixSize) if there are too few elements, or more than
    /// 2^32 - 1 rows or columns.
    pub fn view2(&self, rows: usize, cols: usize) -> Result<View2<'_, T>> {
        self.as_view().view2(rows, cols)
    }

    /// The first elements as a mutable row-major matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn number(mut x: SliceMut2<'_, u32>) {
    /// #     let (column, row) = thread::index_2d();
    /// #     if row < x.rows() && column < x.cols() {
    /// #         x[[row, column]] = (10 * row + column) as u32;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros(4)?;
    /// number(x.view2_mut(2, 2)?).over([2, 2]).launch(&device)?;
    /// assert_eq!(x.download()?, [0, 1, 10, 11]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`view2`](Self::view2).
    pub fn view2_mut(&mut self, rows: usize, cols: usize) -> Result<ViewMut2<'_, T>> {
        self.as_view_mut().view2_mut(rows, cols)
    }
}

impl<'v, T: Element> View2<'v, T> {
    /// The submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn row_sums(x: Slice2<'_, f32>, sums: &mut [f32]) {
    /// #     let row = thread::index();
    /// #     if row < x.rows() {
    /// #         let mut sum = 0.0;
    /// #         for column in 0..x.cols() {
    /// #             sum += x[[row, column]];
    /// #         }
    /// #         sums[row] = sum;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let mut sums = device.zeros(2)?;
    /// let right = x.view2(2, 3)?.part(.., 1..)?; // the last two columns
    /// row_sums(right, &mut sums).over(2).launch(&device)?;
    /// assert_eq!(sums.download()?, [5.0, 11.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`](crate::Error::RangeOutOfBounds).
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<View2<'v, T>> {
        let (range, shape) = self.shape.part(rows, cols)?;
        let elements = self.elements.slice(range)?;
        Ok(View2 { elements, shape })
    }

    /// The elements that the matrix lies in, from its first one on, including those between and behind its rows. Those
    /// of a part end with its last element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let column = x.view2(2, 3)?.part(.., 1..2)?;
    /// assert_eq!(column.elements().download()?, [2, 3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn elements(&self) -> View<'v, T> {
        self.elements
    }

    /// A device matrix of the shape of a host matrix, in elements uploaded from it.
    #[doc(hidden)]
    pub fn like(elements: &'v DeviceBuffer<T>, matrix: &Slice2<'_, T>) -> Self {
        View2 {
            elements: elements.as_view(),
            shape: *matrix.shape(),
        }
    }
}

impl<'v, T: Element> ViewMut2<'v, T> {
    /// An immutable borrow of the matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn row_sums(x: Slice2<'_, f32>, sums: &mut [f32]) {
    /// #     let row = thread::index();
    /// #     if row < x.rows() {
    /// #         let mut sum = 0.0;
    /// #         for column in 0..x.cols() {
    /// #             sum += x[[row, column]];
    /// #         }
    /// #         sums[row] = sum;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (mut x, mut sums) = (device.upload(&[1.0, 2.0, 3.0, 4.0])?, device.zeros(2)?);
    /// let matrix = x.view2_mut(2, 2)?;
    /// row_sums(matrix.as_view2(), &mut sums).over(2).launch(&device)?;
    /// assert_eq!(sums.download()?, [3.0, 7.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view2(&self) -> View2<'_, T> {
        View2 {
            elements: self.elements.as_view(),
            shape: self.shape,
        }
    }

    /// A mutable reborrow of the matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn number(mut x: SliceMut2<'_, u32>) {
    /// #     let (column, row) = thread::index_2d();
    /// #     if row < x.rows() && column < x.cols() {
    /// #         x[[row, column]] = (10 * row + column) as u32;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.zeros(4)?;
    /// let mut matrix = x.view2_mut(2, 2)?;
    /// number(matrix.reborrow()).over([2, 2]).launch(&device)?;
    /// number(matrix).over([2, 2]).launch(&device)?;
    /// assert_eq!(x.download()?, [0, 1, 10, 11]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reborrow(&mut self) -> ViewMut2<'_, T> {
        ViewMut2 {
            elements: self.elements.reborrow(),
            shape: self.shape,
        }
    }

    /// The immutable submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3, 4])?;
    /// let matrix = x.view2_mut(2, 2)?;
    /// assert_eq!(matrix.part(1.., ..)?.elements().download()?, [3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`View2::part`].
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<View2<'_, T>> {
        self.as_view2().part(rows, cols)
    }

    /// The submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn number(mut x: SliceMut2<'_, u32>) {
    /// #     let (column, row) = thread::index_2d();
    /// #     if row < x.rows() && column < x.cols() {
    /// #         x[[row, column]] = (10 * row + column) as u32;
    /// #     }
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[9; 6])?;
    /// let mut matrix = x.view2_mut(2, 3)?;
    /// number(matrix.part_mut(.., ..2)?).over([2, 2]).launch(&device)?;
    /// assert_eq!(x.download()?, [0, 1, 9, 10, 11, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`View2::part`].
    pub fn part_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<ViewMut2<'_, T>> {
        let (range, shape) = self.shape.part(rows, cols)?;
        let elements = self.elements.slice_mut(range)?;
        Ok(ViewMut2 { elements, shape })
    }

    /// The elements that the matrix lies in, from its first one on, including those between and behind its rows. Those
    /// of a part end with its last element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3, 4, 5])?;
    /// let matrix = x.view2_mut(2, 2)?;
    /// assert_eq!(matrix.elements().download()?, [1, 2, 3, 4, 5]);
    /// assert_eq!(matrix.part(.., ..1)?.elements().download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn elements(&self) -> View<'_, T> {
        self.elements.as_view()
    }

    /// A device matrix of the shape of a host matrix, in elements uploaded from it.
    #[doc(hidden)]
    pub fn like(elements: &'v mut DeviceBuffer<T>, matrix: &SliceMut2<'_, T>) -> Self {
        ViewMut2 {
            elements: elements.as_view_mut(),
            shape: *matrix.shape(),
        }
    }
}

matrix!(View2);
matrix!(ViewMut2);

macro_rules! common {
    ($matrix:ident $view:ident) => {
        impl<'v, T> $matrix<'v, T> {
            pub(crate) fn view(&self) -> &$view<'v, T> {
                &self.elements
            }

            /// The device of the elements.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let device = Device::best()?;
            /// let mut x = device.zeros::<f32>(4)?;
            /// assert_eq!(x.view2(2, 2)?.device(), device);
            /// assert_eq!(x.view2_mut(2, 2)?.device(), device);
            /// # Ok(())
            /// # }
            /// ```
            pub fn device(&self) -> Device {
                self.elements.device()
            }
        }

        impl<T> fmt::Debug for $matrix<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Shape2 { rows, cols, pitch } = self.shape;
                write!(
                    f,
                    "{}<{}>[{rows}, {cols}] by {pitch} on {}",
                    stringify!($matrix),
                    std::any::type_name::<T>(),
                    self.device()
                )
            }
        }
    };
}

common!(View2 View);
common!(ViewMut2 ViewMut);

impl<T> Clone for View2<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View2<'_, T> {}

impl<'v, T: Element> From<&View2<'v, T>> for View2<'v, T> {
    fn from(view: &View2<'v, T>) -> Self {
        *view
    }
}

impl<'v, T: Element> From<&'v ViewMut2<'_, T>> for View2<'v, T> {
    fn from(view: &'v ViewMut2<'_, T>) -> Self {
        view.as_view2()
    }
}

impl<'v, T: Element> From<&'v mut ViewMut2<'_, T>> for ViewMut2<'v, T> {
    fn from(view: &'v mut ViewMut2<'_, T>) -> Self {
        view.reborrow()
    }
}
