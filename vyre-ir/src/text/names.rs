//! The syntax of names: bare, with a number, or quoted.

use std::collections::HashMap;
use std::fmt::Write;

use crate::append::decimal;
use crate::ir::{Builtin, Intrinsic, Scalar};

/// Reserved words, in order: they occur where a bare name could.
const RESERVED: &[&str] = &[
    "assert",
    "atomic",
    "bitcast",
    "block",
    "block_index",
    "block_size",
    "break",
    "call",
    "cast",
    "cluster",
    "cluster_block",
    "cluster_index",
    "cluster_size",
    "coarsening",
    "continue",
    "dynamic_shared",
    "else",
    "entry",
    "external",
    "false",
    "file",
    "fn",
    "global_index",
    "grid_size",
    "if",
    "kernel",
    "lane_index",
    "let",
    "linear_index",
    "loop",
    "mut",
    "new",
    "on_gpu",
    "panic",
    "print",
    "ptx",
    "regroup",
    "repeat",
    "return",
    "shared",
    "step",
    "store",
    "struct",
    "table",
    "thread_index",
    "true",
    "type",
    "unchecked",
    "where",
];

/// The builtins with their names, all but the last two followed by `.x`, `.y` or `.z`.
pub(super) fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::ThreadIndex(_) => "thread_index",
        Builtin::BlockIndex(_) => "block_index",
        Builtin::BlockSize(_) => "block_size",
        Builtin::GridSize(_) => "grid_size",
        Builtin::ClusterSize(_) => "cluster_size",
        Builtin::ClusterBlock(_) => "cluster_block",
        Builtin::ClusterIndex(_) => "cluster_index",
        Builtin::GlobalIndex(_) => "global_index",
        Builtin::LinearIndex => "linear_index",
        Builtin::LaneIndex => "lane_index",
        Builtin::OnGpu => "on_gpu",
    }
}

/// The name of an atomic type, as in `core::sync::atomic`.
pub(super) fn atomic_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "AtomicBool",
        Scalar::I8 => "AtomicI8",
        Scalar::I16 => "AtomicI16",
        Scalar::I32 => "AtomicI32",
        Scalar::I64 => "AtomicI64",
        Scalar::U8 => "AtomicU8",
        Scalar::U16 => "AtomicU16",
        Scalar::U32 => "AtomicU32",
        Scalar::U64 => "AtomicU64",
        Scalar::F16 => "AtomicF16x2",
        Scalar::BF16 => "AtomicBF16x2",
        Scalar::F32 => "AtomicF32",
        Scalar::F64 => "AtomicF64",
    }
}

/// The scalar whose atomic type has this name, or `None`.
pub(super) fn atomic_from_name(name: &str) -> Option<Scalar> {
    if !name.starts_with("Atomic") {
        return None;
    }
    Scalar::ALL.into_iter().find(|&scalar| atomic_name(scalar) == name)
}

/// True if `name` can be written without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let starts = bytes.first().is_some_and(|&byte| is_name_start(byte));
    starts
        && bytes.iter().all(|&byte| is_name_byte(byte))
        && RESERVED.binary_search(&name).is_err()
        && Scalar::from_name(name).is_none()
        && atomic_from_name(name).is_none()
        && Intrinsic::named(name).is_none()
}

/// True if a name may begin with this byte.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// True if this byte may occur in a name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Appends a name without references: bare if possible, else quoted.
pub(super) fn write_name(out: &mut String, name: &str) {
    if is_plain(name) {
        out.push_str(name);
    } else {
        write_string(out, name);
    }
}

/// Appends a string literal.
///
/// The prefix of a placeholder for an external is escaped in it, so that replacing placeholders in
/// the text cannot affect a user's string.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for (position, character) in text.char_indices() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            'V' if text[..position].ends_with("0x") => out.push_str("\\u{56}"),
            _ if character.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// The references to the elements of one arena.
pub(super) struct Labels<'p> {
    labels: Vec<Label<'p>>,
}

#[derive(Clone, Copy)]
enum Label<'p> {
    /// A plain name that no other element has.
    Bare(&'p str),
    /// A plain name that several elements have.
    Numbered(&'p str),
    /// A name that must be quoted, or none.
    Anonymous(&'p str),
}

impl<'p> Labels<'p> {
    /// The labels of elements with these names, in order.
    pub(super) fn new(names: &mut dyn Iterator<Item = &'p str>) -> Self {
        let mut first = HashMap::new();
        let mut labels = Vec::new();
        for name in names {
            if !is_plain(name) {
                labels.push(Label::Anonymous(name));
                continue;
            }
            let label = match first.insert(name, labels.len()) {
                None => Label::Bare(name),
                Some(earlier) => {
                    labels[earlier] = Label::Numbered(name);
                    Label::Numbered(name)
                }
            };
            labels.push(label);
        }
        Labels { labels }
    }

    /// Appends a reference to an element. One that does not exist becomes `?` and its number,
    /// which does not parse.
    pub(super) fn write(&self, out: &mut String, index: usize) {
        match self.labels.get(index) {
            Some(Label::Bare(name)) => out.push_str(name),
            Some(Label::Numbered(name)) => {
                out.push_str(name);
                out.push('#');
                decimal(out, index as u64);
            }
            Some(Label::Anonymous(_)) => {
                out.push('#');
                decimal(out, index as u64);
            }
            None => {
                out.push('?');
                decimal(out, index as u64);
            }
        }
    }

    /// Appends the declaration of an element: its reference, and the quoted name if there is one.
    pub(super) fn declare(&self, out: &mut String, index: usize) {
        self.write(out, index);
        if let Some(Label::Anonymous(name)) = self.labels.get(index)
            && !name.is_empty()
        {
            out.push(' ');
            write_string(out, name);
        }
    }
}

#[cfg(test)]
mod tests;
