//! Dumps of functions, for people.

use std::fmt::{self, Write};

use super::function::{Edge, Function, Terminator, Value};
use super::graph::Flow;
use super::op::{Object, Op, Special};
use super::ty::Ty;
use crate::ir::Access;

/// The text of a function: its blocks in order, constants where they are used.
pub(crate) fn print(function: &Function) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = Printer { function }.function(&mut out);
    out
}

struct Printer<'f> {
    function: &'f Function,
}

impl Printer<'_> {
    fn function(&self, out: &mut String) -> fmt::Result {
        for (number, object) in self.function.objects.iter().enumerate() {
            writeln!(out, "local{number}: {} bytes, aligned to {}", object.size, object.align)?;
        }
        let graph = Flow::of(self.function);
        for &block in &graph.order {
            let data = &self.function.blocks[block];
            write!(out, "b{}(", block.index())?;
            for (number, &parameter) in data.parameters.iter().enumerate() {
                let separator = if number == 0 { "" } else { ", " };
                write!(
                    out,
                    "{separator}v{}: {}",
                    parameter.index(),
                    self.function.ty(parameter)
                )?;
            }
            out.push_str("):\n");
            for &value in &data.body {
                self.value(value, out)?;
            }
            self.end(&data.end, out)?;
        }
        Ok(())
    }

    fn value(&self, value: Value, out: &mut String) -> fmt::Result {
        let data = &self.function.values[value];
        out.push_str("    ");
        if data.ty != Ty::Unit {
            write!(out, "v{}: {} = ", value.index(), data.ty)?;
        }
        self.operation(data.op, out)?;
        out.push('\n');
        Ok(())
    }

    fn operation(&self, op: Op, out: &mut String) -> fmt::Result {
        match op {
            Op::Unary { op, scalar, .. } => write!(out, "{}.{}", op.name(), scalar.name())?,
            Op::Binary { op, scalar, .. } => write!(out, "{}.{}", op.name(), scalar.name())?,
            Op::MulAdd { .. } => out.push_str("mul_add"),
            Op::MulWide { signed, .. } => out.push_str(if signed { "mul_wide.i32" } else { "mul_wide.u32" }),
            Op::Select { .. } => out.push_str("select"),
            Op::Convert { from, to, .. } => write!(out, "convert.{}.{}", from.name(), to.name())?,
            Op::Bits(_) => out.push_str("bits"),
            Op::Offset { .. } => out.push_str("offset"),
            Op::ToGeneric(_) => out.push_str("generic"),
            Op::LowBits(_) => out.push_str("low_bits"),
            Op::MapShared { .. } => out.push_str("map_shared"),
            Op::Load {
                offset,
                scalar,
                constant,
                access,
                ..
            } => {
                let constant = if constant { ".constant" } else { "" };
                write!(out, "load{constant}{}.{}", way(access), scalar.name())?;
                write_offset(offset, out)?;
            }
            Op::Store {
                offset, scalar, access, ..
            } => {
                write!(out, "store{}.{}", way(access), scalar.name())?;
                write_offset(offset, out)?;
            }
            Op::Atomic {
                op,
                scalar,
                order,
                scope,
                ..
            } => write!(
                out,
                "atomic.{}.{}.{}.{}",
                op.name(),
                scalar.name(),
                order.name(),
                scope.name()
            )?,
            Op::AsyncCopy {
                offsets: [to, from],
                bytes,
                align,
                ..
            } => write!(out, "copy.{bytes}[{to}, {from}; {align}]")?,
            Op::CopyGroup(pending) => match pending {
                None => out.push_str("copy_commit"),
                Some(pending) => write!(out, "copy_wait[{pending}]")?,
            },
            Op::Fence { order, scope } => write!(out, "fence.{}.{}", order.name(), scope.name())?,
            Op::Barrier => out.push_str("barrier"),
            Op::NamedBarrier {
                barrier,
                threads,
                waits,
            } => {
                let what = if waits { "sync" } else { "arrive" };
                write!(out, "barrier.{what}[{barrier}, {threads}]")?;
            }
            Op::Shuffle { op, tile, .. } => write!(out, "{}.{tile}", op.name())?,
            Op::Ballot(..) => out.push_str("ballot"),
            Op::MatchAny(..) => out.push_str("match_any"),
            Op::Fragment(_) => out.push_str("fragment"),
            Op::Product { product, .. } => out.push_str(product.name()),
            Op::LoadMatrices {
                load, scalar, offset, ..
            } => write!(out, "{}.{}[{offset}]", load.name(), scalar.name())?,
            Op::Part { number, .. } => write!(out, "part[{number}]")?,
            Op::BarrierCount(_) => out.push_str("barrier_count"),
            Op::Clock => out.push_str("clock"),
            Op::GridBarrier => out.push_str("grid_barrier"),
            Op::ClusterBarrier => out.push_str("cluster_barrier"),
            Op::WarpSync(_) => out.push_str("warp_sync"),
            Op::Guard { site, .. } => write!(out, "guard[{site}]")?,
            Op::Poll(_) => out.push_str("poll"),
            Op::Leave(_) => out.push_str("leave"),
            Op::Print { site, .. } => write!(out, "print[{site}]")?,
            Op::Claim { site } => write!(out, "claim[{site}]")?,
            Op::Put { offset, .. } => write!(out, "put[{offset}]")?,
            Op::Fault(_) => out.push_str("fault"),
            Op::Ptx { number, .. } => write!(out, "ptx[{number}]")?,
            Op::Parameter
            | Op::Constant(_)
            | Op::External(_)
            | Op::Argument { .. }
            | Op::Special(_)
            | Op::Address(_) => out.push_str("root"),
        }
        let mut separator = " ";
        let mut result = Ok(());
        op.each_operand(|operand| {
            result = result
                .and_then(|()| out.write_str(separator))
                .and_then(|()| self.operand(operand, out));
            separator = ", ";
        });
        result
    }

    fn operand(&self, value: Value, out: &mut String) -> fmt::Result {
        match (self.function.op(value), self.function.ty(value)) {
            (Op::Constant(bits), Ty::F16 | Ty::BF16) => write!(out, "{bits:#06x}"),
            (Op::Constant(bits), Ty::F32) => write!(out, "{:?}", f32::from_bits(bits as u32)),
            (Op::Constant(bits), Ty::F64) => write!(out, "{:?}", f64::from_bits(bits)),
            (Op::Constant(bits), Ty::I32) => write!(out, "{}", bits as u32 as i32),
            (Op::Constant(bits), Ty::Bool) => write!(out, "{}", bits != 0),
            (Op::Constant(bits), _) => write!(out, "{}", bits as i64),
            (Op::External(external), _) => write!(out, "external{}", external.index()),
            (Op::Argument { parameter, offset, .. }, _) => write!(out, "argument{parameter}+{offset}"),
            (Op::Special(Special::Thread(axis)), _) => write!(out, "thread.{}", axis.name()),
            (Op::Special(Special::Block(axis)), _) => write!(out, "block.{}", axis.name()),
            (Op::Special(Special::Grid(axis)), _) => write!(out, "grid.{}", axis.name()),
            (Op::Special(Special::Lane), _) => out.write_str("lane"),
            (Op::Special(Special::SharedBytes), _) => out.write_str("shared_bytes"),
            (Op::Address(Object::Dynamic), _) => out.write_str("dynamic"),
            (Op::Address(Object::Shared(shared)), _) => write!(out, "shared{}", shared.index()),
            (Op::Address(Object::Table(table)), _) => write!(out, "table{}", table.index()),
            (Op::Address(Object::Local(number)), _) => write!(out, "local{number}"),
            (Op::Address(Object::Parameter { number, .. }), _) => write!(out, "parameter{number}"),
            _ => write!(out, "v{}", value.index()),
        }
    }

    fn end(&self, end: &Terminator, out: &mut String) -> fmt::Result {
        match end {
            Terminator::Return => out.push_str("    return\n"),
            Terminator::Jump(edge) => {
                out.push_str("    jump ");
                self.edge(edge, out)?;
                out.push('\n');
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
                out.push('\n');
            }
        }
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

fn write_offset(offset: i32, out: &mut String) -> fmt::Result {
    if offset == 0 {
        return Ok(());
    }
    write!(out, "[{offset:+}]")
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
            Ty::Pointer(space) => write!(f, "{} pointer", space.name()),
        }
    }
}

/// How an access goes through the caches, where that is said.
fn way(access: Access) -> String {
    match access {
        Access::Plain => String::new(),
        other => format!(".{}", other.name()),
    }
}
