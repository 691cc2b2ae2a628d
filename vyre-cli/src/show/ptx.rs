//! `--ptx`.

use super::compiled;
use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

pub(super) fn show(unit: &Unit, sources: &Sources) -> Result<String> {
    let module = compiled(unit, &unit.options)?;
    Ok(sources.beside_ptx(&module.ptx))
}
