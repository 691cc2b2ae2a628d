//! Random kernels for the forms that a CPU body has: threads one after the other, futures, regions between barriers, and
//! lanes.
//!
//! A kernel has shared memory, barriers and exchanges where all threads come to them, early returns, loops that are uniform
//! or vary, stores to elements of the thread and of others, atomics, and indices of one or two axes. Most are free of data
//! races: between two barriers one shared array is written, by each thread its element of some permutation, and others
//! are read. The rest is for the checking mode of the interpreter to find. Most launches have slices that are long enough.

mod lower;
mod maker;

use vyre_test_support::random_program::Random;

pub use self::lower::program;
use self::maker::Maker;

/// The seeds of an ordinary run: as many as rustc compiles in some seconds.
pub const FEW: std::ops::Range<u64> = 0..30;

/// The seeds of the kernels that are compiled. `VYRE_FORMS=from..to` at the time of the build selects others than [`FEW`].
///
/// # Panics
///
/// Panics if that is no range.
pub fn seeds() -> std::ops::Range<u64> {
    let Some(given) = option_env!("VYRE_FORMS") else {
        return FEW;
    };
    let range = given
        .split_once("..")
        .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.expect("VYRE_FORMS is a range, as `0..200`")
}

/// The types of the elements of `x`, `y` and `z`.
pub type Elements = [&'static str; 3];

/// A kernel.
#[derive(Clone, Debug)]
pub struct Form {
    /// The function `k`. With `//futures` replaced by [`FUTURES`] its threads are futures.
    pub text: String,
    /// The options of the attribute.
    pub options: String,
    /// Threads of a block along x and y.
    pub block: [u64; 2],
    /// True if threads wait for each other.
    pub waits: bool,
    /// True if threads of a warp exchange values, which orders them otherwise than a barrier does.
    pub exchanges: bool,
    /// The types of the slices.
    pub elements: Elements,
}

/// A barrier of some warps, which no thread reaches, and with which a block is not cut into regions.
pub const FUTURES: &str = "if n > 1000000 { block::barrier::<1, 32>().sync(); }";

/// The arguments of a launch.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Blocks along x and y.
    pub grid: [u64; 2],
    /// A small number.
    pub n: u32,
    /// The lengths of `x`, `y` and `z`.
    pub lengths: [u64; 3],
}

/// The kernel of a seed.
pub fn form(seed: u64) -> Form {
    Maker::new(seed).form()
}

/// The launches of the kernel of a seed.
pub fn launches(seed: u64, form: &Form) -> Vec<Arguments> {
    let mut random = Random::new(seed ^ 0xa59);
    let [width, height] = form.block;
    (0..4)
        .map(|number| {
            let rows = if height > 1 { 1 + random.below(2) } else { 1 };
            let grid = [1 + random.below(3), rows];
            let threads = grid[0] * width * rows * height;
            let mut lengths = [4 * threads + 64, 2 * threads + 16, 2 * threads + 16];
            if number > 1 {
                let short = random.below(3) as usize;
                lengths[short] = match random.below(4) {
                    0 => random.below(threads + 1),
                    1 => threads - 1,
                    2 => threads + random.below(4),
                    _ => random.below(2 * threads + 8),
                };
            }
            let n = if number == 0 { 3 } else { random.below(9) as u32 };
            Arguments { grid, n, lengths }
        })
        .collect()
}
