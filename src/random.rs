//! Random numbers: the counter-based generator Philox4x32-10, with the same bits on every device and on the host.
//!
//! A generator is a plain value of 40 bytes that kernels make where they need it. It costs no memory and no launch that
//! sets up states: a thread takes the subsequence with its own number.
//!
//! ```
//! use vyre::prelude::*;
//! use vyre::random::Philox;
//!
//! #[vyre::kernel]
//! fn noise(seed: u64, #[each] x: &mut f32) {
//!     let mut random = Philox::new(seed, thread::index() as u64, 0);
//!     *x += 0.5 * random.normal_f32();
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let mut x = [1.0f32; 3];
//! Noise::dispatch(&Device::best()?, 42, &mut x)?;
//! for (i, x) in x.into_iter().enumerate() {
//!     assert_eq!(x, 1.0 + 0.5 * Philox::new(42, i as u64, 0).normal_f32());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A seed has 2^64 subsequences of 2^66 numbers each. Different seeds and different subsequences are independent in all
//! tests of TestU01's BigCrush (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, *Parallel random numbers: as easy as
//! 1, 2, 3*, 2011). Nothing here is fit for cryptography.
//!
//! The sequence and the mapping to floats, normals and the rest are part of the contract: a seed keeps its results.

pub use generator::{Philox, philox, uniform_f32, uniform_f64};

// Its source is `vyre-front/src/modules/random.rs`.
mod generator {
    vyre_macros::own_module!(random);
}
