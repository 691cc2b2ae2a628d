//! One `.entry`: signature, declarations, registers, blocks.

use std::fmt::Write;
use vyre_abi::list;

use vyre_abi::fault::FaultChannel;
use vyre_ir::append::decimal;
use vyre_ir::ir::{Kernel, Program, Scalar, Span, Type};
use vyre_ir::module::FaultSite;

use super::Summary;
use super::cluster::Leaving;
use super::fault::GuardGroup;
use super::header::{DYNAMIC_SHARED, file_name, symbol, table_name};
use super::layout;
use super::text::{Class, Operand, Register, Text, is_immediate, memory_type};
use super::vectors::Vectors;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Space, Ty, Value, filled};

/// Input of the emission of one entry.
#[derive(Clone, Copy)]
pub(crate) struct EntryPlan<'a> {
    pub(crate) program: &'a Program,
    pub(crate) kernel: &'a Kernel,
    /// The symbol of the entry point.
    pub(crate) symbol: &'a str,
    pub(crate) function: &'a Function,
    /// The fault sites of the kernel.
    pub(crate) sites: &'a [FaultSite],
    /// True if the kernel prints. Entries that print, can fault or use grid barriers take a fault
    /// channel.
    pub(crate) prints: bool,
    /// True if the kernel uses grid barriers.
    pub(crate) cooperative: bool,
    pub(crate) flow: &'a Flow,
    pub(crate) summary: &'a Summary,
    /// Minimal alignment of its shared variables.
    pub(crate) shared_align: u64,
    /// True if `.loc` directives name the source lines, instead of comments.
    pub(crate) line_info: bool,
}

/// Emits an entry; returns the number of its instructions.
pub(crate) fn entry(plan: EntryPlan<'_>, out: &mut String) -> u32 {
    let mut writer = Writer::new(plan);
    writer.roots();
    writer.begin_counters();
    writer.begin_cluster();
    writer.blocks();
    writer.cold();
    writer.finish(out)
}

/// State of the emission of one entry.
pub(super) struct Writer<'a> {
    pub(super) plan: EntryPlan<'a>,
    pub(super) function: &'a Function,
    pub(super) text: Text,
    pub(super) graph: &'a Flow,
    /// The register of each value, once assigned.
    registers: Vec<Option<Register>>,
    /// The number of uses of each value, saturating at 255.
    pub(super) uses: Vec<u8>,
    /// For each value, true if it is computed by the one instruction that uses it.
    pub(super) fused: Vec<bool>,
    /// For each value, true if it is used outside the cold path.
    pub(super) hot: Vec<bool>,
    /// For each float, true if something other than arithmetic uses it.
    pub(super) raw: Vec<bool>,
    /// For each block, true if a branch names its label.
    labelled: Vec<bool>,
    /// The names of the program's files, for comments.
    files: Vec<String>,
    /// The line of the latest comment.
    line: (u32, u32),
    /// The guard groups so far.
    pub(super) guard_groups: Vec<GuardGroup>,
    /// True if a branch exits the kernel early.
    pub(super) exits: bool,
    /// Number of polls so far; labels are numbered by it because value numbers change with every
    /// pass.
    pub(super) polls: u32,
    /// The operations with several results so far, and their result registers.
    pub(super) results: Vec<(Value, Vec<Register>)>,
    /// Number of grid barriers and named barriers so far.
    pub(super) waits: u32,
    /// The exit strategy.
    pub(super) leaving: Leaving,
    /// Number of separate early exits so far.
    pub(super) ways_out: u32,
    /// The accesses that become vectors.
    pub(super) vectors: Vectors,
    /// A register with the mask of all lanes, if some warp operation is among part of a warp.
    pub(super) lanes: Option<Register>,
}

impl<'a> Writer<'a> {
    fn new(plan: EntryPlan<'a>) -> Self {
        let function = plan.function;
        let values = function.values.len();
        let mut writer = Writer {
            plan,
            function,
            text: Text::default(),
            graph: plan.flow,
            registers: filled(None, values),
            uses: vec![0; values],
            fused: vec![false; values],
            hot: vec![false; values],
            raw: vec![false; values],
            labelled: vec![false; function.blocks.len()],
            files: list::map(&plan.program.files, |file| file_name(file)),
            line: (0, 0),
            guard_groups: Vec::new(),
            exits: false,
            polls: 0,
            results: Vec::new(),
            waits: 0,
            leaving: Leaving::of(&plan),
            ways_out: 0,
            vectors: Vectors::new(),
            lanes: None,
        };
        writer.text.out.reserve(8192);
        writer.count_uses();
        writer.fuse();
        writer.mark_hot();
        writer.find_vectors();
        writer
    }

    /// The register of a value.
    pub(super) fn register(&mut self, value: Value) -> Register {
        let slot = &mut self.registers[value.index()];
        *slot.get_or_insert_with(|| self.text.register(Class::of(self.function.ty(value))))
    }

    /// Assigns a register that already holds the value to a value without one.
    pub(super) fn name_register(&mut self, value: Value, register: Register) {
        self.registers[value.index()].get_or_insert(register);
    }

    /// A value as an operand.
    pub(super) fn operand(&mut self, value: Value) -> Operand<'static> {
        match self.function.op(value) {
            Op::Constant(bits) if is_immediate(self.function, value) => {
                Operand::Immediate(self.function.ty(value), bits)
            }
            _ => Operand::Register(self.register(value)),
        }
    }

    /// Emits an instruction whose result is `target` and whose operands are values.
    pub(super) fn plain(&mut self, name: &[&str], target: Value, operands: &[Value]) {
        let mut all = [Operand::Number(0); 4];
        all[0] = Operand::Register(self.register(target));
        for (slot, &operand) in all[1..].iter_mut().zip(operands) {
            *slot = self.operand(operand);
        }
        self.text.instruction(name, &all[..=operands.len()]);
    }

    /// Computes the roots that are used, except those that are written as operands.
    fn roots(&mut self) {
        self.lanes_of_warp();
        for (value, data) in self.function.values.iter() {
            if !data.op.is_root() || self.uses[value.index()] == 0 || is_immediate(self.function, value) {
                continue;
            }
            match data.op {
                Op::Constant(bits) => {
                    let register = self.register(value);
                    self.mov(register, Operand::Number(bits as i64));
                }
                Op::External(external) => {
                    let digits = if self.function.ty(value).bits() == 64 { 16 } else { 8 };
                    let placeholder = format!("0xV{:0width$}", external.index(), width = digits - 1);
                    let register = self.register(value);
                    let name = if digits == 16 { "mov.b64" } else { "mov.b32" };
                    self.text
                        .instruction(&[name], &[Operand::Register(register), Operand::Text(&placeholder)]);
                }
                Op::Argument {
                    parameter,
                    offset,
                    scalar,
                } => self.argument(value, parameter, offset, scalar),
                Op::Special(special) => {
                    let name = match special {
                        Special::Thread(axis) => format!("%tid.{}", axis.name()),
                        Special::Block(axis) => format!("%ctaid.{}", axis.name()),
                        Special::Grid(axis) => format!("%nctaid.{}", axis.name()),
                        Special::Lane => "%laneid".to_owned(),
                        Special::SharedBytes => "%dynamic_smem_size".to_owned(),
                    };
                    let register = self.register(value);
                    self.text
                        .instruction(&["mov.u32"], &[Operand::Register(register), Operand::Text(&name)]);
                }
                Op::Address(object) => {
                    let name = self.object_name(object);
                    let register = self.register(value);
                    let mnemonic = if register.class == Class::Double {
                        "mov.u64"
                    } else {
                        "mov.u32"
                    };
                    self.text
                        .instruction(&[mnemonic], &[Operand::Register(register), Operand::Text(&name)]);
                }
                _ => {}
            }
        }
    }

    fn parameter_name(&self, number: u32) -> String {
        let number = number as usize;
        symbol("p", number, &self.plan.kernel.parameters[number].name)
    }

    fn argument(&mut self, value: Value, parameter: u32, offset: u32, scalar: Scalar) {
        let definition = &self.plan.kernel.parameters[parameter as usize];
        let name = self.parameter_name(parameter);
        let source = match self.plan.program.types[definition.ty] {
            Type::Slice { .. } if offset == 0 => format!("[{name}]"),
            Type::Slice { .. } => format!("[{name}_length]"),
            _ if offset == 0 => format!("[{name}]"),
            _ => format!("[{name}+{offset}]"),
        };
        let register = self.register(value);
        self.text.instruction(
            &["ld.param.", memory_type(scalar)],
            &[Operand::Register(register), Operand::Text(&source)],
        );
        if let Ty::Pointer(_) = self.function.ty(value) {
            let register = Operand::Register(register);
            self.text.instruction(&["cvta.to.global.u64"], &[register, register]);
        }
    }

    /// The name of an addressable object.
    pub(super) fn object_name(&self, object: Object) -> String {
        match object {
            Object::Shared(shared) => symbol("shared", shared.index(), &self.plan.program.shared[shared].name),
            Object::Dynamic => DYNAMIC_SHARED.to_owned(),
            Object::Table(table) => table_name(self.plan.program, table),
            Object::Local(number) => format!("local{number}"),
            Object::Parameter { number, .. } => self.parameter_name(number),
        }
    }

    fn blocks(&mut self) {
        let order = layout::order(self.function, self.graph);
        let order = order.as_slice();
        self.find_labels(order);
        for (position, &block) in order.iter().enumerate() {
            if self.labelled[block.index()] {
                let label = label(block);
                self.text.label(&label);
            }
            let function = self.function;
            let body = function.blocks[block].body.as_slice();
            let mut next = 0;
            while let Some(&value) = body.get(next) {
                next += 1;
                let op = function.op(value);
                if self.is_fused(value) || !op.has_effect() && !self.is_hot(value) {
                    continue;
                }
                let vector = self.vectors.get_mut(value.index()).and_then(Option::take);
                if vector.as_ref().is_some_and(Vec::is_empty) {
                    continue;
                }
                self.source_line(function.values[value].span);
                if let Some(vector) = vector {
                    self.vector(&vector);
                } else if self.is_guard(value) {
                    let first = next - 1;
                    next += body[next..].iter().take_while(|&&value| self.is_guard(value)).count();
                    self.guards(&body[first..next]);
                } else {
                    self.operation(value);
                }
            }
            self.end(block, order.get(position + 1).copied());
        }
    }

    /// A block needs a label unless its only predecessor is the previous block, which falls
    /// through.
    fn find_labels(&mut self, order: &[Block]) {
        for (position, &block) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            for target in self.named_targets(block, next) {
                self.labelled[target.index()] = true;
            }
        }
    }

    fn source_line(&mut self, span: Span) {
        if !span.is_some() || (span.file, span.line) == self.line {
            return;
        }
        self.line = (span.file, span.line);
        if self.plan.line_info {
            let _ = writeln!(
                self.text.out,
                "    .loc {} {} {}",
                span.file + 1,
                span.line,
                span.column
            );
        } else if let Some(file) = self.files.get(span.file as usize) {
            self.text.out.push_str("    // ");
            self.text.out.push_str(file);
            self.text.out.push(':');
            decimal(&mut self.text.out, span.line.into());
            self.text.out.push('\n');
        }
    }

    /// Emits signature and declarations before the body.
    fn finish(mut self, out: &mut String) -> u32 {
        // Writing to a string does not fail.
        let _ = write!(out, "\n.visible .entry {}(", self.plan.symbol);
        self.signature(out);
        let [x, y, z] = self.plan.kernel.block;
        let _ = writeln!(out, "\n)\n.reqntid {x}, {y}, {z}");
        if let Some(blocks) = self.plan.kernel.min_blocks {
            let _ = writeln!(out, ".minnctapersm {blocks}");
        }
        self.cluster_shape(out);
        out.push_str("{\n");
        for class in Class::ALL {
            let count = self.text.in_use(class);
            if count != 0 {
                let _ = writeln!(out, "    .reg {} {}<{}>;", class.declared(), class.prefix(), count + 1);
            }
        }
        self.memory(out);
        out.push('\n');
        out.push_str(&self.text.out);
        out.push_str("}\n");
        std::mem::take(&mut self.text.instructions)
    }

    fn signature(&self, out: &mut String) {
        let types = &self.plan.program.types;
        let mut separator = "\n    ";
        for (number, parameter) in self.plan.kernel.parameters.iter().enumerate() {
            let name = symbol("p", number, &parameter.name);
            let _ = match &types[parameter.ty] {
                Type::Scalar(scalar) => {
                    let scalar = if *scalar == Scalar::Bool { Scalar::U8 } else { *scalar };
                    write!(out, "{separator}.param .{} {name}", memory_type(scalar))
                }
                Type::Slice { .. } => write!(out, "{separator}.param .u64 {name},\n    .param .u64 {name}_length"),
                _ => {
                    let layout = types.layout(parameter.ty);
                    let size = layout.size.max(1);
                    write!(out, "{separator}.param .align {} .b8 {name}[{size}]", layout.align)
                }
            };
            separator = ",\n    ";
        }
        for (handle, table) in self.plan.program.host_tables() {
            let (layout, name) = (types.layout(table.ty), table_name(self.plan.program, handle));
            let _ = write!(
                out,
                "{separator}.param .align {} .b8 {name}[{}]",
                layout.align, layout.size
            );
            separator = ",\n    ";
        }
        if self.plan.prints || self.plan.cooperative || !self.plan.sites.is_empty() {
            let size = size_of::<FaultChannel>();
            let _ = write!(out, "{separator}.param .align 8 .b8 fault_channel[{size}]");
        }
    }

    /// Declares the shared and local variables used by the entry.
    fn memory(&self, out: &mut String) {
        self.declare_counters(out);
        self.declare_cluster(out);
        for (value, data) in self.function.values.iter() {
            let Op::Address(object) = data.op else { continue };
            if self.uses[value.index()] == 0 {
                continue;
            }
            let (space, size, align) = match object {
                Object::Shared(shared) => {
                    let types = &self.plan.program.types;
                    let ty = self.plan.program.shared[shared].ty;
                    let layout = types.layout(ty);
                    let align = layout.align.max(self.plan.shared_align);
                    match types.is_small_atomic(ty) {
                        true => (Space::Shared, layout.size.next_multiple_of(4), align.max(4)),
                        false => (Space::Shared, layout.size, align),
                    }
                }
                Object::Local(number) => {
                    let object = self.function.objects[number as usize];
                    (Space::Local, object.size, object.align)
                }
                Object::Table(_) | Object::Dynamic | Object::Parameter { .. } => continue,
            };
            let _ = writeln!(
                out,
                "    .{} .align {align} .b8 {}[{}];",
                space.name(),
                self.object_name(object),
                size.max(1)
            );
        }
    }
}

/// The label of a block.
pub(super) fn label(block: Block) -> String {
    format!("L{}", block.index())
}
