//! Calls that are submitted together and waited for once.

use super::call::Call;
use super::outputs::Outputs;
use super::ready::Ready;
use crate::error::Result;
use crate::memory::together::{Reads, Uploads};

/// Runs calls of one device in their order. There are outputs for each.
///
/// The copies to the device, the kernels and the copies to the host are all queued before the host waits, so that it waits
/// once for each stream. A call that may take too long is the exception: it is waited for before anything of it is copied,
/// since a copy may hold the host back until the kernel is over.
pub(super) fn run<'c>(calls: &[Call<'c>], outputs: &mut [Outputs]) -> Result<()> {
    let Some(device) = calls.first().map(|call| call.device().state()) else {
        return Ok(());
    };
    for call in calls {
        call.check()?;
    }
    let (mut uploads, mut ready) = (Uploads::new(device), Vec::with_capacity(calls.len()));
    for (call, outputs) in calls.iter().zip(&mut *outputs) {
        let call = call.bind(&mut uploads)?;
        outputs.reserve(call.kernel, &call.bound)?;
        ready.push(call);
    }
    if let [_, _, ..] = ready[..] {
        ready.iter().try_for_each(Ready::check)?;
    }
    let room = outputs
        .iter()
        .flat_map(Outputs::list)
        .map(|output| Reads::room(output.bytes().len()));
    let mut reads = Reads::new(device, room.sum())?;
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
    let is_limited = calls.iter().any(|call| call.configured().get_timeout().is_some());
    let mut all_wait = launched.len() == ready.len();
    let mut done = Vec::with_capacity(launched.len());
    for ((call, launched), outputs) in ready.iter().zip(&launched).zip(outputs) {
        let late = match is_limited {
            true => call.wait(launched.as_ref()),
            false => Ok(()),
        };
        all_wait &= launched.is_some() && late.is_ok();
        let queued = late.and_then(|()| outputs.start_read(call, launched.as_ref(), &mut reads));
        done.push(queued);
    }
    let waited = reads.wait();
    if all_wait && waited.is_ok() {
        // Each kernel came after the copies to its slices.
        uploads.arrived();
    }
    // Each tells its own fault: none is left for whoever waits next.
    for ((call, launched), done) in ready.iter().zip(&launched).zip(done) {
        let told = done
            .and_then(|()| waited.clone())
            .and_then(|()| call.tell(launched.as_ref()));
        first = first.and(call.config.labelled(told));
    }
    first?;
    reads.land();
    Ok(())
}
