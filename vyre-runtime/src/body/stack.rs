//! Stacks for bodies with large locals: a worker has 2 MiB, and a thread of a kernel up to 512 KiB of variables, each of
//! which a build that is not optimised copies a few times.

use std::panic::resume_unwind;
use std::pin::Pin;
use std::thread::{Builder, scope};

/// The work of another thread while this one waits for it.
struct Lent<F>(F);

// SAFETY: the thread that owns what the function refers to does nothing until it has run.
unsafe impl<F> Send for Lent<F> {}

impl<F: FnOnce()> Lent<F> {
    fn run(self) {
        (self.0)();
    }
}

/// Runs a function on a stack of at least so many bytes.
pub fn with_stack(bytes: usize, run: impl FnOnce()) {
    let lent = Lent(run);
    scope(|scope| {
        let started = Builder::new()
            .name("vyre body".to_owned())
            .stack_size(bytes)
            .spawn_scoped(scope, || lent.run());
        match started.map(|thread| thread.join()) {
            Ok(Ok(())) => {}
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) => panic!("a stack of {bytes} bytes for a kernel with large variables: {error}"),
        }
    });
}

/// A future in memory of its own. It is made in here, so that the caller's frame does not hold it.
#[inline(never)]
pub fn boxed<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(make())
}
