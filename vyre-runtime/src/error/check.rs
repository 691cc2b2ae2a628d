//! The findings of checking mode in a launch.

use std::fmt;

use vyre_ir::interp::check::Report;

use super::Error;

/// The faults that [checking mode](crate::Device::checked) has found in a launch.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::Error;
///
/// /// Each block adds one, and none waits for another.
/// #[vyre::kernel(block = 1, allow(races))]
/// fn count(counter: &mut [u32]) {
///     counter[0] += 1;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let error = Count::dispatch(&Device::checked(), 2, &mut [0]).unwrap_err();
/// let Error::Check(found) = error else { panic!("{error}") };
/// let race = &found.reports[0];
/// assert_eq!((&*race.kernel, &*race.object), ("count", "`counter[0]`"));
/// for party in &race.parties {
///     println!("{} at {}:{}, block {:?}", party.does, party.file, party.line, party.block);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// The reports, in the order in which the launch came to them.
    pub reports: Vec<Report>,
    /// The order of the threads: `VYRE_CHECK_SEED` takes it to have the same again.
    pub seed: u64,
    /// The fault that ended the launch, if it is not among the reports.
    pub ended: Option<Error>,
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in &self.reports {
            writeln!(f, "{report}")?;
        }
        if let Some(error) = &self.ended {
            writeln!(f, "{error}")?;
        }
        write!(f, "the threads ran in the order of VYRE_CHECK_SEED={}", self.seed)
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
