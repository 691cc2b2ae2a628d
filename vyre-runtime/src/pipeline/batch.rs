//! Several calls in one submission.

use super::call::Call;
use super::outputs::Outputs;
use crate::error::Result;

/// Calls that are queued one after the other and waited for together.
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
    /// Those of [`Call::run`]. All calls are checked before the first one runs. If a call faults, those after it run
    /// nevertheless, and the first fault is returned; the contents of all outputs are then unspecified.
    pub fn run_into(&mut self, outputs: &mut Vec<Outputs>) -> Result<()> {
        outputs.resize_with(self.calls.len(), Outputs::new);
        let mut ready = Vec::with_capacity(self.calls.len());
        for (call, outputs) in self.calls.iter().zip(outputs.iter_mut()) {
            let call = call.ready()?;
            outputs.reserve(call.kernel, &call.bound)?;
            ready.push(call);
        }
        let launched = ready.iter().map(|call| call.enqueue(|_| Ok(())));
        let launched = launched.collect::<Result<Vec<_>>>()?;
        // Each tells its own fault: none is left for whoever waits next.
        let mut first = Ok(());
        for ((call, launched), outputs) in ready.iter().zip(launched).zip(outputs) {
            let done = call.finish(launched, outputs);
            first = first.and(done);
        }
        first
    }
}
