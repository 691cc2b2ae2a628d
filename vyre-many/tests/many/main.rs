//! Communicators, against plain Rust: ranks as threads and as processes, and what becomes of ranks that misbehave.

mod collectives;
mod faults;
#[cfg(feature = "nccl")]
mod gpus;
mod processes;
mod shards;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use vyre::RankProblem;

/// Runs a test that must not hang.
fn within<R: Send + 'static>(limit: Duration, test: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    let running = thread::spawn(move || {
        let result = test();
        sender.send(()).expect("the test waits");
        result
    });
    match receiver.recv_timeout(limit) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("not done within {limit:?}"),
        _ => running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}

/// A time in which tests on a busy machine are done.
const LONG: Duration = Duration::from_secs(120);

/// The problem of an error.
fn problem(error: &vyre::Error) -> &RankProblem {
    match error {
        vyre::Error::Ranks { problem, .. } => problem,
        other => panic!("{other}"),
    }
}
