//! Several calls in one submission.

use super::call::Call;
use super::outputs::Outputs;
use super::together;
use crate::error::Result;

/// Calls that are queued one after the other and waited for together: once, with all copies from and to the host, unless
/// calls are on several streams or have a [limit of time](crate::Config::timeout).
#[must_use = "nothing runs before `.run()`"]
#[derive(Debug)]
pub struct Batch<'c> {
    pub(super) calls: Vec<Call<'c>>,
}

impl Batch<'_> {
    /// Runs the calls in their order, and returns the outputs of each.
    ///
    /// # Errors
    /// As [`run_into`](Batch::run_into).
    pub fn run(&mut self) -> Result<Vec<Outputs>> {
        let mut outputs = Vec::new();
        self.run_into(&mut outputs)?;
        Ok(outputs)
    }

    /// As [`run`](Batch::run), into outputs whose memory is used again.
    ///
    /// # Errors
    /// Those of [`Call::run`]. The arguments of all calls are checked before anything is copied, and their streams and
    /// grids before the first one runs. A call with more blocks than the device allows ends the batch, after the calls
    /// before it have run. If a call faults, those after it run nevertheless. The first error is returned; the contents of all outputs are then unspecified.
    pub fn run_into(&mut self, outputs: &mut Vec<Outputs>) -> Result<()> {
        outputs.resize_with(self.calls.len(), Outputs::new);
        together::run(&self.calls, outputs)
    }
}
