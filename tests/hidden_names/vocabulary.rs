//! The names that vyre knows by their spelling, with what they could be taken for.

/// A name.
pub(crate) struct Name {
    /// As it is written in the body.
    pub(crate) path: &'static str,
    /// The item that hides it.
    pub(crate) kind: Kind,
    /// A block that names it and yields a `u64`, from the `u64` called `a`.
    pub(crate) body: &'static str,
}

/// The last part of a name, as a user could define it.
pub(crate) enum Kind {
    /// A constant of a type, and another value for it.
    Constant(&'static str, &'static str),
    /// The parameters and result of a function, and another body for it.
    Function(&'static str, &'static str),
    /// Another type.
    Type(&'static str),
    /// A type with parameters, whose definition is written out, `#` for its name.
    Generic(&'static str),
    /// A macro.
    Macro,
}

impl Name {
    /// The parts of its path.
    pub(crate) fn parts(&self) -> Vec<&'static str> {
        self.path.split("::").collect()
    }

    /// The first part, which is what can be hidden.
    pub(crate) fn first(&self) -> &'static str {
        self.parts()[0]
    }

    /// An item in place of the first part, called `name`.
    pub(crate) fn item(&self, name: &str) -> String {
        let mut parts = self.parts();
        parts[0] = name;
        let last = parts.pop().unwrap_or_default();
        let inner = match self.kind {
            Kind::Constant(ty, value) => format!("pub const {last}: {ty} = {value};"),
            Kind::Function(signature, body) => format!("pub fn {last}{signature} {{ {body} }}"),
            Kind::Type(ty) => format!("pub type {last} = {ty};"),
            Kind::Generic(text) => text.replace('#', last),
            Kind::Macro => {
                format!("macro_rules! {last} {{ ($($t:tt)*) => {{ 77 }} }} pub(crate) use {last};")
            }
        };
        parts
            .iter()
            .rev()
            .fold(inner, |inner, part| format!("pub mod {part} {{ {inner} }}"))
    }

    /// The last part as an item of a type; `None` of what a type does not have.
    pub(crate) fn member(&self, last: &str) -> Option<String> {
        match self.kind {
            Kind::Constant(ty, value) => Some(format!("pub const {last}: {ty} = {value};")),
            Kind::Function(signature, body) => Some(format!("pub fn {last}{signature} {{ {body} }}")),
            Kind::Type(_) | Kind::Generic(_) | Kind::Macro => None,
        }
    }
}

const fn constant(path: &'static str, ty: &'static str, value: &'static str, body: &'static str) -> Name {
    let kind = Kind::Constant(ty, value);
    Name { path, kind, body }
}

const fn function(path: &'static str, signature: &'static str, other: &'static str, body: &'static str) -> Name {
    let kind = Kind::Function(signature, other);
    Name { path, kind, body }
}

const fn ty(path: &'static str, other: &'static str, body: &'static str) -> Name {
    let kind = Kind::Type(other);
    Name { path, kind, body }
}

const fn generic(path: &'static str, other: &'static str, body: &'static str) -> Name {
    let kind = Kind::Generic(other);
    Name { path, kind, body }
}

const fn macro_(path: &'static str, body: &'static str) -> Name {
    let kind = Kind::Macro;
    Name { path, kind, body }
}

const F32: &str = "::core::primitive::f32";
const F64: &str = "::core::primitive::f64";

/// All names.
pub(crate) const NAMES: &[Name] = &[
    constant("f32::MAX", F32, "4.0", "f32::MAX as ::core::primitive::u64"),
    constant("f32::NAN", F32, "4.0", "f32::NAN as ::core::primitive::u64"),
    constant("f32::INFINITY", F32, "4.0", "f32::INFINITY as ::core::primitive::u64"),
    // The bits are those of Rust's, and the type is another.
    constant(
        "f64::MIN_POSITIVE",
        "::core::primitive::u64",
        "0x0010_0000_0000_0000",
        "f64::MIN_POSITIVE as ::core::primitive::u64",
    ),
    constant(
        "f64::EPSILON",
        F64,
        "4.0",
        "(f64::EPSILON * 1e18) as ::core::primitive::u64",
    ),
    constant(
        "i32::MAX",
        "::core::primitive::i32",
        "7",
        "i32::MAX as ::core::primitive::u64",
    ),
    constant(
        "u8::BITS",
        "::core::primitive::u32",
        "7",
        "u8::BITS as ::core::primitive::u64",
    ),
    constant("u64::MAX", "::core::primitive::u64", "7", "a & u64::MAX"),
    constant(
        "core::f32::consts::PI",
        F32,
        "3.0",
        "(core::f32::consts::PI * 1e6) as ::core::primitive::u64",
    ),
    constant(
        "std::f64::consts::E",
        F64,
        "3.0",
        "(std::f64::consts::E * 1e6) as ::core::primitive::u64",
    ),
    constant(
        "std::u32::MAX",
        "::core::primitive::u32",
        "3",
        "std::u32::MAX as ::core::primitive::u64",
    ),
    function(
        "u64::from",
        "(v: ::core::primitive::u8) -> ::core::primitive::u64",
        "77",
        "u64::from(a as ::core::primitive::u8)",
    ),
    function(
        "u64::from",
        "<T>(v: T) -> ::core::primitive::u64",
        "77",
        "u64::from(a as ::core::primitive::u8)",
    ),
    function(
        "f32::max",
        "(a: ::core::primitive::f32, b: ::core::primitive::f32) -> ::core::primitive::f32",
        "77.0",
        "f32::max(a as ::core::primitive::f32, 5.0) as ::core::primitive::u64",
    ),
    function(
        "f32::max",
        "(a: ::core::primitive::f32, b: ::core::primitive::f32) -> ::core::primitive::f32",
        "77.0",
        "<f32>::max(a as ::core::primitive::f32, 5.0) as ::core::primitive::u64",
    ),
    function(
        "f32::sqrt",
        "(a: ::core::primitive::f32) -> ::core::primitive::f32",
        "77.0",
        "f32::sqrt(a as ::core::primitive::f32) as ::core::primitive::u64",
    ),
    function(
        "f32::clamp",
        "(a: ::core::primitive::f32, b: ::core::primitive::f32, c: ::core::primitive::f32) -> ::core::primitive::f32",
        "77.0",
        "f32::clamp(a as ::core::primitive::f32, 5.0, 8.0) as ::core::primitive::u64",
    ),
    function(
        "i32::max",
        "(a: ::core::primitive::i32, b: ::core::primitive::i32) -> ::core::primitive::i32",
        "77",
        "i32::max(a as ::core::primitive::i32, 5) as ::core::primitive::u64",
    ),
    function(
        "i32::abs",
        "(a: ::core::primitive::i32) -> ::core::primitive::i32",
        "77",
        "i32::abs(a as ::core::primitive::i32) as ::core::primitive::u64",
    ),
    function(
        "u32::pow",
        "(a: ::core::primitive::u32, b: ::core::primitive::u32) -> ::core::primitive::u32",
        "77",
        "u32::pow(a as ::core::primitive::u32, 2) as ::core::primitive::u64",
    ),
    function(
        "u32::wrapping_add",
        "(a: ::core::primitive::u32, b: ::core::primitive::u32) -> ::core::primitive::u32",
        "77",
        "u32::wrapping_add(a as ::core::primitive::u32, 2) as ::core::primitive::u64",
    ),
    function(
        "u8::saturating_add",
        "(a: ::core::primitive::u8, b: ::core::primitive::u8) -> ::core::primitive::u8",
        "77",
        "u8::saturating_add(a as ::core::primitive::u8, 200) as ::core::primitive::u64",
    ),
    function(
        "u32::from_le_bytes",
        "(a: [::core::primitive::u8; 4]) -> ::core::primitive::u32",
        "77",
        "u32::from_le_bytes([a as ::core::primitive::u8, 1, 2, 3]) as ::core::primitive::u64",
    ),
    function(
        "f32::from_bits",
        "(a: ::core::primitive::u32) -> ::core::primitive::f32",
        "77.0",
        "f32::from_bits(a as ::core::primitive::u32).to_bits() as ::core::primitive::u64",
    ),
    function("u64::default", "() -> ::core::primitive::u64", "77", "u64::default()"),
    ty("f32", F64, "(a as f32 / 7.0 * 1e9) as ::core::primitive::u64"),
    ty(
        "u8",
        "::core::primitive::u16",
        "(a + 300) as u8 as ::core::primitive::u64",
    ),
    ty(
        "u8",
        "::core::primitive::u16",
        "let v = |v: u8| v as ::core::primitive::u64; v((a + 300) as _)",
    ),
    ty(
        "u8",
        "::core::primitive::u16",
        "let v: [u8; 2] = [(a + 300) as _; 2]; v[1] as ::core::primitive::u64",
    ),
    ty(
        "core::primitive::u8",
        "::core::primitive::u16",
        "(a + 300) as core::primitive::u8 as ::core::primitive::u64",
    ),
    ty(
        "Option",
        "::core::result::Result<::core::primitive::u64, ::core::primitive::u64>",
        "let v: Option<::core::primitive::u64> = if a > 5 { Some(a) } else { None }; v.unwrap_or(3)",
    ),
    generic(
        "Slice",
        "pub struct #<T>(T); impl<T: ::core::marker::Copy> #<T> { pub fn of(v: &[T; 2]) -> [T; 2] { [v[1], v[0]] } }",
        "let v = [a, 5]; let s = Slice::of(&v); s[1] * 10 + s[0]",
    ),
    function(
        "Some",
        "<T>(v: T) -> ::core::option::Option<T>",
        "::core::option::Option::None",
        "let v: ::core::option::Option<::core::primitive::u64> = Some(a); v.unwrap_or(77)",
    ),
    function(
        "Ok",
        "<T>(v: T) -> ::core::result::Result<T, T>",
        "::core::result::Result::Err(v)",
        "let v: ::core::result::Result<::core::primitive::u64, ::core::primitive::u64> = Ok(a); v.unwrap_or(77)",
    ),
    function(
        "core::mem::swap",
        "<T>(_: &mut T, _: &mut T)",
        "",
        "let (mut b, mut c) = (a, 5); core::mem::swap(&mut b, &mut c); b * 10 + c",
    ),
    function(
        "core::mem::replace",
        "<T>(_: &mut T, v: T) -> T",
        "v",
        "let mut b = a; let c = core::mem::replace(&mut b, 5); b * 10 + c",
    ),
    function(
        "std::mem::take",
        "(_: &mut ::core::primitive::u64) -> ::core::primitive::u64",
        "77",
        "let mut b = a; let c = std::mem::take(&mut b); b * 10 + c",
    ),
    function("core::cmp::min", "<T>(a: T, _: T) -> T", "a", "core::cmp::min(a, 5)"),
    function("std::cmp::max", "<T>(a: T, _: T) -> T", "a", "std::cmp::max(a, 5)"),
    function(
        "core::array::from_fn",
        "(_: impl Fn(::core::primitive::usize) -> ::core::primitive::u64) -> [::core::primitive::u64; 3]",
        "[77; 3]",
        "let all: [::core::primitive::u64; 3] = core::array::from_fn(|i| a + i as ::core::primitive::u64); all[2]",
    ),
    function(
        "size_of",
        "<T>() -> ::core::primitive::usize",
        "77",
        "size_of::<::core::primitive::u32>() as ::core::primitive::u64 + a",
    ),
    function(
        "std::mem::align_of",
        "<T>() -> ::core::primitive::usize",
        "77",
        "std::mem::align_of::<::core::primitive::u32>() as ::core::primitive::u64 + a",
    ),
    constant(
        "core::cmp::Ordering::Less",
        "::core::cmp::Ordering",
        "::core::cmp::Ordering::Greater",
        "(a.cmp(&5) == core::cmp::Ordering::Less) as ::core::primitive::u64",
    ),
    constant(
        "None",
        "::core::option::Option<::core::primitive::u64>",
        "::core::option::Option::Some(3)",
        "let v: ::core::option::Option<::core::primitive::u64> = if a > 5 { ::core::option::Option::Some(a) } else { None }; v.unwrap_or(77)",
    ),
    function(
        "Err",
        "<T>(v: T) -> ::core::result::Result<T, T>",
        "::core::result::Result::Ok(v)",
        "let v: ::core::result::Result<::core::primitive::u64, ::core::primitive::u64> = Err(a); v.unwrap_or(77)",
    ),
    function(
        "math::exp",
        "(_: ::core::primitive::f32) -> ::core::primitive::f32",
        "77.0",
        "math::exp(a as ::core::primitive::f32 / 9.0) as ::core::primitive::u64",
    ),
    macro_("assert", "assert!(a < 100); a"),
    macro_("assert_eq", "assert_eq!(a, 3); a"),
    macro_("assert_ne", "assert_ne!(a, 3); a"),
    macro_("debug_assert", "debug_assert!(a < 100); a"),
    macro_("debug_assert_eq", "debug_assert_eq!(a, 3); a"),
    macro_("debug_assert_ne", "debug_assert_ne!(a, 3); a"),
    macro_("matches", "matches!(a, 3) as ::core::primitive::u64"),
    macro_("cfg", "cfg!(debug_assertions) as ::core::primitive::u64"),
    macro_("panic", "if a > 100 { panic!(); } a"),
    macro_("unreachable", "if a > 100 { unreachable!(); } a"),
    macro_("todo", "if a > 100 { todo!(); } a"),
    macro_("unimplemented", "if a > 100 { unimplemented!(); } a"),
    macro_("println", "if a > 100 { println!(); } a"),
    macro_("print", "if a > 100 { print!(\"\"); } a"),
    macro_("ptx", "unsafe { ptx!(\"mov.u64 {result}, {0};\", a => u64 { a }) }"),
    macro_("core::assert", "core::assert!(a < 100); a"),
    macro_("std::assert_eq", "std::assert_eq!(a, 3); a"),
    macro_("core::panic", "if a > 100 { core::panic!(); } a"),
    macro_("std::panic", "if a > 100 { std::panic!(); } a"),
    macro_(
        "vyre::ptx",
        "unsafe { vyre::ptx!(\"mov.u64 {result}, {0};\", a => u64 { a }) }",
    ),
    function(
        "thread::index",
        "() -> ::core::primitive::usize",
        "77",
        "thread::index() as ::core::primitive::u64",
    ),
    function("block::sync", "()", "", "block::sync(); a"),
    function(
        "warp::size",
        "() -> ::core::primitive::usize",
        "77",
        "warp::size() as ::core::primitive::u64",
    ),
    function(
        "warp::sum",
        "(v: ::core::primitive::u64) -> ::core::primitive::u64",
        "77",
        "warp::sum(a)",
    ),
    function(
        "vyre::warp::sum",
        "(v: ::core::primitive::u64) -> ::core::primitive::u64",
        "77",
        "vyre::warp::sum(a)",
    ),
];
