//! Buffers in blocks, one on the device of each rank.

use std::fmt;
use std::ops::Range;

use super::collective::equal;
use super::communicator::Communicator;
use vyre::{DeviceBuffer, Element, RankProblem, Result, View, ViewMut};

/// How rows are divided among ranks: in blocks of neighbouring rows, of which no two differ by more than one.
///
/// ```
/// use vyre_many::Blocks;
///
/// let blocks = Blocks::new(10, 640).halo(1);
/// assert_eq!((blocks.of(0, 3), blocks.of(1, 3), blocks.of(2, 3)), (0..3, 3..6, 6..10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    rows: usize,
    row: usize,
    halo: usize,
}

impl Blocks {
    /// A number of rows, which are divided, of so many elements, which are not: 1 for a vector, the width of an image, or the
    /// elements of a plane.
    ///
    /// ```
    /// use vyre_many::Blocks;
    ///
    /// assert_eq!(Blocks::new(480, 640).of(1, 4), 120..240);
    /// ```
    pub fn new(rows: usize, row: usize) -> Blocks {
        Blocks { rows, row, halo: 0 }
    }

    /// With copies of so many rows of the neighbours before and after each block.
    ///
    /// ```
    /// use vyre_many::{Blocks, Communicator, Sharded};
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// let x = Sharded::<f32>::zeros(&ranks[0], Blocks::new(480, 640).halo(2))?;
    /// assert_eq!(x.padded().len(), (2 + 240 + 2) * 640);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn halo(mut self, rows: usize) -> Blocks {
        self.halo = rows;
        self
    }

    /// The rows of a rank among so many; none for a rank that does not exist.
    ///
    /// ```
    /// use vyre_many::Blocks;
    ///
    /// assert_eq!(Blocks::new(7, 1).of(0, 2), 0..3);
    /// ```
    pub fn of(&self, rank: usize, ranks: usize) -> Range<usize> {
        let ranks = ranks.max(1);
        let start = |rank: usize| (rank.min(ranks) as u128 * self.rows as u128 / ranks as u128) as usize;
        start(rank)..start(rank.saturating_add(1))
    }
}

/// A buffer over the devices of all ranks, by [`Blocks`] of rows. Each rank has the block of its own, and may have copies of
/// neighbouring rows around it, the halo.
///
/// Kernels take a block as they take any buffer, and a number that says where it lies: row `j` of the
/// [`padded`](Sharded::padded) block is row `rows().start + j - halo` of the whole. The halo of the first block has nothing
/// before it, and that of the last nothing after: such rows are 0, or what kernels write there.
///
/// ```
/// use vyre_many::{Blocks, Sharded};
/// use vyre::prelude::*;
///
/// /// The differences of neighbours. `x` begins one element before `y`, which begins at index `first` of the whole.
/// #[vyre::kernel]
/// fn differences(first: usize, x: &[i32], y: &mut [i32]) {
///     let i = thread::index();
///     if i < y.len() {
///         y[i] = if first + i == 0 { 0 } else { x[i + 1] - x[i] };
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let squares: Vec<i32> = (0..10).map(|i| i * i).collect();
/// let found = vyre_many::on_each(&Device::cpus(3), |ranks| {
///     let blocks = Blocks::new(10, 1);
///     let mut x = Sharded::scatter(ranks, blocks.halo(1), &squares, 0)?;
///     let mut y = Sharded::zeros(ranks, blocks)?;
///     x.exchange_halo()?;
///     let (first, rows) = (y.rows().start, y.rows().len());
///     differences(first, x.padded(), y.own_mut()).over(rows).launch(ranks.device())?;
///     y.gather(0)
/// })?;
/// assert_eq!(found[0].as_deref(), Some(&[0, 1, 3, 5, 7, 9, 11, 13, 15, 17][..]));
/// assert_eq!(found[1], None);
/// # Ok(())
/// # }
/// ```
pub struct Sharded<'c, T> {
    communicator: &'c Communicator,
    blocks: Blocks,
    rows: Range<usize>,
    /// The halo before the block, the block, the halo after it.
    buffer: DeviceBuffer<T>,
}

impl<'c, T: Element> Sharded<'c, T> {
    /// Blocks of zeros.
    ///
    /// ```
    /// use vyre_many::{Blocks, Sharded};
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let rows = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     Ok(Sharded::<f32>::zeros(ranks, Blocks::new(5, 100))?.rows())
    /// })?;
    /// assert_eq!(rows, [0..2, 2..5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::Devices`] if a block has fewer rows than the halo of its neighbour; [`Error::OutOfMemory`], or an error of
    /// the driver.
    ///
    /// [`Error::OutOfMemory`]: vyre::Error::OutOfMemory
    pub fn zeros(communicator: &'c Communicator, blocks: Blocks) -> Result<Sharded<'c, T>> {
        let ranks = communicator.ranks();
        let shortest = blocks.rows / ranks;
        if ranks > 1 && shortest < blocks.halo {
            let Blocks { rows, halo, .. } = blocks;
            return Err(communicator.error(RankProblem::Devices {
                reason: format!(
                    "{rows} rows among {ranks} ranks make blocks of {shortest} rows, and the halo has {halo}; use fewer ranks"
                ),
            }));
        }
        let rows = blocks.of(communicator.rank(), ranks);
        let padded = rows.len().saturating_add(blocks.halo.saturating_mul(2));
        let buffer = communicator.device().zeros(padded.saturating_mul(blocks.row))?;
        Ok(Sharded {
            communicator,
            blocks,
            rows,
            buffer,
        })
    }

    /// Blocks of elements that one rank has on the host. The slices of other ranks are not looked at, and may be empty.
    ///
    /// ```
    /// use vyre_many::{Blocks, Sharded};
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let blocks = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let source: &[u32] = if ranks.rank() == 1 { &[1, 2, 3, 4] } else { &[] };
    ///     Sharded::scatter(ranks, Blocks::new(4, 1), source, 1)?.own().download()
    /// })?;
    /// assert_eq!(blocks, [[1, 2], [3, 4]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](vyre::Error::LengthMismatch) if `source` of that rank has another length than all rows;
    /// those of [`zeros`](Sharded::zeros) and of [`Communicator::send`].
    pub fn scatter(
        communicator: &'c Communicator,
        blocks: Blocks,
        source: &[T],
        root: usize,
    ) -> Result<Sharded<'c, T>> {
        let mut sharded = Sharded::zeros(communicator, blocks)?;
        communicator.has(root)?;
        if communicator.rank() != root {
            communicator.receive(sharded.own_mut(), root)?;
            return Ok(sharded);
        }
        communicator.operate(|| {
            let all = blocks.rows.saturating_mul(blocks.row);
            equal("the elements of all rows", all, "the source", source.len())
        })?;
        for rank in 0..communicator.ranks() {
            let rows = blocks.of(rank, communicator.ranks());
            let block = &source[rows.start * blocks.row..rows.end * blocks.row];
            match rank == root {
                true => sharded.own_mut().write(block)?,
                false => communicator.send(&communicator.device().upload(block)?, rank)?,
            }
        }
        Ok(sharded)
    }

    /// The elements of all rows on the host of one rank; `None` for other ranks.
    ///
    /// ```
    /// use vyre_many::{Blocks, Sharded};
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let found = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let mut x = Sharded::zeros(ranks, Blocks::new(3, 2))?;
    ///     x.own_mut().fill(ranks.rank() as f64)?;
    ///     x.gather(1)
    /// })?;
    /// assert_eq!(found, [None, Some(vec![0.0, 0.0, 1.0, 1.0, 1.0, 1.0])]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Communicator::send`] and of downloads.
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        let (communicator, blocks) = (self.communicator, self.blocks);
        communicator.has(root)?;
        if communicator.rank() != root {
            communicator.send(self.own(), root)?;
            return Ok(None);
        }
        let mut all = Vec::with_capacity(blocks.rows * blocks.row);
        for rank in 0..communicator.ranks() {
            if rank == root {
                all.extend(self.own().download()?);
                continue;
            }
            let length = blocks.of(rank, communicator.ranks()).len() * blocks.row;
            let mut block = communicator.device().zeros::<T>(length)?;
            communicator.receive(&mut block, rank)?;
            all.extend(block.download()?);
        }
        Ok(Some(all))
    }

    /// Copies the rows at the borders of all blocks to the halos of their neighbours. All ranks call it.
    ///
    /// ```
    /// use vyre_many::{Blocks, Sharded};
    /// use vyre::prelude::*;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let padded = vyre_many::on_each(&Device::cpus(2), |ranks| {
    ///     let mut x = Sharded::scatter(ranks, Blocks::new(4, 1).halo(1), &[1, 2, 3, 4], 0)?;
    ///     x.exchange_halo()?;
    ///     x.padded().download()
    /// })?;
    /// assert_eq!(padded, [[0, 1, 2, 3], [2, 3, 4, 0]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Group::run`](super::Group::run).
    pub fn exchange_halo(&mut self) -> Result<()> {
        let communicator = self.communicator;
        let (rank, last) = (communicator.rank(), communicator.ranks() - 1);
        let halo = self.blocks.halo * self.blocks.row;
        let own = self.rows.len() * self.blocks.row;
        let (before, rest) = self.buffer.as_view_mut().split_at_mut(halo)?;
        let (block, after) = rest.split_at_mut(own)?;
        let mut group = communicator.group();
        if rank > 0 {
            group = group.send(block.slice(..halo)?, rank - 1).receive(before, rank - 1);
        }
        if rank < last {
            group = group
                .send(block.slice(own - halo..)?, rank + 1)
                .receive(after, rank + 1);
        }
        group.run()
    }

    /// The rows of this rank.
    ///
    /// ```
    /// # use vyre_many::{Blocks, Communicator, Sharded};
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// assert_eq!(Sharded::<u8>::zeros(&ranks[1], Blocks::new(5, 1))?.rows(), 2..5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The rows of this rank with those of the halo before and after.
    ///
    /// ```
    /// # use vyre_many::{Blocks, Communicator, Sharded};
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// let x = Sharded::<u8>::zeros(&ranks[1], Blocks::new(5, 10).halo(1))?;
    /// assert_eq!(x.padded().len(), (1 + 3 + 1) * 10);
    /// # Ok(())
    /// # }
    /// ```
    pub fn padded(&self) -> View<'_, T> {
        self.buffer.as_view()
    }

    /// As [`padded`](Sharded::padded), to be written.
    ///
    /// ```
    /// # use vyre_many::{Blocks, Communicator, Sharded};
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// let mut x = Sharded::zeros(&ranks[0], Blocks::new(4, 1).halo(1))?;
    /// x.padded_mut().slice_mut(..1)?.fill(0.5)?; // the border of the whole
    /// assert_eq!(x.padded().download()?, [0.5, 0.0, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn padded_mut(&mut self) -> ViewMut<'_, T> {
        self.buffer.as_view_mut()
    }

    /// The rows of this rank alone.
    ///
    /// ```
    /// # use vyre_many::{Blocks, Communicator, Sharded};
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// let x = Sharded::<u8>::zeros(&ranks[1], Blocks::new(5, 10).halo(1))?;
    /// assert_eq!(x.own().len(), 30);
    /// # Ok(())
    /// # }
    /// ```
    pub fn own(&self) -> View<'_, T> {
        self.buffer
            .slice(self.own_elements())
            .expect("the block lies in the buffer")
    }

    /// As [`own`](Sharded::own), to be written.
    ///
    /// ```
    /// # use vyre_many::{Blocks, Communicator, Sharded};
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let ranks = Communicator::local(&Device::cpus(2))?;
    /// let mut x = Sharded::zeros(&ranks[0], Blocks::new(4, 1).halo(1))?;
    /// x.own_mut().fill(7)?;
    /// assert_eq!(x.padded().download()?, [0, 7, 7, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn own_mut(&mut self) -> ViewMut<'_, T> {
        let own = self.own_elements();
        self.buffer.slice_mut(own).expect("the block lies in the buffer")
    }

    fn own_elements(&self) -> Range<usize> {
        let start = self.blocks.halo * self.blocks.row;
        start..start + self.rows.len() * self.blocks.row
    }
}

impl<T> fmt::Debug for Sharded<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Sharded(rows {:?} of {:?}, {:?})",
            self.rows, self.blocks, self.buffer
        )
    }
}
