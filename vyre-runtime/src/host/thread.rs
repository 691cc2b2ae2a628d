//! What a body knows about its thread.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use vyre_core::fault::FaultKind;

use super::block::{BlockContext, Pause};
use super::fault::{HostFault, Left, Run};
use crate::kernel::Site;

/// A thread of a block. Axes are 0 for x, 1 for y, 2 for z.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'b> {
    context: &'b BlockContext<'b>,
    index: [u32; 3],
    extent: [u32; 3],
    block: [u32; 3],
    grid: [u32; 3],
}

impl<'b> Thread<'b> {
    /// The first thread of a block.
    #[inline(always)]
    pub(super) fn new(context: &'b BlockContext<'b>, extent: [u32; 3]) -> Self {
        Thread {
            context,
            index: [0; 3],
            extent,
            block: context.index,
            grid: context.grid,
        }
    }

    /// The thread at another place of the block.
    #[inline(always)]
    pub(super) fn at(self, index: [u32; 3]) -> Self {
        Thread { index, ..self }
    }

    /// The place of the thread in its block.
    #[inline(always)]
    pub fn thread(&self, axis: usize) -> u32 {
        self.index[axis]
    }

    /// The place of the block in the grid.
    #[inline(always)]
    pub fn block(&self, axis: usize) -> u32 {
        self.block[axis]
    }

    /// The number of blocks of the grid.
    #[inline(always)]
    pub fn grid(&self, axis: usize) -> u32 {
        self.grid[axis]
    }

    /// The place of the thread in the launch along an axis.
    #[inline(always)]
    pub fn global(&self, axis: usize) -> u64 {
        u64::from(self.block[axis]) * u64::from(self.extent[axis]) + u64::from(self.index[axis])
    }

    /// The number of the thread in the launch: block after block, x fastest.
    #[inline(always)]
    pub fn linear(&self) -> u64 {
        let number = |index: [u32; 3], extent: [u32; 3]| {
            let [x, y, z] = index.map(u64::from);
            let [width, height, _] = extent.map(u64::from);
            // Wraps where the launch has more than 2^64 threads, as on a GPU.
            z.wrapping_mul(height)
                .wrapping_add(y)
                .wrapping_mul(width)
                .wrapping_add(x)
        };
        let threads: u64 = self.extent.iter().map(|&extent| u64::from(extent)).product();
        number(self.block, self.grid)
            .wrapping_mul(threads)
            .wrapping_add(number(self.index, self.extent))
    }

    /// `index`, which is compared with `length`.
    #[inline(always)]
    pub fn index(&self, index: u64, length: u64, site: &'static Site) -> Run<usize> {
        if index < length {
            Ok(index as usize)
        } else {
            Err(self.fault(site, [index, length]))
        }
    }

    /// [`index`](Self::index), for an index of which it may be known that it is less.
    #[inline(always)]
    pub fn own_index<const INSIDE: bool>(&self, index: u64, length: u64, site: &'static Site) -> Run<usize> {
        if INSIDE {
            Ok(index as usize)
        } else {
            self.index(index, length, site)
        }
    }

    /// The range `start..end`, which is compared with `length`; yields start and number.
    #[inline(always)]
    pub fn range(&self, start: u64, end: u64, length: u64, site: &'static Site) -> Run<(usize, u64)> {
        if start <= end && end <= length {
            Ok((start as usize, end - start))
        } else {
            Err(self.fault(site, [start, end]))
        }
    }

    /// The value of a division or remainder, which faults at one of two sites.
    #[inline(always)]
    pub fn division<T>(&self, result: Result<T, FaultKind>, zero: &'static Site, overflow: &'static Site) -> Run<T> {
        result.map_err(|kind| {
            let site = if kind == FaultKind::DivisionByZero {
                zero
            } else {
                overflow
            };
            self.fault(site, [0, 0])
        })
    }

    /// Leaves at `site` unless `condition` holds.
    #[inline(always)]
    pub fn assert(&self, condition: bool, site: &'static Site) -> Run {
        if condition {
            Ok(())
        } else {
            Err(self.fault(site, [0, 0]))
        }
    }

    /// Records a fault.
    #[cold]
    #[inline(never)]
    pub fn fault(&self, site: &'static Site, values: [u64; 2]) -> Left {
        self.context.fault(HostFault {
            site,
            values,
            block: self.block,
            thread: self.index,
        })
    }

    /// Waits until every thread of the block that has not left is at a barrier.
    #[inline(always)]
    pub fn barrier(&self) -> impl Future<Output = ()> + use<'b> {
        Gate {
            context: self.context,
            pause: Pause::Barrier,
            passed: false,
        }
    }

    /// Gives way to the other threads of the block, between two passes of a loop that waits for
    /// another thread; leaves if a thread of the launch has faulted.
    #[inline(always)]
    pub async fn give_way(&self) -> Run {
        Gate {
            context: self.context,
            pause: Pause::Wait,
            passed: false,
        }
        .await;
        if self.context.faults.is_set() {
            Err(Left)
        } else {
            Ok(())
        }
    }
}

/// Pending once.
struct Gate<'b> {
    context: &'b BlockContext<'b>,
    pause: Pause,
    passed: bool,
}

impl Future for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.passed {
            return Poll::Ready(());
        }
        self.passed = true;
        self.context.pause.set(self.pause);
        Poll::Pending
    }
}
