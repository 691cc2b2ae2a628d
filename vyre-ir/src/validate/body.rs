//! The checks of one body, in order, and their shared state.

use vyre_abi::order::sort_by_key;

use super::collect::collect;
use super::error::{Invalid, InvalidKind, Within};
use super::flow;
use super::info::{BodyInfo, EntryInfo, ProgramInfo, Reach};
use super::types::{TypeFacts, total_size};
use crate::ir::limits::MAX_LOCALS;
use crate::ir::{Body, ExprId, Program, Scalar, Span, Type, TypeId};

/// Checks the bodies of all functions and entries, and collects the facts about each.
pub(super) fn check<'p>(program: &'p Program, facts: &TypeFacts, errors: &mut Vec<Invalid>) -> ProgramInfo<'p> {
    let mut info = ProgramInfo::default();
    for (handle, function) in program.functions.iter() {
        let mut body = BodyCheck {
            program,
            facts,
            body: &function.body,
            within: Within::Function(handle),
            parameters: function.parameters as usize,
            result: Some(function.result).filter(|&result| result != program.types.unit()),
            span: function.span,
            on_gpu: false,
            errors,
        };
        if facts.of(function.result).atomics {
            body.error(function.span, InvalidKind::ResultType(function.result));
        }
        info.functions.push(body.check(None));
    }
    for (handle, kernel) in program.kernels.iter() {
        let mut entries = Vec::with_capacity(kernel.entries.len());
        for (position, entry) in kernel.entries.iter().enumerate() {
            let mut body = BodyCheck {
                program,
                facts,
                body: &entry.body,
                within: Within::Entry(handle, position),
                parameters: kernel.parameters.len(),
                result: None,
                span: kernel.span,
                on_gpu: false,
                errors,
            };
            entries.push(EntryInfo {
                body: body.check(entry.predicate),
                reach: Reach::default(),
            });
        }
        info.entries.push(entries);
    }
    info
}

/// A body under validation.
pub(super) struct BodyCheck<'p, 'e> {
    pub(super) program: &'p Program,
    pub(super) facts: &'e TypeFacts,
    pub(super) body: &'p Body,
    pub(super) within: Within,
    /// Number of locals that are initialised before the body starts.
    pub(super) parameters: usize,
    /// The type of the result, unless it is unit.
    pub(super) result: Option<TypeId>,
    /// The span of the function or kernel.
    pub(super) span: Span,
    /// True if the current statement is guarded by `if on_gpu`.
    pub(super) on_gpu: bool,
    errors: &'e mut Vec<Invalid>,
}

impl<'p> BodyCheck<'p, '_> {
    fn check(&mut self, predicate: Option<ExprId>) -> BodyInfo<'p> {
        let local_bytes = self.locals();
        let mut collected = collect(self, predicate);
        collected.info.local_bytes = local_bytes;
        for place in self.body.places.handles() {
            self.place(place);
        }
        for expr in self.body.exprs.handles() {
            self.expr(expr);
        }
        // The remaining checks recurse over blocks and trees.
        if collected.bounded {
            let body = self.body;
            self.block(&body.block, &mut Vec::new());
            if collected.disjoint {
                flow::check(self);
            }
        }
        collected.info
    }

    /// Checks the locals; their size in bytes.
    fn locals(&mut self) -> u64 {
        let body = self.body;
        for (_, local) in body.locals.iter() {
            if self.facts.of(local.ty).atomics {
                self.error(local.span, InvalidKind::LocalType(local.ty));
            }
        }
        let bytes = total_size(&body.locals, body.locals.handles(), |local| self.facts.of(local.ty));
        if bytes > MAX_LOCALS {
            let largest = self.largest_locals();
            self.error(self.span, InvalidKind::LocalsTooLarge { bytes, largest });
        }
        bytes
    }

    /// The locals that take the most memory, the largest first, with their sizes in bytes.
    fn largest_locals(&self) -> Box<[(String, u64)]> {
        let mut sizes = Vec::new();
        for (_, local) in self.body.locals.iter() {
            if !local.name.is_empty() {
                sizes.push((local.name.clone(), self.facts.of(local.ty).size));
            }
        }
        // Equal ones stay in the order of the source.
        sort_by_key(&mut sizes, |(_, bytes)| (u64::MAX - bytes).into());
        sizes.retain(|(_, bytes)| bytes.saturating_mul(64) > MAX_LOCALS);
        sizes.truncate(4);
        sizes.into()
    }

    pub(super) fn error(&mut self, span: Span, kind: InvalidKind) {
        self.errors.push(Invalid {
            kind,
            within: self.within,
            span,
        });
    }

    /// The declared type of an expression.
    pub(super) fn type_of(&self, expr: ExprId) -> TypeId {
        self.body.exprs[expr].ty
    }

    pub(super) fn scalar_type(&self, scalar: Scalar) -> TypeId {
        self.program.types.scalar(scalar)
    }

    pub(super) fn ty(&self, ty: TypeId) -> &Type {
        &self.program.types[ty]
    }

    /// Reports an operand whose type is not `expected`.
    pub(super) fn expect(&mut self, operand: ExprId, expected: TypeId) {
        let found = self.type_of(operand);
        if found != expected {
            let span = self.body.exprs[operand].span;
            self.error(span, InvalidKind::Mismatch { expected, found });
        }
    }

    /// The scalar type of an operand; reports an operand that is not a scalar.
    pub(super) fn scalar(&mut self, operand: ExprId) -> Option<Scalar> {
        let ty = self.type_of(operand);
        let scalar = self.program.types.as_scalar(ty);
        if scalar.is_none() {
            self.error(self.body.exprs[operand].span, InvalidKind::NotScalar(ty));
        }
        scalar
    }
}
