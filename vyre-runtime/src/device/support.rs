//! Support of a device for a program, before it is compiled.

use std::fmt;

use vyre_core::ir::{Handle, Kernel, Program, PtxLimits, Span};
use vyre_core::requirements::{Requirement, requirements};
use vyre_core::validate::{Validated, validate};

use super::Device;
use crate::backend::Limits;
use crate::load::lowering::ptx_version;

/// An operation of a program that a device does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Unsupported {
    /// The kernel; empty if the program is not valid.
    pub kernel: String,
    /// The operation, as the text form of programs writes it.
    pub operation: String,
    /// Its file, line and column, if the program has them.
    pub location: Option<(String, u32, u32)>,
    /// The need.
    pub needs: Need,
}

/// A need of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Need {
    /// This compute capability, major and minor.
    ComputeCapability(u32, u32),
    /// A driver that reads this version of PTX, major and minor.
    Ptx(u32, u32),
    /// Blocks of clusters that run together: at least so many.
    ClusterBlocks(u32),
    /// Launches whose blocks all run at the same time.
    CooperativeLaunch,
    /// A program without this error.
    ValidProgram(String),
}

impl Unsupported {
    /// True if it is an error of the program, which no device has the operations of.
    pub(crate) fn is_invalid(&self) -> bool {
        matches!(self.needs, Need::ValidProgram(_))
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Need::ValidProgram(error) = &self.needs {
            return write!(f, "the program is not valid: {error}");
        }
        write!(f, "`{}` has {}", self.kernel, self.operation)?;
        if let Some((file, line, column)) = &self.location {
            write!(f, " at {file}:{line}:{column}")?;
        }
        match self.needs {
            Need::ComputeCapability(major, minor) => write!(f, ", which needs compute capability {major}.{minor}"),
            Need::Ptx(major, minor) => write!(f, ", which needs a driver that reads PTX {major}.{minor}"),
            Need::ClusterBlocks(blocks) => write!(f, ", which needs clusters of {blocks} blocks"),
            Need::CooperativeLaunch => f.write_str(", which needs cooperative launches"),
            Need::ValidProgram(_) => Ok(()),
        }
    }
}

impl Device {
    /// Says whether the device has all operations of a program, without compiling it; else lists those that it
    /// lacks, each once for a kernel.
    ///
    /// The CPU has all of them. The answer is about operations: a compiled kernel may still need too many
    /// registers, and a launch may be too large.
    ///
    /// ```
    /// use vyre_core::ir::Program;
    /// use vyre_core::build::{self, slice_mut};
    /// use vyre::Device;
    ///
    /// let mut program = Program::default();
    /// build::kernel(&mut program, "clear", &[256], (slice_mut::<f32>("y"),), |k, (y,)| {
    ///     let i = k.linear_index();
    ///     k.if_(i.lt(y.len()), || y.set(i, 0.0));
    /// });
    /// assert_eq!(Device::cpu().supports(&program), Ok(()));
    /// ```
    ///
    /// # Errors
    /// The operations that the device lacks, in the order of the kernels; or the errors of a program that is not
    /// valid.
    pub fn supports(&self, program: &Program) -> Result<(), Vec<Unsupported>> {
        let valid = validate(program).map_err(|errors| errors.iter().map(invalid).collect::<Vec<_>>())?;
        let Some(PtxLimits { version, target }) = self.ptx_limits() else {
            return Ok(());
        };
        let unsupported = missing(&valid, target, version, self.state().backend().limits());
        match unsupported.is_empty() {
            true => Ok(()),
            false => Err(unsupported),
        }
    }

    /// The PTX that the device and its driver take; `None` of the CPU.
    pub(crate) fn ptx_limits(&self) -> Option<PtxLimits> {
        let (major, minor) = self.compute_capability()?;
        Some(PtxLimits {
            version: self.version().cuda.map_or((0, 0), ptx_version),
            target: major * 10 + minor,
        })
    }
}

/// The operations of a program that a GPU lacks.
fn missing(valid: &Validated<'_>, target: u32, ptx: (u32, u32), limits: &Limits) -> Vec<Unsupported> {
    let program = valid.program();
    // Features that the compiler does without, for a device that lacks them, are no reason to refuse.
    let listed = requirements(valid)
        .into_iter()
        .filter(|requirement| !requirement.optional);
    let listed = listed.filter_map(|requirement| {
        let needs = unmet(&requirement, target, ptx)?;
        let Requirement {
            kernel,
            operation,
            span,
            ..
        } = requirement;
        Some(unsupported(program, (kernel, span), operation, needs))
    });
    let mut found: Vec<Unsupported> = listed.collect();
    for (handle, kernel) in program.kernels.iter() {
        let mut lacks = |operation, needs| found.push(unsupported(program, (handle, kernel.span), operation, needs));
        // A GPU whose capability has clusters may be partitioned so that it has none.
        let blocks = kernel.cluster_blocks();
        if blocks > limits.cluster && target >= CLUSTERS {
            lacks(format!("clusters of {blocks} blocks"), Need::ClusterBlocks(blocks));
        }
        if valid.info().is_cooperative(handle) && !limits.cooperative {
            lacks("grid_barrier".to_owned(), Need::CooperativeLaunch);
        }
    }
    found
}

/// The first `.target` with clusters.
const CLUSTERS: u32 = 90;

fn unmet(requirement: &Requirement, target: u32, ptx: (u32, u32)) -> Option<Need> {
    if requirement.target > target {
        return Some(Need::ComputeCapability(
            requirement.target / 10,
            requirement.target % 10,
        ));
    }
    let (major, minor) = requirement.version;
    (requirement.version > ptx).then_some(Need::Ptx(major, minor))
}

fn unsupported(
    program: &Program,
    (kernel, span): (Handle<Kernel>, Span),
    operation: String,
    needs: Need,
) -> Unsupported {
    let file = program.files.get(span.file as usize).filter(|_| span.line != 0);
    Unsupported {
        kernel: program.kernels[kernel].name.clone(),
        operation,
        location: file.map(|file| (file.clone(), span.line, span.column)),
        needs,
    }
}

fn invalid(error: &vyre_core::validate::Invalid) -> Unsupported {
    Unsupported {
        kernel: String::new(),
        operation: String::new(),
        location: None,
        needs: Need::ValidProgram(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
