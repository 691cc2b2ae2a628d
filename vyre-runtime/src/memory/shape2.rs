//! The shape of a matrix in linear memory.

use std::ops::RangeBounds;

use crate::error::{Error, Result};
use crate::memory::view::bounds;

/// Rows and columns, with a distance of `pitch` elements between consecutive rows.
///
/// The extents have 32 bits, so that the offset of an element is one multiplication of 32 by 32
/// bits and an addition. They are also the fields passed to kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape2 {
    pub(crate) rows: u32,
    pub(crate) cols: u32,
    pub(crate) pitch: u32,
}

impl Shape2 {
    /// A shape whose elements are among the first `length`.
    pub(crate) fn new(rows: usize, cols: usize, pitch: usize, length: usize) -> Result<Shape2> {
        let narrow = |extent: usize| u32::try_from(extent).ok();
        let shape = match (narrow(rows), narrow(cols), narrow(pitch)) {
            (Some(rows), Some(cols), Some(pitch)) => Some(Shape2::of(rows, cols, pitch)),
            _ => None,
        };
        shape
            .filter(|shape| cols <= pitch && shape.span() <= length as u64)
            .ok_or(Error::MatrixSize {
                rows,
                cols,
                pitch,
                length,
            })
    }

    /// Rows without columns all begin at the first element, which may not exist.
    fn of(rows: u32, cols: u32, pitch: u32) -> Shape2 {
        let pitch = if cols == 0 { 0 } else { pitch };
        Shape2 { rows, cols, pitch }
    }

    /// The same rows and columns with another pitch.
    pub(crate) fn pitched(self, pitch: usize, length: usize) -> Result<Shape2> {
        Shape2::new(self.rows as usize, self.cols as usize, pitch, length)
    }

    /// The number of elements from the first to the last one.
    pub(crate) fn span(self) -> u64 {
        match (self.rows, self.cols) {
            (0, _) | (_, 0) => 0,
            (rows, cols) => u64::from(rows - 1) * u64::from(self.pitch) + u64::from(cols),
        }
    }

    /// The offset of a row.
    #[inline]
    pub(crate) fn start(self, row: usize) -> usize {
        row * self.pitch as usize
    }

    /// The offset of an element.
    ///
    /// # Panics
    /// If the matrix has no such element.
    #[inline]
    #[track_caller]
    pub(crate) fn place(self, [row, col]: [usize; 2]) -> usize {
        assert!(
            row < self.rows as usize,
            "row {row} is out of bounds of {} rows",
            self.rows
        );
        assert!(
            col < self.cols as usize,
            "column {col} is out of bounds of {} columns",
            self.cols
        );
        self.start(row) + col
    }

    /// A submatrix: the elements from its first to its last one, and its shape.
    pub(crate) fn part(
        self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<(std::ops::Range<usize>, Shape2)> {
        let rows = bounds(rows, self.rows as usize)?;
        let cols = bounds(cols, self.cols as usize)?;
        let (rows_in, cols_in) = (rows.len(), cols.len());
        let shape = Shape2::of(rows_in as u32, cols_in as u32, self.pitch);
        let start = match shape.span() {
            0 => 0,
            _ => self.start(rows.start) + cols.start,
        };
        Ok((start..start + shape.span() as usize, shape))
    }

    /// Every `step`th row of a matrix in `length` elements, beginning with the first.
    pub(crate) fn every(self, step: usize, length: usize) -> Result<Shape2> {
        let step = step.max(1);
        let rows = (self.rows as usize).div_ceil(step);
        // The pitch of a single row does not matter, and a step past the last row leaves no other.
        let step = if rows > 1 { step } else { 1 };
        Shape2::new(rows, self.cols as usize, step * self.pitch as usize, length)
    }
}

/// The methods of all types of matrices, which lie in `elements` by `shape`.
macro_rules! matrix {
    ($matrix:ident) => {
        impl<T> $matrix<'_, T> {
            pub(crate) fn shape(&self) -> &Shape2 {
                &self.shape
            }

            /// The number of rows.
            #[inline]
            pub fn rows(&self) -> usize {
                self.shape.rows as usize
            }

            /// The number of columns.
            #[inline]
            pub fn cols(&self) -> usize {
                self.shape.cols as usize
            }

            /// The distance of consecutive rows, in elements.
            #[inline]
            pub fn pitch(&self) -> usize {
                self.shape.pitch as usize
            }

            /// The same rows and columns with another pitch.
            ///
            /// # Errors
            /// [`Error::MatrixSize`](crate::Error::MatrixSize) if a row is longer than `pitch`, if
            /// there are too few elements, or if `pitch` is more than 2^32 - 1.
            pub fn pitched(self, pitch: usize) -> Result<Self> {
                let shape = self.shape.pitched(pitch, self.elements.len())?;
                Ok($matrix { shape, ..self })
            }

            /// Every `step`th row, beginning with the first.
            ///
            /// # Errors
            /// [`Error::MatrixSize`](crate::Error::MatrixSize) if they are more than 2^32 - 1
            /// elements apart.
            pub fn every(self, step: usize) -> Result<Self> {
                let shape = self.shape.every(step, self.elements.len())?;
                Ok($matrix { shape, ..self })
            }
        }
    };
}
pub(super) use matrix;

#[cfg(test)]
mod tests;
