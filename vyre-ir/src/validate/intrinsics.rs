//! Checks intrinsics against their rows, and the few rules of individual ones.

use super::body::BodyCheck;
use super::error::InvalidKind;
use super::kernels::KernelCheck;
use crate::ir::{
    ExprId, Handle, Intrinsic, Kernel, Local, NAMED_BARRIER_BYTES, NAMED_BARRIERS, Operand, Output, Span, Stmt, Type,
    TypeId, WARP_SIZE,
};

impl BodyCheck<'_, '_> {
    pub(super) fn intrinsic(
        &mut self,
        stmt: &Stmt,
        intrinsic: Intrinsic,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
    ) {
        let (span, row) = (stmt.span, intrinsic.row());
        if let Some(why) = intrinsic.fault() {
            self.error(span, InvalidKind::Intrinsic { intrinsic, why });
        }
        if operands.len() != row.operands.len() {
            let why = "it takes another number of operands";
            return self.error(span, InvalidKind::Intrinsic { intrinsic, why });
        }
        for (&operand, takes) in operands.iter().zip(row.operands) {
            let ty = self.type_of(operand);
            let fits = match *takes {
                Operand::Scalar(scalar) => {
                    let scalar = self.scalar_type(scalar);
                    self.expect(operand, scalar);
                    true
                }
                Operand::Value => {
                    let found = self.program.types.as_scalar(ty);
                    found.is_some() && (row.value.is_none() || found == row.value)
                }
                Operand::Bits => self
                    .program
                    .types
                    .as_scalar(ty)
                    .is_some_and(|scalar| !scalar.is_float()),
                Operand::Fragment(role) => self.array_of(ty) == row.fragment(role),
                Operand::Row => match *self.ty(ty) {
                    Type::Slice { element, .. } => self.program.types.as_scalar(element) == row.row_element,
                    _ => false,
                },
                // Those of a copy are checked together.
                Operand::Source | Operand::Target => true,
            };
            if !fits {
                self.error(span, InvalidKind::IntrinsicValue { intrinsic, ty });
            }
        }
        match (row.result, operands.first()) {
            (Output::Scalar(scalar), _) => {
                let ty = self.scalar_type(scalar);
                self.result_local(stmt, result, ty);
            }
            (Output::First, Some(&first)) => self.result_local(stmt, result, self.type_of(first)),
            (array @ Output::Array { .. }, _) => {
                let ty = result.map(|local| self.body.locals[local].ty);
                if let Some(ty) = ty.filter(|&ty| self.array_of(ty) != Some(array)) {
                    self.error(span, InvalidKind::IntrinsicValue { intrinsic, ty });
                }
            }
            (Output::Nothing | Output::First, _) if result.is_some() => {
                let why = "it yields nothing";
                self.error(span, InvalidKind::Intrinsic { intrinsic, why });
            }
            (Output::Nothing | Output::First, _) => {}
        }
        if let (Some(count), &[to, from]) = (row.copied, operands) {
            self.copy(span, [to, from], count);
        }
    }

    /// The array of scalars that a type is.
    fn array_of(&self, ty: TypeId) -> Option<Output> {
        let Type::Array { element, length } = *self.ty(ty) else {
            return None;
        };
        let element = self.program.types.as_scalar(element)?;
        Some(Output::Array { element, length })
    }

    /// Checks that a copy is between two references, or slices, of one type, and that its size is a
    /// multiple of the word size.
    fn copy(&mut self, span: Span, ends: [ExprId; 2], count: u64) {
        let [to, from] = ends.map(|end| self.type_of(end));
        let held: Option<TypeId> = match (self.ty(to), self.ty(from)) {
            (&Type::Reference { pointee, mutable: true }, &Type::Reference { pointee: other, .. })
                if pointee == other && count == 1 =>
            {
                Some(pointee)
            }
            (&Type::Slice { element, mutable: true }, &Type::Slice { element: other, .. }) if element == other => {
                Some(element)
            }
            _ => None,
        };
        let fits = held.is_some_and(|held| {
            let (facts, size) = (self.facts.of(held), self.program.types.layout(held).size);
            let bytes = size.checked_mul(count);
            !facts.atomics && !facts.references && bytes.is_some_and(|bytes| bytes > 0 && bytes % 4 == 0)
        });
        if !fits {
            self.error(span, InvalidKind::Copy { to, from, count });
        }
    }
}

/// The intrinsics of a kernel so far, as far as they depend on each other.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The thread count of each named barrier.
    threads: [Option<u32>; NAMED_BARRIERS as usize],
}

impl Met {
    /// Shared memory used by them, in bytes.
    pub(super) fn shared_bytes(&self) -> u32 {
        match self.threads.iter().all(Option::is_none) {
            true => 0,
            false => NAMED_BARRIER_BYTES,
        }
    }
}

impl KernelCheck<'_, '_> {
    /// Checks the intrinsics of a body against the kernel, and against earlier ones.
    pub(super) fn intrinsics(&mut self, kernel: &Kernel, intrinsics: &[(Intrinsic, Span)], met: &mut Met) {
        // The block's shape may be invalid too.
        let extents = kernel.block.map(u64::from);
        let block = extents.into_iter().fold(1, u64::saturating_mul);
        let most = block.div_ceil(WARP_SIZE.into()).saturating_mul(WARP_SIZE.into());
        for &(intrinsic, span) in intrinsics {
            let Intrinsic::NamedBarrier { barrier, threads, .. } = intrinsic else {
                continue;
            };
            let Some(known) = met.threads.get_mut(barrier as usize) else {
                continue;
            };
            let why = if *known.get_or_insert(threads) != threads {
                "the barrier is for another number of threads elsewhere"
            } else if u64::from(threads) > most && threads.is_multiple_of(WARP_SIZE) {
                "the block has fewer threads"
            } else {
                continue;
            };
            self.error(span, InvalidKind::Intrinsic { intrinsic, why });
        }
    }
}
