//! Data embedded in launchers: locations, sites, and texts with the values of constants patched in.

use vyre_abi::fault::FaultKind;
use vyre_abi::kernel::{Location, Site};

/// A source location.
pub const fn location(file: &'static str, line: u32, column: u32) -> Location<'static> {
    Location { file, line, column }
}

/// Sites from packed rows, one number each, because every token costs compile time: from the lowest
/// bits up, 32 bits each of column, line and index of the file in `files`, 8 of the index of the kind, and the
/// index of the message in `messages` plus 1, or 0 of none.
pub const fn sites<const N: usize>(
    rows: [u128; N],
    files: &[&'static str],
    messages: &[&'static str],
) -> [Site<'static>; N] {
    let mut sites = [Site {
        kind: FaultKind::Panic,
        location: location("", 0, 0),
        message: "",
    }; N];
    let mut i = 0;
    while i < N {
        let row = rows[i];
        sites[i].kind = FaultKind::ALL[(row >> 96) as u8 as usize];
        let message = (row >> 104) as usize;
        if message > 0 {
            sites[i].message = messages[message - 1];
        }
        sites[i].location = location(files[(row >> 64) as u32 as usize], (row >> 32) as u32, row as u32);
        i += 1;
    }
    sites
}

/// The first `count` sites.
pub const fn first(sites: &'static [Site<'static>], count: usize) -> &'static [Site<'static>] {
    sites.split_at(count).0
}

/// A type of constants that kernels may use.
#[diagnostic::on_unimplemented(
    message = "V0413: vyre took this constant for a number, which it is not",
    label = "its type is `{Self}`",
    note = "help: make it a number, or put `#[vyre::device]` on it, so that vyre sees what it is"
)]
pub trait Constant: Copy {
    /// The name of the type in the IR.
    const SCALAR: &'static str;
}

macro_rules! constants {
    ($($ty:ty, $scalar:literal;)*) => { $(impl Constant for $ty { const SCALAR: &'static str = $scalar; })* };
}
constants! {
    bool, "bool"; i8, "i8"; i16, "i16"; i32, "i32"; i64, "i64"; isize, "i64";
    u8, "u8"; u16, "u16"; u32, "u32"; u64, "u64"; usize, "u64"; f32, "f32"; f64, "f64";
}

#[cfg(feature = "half")]
constants! { half::f16, "f16"; half::bf16, "bf16"; }

/// The bits of a constant whose type the compiler assumed to have `size` bytes. A wrong assumption
/// is reported by [`agree`] or rustc, not here, so there is no bound on the type. Evaluated at
/// compile time.
pub const fn bits<T>(value: &T, size: usize) -> u64 {
    if size_of::<T>() != size {
        return 0;
    }
    let pointer = &raw const *value;
    // SAFETY: a constant of a scalar type has this many initialised bytes. For other types rustc
    // rejects the read of uninitialised bytes at compile time.
    unsafe {
        match size {
            1 => pointer.cast::<u8>().read() as u64,
            2 => pointer.cast::<u16>().read() as u64,
            4 => pointer.cast::<u32>().read() as u64,
            _ => pointer.cast::<u64>().read(),
        }
    }
}

/// Fails the build with `message` if a constant does not have the type that the compiler assumed;
/// an error of rustc in the function called by `call` takes precedence, as in
/// [`refuse`](super::refuse).
pub const fn agree<T: Constant, R>(_: &T, scalar: &str, call: impl FnOnce() -> R, message: &str) {
    let (found, wanted) = (T::SCALAR.as_bytes(), scalar.as_bytes());
    let mut same = found.len() == wanted.len();
    let mut i = 0;
    while same && i < found.len() {
        same = found[i] == wanted[i];
        i += 1;
    }
    if same {
        core::mem::forget(call);
    } else {
        super::refuse(call, message);
    }
}

/// Patches hexadecimal digits into a text; each patch is an offset, a number of digits and a value.
pub const fn patch<const N: usize>(mut text: [u8; N], values: &[(usize, usize, u64)]) -> [u8; N] {
    let mut i = 0;
    while i < values.len() {
        let (offset, digits, value) = values[i];
        let mut digit = 0;
        while digit < digits {
            let place = (digits - 1 - digit) * 4;
            text[offset + digit] = b"0123456789abcdef"[((value >> place) & 15) as usize];
            digit += 1;
        }
        i += 1;
    }
    text
}

/// A text from its bytes.
///
/// # Safety
/// The bytes are valid UTF-8: checking that again takes rustc milliseconds.
pub const unsafe fn text(bytes: &[u8]) -> &str {
    // SAFETY: the caller vouches for it.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// The text that `patch` returned.
pub const fn utf8(text: &[u8]) -> &str {
    match core::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => panic!("digits were written into the middle of a character"),
    }
}

/// Bytes at an address that is a multiple of 8, as machine code needs.
#[repr(C, align(8))]
pub struct Aligned<T: ?Sized>(pub T);

/// The bytes of a table without padding.
pub const fn bytes<T>(table: &'static T) -> &'static [u8] {
    // SAFETY: generated code passes arrays of numbers only.
    unsafe { core::slice::from_raw_parts((&raw const *table).cast(), size_of::<T>()) }
}
