//! Kernels that are lowered again, for devices and drivers that do not take their PTX.
//!
//! The description of a kernel stays as it is, so the new code must have the same: sites, output, shared memory. It does,
//! for limits change the code of single operations, none of which reports anything.

use vyre_abi::kernel::{Location, Site};
use vyre_core::ir::{Program, PtxLimits, Span};
use vyre_core::module::ModuleKernel;
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, text};

use super::kernel::KernelDescription;

/// The PTX of a kernel within limits, or `None` if there is no other than what it has.
pub(crate) fn lowered(kernel: &KernelDescription<'_>, limits: PtxLimits) -> Option<String> {
    let program = text::parse(kernel.program).ok()?;
    let valid = validate(&program).ok()?;
    let options = CompileOptions {
        limits: Some(limits),
        target: limits.target,
        // The description has the conditions of other code.
        checked_only: true,
        ..CompileOptions::default()
    };
    let module = compile(&valid, &options).ok()?;
    let [compiled] = &module.kernels[..] else { return None };
    let fits = module.target <= limits.target && module.version <= limits.version;
    (fits && module.ptx != kernel.ptx && is_same(kernel, &program, compiled)).then_some(module.ptx)
}

/// True if a description holds for another compilation, too.
fn is_same(kernel: &KernelDescription<'_>, program: &Program, compiled: &ModuleKernel) -> bool {
    let of = &program.kernels[compiled.kernel];
    let location = |span: Span| match program.files.get(span.file as usize) {
        Some(file) if span.is_some() => (file.as_str(), span.line, span.column),
        _ => ("", span.line, span.column),
    };
    fn known<'k>(Location { file, line, column }: Location<'k>) -> (&'k str, u32, u32) {
        (file, line, column)
    }
    let sites = compiled.sites.iter();
    let entries = of.entries.iter().map(|entry| (entry.symbol.as_str(), entry.coarsening));
    sites
        .map(|site| (site.kind, location(site.span), site.message.as_str()))
        .eq(kernel
            .sites
            .iter()
            .map(|site: &Site<'_>| (site.kind, known(site.location), site.message)))
        && compiled.prints.iter().eq(kernel.prints)
        && entries.eq(kernel.entries.iter().map(|entry| (entry.symbol, entry.coarsening)))
        && (compiled.shared_bytes, compiled.cooperative, of.block)
            == (kernel.shared_bytes, kernel.cooperative, kernel.block)
}

/// The newest PTX that a driver for a CUDA version reads, from the table of releases in the PTX ISA. A version
/// that is not there yet reads at least what the last one before it does.
pub(crate) fn ptx_version(cuda: (u32, u32)) -> (u32, u32) {
    match cuda {
        (..=11, _) => (7, 0),
        (12, minor @ ..=5) => (8, minor),
        // CUDA 12.6 has the PTX of 12.5.
        (12, minor @ 6..=9) => (8, minor - 1),
        (12, _) => (8, 8),
        (_, _) => (9, 0),
    }
}
