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

/// What stands for all that is known of a kernel that was refused, so that the build has failed.
pub fn refused() -> ! {
    unreachable!("this kernel did not compile")
}

/// Whether the scalars of a constant, of so many bytes each, have these bits in order of memory.
pub const fn holds<T: Copy>(value: &T, size: usize, bits: &[u64]) -> bool {
    if size_of::<T>() != size * bits.len() {
        return false;
    }
    let mut i = 0;
    while i < bits.len() {
        // SAFETY: it lies within the value, whose size says so.
        if unsafe { scalar(value, size, i) } != bits[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// As [`holds`], of so many scalars, of which a digest is known.
pub const fn digests<T: Copy>(value: &T, size: usize, count: usize, expected: u64) -> bool {
    if size_of::<T>() != size * count {
        return false;
    }
    let (mut digest, mut i) = (0u64, 0);
    while i < count {
        // SAFETY: it lies within the value, whose size says so.
        let scalar = unsafe { scalar(value, size, i) };
        digest = (digest ^ scalar).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        i += 1;
    }
    digest == expected
}

/// The bits of the scalar of a number in a value.
///
/// # Safety
/// The value has as many scalars of this size, and no padding.
const unsafe fn scalar<T>(value: &T, size: usize, number: usize) -> u64 {
    let bytes = (&raw const *value).cast::<u8>();
    let (mut scalar, mut byte) = (0, 0);
    while byte < size {
        // SAFETY: the caller says that the scalar is there.
        let found = unsafe { bytes.add(number * size + byte).read() };
        scalar |= (found as u64) << (8 * byte);
        byte += 1;
    }
    scalar
}

/// Fails the build with `message`; but where rustc has found fault with the function that `call`
/// calls, its result has no known type, this cannot be evaluated, and rustc's words stand alone.
pub const fn refuse<R>(call: impl FnOnce() -> R, message: &str) {
    core::mem::forget(call);
    if size_of::<R>() < usize::MAX {
        panic!("{}", message);
    }
}
