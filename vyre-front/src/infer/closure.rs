//! Inference of closures, of their calls, and of calls that pass them.

use super::Inference;
use crate::errors::{Code, Errors};
use crate::library::methods::Does;
use crate::resolve::impls::shown;
use crate::syntax::tree::{Callable, Closure, Expr, ExprKind, LoneClosure, Tree};
use crate::types::{Kind, Ty};

impl Inference<'_> {
    /// The call of a device function.
    pub(super) fn invoke(&mut self, number: usize, arguments: &mut [Expr]) -> Ty {
        let callee = &self.tree.calls[number];
        let (parameters, takes, result) = (callee.parameters.clone(), callee.takes.clone(), callee.result);
        self.passed(&parameters, &takes, arguments);
        let callee = &self.tree.calls[number];
        // Those that collectives hand to each other are the user's.
        if callee.names.is_collectives()
            && !self.tree.traits.here.is_collectives()
            && let Some(last) = arguments.last()
        {
            let name = shown(callee.owner.as_deref(), &callee.item);
            self.runs_alone(last, Some(name));
        }
        result
    }

    /// The arguments of a call. As rustc does, closures are typed after all others, which may say what they
    /// take.
    pub(super) fn passed(&mut self, parameters: &[Ty], takes: &[Option<(Vec<Ty>, Ty)>], arguments: &mut [Expr]) {
        for (position, argument) in arguments.iter_mut().enumerate() {
            if closure_in(argument).is_none() {
                let found = self.placed(argument, parameters[position]);
                let found = self.reborrowed(argument, found, parameters[position]);
                self.coerce(found, parameters[position]);
                self.called(found, &takes[position]);
            }
        }
        for (position, argument) in arguments.iter_mut().enumerate() {
            if let Some(closure) = closure_in(argument) {
                let ty = self.closure(closure, takes[position].as_ref());
                let found = around(self, argument, ty);
                self.coerce(found, parameters[position]);
            }
        }
    }

    /// Reads through references to a reference, where one to a value is expected.
    pub(super) fn reborrowed(&mut self, argument: &mut Expr, found: Ty, expected: Ty) -> Ty {
        let types = &self.tree.types;
        let (Kind::Reference(inner, _), Kind::Reference(wanted, false)) = (types.kind(found), types.kind(expected))
        else {
            return found;
        };
        let is_value = !matches!(types.kind(*wanted), Kind::Reference(..) | Kind::Unknown { .. });
        if !is_value || !types.is_reference(*inner) {
            return found;
        }
        self.through_outer_references(argument, found);
        argument.ty
    }

    /// The closure of `fetch_update`, which makes an `Option` of a new value from the one in the cell.
    pub(super) fn update(&mut self, argument: &mut Expr, value: Ty) {
        let option = self.tree.types.option(value);
        let takes = Some((vec![value], option));
        match closure_in(argument) {
            Some(closure) => {
                let ty = self.closure(closure, takes.as_ref());
                around(self, argument, ty);
            }
            None => {
                let found = self.expr(argument, None);
                self.called(found, &takes);
            }
        }
        if !self.runs_alone(argument, None) {
            self.errors.mismatch();
        }
    }

    /// Notes that no thread may wait in an argument that is called by `collective`, or `fetch_update`; false if it is no
    /// closure.
    pub(super) fn runs_alone(&mut self, argument: &Expr, collective: Option<String>) -> bool {
        let of = self.tree.types.as_closure(argument.ty);
        self.tree.lone.extend(of.map(|of| LoneClosure { of, collective }));
        of.is_some()
    }

    /// An argument that is called has the signature of the parameter.
    fn called(&mut self, found: Ty, takes: &Option<(Vec<Ty>, Ty)>) {
        if let (Some(number), Some((inputs, output))) = (self.tree.types.as_closure(found), takes) {
            self.signature(number, inputs, *output);
        }
    }

    fn signature(&mut self, number: usize, inputs: &[Ty], output: Ty) {
        let of = &self.tree.types.closures[number];
        let (parameters, result) = (of.parameters.clone(), of.result);
        if parameters.len() != inputs.len() {
            self.errors.mismatch();
        }
        for (parameter, &input) in parameters.into_iter().zip(inputs) {
            self.agree(input, parameter);
        }
        self.agree(output, result);
    }

    /// A closure, which takes and yields what is expected of it.
    pub(super) fn closure(&mut self, closure: &mut Closure, expected: Option<&(Vec<Ty>, Ty)>) -> Ty {
        let Some(number) = self.tree.types.as_closure(closure.ty) else {
            return Ty::REFUSED;
        };
        if let Some((inputs, output)) = expected {
            self.signature(number, inputs, *output);
        }
        let result = self.tree.types.closures[number].result;
        let outer = std::mem::replace(&mut self.tree.result, result);
        let is_kernel = std::mem::take(&mut self.tree.is_kernel);
        let before = self.diverges;
        let found = self.block(&mut closure.body, None);
        self.agree(found, result);
        self.diverges = before;
        self.tree.result = outer;
        self.tree.is_kernel = is_kernel;
        closure.ty
    }

    /// The call of a closure.
    pub(super) fn apply(&mut self, callee: &mut Expr, arguments: &mut [Expr]) -> Ty {
        let callee_ty = self.expr(callee, None);
        let signature = self.tree.types.as_closure(callee_ty).map(|number| {
            let of = &self.tree.types.closures[number];
            (of.parameters.clone(), of.result)
        });
        let Some((parameters, result)) = signature else {
            for argument in arguments {
                self.expr(argument, None);
            }
            if !matches!(self.tree.types.kind(callee_ty), Kind::Refused) {
                self.errors.mismatch();
            }
            return Ty::REFUSED;
        };
        if parameters.len() != arguments.len() {
            self.errors.mismatch();
        }
        for (argument, parameter) in arguments.iter_mut().zip(parameters) {
            let found = self.expr(argument, None);
            let found = self.reborrowed(argument, found, parameter);
            self.coerce(found, parameter);
        }
        result
    }
}

/// The closure that an argument is, or that it refers to.
fn closure_in(argument: &mut Expr) -> Option<&mut Closure> {
    match &mut argument.kind {
        ExprKind::Closure(closure) => Some(closure),
        ExprKind::Borrow(inner, _) => closure_in(inner),
        _ => None,
    }
}

/// Types an argument around the closure in it.
fn around(inference: &mut Inference, argument: &mut Expr, closure: Ty) -> Ty {
    argument.ty = match &mut argument.kind {
        ExprKind::Borrow(inner, mutable) => {
            let inner = around(inference, inner, closure);
            inference.tree.types.add(Kind::Reference(inner, *mutable))
        }
        _ => closure,
    };
    argument.ty
}

/// Checks that closures occur only where kernels allow them, and that they return values.
pub(super) fn check(tree: &Tree, e: &Expr, errors: &mut Errors) {
    let takes = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Call(Callable::Closure | Callable::Device(_), _) | ExprKind::Borrow(..) | ExprKind::Deref(_)
        ) || matches!(kind, ExprKind::Method(call) if call.does(Does::Update))
    };
    if !takes(&e.kind) {
        e.each_child(&mut |child| misplaced(tree, child, errors), &mut |_| {});
    }
    if let ExprKind::Closure(closure) = &e.kind
        && let Some(number) = tree.types.as_closure(closure.ty)
    {
        let result = tree.types.closures[number].result;
        let is_closure = tree.types.as_closure(result).is_some();
        if tree.types.is_place(result) && !is_closure || matches!(tree.types.kind(result), Kind::Reference(..)) {
            errors.refuse(
                Code::FunctionResult,
                e.span,
                "a closure in a kernel returns values: a reference is not one",
                "return the element, or its index; `.copied()` makes values of the references of an `Option` or an iterator",
            );
        }
    }
}

/// Refuses a closure as a part of something else.
pub(super) fn misplaced(tree: &Tree, e: &Expr, errors: &mut Errors) {
    // For a block the error is reported at its end.
    let is_block = matches!(e.kind, ExprKind::Block(..) | ExprKind::If(..));
    if tree.types.as_closure(e.ty).is_some() && !is_block {
        errors.refuse(
            Code::Closure,
            e.span,
            "a closure in a kernel is called, or passed to a device function, and nothing else",
            "write the code where the value is needed, or call the closure there",
        );
    }
}
