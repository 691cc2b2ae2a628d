//! Inference of expressions whose type is a placeholder for a generic parameter: see
//! [`crate::syntax::placeholder`].

use super::Inference;
use crate::errors::Errors;
use crate::library::methods::on;
use crate::library::{self, Row, methods};
use crate::surface::Primitive;
use crate::syntax::obligations::{Method, Obligation};
use crate::syntax::placeholder::Placeholder;
use crate::syntax::tree::{Argument, Block, Expr, ExprKind, Tree};
use crate::syntax::{self, Receiver, TRAITS, Trait};
use crate::types::Ty;

/// Types a generic function independently of its instances, as far as its obligations need it. Its
/// errors are reported for the instances.
pub(crate) fn polymorphic(tree: &mut Tree, errors: &mut Errors) {
    let mut body = std::mem::replace(&mut tree.body, Block::empty());
    let mut inference = Inference::new(tree, errors);
    let found = inference.block(&mut body, None);
    let result = inference.tree.result;
    inference.agree(found, result);
    tree.types.default_literals(0);
}

impl Inference<'_> {
    /// The result type of an operator as a placeholder's bounds have it; `None` if none is a placeholder.
    pub(super) fn placeholder_operator(&mut self, of: &str, left: Ty, right: Option<Ty>) -> Option<Ty> {
        let Some(it) = self.tree.placeholder(left) else {
            let is_of_right = right.is_some_and(|right| self.tree.placeholder(right).is_some());
            return (is_of_right && !self.tree.types.is_own(left)).then_some(Ty::REFUSED);
        };
        let bounds = it.bounds.iter();
        let bounds = bounds.filter(|bound| matches!(&bound.by, Trait::Other(name) if name == of));
        let types = &self.tree.types;
        let said = bounds.map(|bound| (bound.arguments.first().copied().unwrap_or(left), bound));
        let mut fitting = said.filter(|&(other, _)| right.is_none_or(|right| types.may_be(other, right)));
        let found = fitting.next().map(|(other, bound)| {
            let output = bound.types.iter().find(|(name, _)| name == "Output");
            // If the trait has arguments, the trait alone does not identify it.
            let by = bound.arguments.is_empty().then_some(of);
            (other, output.map(|&(_, ty)| ty), by)
        });
        let is_number = it.is_number();
        Some(match found {
            Some((other, output, by)) => {
                if let Some(right) = right {
                    self.agree(right, other);
                }
                match output {
                    Some(output) => output,
                    None if is_number => left,
                    None => syntax::output(self.tree, self.errors, left, by).unwrap_or(Ty::REFUSED),
                }
            }
            None if is_number => {
                let expected = match of {
                    "Shl" | "Shr" => Ty::U32,
                    _ => left,
                };
                if let Some(right) = right {
                    self.agree(right, expected);
                }
                left
            }
            None => Ty::REFUSED,
        })
    }

    /// A method that a placeholder type has by none of its bounds, or that kernels do not support.
    pub(super) fn placeholder_method(&mut self, expr: &mut Expr, receiver: Ty) -> Ty {
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        let (name, of) = (call.name.to_string(), self.tree.types.referent(receiver));
        if self.tree.placeholder(of).is_some_and(|it| it.has_mathematics(&name))
            && let Some(row) = library::mathematical_method(&name)
        {
            let name = call.name.clone();
            self.known_method(&name, receiver, on::FLOAT, None);
            return self.placeholder_mathematics(expr, row, receiver);
        }
        let takes = TRAITS.into_iter().find_map(|by| {
            let takes = brings(by, &name)?;
            let has = |it: &Placeholder| it.is(by) || it.is_number();
            self.tree.placeholder(of).is_some_and(has).then_some(takes)
        });
        match takes {
            Some(takes) => self.tree.oblige(Obligation::Method(Method {
                name: call.name.clone(),
                on: receiver,
                takes,
                of_trait: None,
            })),
            None if methods::instead(&name).is_some() => {}
            None => self.tree.unseen(of, &call.name),
        }
        for argument in &mut call.arguments {
            if let Argument::Value(value) = argument {
                self.expr(value, None);
            }
        }
        Ty::REFUSED
    }
}

impl Inference<'_> {
    /// The result of a function of mathematics on a placeholder, whose types its head has: `Self`, `i32` and pairs.
    pub(super) fn placeholder_mathematics(&mut self, expr: &mut Expr, row: &Row, receiver: Ty) -> Ty {
        let of = self.tree.types.referent(receiver);
        let i32 = Ty::primitive(Primitive::I32);
        let (takes, gives) = row.source.split_once("->").unwrap_or((row.source, "Self"));
        let typed = |name: &str| if name.contains("i32") { i32 } else { of };
        let parameters = takes.split(',').map(typed).collect::<Vec<_>>();
        if self
            .values_on(expr, receiver, &parameters, &vec![None; parameters.len()])
            .is_none()
        {
            return Ty::REFUSED;
        }
        // The body of a half's function follows.
        match gives.split('{').next().and_then(|gives| gives.split_once(',')) {
            Some((first, second)) => {
                let fields = vec![typed(first), typed(second)];
                self.tree.types.tuple(fields)
            }
            None => of,
        }
    }
}

/// The receiver of the method of this name in a trait of Rust's operators or comparisons.
fn brings(by: &str, method: &str) -> Option<Receiver> {
    let is_operator = method.replace('_', "") == by.to_lowercase();
    match by {
        "PartialEq" => ["eq", "ne"].contains(&method).then_some(Receiver::Shared),
        "PartialOrd" => ["partial_cmp", "lt", "le", "gt", "ge"]
            .contains(&method)
            .then_some(Receiver::Shared),
        "Ord" => (method == "cmp").then_some(Receiver::Shared),
        "Clone" => is_operator.then_some(Receiver::Shared),
        _ if by.ends_with("Assign") => is_operator.then_some(Receiver::Mutable),
        _ => is_operator.then_some(Receiver::Value),
    }
}
