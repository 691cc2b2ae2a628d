//! Types of the standard library that kernels do not have, and what they take in place of them.

use syn::Path;

use crate::resolve::source_scan::Surroundings;

/// The types, and what is written in place of them.
const TYPES: [(&[&str], &str); 6] = [
    (
        &["Mutex", "RwLock", "Once", "OnceLock", "LazyLock", "Condvar", "Barrier"],
        "threads share atomics, `&[AtomicU32]` or its like, and wait for each other by `block::sync()`",
    ),
    (
        &["Cell", "RefCell", "UnsafeCell", "OnceCell", "LazyCell"],
        "take a slice to write, `&mut [f32]`, or atomics, `&[AtomicU32]`",
    ),
    (
        &["Range", "RangeInclusive", "RangeFrom", "RangeTo", "RangeFull"],
        "take the ends of the range, `start: usize, end: usize`",
    ),
    (
        &["Duration", "Instant", "SystemTime"],
        "take a number: `duration.as_secs_f32()` is one",
    ),
    (
        &words![
            NonZero NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128 NonZeroIsize NonZeroU8 NonZeroU16
            NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize Wrapping Saturating
        ],
        "take the integer itself: `x.get()` and `x.0` are it",
    ),
    (
        &words![
            VecDeque HashSet BTreeSet LinkedList BinaryHeap Cow PathBuf OsString
        ],
        "take a slice, `&[T]` or `&mut [T]`",
    ),
];

/// The advice for such a type, if its path and the text `around` show that it is one.
pub(super) fn advice(path: &Path, around: impl FnOnce() -> Option<Surroundings>) -> Option<&'static str> {
    let name = path.segments.last()?.ident.to_string();
    let (_, advice) = TYPES.iter().find(|(names, _)| names.contains(&&*name))?;
    let is_of_std = match path.segments.len() {
        1 => around().is_some_and(|around| around.imports_type_of_std(&name)),
        _ => {
            let root = path.segments[0].ident.to_string();
            ["std", "core", "alloc"].contains(&&*root) && around().is_none_or(|around| around.lacks(&root))
        }
    };
    is_of_std.then_some(*advice)
}
