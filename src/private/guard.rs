//! Checks that stand beside a kernel's body in the code that rustc checks.

/// The macro called by a chain of macros for an item that carries nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __vyre_missing {
    (@vyre [$next:path => $rest:tt] $gathered:tt $errand:tt) => {
        $next! { @vyre $rest { $gathered missing } $errand }
    };
}

/// The type of the names whose imports bring no type.
#[allow(non_camel_case_types, reason = "it is imported with the macro of its name")]
pub enum missing {}

/// Makes `ptx!` unsafe.
///
/// # Safety
/// As for [`ptx!`](crate::ptx).
pub const unsafe fn ptx(_: &str) {}

/// The variants of enums.
pub struct Variants;

/// An enum with a variant of the value 0. Nothing implements it: it is the bound by which an enum without one is told that
/// it is no element of buffers.
#[diagnostic::on_unimplemented(
    message = "V0211: no variant of `{E}` is 0, and zero bytes are the content of new buffers",
    label = "`{E}` is no element of buffers",
    note = "help: give one variant the value 0"
)]
pub trait HasZero<E> {}

/// Uses a function, so that it is not dead code.
pub const fn used<T>(_: &T) {}

/// An argument of any type, for a call that is never made.
pub fn any<T>() -> T {
    unreachable!("the function that rustc checks is never called")
}

/// A placeholder for the data of a refused kernel, whose build has failed.
pub fn refused() -> ! {
    unreachable!("this kernel did not compile")
}

/// True if the scalars of a constant, of `size` bytes each, have these bits in memory order.
pub const fn holds<T: Copy>(value: &T, size: usize, bits: &[u64]) -> bool {
    if size_of::<T>() != size * bits.len() {
        return false;
    }
    let mut i = 0;
    while i < bits.len() {
        // SAFETY: it lies within the value by its size.
        if unsafe { scalar(value, size, i) } != bits[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// As [`holds`], for `count` scalars with a known digest.
pub const fn digests<T: Copy>(value: &T, size: usize, count: usize, expected: u64) -> bool {
    if size_of::<T>() != size * count {
        return false;
    }
    let (mut digest, mut i) = (0u64, 0);
    while i < count {
        // SAFETY: it lies within the value by its size.
        let scalar = unsafe { scalar(value, size, i) };
        digest = (digest ^ scalar).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        i += 1;
    }
    digest == expected
}

/// The bits of the scalar at index `number` of a value.
///
/// # Safety
/// The value has more than `number` scalars of this size, and no padding.
const unsafe fn scalar<T>(value: &T, size: usize, number: usize) -> u64 {
    let bytes = (&raw const *value).cast::<u8>();
    let (mut scalar, mut byte) = (0, 0);
    while byte < size {
        // SAFETY: the caller guarantees that the scalar exists.
        let found = unsafe { bytes.add(number * size + byte).read() };
        scalar |= (found as u64) << (8 * byte);
        byte += 1;
    }
    scalar
}

/// Fails the build with `message`. If rustc has reported an error in the function called by `call`,
/// its result has no known type, this cannot be evaluated, and rustc's error stands alone.
pub const fn refuse<R>(call: impl FnOnce() -> R, message: &str) {
    core::mem::forget(call);
    if size_of::<R>() < usize::MAX {
        panic!("{}", message);
    }
}
