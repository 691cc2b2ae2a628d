//! The conditions that launches of a kernel have to keep if it denies races.
//!
//! They are evaluated before anything runs, for the grid of the last entry: other entries do the same in other grids. A kernel
//! without conditions has an empty list of them, which costs nothing.

use std::ffi::c_void;

use vyre_abi::assumption::{self, Source};
use vyre_abi::kernel::LaunchCondition;

use super::kernel::Kernel;
use crate::backend::{Extent, number};
use crate::error::{Error, RaceProblem, Result};
use crate::load::kernel::{KernelDescription, KernelInfo};

/// A kernel, and the conditions of its launches.
#[derive(Clone, Copy)]
pub(crate) struct Conditions {
    kernel: &'static KernelInfo,
    all: &'static [LaunchCondition<'static>],
}

impl Conditions {
    #[inline]
    pub(crate) fn of(kernel: &'static KernelInfo, launcher: &dyn Kernel) -> Conditions {
        Conditions {
            kernel,
            all: launcher.conditions(),
        }
    }

    /// Refuses a launch that does not keep a condition of its kernel.
    ///
    /// # Safety
    /// The pointers are to the arguments of the kernel, in order.
    #[inline]
    pub(crate) unsafe fn check(self, pointers: &[*const c_void], extent: Extent, shared_bytes: u64) -> Result<()> {
        match self.all {
            [] => Ok(()),
            // SAFETY: the contract is the same.
            _ => unsafe { self.check_all(pointers, extent, shared_bytes) },
        }
    }

    /// The same for a launch whose extent is on the device, and at most this one.
    ///
    /// # Safety
    /// As of [`check`](Self::check).
    #[cfg(feature = "programs")]
    pub(crate) unsafe fn check_largest(
        self,
        pointers: &[*const c_void],
        extent: Extent,
        shared_bytes: u64,
    ) -> Result<()> {
        let Some(condition) = self.all.iter().find(|condition| !condition.allows_fewer) else {
            // SAFETY: the contract is the same.
            return unsafe { self.check(pointers, extent, shared_bytes) };
        };
        let problem = RaceProblem {
            is_on_device: true,
            ..problem(condition, extent.blocks(self.kernel))
        };
        Err(error(self.kernel, problem))
    }

    /// # Safety
    /// As of [`check`](Self::check).
    unsafe fn check_all(self, pointers: &[*const c_void], extent: Extent, shared_bytes: u64) -> Result<()> {
        let blocks = extent.blocks(self.kernel);
        // An empty domain runs nothing.
        if blocks.contains(&0) {
            return Ok(());
        }
        let value = |blocks: [u64; 3]| {
            // SAFETY: by the contract; the compiler asks for scalars within the arguments.
            move |source: Source| unsafe { number(source, pointers, blocks, shared_bytes) }
        };
        let holds = |condition: &LaunchCondition<'_>, blocks| assumption::holds(condition.needs, value(blocks));
        let hold = |blocks| self.all.iter().all(|condition| holds(condition, blocks));
        for condition in self.all {
            if !holds(condition, blocks) {
                let most_of = |axis: usize| {
                    let cluster = self.kernel.cluster.get(axis).copied().unwrap_or(1).max(1);
                    most(blocks, axis, cluster.into(), hold)
                };
                let problem = RaceProblem {
                    sides: assumption::sides(condition.needs, value(blocks)),
                    most_blocks: [0, 1, 2].map(most_of),
                    block: self.kernel.block,
                    ..problem(condition, blocks)
                };
                return Err(error(self.kernel, problem));
            }
        }
        Ok(())
    }
}

/// The most blocks along an axis, in whole clusters, for which the conditions hold, with those of the launch along the others.
fn most(blocks: [u64; 3], axis: usize, cluster: u64, hold: impl Fn([u64; 3]) -> bool) -> Option<u64> {
    let hold = |clusters: u64| {
        let mut blocks = blocks;
        blocks[axis] = clusters * cluster;
        hold(blocks)
    };
    // They hold for the first number, and not for the second one.
    let (mut least, mut most) = (1, blocks[axis] / cluster);
    if !hold(least) {
        return None;
    }
    while most > least + 1 {
        let middle = least + (most - least) / 2;
        match hold(middle) {
            true => least = middle,
            false => most = middle,
        }
    }
    Some(least * cluster)
}

fn problem(condition: &LaunchCondition<'_>, blocks: [u64; 3]) -> RaceProblem {
    RaceProblem {
        condition: condition.text.to_owned(),
        file: condition.location.file.to_owned(),
        line: condition.location.line,
        column: condition.location.column,
        blocks,
        sides: None,
        most_blocks: [None; 3],
        allows_fewer: condition.allows_fewer,
        block: [1; 3],
        is_on_device: false,
    }
}

#[cold]
fn error(kernel: &KernelDescription<'_>, problem: RaceProblem) -> Error {
    Error::MayRace {
        kernel: kernel.name.to_owned().into(),
        problem: Box::new(problem),
    }
}
