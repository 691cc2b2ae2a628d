//! Prefetches of data that is loaded later.
//!
//! They take a reference to a scalar, `prefetch::l2(&x[i])`, which is checked like any access, and load its
//! cache line into a cache of the GPU. The kernel does not wait, and there is no other effect.
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

/// Prefetches a line into L1 (PTX `prefetch.global.L1`).
#[inline(always)]
pub fn l1<T: Copy>(place: &T) {
    let _ = place;
}

/// Prefetches a line into L2 (PTX `prefetch.global.L2`).
#[inline(always)]
pub fn l2<T: Copy>(place: &T) {
    let _ = place;
}
