//! Matrices in host memory, which are also the parameter types of kernels.

use std::fmt;
use std::ops::{Index, IndexMut, RangeBounds};

use crate::error::Result;
use crate::memory::shape2::{Shape2, matrix};

/// An immutable matrix in a slice, with a distance of `pitch` elements between consecutive rows.
///
/// Kernels and device functions take it as a parameter, `a: Slice2<'_, f32>`, and read `a[[row,
/// col]]`; a launch passes a [`View2`](crate::View2).
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
/// let mut sums = [0.0; 2];
/// let x = Slice2::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3)?;
/// RowSums::dispatch(&Device::best()?, 2, x, &mut sums)?;
/// assert_eq!(sums, [6.0, 15.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Slice2<'a, T> {
    elements: &'a [T],
    shape: Shape2,
}

/// A mutable matrix in a slice, like [`Slice2`].
///
/// Kernels and device functions take it as a parameter, `mut c: SliceMut2<'_, f32>`, and write
/// `c[[row, col]]`; a launch passes a [`ViewMut2`](crate::ViewMut2).
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
/// let mut x = [0; 6];
/// Number::dispatch(&Device::best()?, [3, 2], SliceMut2::new(&mut x, 2, 3)?)?;
/// assert_eq!(x, [0, 1, 2, 10, 11, 12]);
/// # Ok(())
/// # }
/// ```
pub struct SliceMut2<'a, T> {
    elements: &'a mut [T],
    shape: Shape2,
}

impl<'a, T> Slice2<'a, T> {
    /// A row-major matrix in the first elements of a slice.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let matrix = Slice2::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
    /// assert_eq!(matrix[[1, 0]], 4);
    /// assert!(Slice2::new(&[1, 2, 3], 2, 2).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::MatrixSize`](crate::Error::MatrixSize) if there are too few elements, or more than
    /// 2^32 - 1 rows or columns.
    pub fn new(elements: &'a [T], rows: usize, cols: usize) -> Result<Self> {
        let shape = Shape2::new(rows, cols, cols, elements.len())?;
        Ok(Slice2 { elements, shape })
    }

    /// The submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let matrix = Slice2::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
    /// let right = matrix.part(.., 1..)?;
    /// assert_eq!((right.row(0), right.row(1)), (&[2, 3][..], &[5, 6][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`](crate::Error::RangeOutOfBounds).
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Slice2<'a, T>> {
        let (range, shape) = self.shape.part(rows, cols)?;
        let elements = &self.elements[range];
        Ok(Slice2 { elements, shape })
    }

    /// The elements of a row.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let matrix = Slice2::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
    /// assert_eq!(matrix.row(1), [4, 5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.elements[row_of(self.shape, row)]
    }

    /// The elements that the matrix lies in, from its first one on, including those between and behind its rows. Those
    /// of a part end with its last element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let matrix = Slice2::new(&[1, 2, 3, 4, 5, 6], 2, 3)?;
    /// assert_eq!(matrix.part(.., 1..2)?.elements(), [2, 3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn elements(&self) -> &'a [T] {
        self.elements
    }
}

impl<'a, T> SliceMut2<'a, T> {
    /// A row-major matrix in the first elements of a slice.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [0; 6];
    /// let mut matrix = SliceMut2::new(&mut x, 2, 3)?;
    /// matrix[[1, 0]] = 4;
    /// assert_eq!(x, [0, 0, 0, 4, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Slice2::new`].
    pub fn new(elements: &'a mut [T], rows: usize, cols: usize) -> Result<Self> {
        let shape = Shape2::new(rows, cols, cols, elements.len())?;
        Ok(SliceMut2 { elements, shape })
    }

    /// An immutable borrow of the matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// let matrix = SliceMut2::new(&mut x, 2, 2)?;
    /// let read: Slice2<'_, i32> = matrix.as_slice2();
    /// assert_eq!(read[[1, 1]], 4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_slice2(&self) -> Slice2<'_, T> {
        Slice2 {
            elements: self.elements,
            shape: self.shape,
        }
    }

    /// A mutable reborrow of the matrix.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// fn clear(mut matrix: SliceMut2<'_, u32>) {
    ///     matrix.elements_mut().fill(0);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// let mut matrix = SliceMut2::new(&mut x, 2, 2)?;
    /// clear(matrix.reborrow());
    /// matrix[[0, 1]] = 7;
    /// assert_eq!(x, [0, 7, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reborrow(&mut self) -> SliceMut2<'_, T> {
        SliceMut2 {
            elements: self.elements,
            shape: self.shape,
        }
    }

    /// The immutable submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// let matrix = SliceMut2::new(&mut x, 2, 2)?;
    /// assert_eq!(matrix.part(1.., ..)?.row(0), [3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Slice2::part`].
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Slice2<'_, T>> {
        self.as_slice2().part(rows, cols)
    }

    /// The submatrix of these rows and columns.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [0; 6];
    /// let mut matrix = SliceMut2::new(&mut x, 2, 3)?;
    /// matrix.part_mut(.., 1..)?.row_mut(1).fill(5);
    /// assert_eq!(x, [0, 0, 0, 0, 5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Slice2::part`].
    pub fn part_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<SliceMut2<'_, T>> {
        let (range, shape) = self.shape.part(rows, cols)?;
        let elements = &mut self.elements[range];
        Ok(SliceMut2 { elements, shape })
    }

    /// The elements of a row, immutable.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// assert_eq!(SliceMut2::new(&mut x, 2, 2)?.row(1), [3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &[T] {
        &self.elements[row_of(self.shape, row)]
    }

    /// The elements of a row.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// SliceMut2::new(&mut x, 2, 2)?.row_mut(0).swap(0, 1);
    /// assert_eq!(x, [2, 1, 3, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.elements[row_of(self.shape, row)]
    }

    /// The elements that the matrix lies in, from its first one on, including those between and behind its rows. Those
    /// of a part end with its last element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4, 5];
    /// assert_eq!(SliceMut2::new(&mut x, 2, 2)?.elements(), [1, 2, 3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn elements(&self) -> &[T] {
        self.elements
    }

    /// The elements that the matrix lies in, from its first one on, including those between and behind its rows. Those
    /// of a part end with its last element.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// SliceMut2::new(&mut x, 2, 2)?.elements_mut().reverse();
    /// assert_eq!(x, [4, 3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn elements_mut(&mut self) -> &mut [T] {
        self.elements
    }

    /// An element, unchecked.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// x := 2 * x, of which each thread has an element of its own.
    /// #[vyre::kernel]
    /// fn twice(mut x: SliceMut2<'_, u32>) {
    ///     let (column, row) = thread::index_2d();
    ///     if row < x.rows() && column < x.cols() {
    ///         // SAFETY: the row and the column were compared.
    ///         unsafe { *x.get_unchecked_mut([row, column]) *= 2 };
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// Twice::dispatch(&Device::best()?, [2, 2], SliceMut2::new(&mut x, 2, 2)?)?;
    /// assert_eq!(x, [2, 4, 6, 8]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The row and the column exist.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, [row, col]: [usize; 2]) -> &mut T {
        // SAFETY: the elements of a matrix lie in its slice.
        unsafe { self.elements.get_unchecked_mut(self.shape.start(row) + col) }
    }
}

/// The range of a row.
#[track_caller]
fn row_of(shape: Shape2, row: usize) -> std::ops::Range<usize> {
    assert!(
        row < shape.rows as usize,
        "row {row} is out of bounds of {} rows",
        shape.rows
    );
    let start = shape.start(row);
    start..start + shape.cols as usize
}

matrix!(Slice2);
matrix!(SliceMut2);

macro_rules! common {
    ($matrix:ident) => {
        impl<T> $matrix<'_, T> {
            /// An element, unchecked.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = [1, 2, 3, 4];
            /// let matrix = SliceMut2::new(&mut x, 2, 2)?;
            /// // SAFETY: the matrix has two rows and two columns.
            /// unsafe {
            ///     assert_eq!(*matrix.get_unchecked([1, 0]), 3);
            ///     assert_eq!(*matrix.as_slice2().get_unchecked([1, 0]), 3);
            /// }
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Safety
            /// The row and the column exist.
            #[inline]
            pub unsafe fn get_unchecked(&self, [row, col]: [usize; 2]) -> &T {
                // SAFETY: the elements of a matrix lie in its slice.
                unsafe { self.elements.get_unchecked(self.shape.start(row) + col) }
            }
        }

        impl<T> Index<[usize; 2]> for $matrix<'_, T> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, place: [usize; 2]) -> &T {
                &self.elements[self.shape.place(place)]
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $matrix<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list()
                    .entries((0..self.rows()).map(|row| self.row(row)))
                    .finish()
            }
        }
    };
}

common!(Slice2);
common!(SliceMut2);

impl<T> IndexMut<[usize; 2]> for SliceMut2<'_, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, place: [usize; 2]) -> &mut T {
        &mut self.elements[self.shape.place(place)]
    }
}

#[cfg(test)]
mod tests;
