//! The shape of a matrix that lies in a row of elements.

use std::ops::RangeBounds;

use crate::error::{Error, Result};
use crate::memory::view::bounds;

/// Rows of so many columns, each `pitch` elements behind the one before it.
///
/// The extents have 32 bits, so that the place of an element is one multiplication of 32 by 32 bits
/// and an addition. They are what a kernel's parameters take.
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

    /// Rows of no columns all begin at the first element, of which there may be none.
    fn of(rows: u32, cols: u32, pitch: u32) -> Shape2 {
        let pitch = if cols == 0 { 0 } else { pitch };
        Shape2 { rows, cols, pitch }
    }

    /// The same rows and columns, at another distance.
    pub(crate) fn pitched(self, pitch: usize, length: usize) -> Result<Shape2> {
        Shape2::new(self.rows as usize, self.cols as usize, pitch, length)
    }

    /// From the first element to the last one, how many there are.
    pub(crate) fn span(self) -> u64 {
        match (self.rows, self.cols) {
            (0, _) | (_, 0) => 0,
            (rows, cols) => u64::from(rows - 1) * u64::from(self.pitch) + u64::from(cols),
        }
    }

    /// Where a row begins.
    #[inline]
    pub(crate) fn start(self, row: usize) -> usize {
        row * self.pitch as usize
    }

    /// Where an element lies, which must be one of the matrix.
    ///
    /// # Panics
    /// Where it is none.
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

    /// A rectangle: the elements from its first to its last one, and its shape.
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

    /// Every `step`th row of a matrix in `length` elements, from the first on.
    pub(crate) fn every(self, step: usize, length: usize) -> Result<Shape2> {
        let step = step.max(1);
        let rows = (self.rows as usize).div_ceil(step);
        // Of one row the pitch does not matter, and of a step past the last row no other is left.
        let step = if rows > 1 { step } else { 1 };
        Shape2::new(rows, self.cols as usize, step * self.pitch as usize, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits() {
        assert_eq!(Shape2::new(3, 4, 4, 12).map(Shape2::span), Ok(12));
        // The last row needs no room behind it.
        assert_eq!(Shape2::new(3, 4, 10, 24).map(Shape2::span), Ok(24));
        assert_eq!(Shape2::new(0, 4, 4, 0).map(Shape2::span), Ok(0));
        assert_eq!(Shape2::new(4, 0, 0, 0).map(Shape2::span), Ok(0));
        for (rows, cols, pitch, length) in [
            (3, 4, 4, 11),
            (3, 4, 10, 23),
            (3, 4, 3, 100),
            (1, 1 << 32, 1 << 32, usize::MAX),
            (1 << 32, 1, 1, usize::MAX),
            (u32::MAX as usize, u32::MAX as usize, u32::MAX as usize, 1 << 40),
        ] {
            let error = Error::MatrixSize {
                rows,
                cols,
                pitch,
                length,
            };
            assert_eq!(Shape2::new(rows, cols, pitch, length), Err(error));
        }
    }

    #[test]
    fn rectangles_and_steps() {
        let shape = Shape2::new(5, 6, 8, 40).unwrap();
        let (elements, part) = shape.part(1..4, 2..=3).unwrap();
        assert_eq!((elements, part.rows, part.cols, part.pitch), (10..28, 3, 2, 8));
        let (elements, part) = shape.part(5.., ..).unwrap();
        assert_eq!((elements, part.rows, part.cols), (0..0, 0, 6));
        assert!(shape.part(..6, ..).is_err() && shape.part(.., 3..7).is_err());
        let every = shape.every(2, 38).unwrap();
        assert_eq!((every.rows, every.cols, every.pitch, every.span()), (3, 6, 16, 38));
        let rows = |step| shape.every(step, 40).map(|shape| shape.rows);
        assert_eq!([rows(5), rows(usize::MAX), rows(0)], [Ok(1), Ok(1), Ok(5)]);
        let wide = Shape2::new(3, 1, 1 << 31, 1 << 33).unwrap();
        assert!(wide.every(2, 1 << 33).is_err(), "the pitch has 32 bits");
    }
}
