//! `--ptx`.

use vyre_core::CompileOptions;

use super::compiled;
use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

pub(super) fn show(unit: &Unit, sources: &Sources) -> Result<String> {
    let module = compiled(unit, &CompileOptions::default())?;
    Ok(sources.beside_ptx(&module.ptx))
}
