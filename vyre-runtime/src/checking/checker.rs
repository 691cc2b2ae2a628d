//! The state of a checked device.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use vyre_ir::interp::check::{Check, Checked, Kind};
use vyre_ir::interp::{self, Argument, Options, Printed};
use vyre_ir::ir::{Handle, Kernel};
use vyre_ir::validate::Validated;

use super::Mode;
use super::memory::{self, Known};
use crate::error::check::Findings;
use crate::error::{Error, Result};
use crate::sync::Mutex;

/// Runs the launches of a device one after the other, and keeps what lasts longer than one.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    mode: Mode,
    /// The launches until now.
    launches: AtomicU64,
    /// Held by the launch that runs: several host threads may launch on shared memory, which the interpreter writes without
    /// atomics.
    running: Mutex<()>,
}

impl Checker {
    pub(crate) fn new(mode: Mode) -> Checker {
        Checker {
            mode,
            ..Checker::default()
        }
    }

    /// Memory that was allocated, with values or without.
    pub(crate) fn allocated(&self, address: u64, bytes: usize, has_values: bool) {
        memory::add(address, bytes, has_values);
    }

    /// Memory that is freed.
    pub(crate) fn released(&self, address: u64) {
        memory::remove(address);
    }

    /// Memory that the host has written.
    pub(crate) fn written(&self, address: u64, bytes: usize) {
        memory::mark(address, bytes);
    }

    /// A copy of memory, which may have no values.
    pub(crate) fn copied(&self, to: u64, from: u64, bytes: usize) {
        memory::copy(to, from, bytes);
    }

    /// Runs a kernel. `slices` has the addresses of those arguments that are slices, by their parameters.
    ///
    /// # Errors
    /// The findings, or else the fault of the launch.
    ///
    /// # Safety
    /// The arguments may be used as long as no other launch of a checked device runs.
    pub(crate) unsafe fn launch(
        &self,
        program: &Validated<'_>,
        kernel: Handle<Kernel>,
        arguments: &mut [Argument<'_>],
        slices: &[(usize, u64)],
        (grid, options): ([u32; 3], Options),
        output: &mut Printed,
    ) -> Result<()> {
        let _running = self.running.lock();
        let seed = self.mode.seed.unwrap_or_else(|| self.any_seed());
        let known: Vec<(Known, usize)> = slices
            .iter()
            .filter_map(|&(number, address)| Some((memory::known(address)?, number)))
            .collect();
        let check = Check {
            seed,
            unwritten: memory::unwritten(&known),
            ..Check::default()
        };
        let run = match self.mode.order {
            true => interp::check::launch_twice,
            false => interp::launch_checked,
        };
        let checked = run(program, kernel, arguments, grid, options, &check, output);
        memory::keep(&known, &check.unwritten);
        outcome(&program.program().kernels[kernel].name, checked, seed)
    }

    /// Another seed in each launch, of few digits. It is not 0, which is the order of launches that are not checked.
    fn any_seed(&self) -> u64 {
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::from(now.subsec_nanos()).wrapping_add(number) % 999_999 + 1
    }
}

fn outcome(kernel: &str, checked: Checked, seed: u64) -> Result<()> {
    let ended = checked.outcome.err().map(|error| Error::of_interpreter(kernel, error));
    if checked.reports.is_empty() {
        return ended.map_or(Ok(()), Err);
    }
    // These say already why the launch has ended.
    let is_told =
        (checked.reports.iter()).any(|report| matches!(report.kind, Kind::Divergence | Kind::Deadlock | Kind::Outside));
    Err(Error::Check(Box::new(Findings {
        reports: checked.reports,
        seed,
        ended: ended.filter(|_| !is_told),
    })))
}
