//! Expressions as Rust.
//!
//! An expression becomes tokens that are valid as any operand. Scalar operations are calls of the
//! functions in `vyre_ir::semantics` with the names of the operations.

use proc_macro2::{Ident, Literal};
use vyre_abi::fault::FaultKind;
use vyre_abi::list;
use vyre_ir::ir::{BinaryOp, Builtin, Constant, ExprId, ExprKind, PlaceId, Scalar, Span, Type, TypeId};

use super::access::Comparison;
use super::body::Writer;
use super::place::Memory;
use super::types;
use crate::code::{Code, code};

impl Writer<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, id: ExprId) -> Code {
        let span = self.span;
        let expr = &self.body.exprs[id];
        if let Some(code) = self.lanes_expr(id) {
            return code;
        }
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant(*constant),
            ExprKind::External(external) if self.context.program.externals[*external].value.is_some() => {
                let external = &self.context.program.externals[*external];
                let bits = external.value.unwrap_or(0);
                self.constant(Constant {
                    scalar: external.scalar,
                    bits,
                })
            }
            ExprKind::External(external) => {
                let path = self.context.externals.get(external.index()).cloned();
                let scalar = self.context.program.externals[*external].scalar;
                let size = Literal::u32_unsuffixed(scalar.size());
                // Through the bits, because a constant of another type is rustc's to report, once.
                let bits = code!(span=> __v::bits(&#path, #size));
                match scalar {
                    Scalar::Bool => code!(span=> const { #bits != 0 }),
                    Scalar::F16 | Scalar::BF16 => {
                        let ty = self.ident(types::scalar_name(scalar));
                        code!(span=> const { #ty::from_bits(#bits as u16) })
                    }
                    Scalar::F32 => code!(span=> const { f32::from_bits(#bits as u32) }),
                    Scalar::F64 => code!(span=> const { f64::from_bits(#bits) }),
                    _ => {
                        let ty = self.ident(scalar.name());
                        code!(span=> const { #bits as #ty })
                    }
                }
            }
            ExprKind::Builtin(builtin) => self.builtin(*builtin),
            ExprKind::Load(place) => {
                if let Some(index) = self.index_at(*place) {
                    return self.expr(index);
                }
                let target = self.place(*place);
                let types = &self.context.program.types;
                let is_checked = match target.memory {
                    Memory::Own | Memory::Table => false,
                    // Any bits may lie there.
                    Memory::Plain | Memory::Shared => types::has_bool(types, expr.ty),
                    Memory::Racy => true,
                };
                if !is_checked || !types::is_memory(types, expr.ty) {
                    return self.value(target);
                }
                let is_bool = types.as_scalar(expr.ty) == Some(Scalar::Bool);
                let load = self.ident(match is_bool && target.memory != Memory::Racy {
                    true => "__truth",
                    false => "__load",
                });
                let pointer = self.pointer(target);
                code!(span=> #load(#pointer))
            }
            ExprKind::Length(place) => {
                let target = self.place(*place);
                let slice = self.value(target);
                code!(span=> #slice.length)
            }
            ExprKind::Reference(place) => {
                let target = self.place(*place);
                self.pointer(target)
            }
            ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            } => self.subslice(*place, *start, *end, *checked, expr.span),
            ExprKind::Regroup(operand) => {
                let slice = self.expr(*operand);
                let from = self.type_of(self.body.exprs[*operand].ty);
                match (from, self.type_of(expr.ty)) {
                    (&Type::Slice { element: one, .. }, &Type::Slice { element: array, .. }) => {
                        match *self.type_of(array) {
                            Type::Array { element, length } if element == one => {
                                let length = self.number(length);
                                code!(span=> #slice.chunks::<#length>())
                            }
                            _ => code!(span=> #slice.flattened()),
                        }
                    }
                    _ => slice,
                }
            }
            ExprKind::DynamicShared { offset, length } => {
                let element = match self.type_of(expr.ty) {
                    &Type::Slice { element, .. } => self.ty(element),
                    _ => self.ty(expr.ty),
                };
                let offset = self.expr(*offset);
                match length {
                    Some(length) => {
                        let length = self.expr(*length);
                        let site = self.site(FaultKind::SharedMemory, expr.span, "");
                        code!(span=> __t.shared_slice::<#element>(#offset, #length, #site)?)
                    }
                    None => code!(span=> __t.shared_rest::<#element>(#offset)),
                }
            }
            ExprKind::Unary { op, operand } => {
                let half = self.half(*operand);
                let (name, operand) = (self.operation(op.name()), self.expr(*operand));
                match half {
                    Some(half) => code!(span=> #half::narrow(#name(#operand.widen()))),
                    None => code!(span=> #name(#operand)),
                }
            }
            ExprKind::Binary { op, left, right } => self.binary(id, *op, *left, *right, expr.span),
            ExprKind::MulAdd { a, b, c } => {
                let (a, b, c) = (self.expr(*a), self.expr(*b), self.expr(*c));
                code!(span=> __mul_add(#a, #b, #c))
            }
            ExprKind::And { left, right } => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                code!(span=> (#left && #right))
            }
            ExprKind::Or { left, right } => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                code!(span=> (#left || #right))
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let (condition, then, otherwise) = (self.expr(*condition), self.expr(*then), self.expr(*otherwise));
                code!(span=> (if #condition { #then } else { #otherwise }))
            }
            ExprKind::Cast(operand) => self.cast(*operand, expr.ty),
            ExprKind::Bitcast(operand) => self.bitcast(*operand, expr.ty),
            ExprKind::Construct(parts) => {
                let parts: Vec<_> = list::map(parts, |&part| self.expr(part));
                match self.type_of(expr.ty) {
                    // Its uses need not tell rustc what the elements would be.
                    Type::Array { .. } if parts.is_empty() => {
                        let ty = types::ty(&self.context.program.types, expr.ty, span);
                        code!(span=> ({ let __none: #ty = []; __none }))
                    }
                    Type::Array { .. } => code!(span=> [#parts]),
                    Type::Tuple(fields) if fields.is_empty() => code!(span=> ()),
                    _ => {
                        let name = types::aggregate(expr.ty, span);
                        let fields = parts.into_iter().enumerate();
                        let fields: Vec<_> = fields
                            .map(|(index, part)| {
                                let field = types::field(index, span);
                                code!(span=> #field: #part)
                            })
                            .collect();
                        code!(span=> (#name { #fields }))
                    }
                }
            }
            ExprKind::Repeat(operand) => {
                let operand = self.expr(*operand);
                let length = match self.type_of(expr.ty) {
                    Type::Array { length, .. } => *length,
                    _ => 0,
                };
                let length = Literal::u64_unsuffixed(length);
                code!(span=> [#operand; #length])
            }
            ExprKind::MapShared { reference, rank } => {
                let (reference, rank) = (self.expr(*reference), self.expr(*rank));
                let site = self.site(FaultKind::ClusterRank, expr.span, "");
                let is_slice = matches!(self.type_of(expr.ty), Type::Slice { .. });
                let method = self.ident(if is_slice { "map_slice" } else { "map_shared" });
                code!(span=> __t.#method(#reference, #rank, #site)?)
            }
            ExprKind::Within { index, length, extent } => {
                let (index, length) = (self.expr(*index), self.expr(*length));
                let site = self.site(extent.fault(), expr.span, "");
                code!(span=> (__t.index(#index, #length, #site)? as u64))
            }
            ExprKind::Field { operand, index } => {
                let (operand, field) = (self.expr(*operand), types::field(*index as usize, span));
                code!(span=> #operand.#field)
            }
        }
    }

    /// The site of a fault at a place in the program, by which a body reports it.
    pub(super) fn site(&mut self, kind: FaultKind, span: Span, message: &str) -> Literal {
        let number = self.sites.number(kind, span, message);
        self.number(number as u64)
    }

    /// The same for an index or range of what a place is after `steps` projections.
    pub(super) fn site_of_place(&mut self, kind: FaultKind, (place, steps): (PlaceId, usize), span: Span) -> Literal {
        let name = self.context.program.place_name(self.body, place, steps);
        self.site(kind, span, &name)
    }

    fn constant(&self, constant: Constant) -> Code {
        let span = self.span;
        let bits = constant.bits;
        let literal = |literal: Literal, negative: bool| {
            let mut literal = literal;
            literal.set_span(span);
            if negative {
                code!(span=> (-#literal))
            } else {
                code!(span=> #literal)
            }
        };
        let magnitude = constant.as_i128().unsigned_abs();
        let negative = constant.as_i128() < 0;
        match constant.scalar {
            Scalar::Bool => {
                let name = self.ident(if bits == 0 { "false" } else { "true" });
                code!(span=> #name)
            }
            // A magnitude of a literal may be one more than the type's largest value: that of `MIN`.
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                let text = format!("{magnitude}{}", constant.scalar.name());
                let parsed = text.parse().unwrap_or_else(|_| Literal::u128_unsuffixed(magnitude));
                literal(parsed, negative)
            }
            Scalar::U8 => literal(Literal::u8_suffixed(bits as u8), false),
            Scalar::U16 => literal(Literal::u16_suffixed(bits as u16), false),
            Scalar::U32 => literal(Literal::u32_suffixed(bits as u32), false),
            Scalar::U64 => literal(Literal::u64_suffixed(bits), false),
            Scalar::F16 | Scalar::BF16 => {
                let ty = self.ident(types::scalar_name(constant.scalar));
                let bits = Literal::u16_suffixed(bits as u16);
                code!(span=> #ty::from_bits(#bits))
            }
            Scalar::F32 => {
                let value = f32::from_bits(bits as u32);
                if value.is_finite() {
                    literal(Literal::f32_suffixed(value.abs()), value.is_sign_negative())
                } else {
                    let bits = Literal::u32_suffixed(bits as u32);
                    code!(span=> f32::from_bits(#bits))
                }
            }
            Scalar::F64 => {
                let value = f64::from_bits(bits);
                if value.is_finite() {
                    literal(Literal::f64_suffixed(value.abs()), value.is_sign_negative())
                } else {
                    let bits = Literal::u64_suffixed(bits);
                    code!(span=> f64::from_bits(#bits))
                }
            }
        }
    }

    pub(super) fn builtin(&self, builtin: Builtin) -> Code {
        let span = self.span;
        let kernel = self.context.kernel;
        let method = |name: &str, axis: vyre_ir::ir::Axis| {
            let (name, axis) = (self.ident(name), Literal::usize_unsuffixed(axis.index()));
            code!(span=> __t.#name(#axis))
        };
        match builtin {
            Builtin::ThreadIndex(axis) => method("thread", axis),
            Builtin::BlockIndex(axis) => method("block", axis),
            Builtin::GridSize(axis) => method("grid", axis),
            Builtin::GlobalIndex(axis) => method("global", axis),
            Builtin::LinearIndex if kernel.dimensions == 1 => method("global", vyre_ir::ir::Axis::X),
            Builtin::LinearIndex => code!(span=> __t.linear()),
            Builtin::LaneIndex => code!(span=> __t.lane()),
            Builtin::OnGpu => code!(span=> false),
            Builtin::ClusterSize(axis) => {
                let size = Literal::u32_suffixed(self.cluster_size(axis));
                code!(span=> #size)
            }
            Builtin::ClusterBlock(axis) if self.cluster_size(axis) == 1 => {
                let zero = Literal::u32_suffixed(0);
                code!(span=> #zero)
            }
            Builtin::ClusterIndex(axis) if self.cluster_size(axis) == 1 => method("block", axis),
            Builtin::ClusterBlock(axis) => {
                let (block, size) = (method("block", axis), Literal::u32_suffixed(self.cluster_size(axis)));
                code!(span=> (#block % #size))
            }
            Builtin::ClusterIndex(axis) => {
                let (block, size) = (method("block", axis), Literal::u32_suffixed(self.cluster_size(axis)));
                code!(span=> (#block / #size))
            }
            Builtin::BlockSize(axis) => {
                let size = Literal::u32_suffixed(kernel.block[axis.index()]);
                code!(span=> #size)
            }
        }
    }

    fn cluster_size(&self, axis: vyre_ir::ir::Axis) -> u32 {
        self.context.kernel.cluster.map_or(1, |cluster| cluster[axis.index()])
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId, place: Span) -> Code {
        let span = self.span;
        let scalar = self.context.program.types.as_scalar(self.body.exprs[left].ty);
        let divisor = match self.body.exprs[right].kind {
            ExprKind::Constant(constant) => constant.as_i128(),
            _ => 0,
        };
        let half = scalar.and_then(|scalar| self.half_of(scalar));
        let (left, right) = (self.expr(left), self.expr(right));
        if let Some(Comparison { inside, is_left }) = self.accesses.comparison(id) {
            let method = self.ident(if inside { "own_lt" } else { "own_ge" });
            let (own, bound) = if is_left { (left, right) } else { (right, left) };
            return code!(span=> __t.#method(#own, #bound));
        }
        let value = self.combined(op, half, left, right);
        if scalar.is_some_and(|scalar| op.may_fault(scalar)) {
            if divisor != 0 && divisor != -1 {
                return code!(span=> __quotient(#value));
            }
            let zero = self.site(FaultKind::DivisionByZero, place, "");
            let overflow = match scalar {
                Some(scalar) if scalar.is_signed() => self.site(FaultKind::DivisionOverflow, place, ""),
                _ => zero.clone(),
            };
            return code!(span=> __t.division(#value, #zero, #overflow)?);
        }
        value
    }

    /// A binary operation that does not fault, on two values; in `f32` if they are floats of 16 bits.
    pub(super) fn combined(&self, op: BinaryOp, half: Option<Ident>, left: Code, right: Code) -> Code {
        let (span, name) = (self.span, self.operation(op.name()));
        match half {
            Some(half) if !op.is_comparison() => code!(span=> #half::narrow(#name(#left.widen(), #right.widen()))),
            Some(_) => code!(span=> #name(#left.widen(), #right.widen())),
            None => code!(span=> #name(#left, #right)),
        }
    }

    /// The type of an expression, if it is a float of 16 bits: operations on those are done in `f32`.
    fn half(&self, expr: ExprId) -> Option<Ident> {
        self.half_of(self.context.program.types.as_scalar(self.body.exprs[expr].ty)?)
    }

    /// A float of 16 bits.
    pub(super) fn half_of(&self, scalar: Scalar) -> Option<Ident> {
        scalar.is_half().then(|| self.ident(types::scalar_name(scalar)))
    }

    fn cast(&mut self, operand: ExprId, to: TypeId) -> Code {
        let span = self.span;
        let types = &self.context.program.types;
        let (from, to) = (types.as_scalar(self.body.exprs[operand].ty), types.as_scalar(to));
        let mut value = self.expr(operand);
        let (Some(from), Some(to)) = (from, to) else {
            return value;
        };
        let ty = self.ident(types::scalar_name(to));
        if from.is_half() {
            if from == to {
                return value;
            }
            value = code!(span=> #value.widen());
        }
        match from {
            _ if !to.is_half() => code!(span=> (#value as #ty)),
            Scalar::F64 => code!(span=> #ty::narrow_wide(#value)),
            // By way of `f32`, integers too.
            _ => code!(span=> #ty::narrow(#value as f32)),
        }
    }

    fn bitcast(&mut self, operand: ExprId, to: TypeId) -> Code {
        let span = self.span;
        let types = &self.context.program.types;
        let (from, to) = (types.as_scalar(self.body.exprs[operand].ty), types.as_scalar(to));
        let operand = self.expr(operand);
        let (Some(from), Some(to)) = (from, to) else {
            return operand;
        };
        let ty = self.ident(types::scalar_name(to));
        match (from.is_float(), to.is_float()) {
            (true, true) if from != to => code!(span=> #ty::from_bits(__to_bits(#operand))),
            (true, true) => operand,
            (true, false) => code!(span=> (__to_bits(#operand) as #ty)),
            (false, true) => {
                let bits = self.ident(match to.size() {
                    2 => "u16",
                    4 => "u32",
                    _ => "u64",
                });
                code!(span=> #ty::from_bits(#operand as #bits))
            }
            (false, false) => code!(span=> (#operand as #ty)),
        }
    }

    fn subslice(&mut self, place: PlaceId, start: ExprId, end: ExprId, checked: bool, at: Span) -> Code {
        let span = self.span;
        let target = self.place(place);
        let slice = match self.type_of(target.ty) {
            &Type::Array { element, length } => {
                let (pointer, element) = (self.pointer(target), self.ty(element));
                let length = self.number(length);
                code!(span=> __Slice { pointer: (#pointer).cast::<#element>(), length: #length })
            }
            _ => self.value(target),
        };
        let (start, end) = (self.expr(start), self.expr(end));
        if checked {
            let site = self.site_of_place(FaultKind::RangeOutOfBounds, (place, usize::MAX), at);
            code!(span=> __t.part(#slice, #start, #end, #site)?)
        } else {
            code!(span=> #slice.part(#start, #end))
        }
    }
}
