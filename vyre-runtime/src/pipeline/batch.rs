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
    /// Those of [`Call::run`]. The arguments of all calls are checked before the first one runs. A call whose extent or
    /// stream the device refuses ends the batch, after the calls before it have run. If a call faults, those after
    /// it run nevertheless. The first error is returned; the contents of all outputs are then unspecified.
    pub fn run_into(&mut self, outputs: &mut Vec<Outputs>) -> Result<()> {
        outputs.resize_with(self.calls.len(), Outputs::new);
        let mut ready = Vec::with_capacity(self.calls.len());
        for (call, outputs) in self.calls.iter().zip(outputs.iter_mut()) {
            let call = call.ready()?;
            outputs.reserve(call.kernel, &call.bound)?;
            ready.push(call);
        }
        let (mut launched, mut first) = (Vec::with_capacity(ready.len()), Ok(()));
        for call in &ready {
            match call.enqueue(|_| Ok(())) {
                Ok(launch) => launched.push(launch),
                Err(error) => {
                    first = Err(error);
                    break;
                }
            }
        }
        // Each tells its own fault: none is left for whoever waits next.
        for ((call, launched), outputs) in ready.iter().zip(launched).zip(outputs) {
            let done = call.finish(launched, outputs);
            first = first.and(done);
        }
        first
    }
}
