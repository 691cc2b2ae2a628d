//! What stands beside a kernel's body in the form that rustc checks.

/// What a chain of macros calls in the place of an item that carries nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __vyre_missing {
    (@vyre [$next:path => $rest:tt] $gathered:tt $errand:tt) => {
        $next! { @vyre $rest { $gathered missing } $errand }
    };
}

/// What makes `ptx!` unsafe.
///
/// # Safety
/// As [`ptx!`](crate::ptx) says.
pub const unsafe fn ptx(_: &str) {}

/// Mentions a function, so that it is not dead code.
pub const fn used<T>(_: &T) {}

/// An argument of any type, for a call that is never made.
pub fn any<T>() -> T {
    unreachable!("the function that rustc checks is never called")
}

/// Whether the scalars of a constant, of so many bytes each, have these bits in order of memory.
pub const fn holds<T: Copy>(value: &T, size: usize, bits: &[u64]) -> bool {
    if size_of::<T>() != size * bits.len() {
        return false;
    }
    let bytes = (&raw const *value).cast::<u8>();
    let mut i = 0;
    while i < bits.len() {
        let mut byte = 0;
        while byte < size {
            // SAFETY: it lies within the value, which has no padding: as many scalars as its size says.
            let found = unsafe { bytes.add(i * size + byte).read() };
            if found != (bits[i] >> (8 * byte)) as u8 {
                return false;
            }
            byte += 1;
        }
        i += 1;
    }
    true
}

/// Fails the build with `message`; but where rustc has found fault with the function that `call`
/// calls, its result has no known type, this cannot be evaluated, and rustc's words stand alone.
pub const fn refuse<R>(call: impl FnOnce() -> R, message: &str) {
    core::mem::forget(call);
    if size_of::<R>() < usize::MAX {
        panic!("{}", message);
    }
}
