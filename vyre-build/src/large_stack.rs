//! A stack of known size for recursion over what users write.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// The size of the stack. What is not too deep to be read ([`look`](vyre_front::look)) takes 7 MiB in front end
/// and compiler, and 26 MiB in prettyplease. The system gives memory only to the part that is used.
const SIZE: usize = 64 << 20;

/// Calls a function on a thread with a large stack: main threads have 1 MiB on Windows, and others have 2 MiB.
///
/// # Panics
/// As the function does, or if the system has no thread.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    scope(|scope| {
        let thread = Builder::new().stack_size(SIZE).spawn_scoped(scope, work);
        let thread = thread.unwrap_or_else(|error| panic!("a thread with a stack of 64 MiB cannot start: {error}"));
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
