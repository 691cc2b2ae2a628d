//! The code of an entry and its callees: bodies translated to linear lists of instructions for a machine with registers.
//! So a thread can stop at a barrier inside nested statements and calls and resume, its state being positions in
//! such lists, and an operation costs one step of a loop.

mod compile;
mod expr;
mod op;
mod place;

pub(super) use op::{Atomic, Count, Op, Operand, Rare, Reg, Site, SiteKind, UNRECORDED};

use crate::ir::{Body, Function, Handle, Kernel, Layout, Program, Scalar, Span, Type, TypeId};
use crate::validate::Validated;
use compile::Compiler;

/// Where a local is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// A scalar or reference in a register.
    Word(Reg),
    /// A slice in a register and the next one: the address of the first element, and the length.
    Slice(Reg),
    /// Bytes of the frame, from here on.
    Memory(u64),
}

/// A body, ready to run.
pub(super) struct Routine<'p> {
    pub(super) body: &'p Body,
    pub(super) ops: Vec<Op>,
    pub(super) rare: Vec<Rare<'p>>,
    /// In the order of the instructions.
    sites: Vec<Site>,
    /// The index after the last instruction of each statement, and its place in the source; of control flow, no place.
    spans: Vec<(u32, Span)>,
    /// By the local's handle.
    pub(super) homes: Vec<Home>,
    /// The registers of a frame as it begins: the constants, then zeros.
    pub(super) registers: Vec<u64>,
    /// The bytes of a frame, for locals that are in memory.
    pub(super) bytes: u64,
    /// The size that all locals would take in memory, which [`PRIVATE_BYTES`](super::PRIVATE_BYTES) limits.
    pub(super) frame: u64,
    /// The index of the instructions of the entry's predicate.
    pub(super) predicate: usize,
}

impl Routine<'_> {
    /// The place in the source of an instruction that may stop the thread.
    pub(super) fn site(&self, op: usize) -> Site {
        let found = self.sites.binary_search_by_key(&op, |site| site.op as usize);
        debug_assert!(
            found.is_ok(),
            "an instruction that stops the thread has a place in the source"
        );
        found.map_or(
            Site {
                op: 0,
                span: Span::NONE,
                kind: SiteKind::Other,
            },
            |at| self.sites[at],
        )
    }

    /// The place in the source of the statement before an instruction.
    pub(super) fn span_before(&self, op: usize) -> Span {
        let after = self.spans.partition_point(|(end, _)| *end as usize <= op);
        let last = after.checked_sub(1).map(|at| self.spans[at].1);
        last.unwrap_or(Span::NONE)
    }
}

/// An entry and its callees, ready to run.
pub(super) struct Code<'p> {
    pub(super) program: &'p Program,
    pub(super) entry: Routine<'p>,
    /// By the function's handle; `None` for unreachable ones.
    functions: Vec<Option<Routine<'p>>>,
    memory: Layouts,
    /// The size of the shared variables used by the code.
    pub(super) shared_size: u64,
}

/// The layouts of types, and of shared memory.
struct Layouts {
    /// By the type's handle.
    types: Vec<Layout>,
    /// The offset of each variable in shared memory, by its handle.
    shared: Vec<u64>,
}

impl<'p> Code<'p> {
    /// The code of an entry of a kernel; `None` if there is no such entry.
    pub(super) fn new(valid: &Validated<'p>, kernel: Handle<Kernel>, entry: usize) -> Option<Self> {
        let program = valid.program();
        let reach = &valid.info().entries(kernel).get(entry)?.reach;
        let mut memory = Layouts {
            types: program.types.iter().map(|(ty, _)| program.types.layout(ty)).collect(),
            shared: vec![u64::MAX; program.shared.len()],
        };
        let mut shared_size = 0;
        for &variable in &reach.shared {
            let layout = &memory.types[program.shared[variable].ty.index()];
            let offset = aligned(shared_size, layout.align);
            memory.shared[variable.index()] = offset;
            shared_size = offset.saturating_add(layout.size);
        }
        let routine = |body, predicate| Compiler::new(program, &memory, body).routine(predicate);
        let first = &program.kernels[kernel].entries[entry];
        let mut functions: Vec<Option<Routine<'p>>> = program.functions.iter().map(|_| None).collect();
        for &function in &reach.functions {
            functions[function.index()] = Some(routine(&program.functions[function].body, None));
        }
        Some(Code {
            program,
            entry: routine(&first.body, first.predicate),
            functions,
            memory,
            shared_size,
        })
    }

    /// The routine of a function, or of the entry.
    pub(super) fn routine(&self, function: Option<Handle<Function>>) -> &Routine<'p> {
        let function = function.and_then(|function| self.functions[function.index()].as_ref());
        function.unwrap_or(&self.entry)
    }

    /// All routines.
    #[cfg(feature = "programs")]
    pub(super) fn routines(&self) -> impl Iterator<Item = &Routine<'p>> {
        self.functions.iter().flatten().chain([&self.entry])
    }

    pub(super) fn layout(&self, ty: TypeId) -> &Layout {
        &self.memory.types[ty.index()]
    }

    /// The offset of a variable in shared memory; `u64::MAX` if the code does not use it.
    #[cfg(feature = "programs")]
    pub(super) fn shared_offset(&self, variable: Handle<crate::ir::SharedVariable>) -> u64 {
        self.memory.shared[variable.index()]
    }

    /// Makes 1 of each byte of a `bool` in a value that is neither 0 nor 1: any bits may lie in memory.
    pub(super) fn normalise(&self, ty: TypeId, bytes: &mut [u8]) {
        let types = &self.program.types;
        match &types[ty] {
            Type::Scalar(Scalar::Bool) => bytes[0] = u8::from(bytes[0] != 0),
            Type::Tuple(fields) => self.normalise_fields(ty, fields.iter().copied(), bytes),
            Type::Struct { fields, .. } => self.normalise_fields(ty, fields.iter().map(|field| field.ty), bytes),
            Type::Array { element, .. } if types.as_scalar(*element).is_none_or(|scalar| scalar == Scalar::Bool) => {
                let size = self.layout(*element).size.max(1) as usize;
                bytes
                    .chunks_exact_mut(size)
                    .for_each(|bytes| self.normalise(*element, bytes));
            }
            _ => {}
        }
    }

    fn normalise_fields(&self, ty: TypeId, fields: impl Iterator<Item = TypeId>, bytes: &mut [u8]) {
        for (field, &offset) in fields.zip(&self.layout(ty).offsets) {
            let bytes = &mut bytes[offset as usize..][..self.layout(field).size as usize];
            self.normalise(field, bytes);
        }
    }
}

fn aligned(offset: u64, align: u64) -> u64 {
    offset.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}
