//! Runs in checking mode.

use std::time::{SystemTime, UNIX_EPOCH};

use vyre_core::interp::check::{Checked, Kind};

use crate::Result;

/// Another seed in each run, of few digits. It is not 0, which is the order of runs that are not checked.
pub(super) fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) % 999_999 + 1
}

/// The result of a checked run: its reports, then the fault that ended it where they do not say it already.
pub(super) fn outcome(checked: &Checked, seed: u64) -> Result<()> {
    let mut texts: Vec<String> = checked.reports.iter().map(ToString::to_string).collect();
    let is_told =
        (checked.reports.iter()).any(|report| matches!(report.kind, Kind::Divergence | Kind::Deadlock | Kind::Outside));
    if let (Err(error), false) = (&checked.outcome, is_told) {
        texts.push(error.to_string());
    }
    if texts.is_empty() {
        return Ok(());
    }
    texts.push(format!("the threads ran in the order of `--seed {seed}`"));
    Err(texts.join("\n"))
}
