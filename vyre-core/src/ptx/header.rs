//! The text before the entries: the header and the constant tables.

use std::fmt::Write;

use vyre_ir::ir::{ConstantTable, Handle, Program, SHARED_ALIGN, Scalar};

use super::Needs;
use crate::ssa::Space;
use crate::ssa::build::table_space;

/// The name of a table in PTX.
pub(super) fn table_name(program: &Program, table: Handle<ConstantTable>) -> String {
    symbol("table", table.index(), &program.tables[table].name)
}

/// A valid PTX name, made unique by a number, with the allowed characters of the source name.
pub(super) fn symbol(kind: &str, number: usize, name: &str) -> String {
    let mut symbol = format!("{kind}{number}");
    if !name.is_empty() {
        symbol.push('_');
        symbol.extend(name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    }
    symbol
}

/// The name of a source file, for a comment or a string of PTX, where ptxas refuses all but ASCII.
pub(super) fn file_name(name: &str) -> String {
    let fit = |c: char| match c {
        '\\' => '/',
        '"' => '_',
        ' '..='~' => c,
        _ => '_',
    };
    name.chars().map(fit).collect()
}

/// The name of dynamic shared memory, whose size is set by the launch.
pub(super) const DYNAMIC_SHARED: &str = "dynamic_shared";

/// The header, the declaration of dynamic shared memory if an entry uses it, and the tables that
/// entries use.
pub(crate) fn header(program: &Program, needs: Needs, tables: &[bool], dynamic: bool, line_info: bool) -> String {
    let mut out = String::with_capacity(4096);
    let ((major, minor), target) = (needs.version, needs.target);
    // Writing to a string does not fail.
    let _ = writeln!(out, ".version {major}.{minor}\n.target sm_{target}\n.address_size 64");
    if line_info {
        for (number, file) in program.files.iter().enumerate() {
            let _ = writeln!(out, ".file {} \"{}\"", number + 1, file_name(file));
        }
    }
    if dynamic {
        let _ = writeln!(out, "\n.extern .shared .align {SHARED_ALIGN} .b8 {DYNAMIC_SHARED}[];");
    }
    for (handle, table) in program.tables.iter() {
        if table.host.is_some() || !tables.get(handle.index()).is_some_and(|&used| used) {
            continue;
        }
        let scalar = table.scalar(&program.types).unwrap_or(Scalar::U8);
        let layout = program.types.layout(table.ty);
        let space = match table_space(program, handle) {
            Space::Const => "const",
            _ => "global",
        };
        let (ty, digits) = match scalar {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => ("u8", 2),
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => ("u16", 4),
            Scalar::I32 | Scalar::U32 | Scalar::F32 => ("b32", 8),
            Scalar::I64 | Scalar::U64 | Scalar::F64 => ("b64", 16),
        };
        let _ = write!(
            out,
            "\n.{space} .align {} .{ty} {}[{}]",
            layout.align,
            table_name(program, handle),
            table.values.len().max(1)
        );
        if table.values.is_empty() {
            out.push_str(";\n");
            continue;
        }
        out.push_str(" = {");
        for (number, bits) in table.values.iter().enumerate() {
            let separator = match number {
                0 => "\n    ",
                _ if number % 8 == 0 => ",\n    ",
                _ => ", ",
            };
            let _ = write!(out, "{separator}0x{bits:0digits$X}");
        }
        out.push_str("\n};\n");
    }
    out
}
