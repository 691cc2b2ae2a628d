//! Launches that do not keep a condition of their kernel.

use std::fmt;

/// A condition that a launch does not keep: without it, accesses of the kernel may race.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::Error;
///
/// #[vyre::kernel(block = [16, 16])]
/// fn fill(y: &mut [f32], width: usize) {
///     let (column, row) = thread::index_2d();
///     y[row * width + column] = 1.0;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut y = device.zeros(40 * 64)?;
/// fill(&mut y, 32).over([32, 32]).launch(&device)?;
/// // Blocks have 16 columns, so three of them are more than 40, and their last columns are in the next row.
/// let Err(Error::MayRace { problem, .. }) = fill(&mut y, 40).over([40, 32]).launch(&device) else {
///     panic!("the launch is refused");
/// };
/// assert_eq!((&*problem.condition, problem.sides), ("16 * grid.x <= width", Some((48, 40))));
/// assert_eq!((problem.blocks, problem.most_blocks[0]), ([3, 2, 1], Some(2)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RaceProblem {
    /// The condition, in the names of the kernel's parameters: `16 * grid.x <= width`.
    pub condition: String,
    /// The two sides of the condition; `None` if one has more than 128 bits, or the extent is on the device.
    pub sides: Option<(u128, u128)>,
    /// The blocks of the launch along x, y and z.
    pub blocks: [u64; 3],
    /// For each axis the most blocks, in whole clusters, for which all conditions of the kernel hold, if the launch has as many
    /// as now along the others, and there is such a number.
    pub most_blocks: [Option<u64>; 3],
    /// True if fewer blocks keep the condition wherever more do.
    pub allows_fewer: bool,
    /// The threads of a block along x, y and z.
    pub block: [u32; 3],
    /// True for a launch whose extent is on the device, and which might have too few blocks for the condition.
    pub is_on_device: bool,
    /// The file of an access that needs the condition.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
}

impl fmt::Display for RaceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RaceProblem {
            condition,
            file,
            line,
            column,
            ..
        } = self;
        write!(f, "may race at {file}:{line}:{column} unless `{condition}`")?;
        if self.is_on_device {
            return f.write_str(
                ", and the host does not know whether a launch whose extent is on the device keeps that; launch it with an \
                 extent of the host",
            );
        }
        let [x, y, z] = self.blocks;
        match self.sides {
            Some((left, right)) => write!(
                f,
                ", and for a grid of {x} x {y} x {z} blocks {left} is more than {right}"
            )?,
            None => write!(
                f,
                ", of which the numbers are too large for a grid of {x} x {y} x {z} blocks"
            )?,
        }
        let axes = self.most_blocks.iter().zip(["x", "y", "z"]).zip(self.block);
        let mut known = axes.filter_map(|((most, axis), threads)| Some(((*most)?, axis, threads)));
        match known.next() {
            Some((most, axis, threads)) => write!(
                f,
                "; launch at most {most} block{} along {axis}, {} threads, or guard the access",
                if most == 1 { "" } else { "s" },
                u128::from(most) * u128::from(threads)
            ),
            None if !self.allows_fewer => f.write_str("; launch more blocks, or guard the access"),
            None => f.write_str("; guard the access, or change the arguments"),
        }
    }
}
