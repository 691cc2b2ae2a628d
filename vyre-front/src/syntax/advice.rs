//! Advice for functions that kernels do not have, by tables of names.

use crate::errors::Code;

/// Macros that are called as functions where the `!` is forgotten.
pub(super) const MACROS: [&str; 14] = words![
    assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne eprintln matches panic print println todo
    unimplemented unreachable
];

/// The functions of `vyre_primitives` that launch kernels, and `reduce`, which it lacks. Its others are of the device.
pub(super) const PRIMITIVES: [&str; 20] = words![
    exclusive_sum gather_shards histogram histogram_even inclusive_sum max min product run_starts segmented_max
    segmented_min segmented_sum select sort sort_descending sort_pairs sort_pairs_descending sum unique reduce
];

pub(super) const OF_THE_HOST: &str = "is a function of the host, which launches kernels of its own";
pub(super) const IN_A_KERNEL: &str = "call it between two launches; in a kernel write `block::sum(v)` or \
     `warp::sum(v)`, or another function of `vyre::block`";

/// Functions of the standard library by their paths: code, fault, help. `..` stands for any names, `*` for one.
#[rustfmt::skip]
const OF_STD: &[(&str, Code, &str, &str)] = &[
    ("..::Vec|Box|String|Rc|Arc|HashMap::*", Code::Allocation, "nothing allocates in a kernel, so there is no `{of}`",
     "use a local array, `[0.0f32; 16]`, or a slice parameter"),
    ("drop", Code::StandardFunction, "there is nothing to drop in a kernel", "leave it out"),
    ("..::mem::drop", Code::StandardFunction, "there is nothing to drop in a kernel", "leave it out"),
    ("..::size_of_val|align_of_val", Code::StandardFunction, "`{name}` is not supported in a kernel",
     "bind it outside, to a constant: `const SIZE: usize = size_of::<f32>();`"),
    ("..::mem::transmute", Code::StandardFunction, "`transmute` is not supported in a kernel",
     "write `x.to_bits()`, `f32::from_bits(x)`, or a cast"),
    ("..::Instant|SystemTime::now", Code::StandardFunction, "a kernel does not know the time",
     "count cycles by `thread::clock()`, or measure the launch on the host"),
    ("..::process::exit|abort", Code::StandardFunction, "a kernel does not end the program",
     "write `return;`, or `panic!(..)`, which the host gets as an error"),
    ("std|core::ptr::null|null_mut", Code::StandardFunction, NOT_SUPPORTED,
     "a slice is never null: it may be empty, `x.is_empty()`"),
    ("std|core::ptr::read_volatile", Code::StandardFunction, NOT_SUPPORTED, "write `load::volatile(&x[i])`"),
    ("std|core::ptr::write_volatile", Code::StandardFunction, NOT_SUPPORTED, "write `store::volatile(&mut x[i], value)`"),
    ("std|core::thread::sleep", Code::StandardFunction, NOT_SUPPORTED,
     "leave it out: a thread that waits for an atomic loads it again"),
    ("std|core::thread::spawn|scope", Code::StandardFunction, NOT_SUPPORTED,
     "a launch starts all threads: give each a part of the work, by `thread::index()` or `#[each]`"),
    ("std|core::thread::yield_now", Code::StandardFunction, NOT_SUPPORTED, "leave it out: other threads run on"),
    ("std|core::hint::spin_loop", Code::StandardFunction, NOT_SUPPORTED, "leave it out: other threads run on"),
    ("std|core::sync::atomic::fence", Code::StandardFunction, "a fence of a kernel has a scope",
     "write `grid::fence(Ordering::SeqCst)`, or `block::fence` or `system::fence`"),
    ("std|core|alloc::..", Code::StandardFunction, NOT_SUPPORTED,
     "a kernel has the methods of the primitive types, and none of the functions beside them"),
];
const NOT_SUPPORTED: &str = "`{path}` is not supported in a kernel";

/// The help for functions of types that are no device types.
#[rustfmt::skip]
const OF_TYPES: &[(&str, &str)] = &[
    ("..::Default::*", "write the value out"),
    ("..::*::default", "write the value out, or put `{of}` and an `impl Default` into a module marked `#[vyre::device]`"),
    ("..::Option::*", "of a `vyre::Maybe` write `maybe.get()`"),
    ("..::SharedMemory::*", "write `let tile = shared::<[f32; 256]>();`, or `shared::slice::<f32>(n)` for a length of the launch"),
    ("..::Array::*", "write a local array: `let mut a = [0.0f32; 16];`"),
    ("..::Device|DeviceBuffer|Stream|Event|View|ViewMut|Launch::*", "`{of}` belongs to the host, which launches the kernel"),
];

/// The code, fault and help for a function of the standard library.
pub(super) fn of_std(names: &[&str]) -> Option<(Code, String, &'static str)> {
    let &(_, code, fault, help) = OF_STD.iter().find(|known| matches(known.0, names))?;
    Some((code, filled(fault, names), help))
}

/// The help for a function of a type that is no device type; `None` of types without a row.
pub(super) fn of_type(names: &[&str]) -> Option<String> {
    let (_, help) = OF_TYPES.iter().find(|(pattern, _)| matches(pattern, names))?;
    Some(filled(help, names))
}

/// True if a pattern of the tables is that of a path.
fn matches(pattern: &str, names: &[&str]) -> bool {
    let parts: Vec<&str> = pattern.split("::").collect();
    let (parts, names) = match &parts[..] {
        ["..", rest @ ..] => (rest, names.get(names.len().wrapping_sub(rest.len())..)),
        [rest @ .., ".."] => (rest, names.get(..rest.len())),
        all => (all, Some(names)),
    };
    let is_it = |(part, name): (&&str, &&str)| *part == "*" || part.split('|').any(|known| known == *name);
    names.is_some_and(|names| names.len() == parts.len() && parts.iter().zip(names).all(is_it))
}

/// A text of the tables about a path.
fn filled(text: &str, names: &[&str]) -> String {
    let mut from_last = names.iter().rev();
    let (name, of) = (from_last.next().unwrap_or(&""), from_last.next().unwrap_or(&""));
    text.replace("{name}", name)
        .replace("{of}", of)
        .replace("{path}", &names.join("::"))
}
