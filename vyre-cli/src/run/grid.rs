//! The grid of a launch.

use vyre_core::ir::Kernel;

use crate::Result;

/// Limits of the blocks along x, y and z: those of CUDA.
const MOST: [u64; 3] = [i32::MAX as u64, 65_535, 65_535];

/// The most threads that the interpreter runs, one after the other: a few seconds where they do nothing.
const MOST_THREADS: u64 = 1 << 26;

/// The most threads that it holds at once, where blocks wait for one another. No GPU has more.
const MOST_AT_ONCE: u64 = 1 << 19;

/// Blocks along x, y and z.
#[derive(Clone, Copy)]
pub(super) struct Grid(pub(super) [u32; 3]);

impl Grid {
    /// Reads `X`, `X,Y` or `X,Y,Z`; for the command line.
    pub(super) fn parse(text: &str) -> Result<Grid> {
        let mut blocks = [1; 3];
        let words: Vec<&str> = text.split(',').collect();
        if words.len() > blocks.len() {
            return Err(format!("a grid has 3 axes, and these are {}", words.len()));
        }
        for (axis, word) in words.iter().enumerate() {
            let name = ["x", "y", "z"][axis];
            let number = word.trim().parse::<u64>();
            let number = number.map_err(|_| format!("`{}` is no number of blocks", word.trim()))?;
            if number == 0 {
                return Err(format!(
                    "a grid without blocks along {name} launches nothing: write 1 or more"
                ));
            }
            blocks[axis] = u32::try_from(number)
                .ok()
                .filter(|_| number <= MOST[axis])
                .ok_or_else(|| {
                    format!(
                        "{number} blocks along {name} are too many: CUDA has at most {}",
                        MOST[axis]
                    )
                })?;
        }
        Ok(Grid(blocks))
    }

    /// An error where the interpreter would take for ever.
    pub(super) fn check(self, kernel: &Kernel, waits: bool) -> Result<()> {
        let blocks = self.0.iter().fold(1u64, |all, &along| all.saturating_mul(along.into()));
        let threads = blocks.saturating_mul(kernel.block_threads());
        let most = if waits { MOST_AT_ONCE } else { MOST_THREADS };
        if threads <= most {
            return Ok(());
        }
        let [x, y, z] = self.0;
        let together = if waits {
            " at once, as a barrier of the grid needs"
        } else {
            ""
        };
        Err(format!(
            "`--grid {x},{y},{z}` is {blocks} blocks of {} threads, and the interpreter runs at most {most} threads{together}: \
             give a smaller grid",
            kernel.block_threads()
        ))
    }
}
