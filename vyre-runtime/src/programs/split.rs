//! Kernels cut at their barriers of the grid, ready for a device.

use std::fmt;
use std::sync::Arc;

use vyre_abi::fault::{Fault, FaultKind};
use vyre_core::ir::{Handle, Kernel, Program};
use vyre_core::split::{Keeper, RefusalKind, split};

use super::compiled::{Compiled, CompiledKernel};
use crate::error::{Error, Result};
use crate::interpret::signature::Kind;

/// The parts of a kernel, in order.
pub(crate) struct Parts {
    compiled: Arc<Compiled>,
    /// The parameters of the kernel itself.
    own: usize,
    kept: Vec<Keeper>,
    /// True if those behind the first one are launched in turn until no thread waits at a barrier.
    pub(crate) is_repeated: bool,
    /// The fault of each barrier to which not all threads come.
    faults: Vec<Fault>,
}

impl Parts {
    /// Cuts a kernel of a valid program, for a device of this name.
    pub(crate) fn new(
        device: &dyn fmt::Display,
        program: &Program,
        kernel: Handle<Kernel>,
        compile: impl FnOnce(Program) -> Result<Arc<Compiled>>,
    ) -> Result<Parts> {
        let name = &program.kernels[kernel].name;
        let parts = split(program, kernel).map_err(|refusal| {
            let reason = refusal.display(program);
            Error::Unsupported {
                feature: format!("`split` of `{name}`: {reason}; {}", help(&refusal.kind)),
                device: device.to_string(),
            }
        })?;
        let faults = parts.barriers.iter().map(|span| Fault {
            kind: FaultKind::GridBarrier,
            kernel: name.clone(),
            file: program.files.get(span.file as usize).cloned().unwrap_or_default(),
            line: span.line,
            column: span.column,
            message: String::new(),
            values: [0; 2],
            block: [0; 3],
            thread: [0; 3],
        });
        Ok(Parts {
            faults: faults.collect(),
            compiled: compile(parts.program)?,
            own: program.kernels[kernel].parameters.len(),
            kept: parts.kept,
            is_repeated: parts.is_repeated,
        })
    }

    /// The number of barriers of the grid.
    pub(crate) fn barriers(&self) -> usize {
        self.faults.len()
    }

    /// The fault of a barrier to which some threads have come, and others not.
    pub(crate) fn fault(&self, barrier: usize) -> Error {
        Error::Fault(Box::new(self.faults[barrier].clone()))
    }

    pub(crate) fn kernels(&self) -> &[CompiledKernel] {
        &self.compiled.kernels
    }

    /// The slices that keep values, the last parameters of all parts: the sizes of their elements, and what has one.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (u64, Keeper)> {
        let first = self.kernels().first();
        let more = first.map_or(&[][..], |first| &first.parameters()[self.own..]);
        let slices = &more[more.len() - self.kept.len()..];
        slices
            .iter()
            .zip(&self.kept)
            .map(|(parameter, keeper)| match parameter.kind {
                Kind::Slice { element, .. } => (element.size, *keeper),
                Kind::Value(_) | Kind::Aggregate(_) => (0, *keeper),
            })
    }
}

/// The way to do without.
fn help(kind: &RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Shared(_) => "store what is to last in a buffer, or use other shared memory behind the barrier",
        _ => "make the reference again behind the barrier",
    }
}
