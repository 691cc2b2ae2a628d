//! Calls: the types of their arguments and results, and the checks of what they are called on.

use vyre_abi::fault::MAX_FAULT_VALUES;
use vyre_abi::print::MAX_PRINT_VALUES;
use vyre_ir::ir::Scalar;

use super::{Inference, async_copy, memory, message};
use crate::errors::{Code, Errors};
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::{Function, Operation, Takes, Yields};
use crate::library::methods::of_width;
use crate::surface::Primitive;
use crate::syntax::tree::{Callable, Expr, ExprKind, Inline, OfFragment, Tree};
use crate::types::{Kind, Ty, fragment as shapes, is_known};

/// The most scalars of a value that threads exchange, each of which is an operation.
const MOST_EXCHANGED: u64 = 64;

impl Inference<'_> {
    pub(super) fn call(&mut self, expr: &mut Expr) -> Ty {
        let span = expr.span;
        let ExprKind::Call(callable, arguments) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        match (&*callable, &mut arguments[..]) {
            (Callable::Iterated(_), _) => self.iterated(expr),
            (Callable::Item(_), _) => self.item(expr),
            (Callable::Library(_), _) => self.library_call(expr),
            (Callable::Row(function), arguments) => self.intrinsic(function, arguments),
            (&Callable::Device(number), arguments) => self.invoke(number, arguments),
            (Callable::Closure, [callee, arguments @ ..]) => self.apply(callee, arguments),
            (&Callable::Fragment(op, ty), arguments) => self.fragment(op, ty, arguments, span),
            (&Callable::NewGroup(ty), _) => ty,
            (Callable::Do(_), _) => Ty::UNIT,
            // Made of a member, which has been typed.
            (Callable::Axis(_), _) => Ty::USIZE,
            (&Callable::Is(case), [value]) => self.is(value, case),
            (Callable::MapShared, [variable, rank]) => {
                let ty = self.expr(variable, None);
                let rank = self.expr(rank, None);
                self.agree(rank, Ty::USIZE);
                match *self.tree.types.kind(ty) {
                    Kind::Reference(inner, false) => self.tree.types.add(Kind::Reference(inner, true)),
                    _ => ty,
                }
            }
            (Callable::Access(access), [place, value @ ..]) => {
                let is_prefetch = access.is_prefetch();
                let place_ty = self.expr(place, None);
                let (inner, mutable) = match *self.tree.types.kind(place_ty) {
                    Kind::Reference(inner, mutable) => (inner, mutable),
                    Kind::Refused => (Ty::REFUSED, true),
                    _ => (self.no_part(place), true),
                };
                if let [value] = value {
                    let found = self.expr(value, None);
                    self.agree(found, inner);
                    if !mutable {
                        self.errors.mismatch();
                    }
                    return Ty::UNIT;
                }
                if is_prefetch { Ty::UNIT } else { inner }
            }
            (&Callable::Dynamic(element), length) => {
                for length in length {
                    let ty = self.expr(length, None);
                    self.agree(ty, Ty::USIZE);
                }
                let slice = self.tree.types.add(Kind::Slice(element, false));
                self.tree.types.add(Kind::Reference(slice, true))
            }
            (&Callable::From(primitive), [operand]) => {
                self.expr(operand, None);
                Ty::primitive(primitive)
            }
            (&Callable::Nearest(to, from), [operand]) => self.converted(operand, from, to),
            (&Callable::FromBits(primitive), [operand]) => {
                self.converted(operand, of_width(primitive, false), primitive)
            }
            (Callable::Assert(parts, _), [condition, values @ ..]) => {
                let ty = self.expr(condition, None);
                self.agree(ty, Ty::BOOL);
                self.message(parts, values);
                Ty::UNIT
            }
            (Callable::Panic(parts), values) => {
                self.message(parts, values);
                self.never()
            }
            (Callable::Print(parts), values) => {
                self.message(parts, values);
                Ty::UNIT
            }
            (Callable::Copy(counts), ends) => self.copy(*counts, ends),
            (Callable::Ptx(inline), [operands @ .., host]) => {
                let result = inline.result;
                for operand in operands {
                    self.expr(operand, None);
                }
                let found = self.expr(host, None);
                self.agree(found, result);
                result
            }
            // Made of a method, which has been typed.
            _ => Ty::REFUSED,
        }
    }

    /// The conversion of a value of one type to another.
    fn converted(&mut self, operand: &mut Expr, from: Primitive, to: Primitive) -> Ty {
        let ty = self.expr(operand, None);
        self.agree(ty, Ty::primitive(from));
        Ty::primitive(to)
    }

    /// An intrinsic on values.
    pub(super) fn intrinsic(&mut self, function: &Function, arguments: &mut [Expr]) -> Ty {
        let types: Vec<Ty> = arguments.iter_mut().map(|argument| self.expr(argument, None)).collect();
        if let Operation::Fast(_) = function.does
            && let Some(place) = types
                .iter()
                .position(|&ty| self.tree.types.as_primitive(ty) == Some(Primitive::F64))
            && !self.errors.is_left_to_rustc()
        {
            let path = function.path();
            let of_f64 = match path {
                "fast::sigmoid" => "1.0 / (1.0 + (-x).exp())".to_owned(),
                "fast::rsqrt" => "1.0 / x.sqrt()".to_owned(),
                "fast::div" => "x / y".to_owned(),
                "fast::exp10" => "math::exp10(x)".to_owned(),
                "fast::powf" | "fast::log" => format!("x.{}(y)", &path["fast::".len()..]),
                path => format!("x.{}()", &path["fast::".len()..]),
            };
            self.errors.refuse(
                Code::UnknownIntrinsic,
                arguments[place].span,
                format_args!("`{path}` takes `f32`, and this is `f64`"),
                format_args!("write `{of_f64}`"),
            );
            return Ty::REFUSED;
        }
        for (&found, takes) in types.iter().zip(function.takes) {
            match takes {
                Takes::Of(ty) => self.agree(found, *ty),
                // With each other, or as the operation accepts.
                Takes::Scalar | Takes::Fragment => {}
            }
        }
        match function.yields {
            Yields::Of(ty) => ty,
            Yields::Tuple(axes) => self.tree.types.tuple(vec![Ty::USIZE; axes as usize]),
            Yields::First => types.first().copied().unwrap_or(Ty::REFUSED),
            Yields::Fragment => self.multiply_add(&types, arguments),
        }
    }
}

/// True if a call has an operation on such arguments, as far as rustc does not report it.
pub(super) fn check(tree: &Tree, e: &Expr, (callable, arguments): (&Callable, &[Expr]), errors: &mut Errors) -> bool {
    let faultless = |e: &Expr| matches!(tree.types.kind(e.ty), Kind::Refused);
    match (callable, arguments) {
        (Callable::From(to), [inner]) => match tree.types.as_primitive(inner.ty) {
            Some(from) => converts(from, *to),
            None => faultless(inner),
        },
        (Callable::Fragment(OfFragment::LoadTile(transposed), ty), _) => {
            shapes::tile_load(&tree.types, *ty, *transposed).is_some()
        }
        (Callable::Row(function), _) => intrinsic(tree, function, arguments, errors),
        (Callable::Group(OfGroup::Call(function)), [_, arguments @ ..]) => intrinsic(tree, function, arguments, errors),
        (Callable::NewGroup(ty), _) => {
            if let Kind::Group(group, numbers) = tree.types.kind(*ty)
                && !numbers.iter().copied().all(is_known)
            {
                let (fault, help) = group.unsaid();
                errors.refuse(Code::Group, e.span, fault, help);
            }
            true
        }
        (Callable::Dynamic(element), _) => {
            memory::dynamic(tree, e, *element, errors);
            true
        }
        (Callable::MapShared, [variable, _]) => {
            memory::mapped(tree, variable, errors);
            true
        }
        (Callable::Access(_), [place, ..]) => {
            let held = tree.types.referent(place.ty);
            let is_scalar = tree.types.as_primitive(held).is_some_and(|it| !it.is_wide());
            if tree.types.is_plain(held) && !is_scalar && !faultless(place) {
                errors.refuse(
                    Code::CachedType,
                    place.span,
                    format_args!(
                        "loads, stores and prefetches by their caches take scalars, not `{}`",
                        tree.types.show(held)
                    ),
                    "access its parts one by one",
                );
            }
            faultless(place) || tree.types.is_plain(held)
        }
        (Callable::Assert(parts, _), [_, values @ ..]) | (Callable::Panic(parts), values) => {
            message::check(tree, (parts, values), MAX_FAULT_VALUES, errors)
        }
        (Callable::Print(parts), values) => message::check(tree, (parts, values), MAX_PRINT_VALUES, errors),
        (Callable::Copy(counts), ends) => async_copy::check(tree, e, (*counts, ends), errors),
        (Callable::Ptx(inline), [operands @ .., _]) => registers(tree, inline, operands, errors),
        _ => true,
    }
}

/// Checks that PTX takes and yields what fits into its registers.
fn registers(tree: &Tree, inline: &Inline, operands: &[Expr], errors: &mut Errors) -> bool {
    let operands = operands.iter().map(|operand| (operand.ty, operand.span));
    let results = match tree.types.is_tuple(inline.result) {
        true => tree.types.fields(inline.result).unwrap_or_default(),
        false => vec![inline.result],
    };
    for (ty, span) in operands.chain(results.into_iter().map(|ty| (ty, inline.result_span))) {
        let fits = match tree.types.as_primitive(ty) {
            Some(primitive) => primitive.scalar().size() >= 2 && !primitive.is_wide(),
            None => matches!(tree.types.kind(ty), Kind::Refused | Kind::Unknown { .. }),
        };
        if !fits {
            errors.refuse(
                Code::InlinePtx,
                span,
                format_args!("PTX has no register for a value of `{}`", tree.types.show(ty)),
                "cast it, `x as u32`: it takes and yields scalars of 16, 32 and 64 bits",
            );
        }
    }
    true
}

/// True if an intrinsic has an operation on such arguments.
fn intrinsic(tree: &Tree, function: &Function, arguments: &[Expr], errors: &mut Errors) -> bool {
    let of = |e: &Expr| tree.types.as_primitive(e.ty).map(Primitive::scalar);
    let faultless = |e: &Expr| matches!(tree.types.kind(e.ty), Kind::Refused);
    let types: Vec<_> = arguments.iter().map(|argument| argument.ty).collect();
    match (function.does, arguments.first()) {
        (Operation::MultiplyAdd, _) => {
            arguments.iter().any(faultless)
                || matches!(types[..], [a, b, c] if shapes::product(&tree.types, [a, b, c]).is_some())
        }
        (Operation::Reduce(op) | Operation::Scan(op, _), Some(value)) => {
            let accepts = |scalar| op.accepts(scalar) && scalar != Scalar::Bool;
            let is_wide = tree.types.as_wide(value.ty).is_some();
            faultless(value) || !is_wide && of(value).is_some_and(accepts)
        }
        // The scalars of structs and arrays are exchanged, each by an operation.
        (Operation::Shuffle(_), Some(value)) => {
            let scalars = tree.types.scalars(value.ty);
            let fits = scalars <= MOST_EXCHANGED;
            if !fits {
                errors.refuse(
                    Code::WarpType,
                    value.span,
                    format_args!("threads exchange at most {MOST_EXCHANGED} scalars, and this value has {scalars}"),
                    "exchange it through shared memory",
                );
            }
            !fits || faultless(value) || tree.types.exchanges(value.ty)
        }
        (_, Some(value)) => faultless(value) || of(value).is_some() && tree.types.as_wide(value.ty).is_none(),
        (_, None) => true,
    }
}

/// True if `To: From<From>` among the primitives of kernels.
fn converts(from: Primitive, to: Primitive) -> bool {
    use Primitive::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, I128, Isize, U8, U16, U32, U64, U128, Usize};
    if from == to {
        return true;
    }
    match to {
        Bool | I8 => to == I8 && from == Bool,
        U8 => from == Bool,
        U16 => matches!(from, Bool | U8),
        I16 => matches!(from, Bool | I8 | U8),
        U32 => matches!(from, Bool | U8 | U16),
        I32 => matches!(from, Bool | I8 | I16 | U8 | U16),
        U64 => matches!(from, Bool | U8 | U16 | U32),
        I64 => matches!(from, Bool | I8 | I16 | I32 | U8 | U16 | U32),
        U128 => matches!(from, Bool | U8 | U16 | U32 | U64),
        I128 => matches!(from, Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64),
        Usize => matches!(from, Bool | U8 | U16),
        Isize => matches!(from, Bool | I8 | I16 | U8),
        F16 | BF16 => matches!(from, I8 | U8),
        F32 => matches!(from, Bool | I8 | I16 | U8 | U16 | F16 | BF16),
        F64 => matches!(from, Bool | I8 | I16 | I32 | U8 | U16 | U32 | F16 | BF16 | F32),
    }
}
