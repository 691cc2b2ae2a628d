//! The ranks of a program: threads that it starts itself, or processes that a launcher has started.

use indicatif::ProgressBar;
use vyre::prelude::*;
use vyre_many::{Communicator, Ranks};

use super::support::progress;

/// Runs a function on so many threads, on as many GPUs if they are there, else on the CPU; without a number, in this process
/// alone or as the launcher says. Returns the result of rank 0; `None` where that is another process.
pub fn run<R: Send>(
    count: Option<usize>,
    cpu: bool,
    work: impl Fn(&Communicator) -> vyre::Result<R> + Sync,
) -> vyre::Result<Option<R>> {
    let Some(count) = count else {
        let ranks = Ranks::from_env()?;
        let device = if cpu { Device::cpu() } else { ranks.device()? };
        let communicator = Communicator::new(&device, ranks)?;
        let result = work(&communicator)?;
        return Ok((communicator.rank() == 0).then_some(result));
    };
    let mut gpus = Device::all();
    gpus.retain(Device::is_cuda);
    gpus.truncate(count);
    let devices = match !cpu && gpus.len() == count {
        true => gpus,
        false => Device::cpus(count),
    };
    let results = vyre_many::on_each(&devices, work)?;
    Ok(results.into_iter().next())
}

/// A bar of the steps of a rank: the first one shows those of all.
pub fn bar(ranks: &Communicator, steps: usize) -> ProgressBar {
    match ranks.rank() {
        0 => progress::bar("step", steps as u64),
        _ => ProgressBar::hidden(),
    }
}
