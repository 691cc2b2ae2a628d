//! Requests for what is loaded later.
//!
//! They take a reference to a scalar, `prefetch::l2(&x[i])`, which is checked like any access, and bring the line of
//! memory around it into a cache of the GPU. The kernel does not wait for that, and nothing else comes of it.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Sums of columns; the row after the next one is asked for in time.
//! #[vyre::kernel]
//! fn sums(matrix: &[f32], columns: usize, sums: &mut [f32]) {
//!     let column = thread::index();
//!     if column < columns {
//!         let (mut sum, mut place) = (0.0, column);
//!         while place < matrix.len() {
//!             if place + 2 * columns < matrix.len() {
//!                 prefetch::l2(&matrix[place + 2 * columns]);
//!             }
//!             sum += matrix[place];
//!             place += columns;
//!         }
//!         sums[column] = sum;
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut y = [0.0; 2];
//! Sums::dispatch(&Device::best()?, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, &mut y)?;
//! assert_eq!(y, [9.0, 12.0]);
//! # Ok(())
//! # }
//! ```

/// Brings a line into the cache of the multiprocessor (PTX `prefetch.global.L1`).
#[inline(always)]
pub fn l1<T: Copy>(place: &T) {
    let _ = place;
}

/// Brings a line into the cache that all multiprocessors share (PTX `prefetch.global.L2`).
#[inline(always)]
pub fn l2<T: Copy>(place: &T) {
    let _ = place;
}
