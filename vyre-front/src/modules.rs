//! Device modules of vyre's own, `vyre::vector` and the others: Rust source that the compiler carries.
//!
//! The same text becomes the items of the crate `vyre`, by [`own_module`](crate::expand::own_module), and is read where a
//! kernel names one of them. So the macro that carries such an item carries the name of its module alone, and build
//! scripts have the items as well.
//!
//! The text of vectors is a template: `Vector` and `Scalar` stand for the types, and `each!(self.axis)` for
//! `self.x, self.y`, with other separators for other names. Operators are a table.

use std::str::FromStr;

use proc_macro2::TokenStream;
use syn::Item;

/// A module.
#[derive(Debug)]
pub(crate) struct OwnModule {
    /// Its name here.
    pub(crate) name: &'static str,
    /// The module below `vyre` that has its items.
    pub(crate) path: &'static str,
    /// The modules that it imports from.
    pub(crate) uses: &'static [&'static str],
    text: fn() -> String,
}

/// All modules.
pub(crate) const ALL: [OwnModule; 7] = [
    of("vectors_f32", "vector", &[], || vectors("f32", "", [8, 4, 16], FLOAT)),
    of("vectors_f64", "vector", &[], || vectors("f64", "D", [16, 8, 16], FLOAT)),
    of("vectors_i32", "vector", &[], || vectors("i32", "I", [8, 4, 16], SIGNED)),
    of("vectors_u32", "vector", &[], || vectors("u32", "U", [8, 4, 16], 0)),
    of("matrices", "vector", &["vectors_f32"], || {
        include_str!("modules/matrices.rs").to_owned()
    }),
    of("complex", "complex", &[], complex),
    of("random", "random", &[], || include_str!("modules/random.rs").to_owned()),
];

const fn of(name: &'static str, path: &'static str, uses: &'static [&'static str], text: fn() -> String) -> OwnModule {
    OwnModule { name, path, uses, text }
}

/// The module of a name.
pub(crate) fn find(name: &str) -> Option<&'static OwnModule> {
    const { &ALL }.iter().find(|module| module.name == name)
}

/// The path of a type of these modules.
pub(crate) fn path_of(name: &str) -> Option<String> {
    let has = |module: &OwnModule| {
        let mut items = module.structs().into_iter();
        items.any(|item| matches!(&item, Item::Struct(item) if item.ident == name))
    };
    let module = const { &ALL }.iter().find(|module| has(module))?;
    Some(format!("vyre::{}::{name}", module.path))
}

impl OwnModule {
    /// The items as the host has them, with their documentation. Programs that do not call a function do not pay for
    /// its code, as all are `#[inline]`.
    ///
    /// Functions have the mark by which kernels know them, but not for an editor.
    pub(crate) fn of_host(&self, for_editor: bool) -> TokenStream {
        let is_function = |line: &str| {
            ["fn ", "pub fn ", "pub const fn "]
                .iter()
                .any(|head| line.starts_with(head))
        };
        let text = (self.text)();
        let mut out = String::with_capacity(2 * text.len());
        for line in text.lines() {
            // rust-analyzer would keep a slash of the three.
            if let Some(doc) = line.trim_start().strip_prefix("///").filter(|_| for_editor) {
                out.extend([&*format!("#[doc = {doc:?}]"), "\n"]);
                continue;
            }
            if is_function(line.trim_start()) {
                out.push_str("#[inline] ");
            }
            match line.split_once('(') {
                Some((head, rest)) if !for_editor && line.starts_with("pub ") && is_function(line) => {
                    out.extend([head, "<#[cfg(not(doc))] '__vyre: '__vyre>(", rest]);
                }
                _ => out.push_str(line),
            }
            out.push('\n');
        }
        TokenStream::from_str(&out).unwrap_or_default()
    }

    /// The items without comments, which would become attributes and take longer than the code.
    pub(crate) fn items(&self) -> Vec<Item> {
        items(&uncommented(&(self.text)()))
    }

    /// The structs, and what is imported for their fields.
    pub(crate) fn structs(&self) -> Vec<Item> {
        let text = uncommented(&(self.text)());
        // They stand at the start of a line, with their attributes, and end with a brace there.
        let mut out = String::new();
        let mut is_inside = false;
        for line in text.lines() {
            is_inside |= line.starts_with("#[derive") || line.starts_with("pub struct");
            if is_inside || line.starts_with("use vyre::vector") {
                out.push_str(line);
                out.push('\n');
            }
            is_inside &= line != "}";
        }
        items(&out)
    }

    /// The names of the public functions that are no methods.
    pub(crate) fn functions(&self) -> Vec<String> {
        let heads = ["pub fn ", "pub const fn "];
        let text = (self.text)();
        let mut functions = Vec::new();
        for line in text.lines() {
            for head in heads {
                if let Some(rest) = line.strip_prefix(head) {
                    functions.extend(rest.split(['(', '<']).next().map(str::to_owned));
                }
            }
        }
        functions
    }
}

/// The lines of a text that are no comments.
pub(crate) fn uncommented(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        if !line.trim_start().starts_with("//") {
            code += line;
            code.push('\n');
        }
    }
    code
}

fn items(text: &str) -> Vec<Item> {
    let tokens = TokenStream::from_str(text).unwrap_or_default();
    syn::parse2::<syn::File>(tokens)
        .map(|file| file.items)
        .unwrap_or_default()
}

/// The properties of the numbers of vectors: bits of a set.
const SIGNED: u8 = 1;
const FLOAT: u8 = 2 | SIGNED;

const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// Vectors of two, three and four numbers of a type, whose names begin with `prefix`, so aligned.
fn vectors(scalar: &str, prefix: &str, aligned: [u32; 3], has: u8) -> String {
    let is_float = has & FLOAT == FLOAT;
    let mut text =
        String::from("use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};\n");
    for (name, method) in [("least", "min"), ("greatest", "max")] {
        // On the host the method of `Float` has the bits of kernels, where that of `f32` has no certain sign of zero.
        let (generic, of) = if is_float { ("<T: Float>", "T") } else { ("", "Scalar") };
        text += &format!("fn {name}{generic}(a: {of}, b: {of}) -> {of} {{ a.{method}(b) }}\n");
    }
    if is_float {
        text += "use vyre::{Float, math};\n";
    }
    let own = [
        [
            include_str!("modules/vector2.rs"),
            include_str!("modules/vector2_signed.rs"),
            include_str!("modules/vector2_float.rs"),
        ],
        [include_str!("modules/vector3.rs"), "", ""],
        [include_str!("modules/vector4.rs"), "", ""],
    ];
    for ((count, align), own) in (2..5).zip(aligned).zip(own) {
        let axes = &AXES[..count];
        let mut one = include_str!("modules/vector.rs").to_owned() + own[0];
        if has & SIGNED != 0 {
            one += include_str!("modules/vector_signed.rs");
            one += own[1];
        }
        if is_float {
            one += include_str!("modules/vector_float.rs");
            one += own[2];
        }
        for axis in axes {
            one += &unit(axis);
        }
        one += &operators();
        let derived = match is_float {
            true => "Clone, Copy, Debug, Default, PartialEq",
            false => "Clone, Copy, Debug, Default, PartialEq, Eq, Hash",
        };
        let lower = prefix.to_lowercase();
        let one = repeated(&one, axes)
            .replace("Vector2", &format!("{prefix}Vec2"))
            .replace("Vector3", &format!("{prefix}Vec3"))
            .replace("Vector4", &format!("{prefix}Vec4"))
            .replace("Vector", &format!("{prefix}Vec{count}"))
            .replace("pub const fn function", &format!("pub const fn {lower}vec{count}"))
            .replace("DIM", &count.to_string())
            .replace("ALIGN", &align.to_string())
            .replace("DERIVED", derived);
        text += &one;
    }
    let text = text.replace("Scalar", scalar);
    match is_float {
        true => text,
        false => text.replace("0.0", "0").replace("1.0", "1"),
    }
}

/// The constant of the vector along an axis.
fn unit(axis: &str) -> String {
    let name = axis.to_uppercase();
    format!(
        "impl Vector {{
            /// 1 along {axis}, and zeros.
            pub const {name}: Self = Self {{ {axis}: 1.0, ..Self::ZERO }};
        }}\n"
    )
}

/// The operators of vectors.
fn operators() -> String {
    let mut text = String::new();
    for (of, function, sign) in [
        ("Add", "add", "+"),
        ("Sub", "sub", "-"),
        ("Mul", "mul", "*"),
        ("Div", "div", "/"),
        ("Rem", "rem", "%"),
    ] {
        text += &format!(
            "impl {of} for Vector {{
                type Output = Self;
                fn {function}(self, other: Self) -> Self {{ Self::new(each!(self.axis {sign} other.axis)) }}
            }}\n"
        );
        if of != "Rem" {
            text += &format!(
                "impl {of}<Scalar> for Vector {{
                    type Output = Self;
                    fn {function}(self, by: Scalar) -> Self {{ Self::new(each!(self.axis {sign} by)) }}
                }}
                impl {of}Assign for Vector {{
                    fn {function}_assign(&mut self, other: Self) {{ *self = *self {sign} other; }}
                }}
                impl {of}Assign<Scalar> for Vector {{
                    fn {function}_assign(&mut self, by: Scalar) {{ *self = *self {sign} by; }}
                }}\n"
            );
        }
    }
    text + "impl Mul<Vector> for Scalar {
        type Output = Vector;
        fn mul(self, of: Vector) -> Vector { of * self }
    }\n"
}

/// Complex numbers of both precisions.
fn complex() -> String {
    let text = include_str!("modules/complex.rs");
    let (head, of) = text.split_once("// Both precisions.").unwrap_or(("", text));
    let double = of
        .replace("Complex32", "Complex64")
        .replace("f32", "f64")
        .replace("align(8)", "align(16)");
    format!("{head}{of}{double}")
}

/// The text with each `name!(part)` written out for all axes.
fn repeated(text: &str, axes: &[&str]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, name, part, after)) = next_part(rest) {
        let parts = axes.iter().map(|axis| part.replace("axis", axis));
        out += before;
        out += &match name {
            "sum" => parts.collect::<Vec<_>>().join(" + "),
            "product" => parts.collect::<Vec<_>>().join(" * "),
            "all" => parts.collect::<Vec<_>>().join(" && "),
            "any" => parts.collect::<Vec<_>>().join(" || "),
            "nested" => nested(part, axes),
            _ => parts.collect::<Vec<_>>().join(", "),
        };
        rest = after;
    }
    out + rest
}

/// `least(self.axis)` as `least(least(self.x, self.y), self.z)`.
fn nested(part: &str, axes: &[&str]) -> String {
    let (function, value) = part.split_once('(').unwrap_or((part, ""));
    let value = value.trim_end_matches(')');
    let values = axes.iter().map(|axis| value.replace("axis", axis));
    let whole = values.reduce(|inner, next| format!("{function}({inner}, {next})"));
    whole.unwrap_or_default()
}

/// The text before the first part to repeat, its name, the part, and the text after it.
fn next_part(text: &str) -> Option<(&str, &str, &str, &str)> {
    let names = ["each", "sum", "product", "all", "any", "nested"];
    let part_at = |mark: usize| {
        for name in names {
            for head in ["!(", "! {"] {
                if text[..mark].ends_with(name) && text[mark..].starts_with(head) {
                    return Some((mark - name.len(), name.len() + head.len(), name));
                }
            }
        }
        None
    };
    let (at, length, name) = text.match_indices('!').find_map(|(mark, _)| part_at(mark))?;
    let inside = &text[at + length..];
    let mut depth = 1;
    let end = inside.find(|letter| {
        depth += i32::from(matches!(letter, '(' | '{' | '[')) - i32::from(matches!(letter, ')' | '}' | ']'));
        depth == 0
    })?;
    Some((&text[..at], name, &inside[..end], &inside[end + 1..]))
}

#[cfg(test)]
mod tests;
