//! Matrices in host memory, which are also the parameter types of kernels.

use std::fmt;
use std::ops::{Index, IndexMut, RangeBounds};

use crate::error::Result;
use crate::memory::shape2::{Shape2, matrix};

/// An immutable matrix in a slice, with a distance of `pitch` elements between consecutive rows.
///
/// Kernels and device functions take it as a parameter, `a: Slice2<'_, f32>`, and read `a[[row,
/// col]]`; a launch passes a [`View2`](crate::View2).
#[derive(Clone, Copy)]
pub struct Slice2<'a, T> {
    elements: &'a [T],
    shape: Shape2,
}

/// A mutable matrix in a slice, like [`Slice2`].
///
/// Kernels and device functions take it as a parameter, `mut c: SliceMut2<'_, f32>`, and write
/// `c[[row, col]]`; a launch passes a [`ViewMut2`](crate::ViewMut2).
pub struct SliceMut2<'a, T> {
    elements: &'a mut [T],
    shape: Shape2,
}

impl<'a, T> Slice2<'a, T> {
    /// A row-major matrix in the first elements of a slice.
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
    /// # Errors
    /// [`Error::RangeOutOfBounds`](crate::Error::RangeOutOfBounds).
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Slice2<'a, T>> {
        let (range, shape) = self.shape.part(rows, cols)?;
        let elements = &self.elements[range];
        Ok(Slice2 { elements, shape })
    }

    /// The elements of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.elements[row_of(self.shape, row)]
    }

    /// All elements from the first to the last one, including those between the rows.
    pub fn elements(&self) -> &'a [T] {
        self.elements
    }
}

impl<'a, T> SliceMut2<'a, T> {
    /// A row-major matrix in the first elements of a slice.
    ///
    /// # Errors
    /// As [`Slice2::new`].
    pub fn new(elements: &'a mut [T], rows: usize, cols: usize) -> Result<Self> {
        let shape = Shape2::new(rows, cols, cols, elements.len())?;
        Ok(SliceMut2 { elements, shape })
    }

    /// An immutable borrow of the matrix.
    pub fn as_slice2(&self) -> Slice2<'_, T> {
        Slice2 {
            elements: self.elements,
            shape: self.shape,
        }
    }

    /// A mutable reborrow of the matrix.
    pub fn reborrow(&mut self) -> SliceMut2<'_, T> {
        SliceMut2 {
            elements: self.elements,
            shape: self.shape,
        }
    }

    /// The immutable submatrix of these rows and columns.
    ///
    /// # Errors
    /// As [`Slice2::part`].
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Slice2<'_, T>> {
        self.as_slice2().part(rows, cols)
    }

    /// The submatrix of these rows and columns.
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
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &[T] {
        &self.elements[row_of(self.shape, row)]
    }

    /// The elements of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.elements[row_of(self.shape, row)]
    }

    /// All elements from the first to the last one, including those between the rows.
    pub fn elements(&self) -> &[T] {
        self.elements
    }

    /// All elements from the first to the last one, including those between the rows.
    pub fn elements_mut(&mut self) -> &mut [T] {
        self.elements
    }

    /// An element, unchecked.
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
