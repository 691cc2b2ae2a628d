//! What stands beside a kernel's body in the form that rustc checks.

/// Mentions a function, so that it is not dead code.
pub const fn used<T>(_: &T) {}

/// An argument of any type, for a call that is never made.
pub fn any<T>() -> T {
    unreachable!("the function that rustc checks is never called")
}

/// Fails the build with `message`; but where rustc has found fault with the function that `call`
/// calls, its result has no known type, this cannot be evaluated, and rustc's words stand alone.
pub const fn refuse<R>(call: impl FnOnce() -> R, message: &str) {
    core::mem::forget(call);
    if size_of::<R>() < usize::MAX {
        panic!("{}", message);
    }
}
