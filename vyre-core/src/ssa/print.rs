//! The text of a function.
//!
//! The text contains everything that passes read: [`parse`](super::parse) reads it back, and the
//! result prints as the same text. Unreachable blocks are omitted.
//!
//! ```text
//! function block 256 1 1
//! parameters mut const
//! local0: 16 bytes, align 4
//! table1: u32 [1, 2, 3]
//! inline0: results i32 "..."
//! inline1: version 7 8 results i32 "..."
//!
//! b0():
//!     v5: i64 = convert.u32.u64 thread.x  @4:13
//!     v7: bool = lt.u64 v5, argument1+8.u64
//!     guard[0] v7, v5, 0_i64
//!     branch v7, b1(v5), b2()
//! ```
//!
//! **Values** keep their numbers. **Roots** are written where they are used: constants with their
//! type, arguments as parameter and byte offset with their scalar or the space of their pointer.
//! **Operations** are written as described in [`syntax`](super::syntax). **Source locations**
//! follow at the end of a line: `@line:column`, or `@file/line:column` if the file is not the first
//! one, then `!3` if the operation implements or guards access 3 of the head: an access of the
//! entry or of a function, by its number in [`Accesses`](vyre_ir::validate::Accesses).

use std::fmt::{self, Write};

use vyre_ir::ir::Span;
use vyre_ir::ir::immediates::ImmediateWriter;
use vyre_ir::text::write_string;

use super::function::{Edge, Function, Terminator, Value};
use super::graph::Flow;
use super::op::{Object, Op, Special};
use super::syntax::{immediates, mnemonic};
use super::ty::{Space, Ty};

/// The text form of a function.
pub(crate) fn print(function: &Function) -> String {
    let mut out = String::new();
    let flow = Flow::of(function);
    let mut named = vec![false; function.values.len()];
    for &block in &flow.order {
        let data = &function.blocks[block];
        for &value in &data.body {
            function.each_operand(value, |operand| named[operand.index()] = true);
        }
    }
    // Writing to a string does not fail.
    let _ = Printer { function, named }.function(&flow, &mut out);
    out
}

/// A value as an operand.
pub(crate) fn operand(function: &Function, value: Value, out: &mut String) -> fmt::Result {
    let named = Vec::new();
    Printer { function, named }.operand(value, out)
}

struct Printer<'f> {
    function: &'f Function,
    /// For each value, true if an operation uses it: values without a type only have a name if
    /// used.
    named: Vec<bool>,
}

impl Printer<'_> {
    fn function(&self, flow: &Flow, out: &mut String) -> fmt::Result {
        self.head(out)?;
        for &block in &flow.order {
            let data = &self.function.blocks[block];
            write!(out, "b{}(", block.index())?;
            for (number, &parameter) in data.parameters.iter().enumerate() {
                let separator = if number == 0 { "" } else { ", " };
                let ty = self.function.ty(parameter);
                write!(out, "{separator}v{}: {ty}", parameter.index())?;
                write_span(self.function.values[parameter].span, " ", out)?;
            }
            out.push_str("):\n");
            for &value in &data.body {
                self.value(value, out)?;
            }
            self.end(&data.end, out)?;
        }
        Ok(())
    }

    /// Everything before the blocks.
    fn head(&self, out: &mut String) -> fmt::Result {
        let function = self.function;
        let [x, y, z] = function.block_size;
        writeln!(out, "function block {x} {y} {z}")?;
        if !function.read_only.is_empty() {
            out.push_str("parameters");
            for &read_only in &function.read_only {
                out.push_str(if read_only { " const" } else { " mut" });
            }
            out.push('\n');
        }
        for (number, object) in function.objects.iter().enumerate() {
            let promoted = if number < function.promoted { ", promoted" } else { "" };
            writeln!(
                out,
                "local{number}: {} bytes, align {}{promoted}",
                object.size, object.align
            )?;
        }
        for table in &function.tables {
            let values: Vec<String> = table.values.iter().map(|bits| format!("{bits:#x}")).collect();
            writeln!(
                out,
                "table{}: {} [{}]",
                table.table.index(),
                table.scalar.name(),
                values.join(", ")
            )?;
        }
        for (number, inline) in function.inline.iter().enumerate() {
            write!(out, "inline{number}:")?;
            if let Some((major, minor)) = inline.version {
                write!(out, " version {major} {minor}")?;
            }
            out.push_str(" results");
            for ty in &inline.results {
                write!(out, " {ty}")?;
            }
            out.push(' ');
            write_string(out, &inline.text);
            out.push('\n');
        }
        let body = |inlined: Option<u32>| inlined.map_or("entry".to_owned(), |number| number.to_string());
        for (number, inlined) in function.origins.inlined.iter().enumerate() {
            write!(out, "inlined{number}: function {} from ", inlined.function.index())?;
            out.push_str(&body(inlined.caller));
            write_span(inlined.span, " ", out)?;
            out.push('\n');
        }
        for (number, &(inlined, access)) in function.origins.accesses.iter().enumerate() {
            writeln!(out, "access{number}: {} of {}", access.index(), body(inlined))?;
        }
        out.push('\n');
        Ok(())
    }

    fn value(&self, value: Value, out: &mut String) -> fmt::Result {
        let data = &self.function.values[value];
        out.push_str("    ");
        if data.ty != Ty::Unit {
            write!(out, "v{}: {} = ", value.index(), data.ty)?;
        } else if self.named[value.index()] {
            write!(out, "v{} = ", value.index())?;
        }
        self.operation(value, out)?;
        write_span(data.span, "  ", out)?;
        if let Some(access) = self.function.origins.of(value) {
            write!(out, "  !{access}")?;
        }
        out.push('\n');
        Ok(())
    }

    fn operation(&self, value: Value, out: &mut String) -> fmt::Result {
        let mut op = self.function.op(value);
        out.push_str(mnemonic(&op));
        let mut writer = ImmediateWriter::new(out);
        immediates(&mut op, &mut writer);
        writer.close();
        let mut separator = " ";
        let mut result = Ok(());
        self.function.each_operand(value, |operand| {
            result = result
                .and_then(|()| out.write_str(separator))
                .and_then(|()| self.operand(operand, out));
            separator = ", ";
        });
        result
    }

    fn operand(&self, value: Value, out: &mut String) -> fmt::Result {
        let ty = self.function.ty(value);
        match self.function.op(value) {
            Op::Constant(bits) => constant(bits, ty, out),
            Op::External(external) => write!(out, "external{}_{ty}", external.index()),
            Op::Argument {
                parameter,
                offset,
                scalar,
            } => {
                write!(out, "argument{parameter}+{offset}.")?;
                match ty {
                    Ty::Pointer(_) => write!(out, "{ty}"),
                    _ => out.write_str(scalar.name()),
                }
            }
            Op::Special(special) => match special {
                Special::Thread(axis) => write!(out, "thread.{}", axis.name()),
                Special::Block(axis) => write!(out, "block.{}", axis.name()),
                Special::Grid(axis) => write!(out, "grid.{}", axis.name()),
                Special::Lane => out.write_str("lane"),
                Special::SharedBytes => out.write_str("shared_bytes"),
            },
            Op::Address(object) => match object {
                Object::Dynamic => out.write_str("dynamic"),
                Object::Shared(shared) => write!(out, "shared{}", shared.index()),
                Object::Table(table) => match ty {
                    Ty::Pointer(Space::Const) => write!(out, "table{}", table.index()),
                    _ => write!(out, "table{}_{ty}", table.index()),
                },
                Object::Local(number) => write!(out, "local{number}"),
                Object::Parameter { number, size } => write!(out, "parameter{number}[{size}]"),
            },
            _ => write!(out, "v{}", value.index()),
        }
    }

    fn end(&self, end: &Terminator, out: &mut String) -> fmt::Result {
        match end {
            Terminator::Return => out.push_str("    return"),
            Terminator::Jump(edge) => {
                out.push_str("    jump ");
                self.edge(edge, out)?;
            }
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                out.push_str("    branch ");
                self.operand(*condition, out)?;
                out.push_str(", ");
                self.edge(then, out)?;
                out.push_str(", ");
                self.edge(otherwise, out)?;
            }
        }
        out.push('\n');
        Ok(())
    }

    fn edge(&self, edge: &Edge, out: &mut String) -> fmt::Result {
        write!(out, "b{}(", edge.block.index())?;
        for (number, &argument) in edge.arguments.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            self.operand(argument, out)?;
        }
        out.push(')');
        Ok(())
    }
}

/// A constant: floats without a short decimal form as their bits.
fn constant(bits: u64, ty: Ty, out: &mut String) -> fmt::Result {
    match ty {
        Ty::Bool if bits <= 1 => write!(out, "{}", bits == 1),
        Ty::F32 if f32::from_bits(bits as u32).is_finite() => {
            write!(out, "{:?}_{ty}", f32::from_bits(bits as u32))
        }
        Ty::F64 if f64::from_bits(bits).is_finite() => write!(out, "{:?}_{ty}", f64::from_bits(bits)),
        Ty::I32 => write!(out, "{}_{ty}", bits as u32 as i32),
        Ty::I64 => write!(out, "{}_{ty}", bits as i64),
        _ => write!(out, "{bits:#x}_{ty}"),
    }
}

fn write_span(span: Span, before: &str, out: &mut String) -> fmt::Result {
    match span {
        span if !span.is_some() => Ok(()),
        Span { file: 0, line, column } => write!(out, "{before}@{line}:{column}"),
        Span { file, line, column } => write!(out, "{before}@{file}/{line}:{column}"),
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Unit => f.write_str("unit"),
            Ty::Bool => f.write_str("bool"),
            Ty::I32 => f.write_str("i32"),
            Ty::I64 => f.write_str("i64"),
            Ty::F16 => f.write_str("f16"),
            Ty::BF16 => f.write_str("bf16"),
            Ty::F32 => f.write_str("f32"),
            Ty::F64 => f.write_str("f64"),
            Ty::Pointer(space) => write!(f, "ptr.{}", space.name()),
        }
    }
}
