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
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let buffer = Device::best()?.zeros::<f32>(6)?;
            /// assert_eq!(buffer.view2(2, 3)?.rows(), 2);
            /// assert_eq!(Slice2::new(&[0; 6], 2, 3)?.rows(), 2);
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn rows(&self) -> usize {
                self.shape.rows as usize
            }

            /// The number of columns.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let buffer = Device::best()?.zeros::<f32>(6)?;
            /// assert_eq!(buffer.view2(2, 3)?.cols(), 3);
            /// assert_eq!(Slice2::new(&[0; 6], 2, 3)?.cols(), 3);
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn cols(&self) -> usize {
                self.shape.cols as usize
            }

            /// The distance of consecutive rows, in elements.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let buffer = Device::best()?.zeros::<f32>(12)?;
            /// assert_eq!(buffer.view2(2, 6)?.part(.., 1..3)?.pitch(), 6);
            /// assert_eq!(Slice2::new(&[0; 6], 2, 3)?.pitch(), 3);
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn pitch(&self) -> usize {
                self.shape.pitch as usize
            }

            /// The same rows and columns with another pitch.
            ///
            /// Rows of three elements, of which each begins at a multiple of four:
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let padded = [1, 2, 3, 0, 4, 5, 6, 0];
            /// let matrix = Slice2::new(&padded, 2, 3)?.pitched(4)?;
            /// assert_eq!(matrix.row(1), [4, 5, 6]);
            /// let buffer = Device::best()?.upload(&padded)?;
            /// assert_eq!(buffer.view2(2, 3)?.pitched(4)?.part(1.., ..)?.elements().download()?, [4, 5, 6]);
            /// # Ok(())
            /// # }
            /// ```
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
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let matrix = Slice2::new(&[1, 2, 3, 4, 5, 6], 3, 2)?.every(2)?;
            /// assert_eq!((matrix.row(0), matrix.row(1)), (&[1, 2][..], &[5, 6][..]));
            /// let buffer = Device::best()?.zeros::<f32>(6)?;
            /// assert_eq!(buffer.view2(3, 2)?.every(2)?.rows(), 2);
            /// # Ok(())
            /// # }
            /// ```
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
