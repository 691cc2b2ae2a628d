//! Inference of what is done with fragments of matrices.

use proc_macro2::Span;
use vyre_ir::ir::Role;

use super::Inference;
use crate::errors::Code;
use crate::syntax::tree::{Argument, Callable, Expr, ExprKind, OfFragment};
use crate::types::{Kind, Ty, fragment};

impl Inference<'_> {
    /// A function of fragments of a type.
    pub(super) fn fragment(&mut self, op: OfFragment, ty: Ty, arguments: &mut [Expr], span: Span) -> Ty {
        self.refuse_missing(ty, span);
        let found: Vec<Ty> = arguments.iter_mut().map(|argument| self.expr(argument, None)).collect();
        let &Kind::Fragment(_, element, ..) = self.tree.types.kind(ty) else {
            return Ty::REFUSED;
        };
        match (op, &found[..]) {
            (OfFragment::Load(_), &[source, ref places @ ..]) => self.region(element, source, places, false),
            (OfFragment::LoadTile(_), &[tile, ref places @ ..]) => {
                let width = self.tree.types.unknown_length();
                let rows = self.tree.types.add(Kind::Array(self.in_memory(element), width));
                self.region(rows, tile, places, false);
            }
            (OfFragment::Fill, &[value]) => self.agree(value, element),
            _ => {}
        }
        ty
    }

    /// Refuses a type of fragments that no product has, once.
    fn refuse_missing(&mut self, ty: Ty, span: Span) {
        let Some(others) = fragment::others(&self.tree.types, ty) else {
            return;
        };
        let shown = self.tree.types.show(ty).to_string();
        let start = shown.split(',').next().unwrap_or_default();
        let others: Vec<String> = others.iter().map(|(m, n)| format!("`{start}, {m}, {n}>`")).collect();
        if !self.errors.has(Code::FragmentType) {
            self.errors.refuse(
                Code::FragmentType,
                span,
                format_args!("no product of matrices has fragments `{shown}`"),
                match others.is_empty() {
                    false => format!("there are {}", others.join(", ")),
                    true => "the table of `vyre::mma` lists the types, and `mma::Tf32` is that of `f32`".to_owned(),
                },
            );
        }
    }

    /// A method of fragments: makes of the call what it is. `None` where fragments have no such method.
    pub(super) fn fragment_method(&mut self, expr: &mut Expr, receiver: Ty) -> Option<Ty> {
        let fragment = self.tree.types.referent(receiver);
        let (&Kind::Fragment(role, element, ..), ExprKind::Method(call)) =
            (self.tree.types.kind(fragment), &mut expr.kind)
        else {
            return None;
        };
        let op = match call.name.to_string().as_str() {
            "row" => OfFragment::Row,
            "column" => OfFragment::Column,
            "store" if role == Role::C => OfFragment::Store(false),
            "store_transposed" if role == Role::C => OfFragment::Store(true),
            _ => return None,
        };
        let mut arguments = vec![call.receiver.take()];
        for argument in std::mem::take(&mut call.arguments) {
            match argument {
                Argument::Value(value) => arguments.push(value),
                Argument::Order(..) | Argument::Text(_) => self.errors.mismatch(),
            }
        }
        let found: Vec<Ty> = arguments[1..]
            .iter_mut()
            .map(|argument| self.expr(argument, None))
            .collect();
        let ty = match (op, &found[..]) {
            (OfFragment::Store(_), &[target, ref places @ ..]) if places.len() == 2 => {
                self.region(element, target, places, true);
                Ty::UNIT
            }
            (OfFragment::Row | OfFragment::Column, &[number]) => {
                self.agree(number, Ty::USIZE);
                Ty::USIZE
            }
            _ => {
                self.errors.mismatch();
                Ty::REFUSED
            }
        };
        expr.kind = ExprKind::Call(Callable::Fragment(op, fragment), arguments);
        Some(ty)
    }

    /// A matrix in a slice: its start, and the distance of its rows.
    fn region(&mut self, element: Ty, slice: Ty, places: &[Ty], mutable: bool) {
        let element = self.in_memory(element);
        let wanted = self.tree.types.add(Kind::Slice(element, false));
        let wanted = self.tree.types.add(Kind::Reference(wanted, mutable));
        self.coerce(slice, wanted);
        for &place in places {
            self.agree(place, Ty::USIZE);
        }
    }

    /// The type of a fragment's elements in memory.
    fn in_memory(&self, element: Ty) -> Ty {
        match self.tree.types.kind(element) {
            Kind::Tf32 => Ty::primitive(crate::surface::Primitive::F32),
            _ => element,
        }
    }

    /// `mma::multiply_add(a, b, c)`.
    pub(super) fn multiply_add(&mut self, found: &[Ty], arguments: &[Expr]) -> Ty {
        let &[a, b, c] = found else { return Ty::REFUSED };
        let [left, right, sum] = std::array::from_fn(|_| self.tree.types.unknown());
        let mut length = || self.tree.types.unknown_length();
        let (m, n, k) = (length(), length(), length());
        for (found, kind) in [
            (a, Kind::Fragment(Role::A, left, m, k)),
            (b, Kind::Fragment(Role::B, right, k, n)),
            (c, Kind::Fragment(Role::C, sum, m, n)),
        ] {
            let expected = self.tree.types.add(kind);
            self.agree(found, expected);
        }
        if let Some(sum) = fragment::other_sum(&self.tree.types, [a, b, c])
            && !self.errors.is_left_to_rustc()
        {
            let shown = self.tree.types.show(c).to_string();
            let sizes = shown.split_once(',').map_or("", |(_, sizes)| sizes);
            self.errors.refuse(
                Code::FragmentType,
                arguments[2].span,
                format_args!("the sum of these products is `{}`, and this is `{shown}`", sum.name()),
                format_args!("write `mma::C::<{},{sizes}`", sum.name()),
            );
        }
        c
    }
}

/// True if fragments in a type have supported sizes.
pub(super) fn exists(types: &crate::types::Types, ty: Ty) -> bool {
    match *types.kind(ty) {
        Kind::Primitive(_) => true,
        Kind::Fragment(..) => fragment::fragment(types, ty).is_some(),
        Kind::Array(inner, _) | Kind::Reference(inner, _) => exists(types, inner),
        _ => types
            .fields(ty)
            .is_none_or(|fields| fields.iter().all(|&field| exists(types, field))),
    }
}
