//! Kernels cut at their barriers of the grid, ready for a device.

use std::fmt;
use std::sync::Arc;

use vyre_core::ir::{Handle, Kernel, Program};
use vyre_core::split::{RefusalKind, split};

use super::compiled::{Compiled, CompiledKernel};
use super::signature::Kind;
use crate::error::{Error, Result};

/// The parts of a kernel, in order.
pub(crate) struct Parts {
    compiled: Arc<Compiled>,
    /// The parameters of the kernel itself.
    own: usize,
}

impl Parts {
    /// Cuts a kernel of a valid program, for a device of this name.
    pub(crate) fn new(
        device: &dyn fmt::Display,
        program: &Program,
        kernel: Handle<Kernel>,
        compile: impl FnOnce(&Program) -> Result<Arc<Compiled>>,
    ) -> Result<Parts> {
        let parts = split(program, kernel).map_err(|refusal| {
            let (name, reason) = (&program.kernels[kernel].name, refusal.display(program));
            Error::Unsupported {
                feature: format!("`split` of `{name}`: {reason}; {}", help(&refusal.kind)),
                device: device.to_string(),
            }
        })?;
        Ok(Parts {
            compiled: compile(&parts)?,
            own: program.kernels[kernel].parameters.len(),
        })
    }

    pub(crate) fn kernels(&self) -> &[CompiledKernel] {
        &self.compiled.kernels
    }

    /// The sizes of the elements of the slices that all parts take after the parameters of the kernel: the counts of
    /// threads, one for each barrier, and what threads keep.
    pub(crate) fn kept(&self) -> impl Iterator<Item = u64> {
        let first = self.kernels().first();
        let more = first.map_or(&[][..], |first| &first.parameters()[self.own..]);
        more.iter().map(|parameter| match parameter.kind {
            Kind::Slice { element, .. } => element.size,
            Kind::Value(_) | Kind::Aggregate(_) => 0,
        })
    }
}

/// The way to do without.
fn help(kind: &RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Nested => "make a kernel of its turn or branch, and let the host or a sequence launch that",
        RefusalKind::Shared(_) => "store what is to last in a buffer, or use other shared memory behind the barrier",
        _ => "make the reference again behind the barrier",
    }
}
