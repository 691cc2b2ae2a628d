//! The captures of closures: variables of the enclosing function that they mention.
//!
//! A closure becomes a separate function, whose first parameters are its captures: a modified
//! variable as a `&mut`, a read one by value, or as a `&` if it is compound. Code that calls the
//! closure, or passes it on, holds these. While a closure lives, Rust prevents changes of the
//! variables that it reads, so a value may be copied at each call.

use proc_macro2::Span;

use super::places;
use crate::errors::{Code, Errors};
use crate::library::methods::Gives;
use crate::syntax::tree::{Block, Expr, ExprKind, Origin, Statement, Tree};
use crate::types::{Kind, Ty};

/// Finds what the closures of a tree capture, and which variables hold that. Types are known.
pub(crate) fn find(tree: &mut Tree, errors: &mut Errors) {
    let body = std::mem::replace(&mut tree.body, Block::empty());
    block(tree, &body, errors);
    tree.body = body;
}

fn block(tree: &mut Tree, of: &Block, errors: &mut Errors) {
    for statement in &of.statements {
        match statement {
            Statement::Let {
                local,
                init: Some(init),
                ..
            } => {
                expr(tree, init, errors);
                if let (Some(local), Some(_)) = (local, tree.types.as_closure(init.ty)) {
                    keep(tree, *local, init);
                }
            }
            Statement::Let { init: None, .. } => {}
            Statement::Expr(inner, _) => expr(tree, inner, errors),
        }
    }
    if let Some(tail) = &of.tail {
        expr(tree, tail, errors);
    }
}

fn expr(tree: &mut Tree, of: &Expr, errors: &mut Errors) {
    let (mut children, mut blocks) = (Vec::new(), Vec::new());
    of.each_child(&mut |child| children.push(child), &mut |inner| blocks.push(inner));
    children.into_iter().for_each(|child| expr(tree, child, errors));
    blocks.into_iter().for_each(|inner| block(tree, inner, errors));
    if let ExprKind::Closure(closure) = &of.kind {
        let mut mentions = Mentions {
            tree,
            found: Vec::new(),
            own: closure.parameters.clone(),
            moved: Vec::new(),
        };
        mentions.block(&closure.body);
        let Mentions {
            mut found, own, moved, ..
        } = mentions;
        if let Some((local, span)) = moved.into_iter().find(|(local, _)| !own.contains(local)) {
            errors.refuse(
                Code::Reference,
                span,
                format_args!(
                    "a closure in a kernel does not let `{}`, a reference of the function around it, refer to something else",
                    tree.locals[local].name
                ),
                "return the bounds or the index from the closure, and assign the reference outside of it",
            );
        }
        found.retain(|(local, _)| !own.contains(local) && !tree.types.is_unit(tree.locals[*local].ty));
        capture(tree, closure.number, &found, errors);
    }
}

/// Notes what a closure captures; true for what it changes.
fn capture(tree: &mut Tree, number: usize, found: &[(usize, bool)], errors: &mut Errors) {
    let mut types = Vec::with_capacity(found.len());
    for &(local, changes) in found {
        let ty = tree.locals[local].ty;
        if places::is_optional(tree, ty) {
            errors.refuse(
                Code::Closure,
                tree.closures[number].span,
                format_args!(
                    "this closure takes `{}` along, which may lack its element",
                    tree.locals[local].name
                ),
                "take the `Option` apart before the closure",
            );
        }
        types.push(match tree.types.kind(ty) {
            Kind::Reference(..) | Kind::Matrix(..) => ty,
            _ if changes => {
                if tree.closures[number].is_move {
                    errors.refuse(
                        Code::Closure,
                        tree.closures[number].span,
                        format_args!(
                            "this closure modifies its own copy of `{}`, and copies of a closure are not distinguished",
                            tree.locals[local].name
                        ),
                        "leave `move` out, or pass the variable as `&mut`",
                    );
                }
                tree.types.add(Kind::Reference(ty, true))
            }
            Kind::Index3 => ty,
            _ if tree.types.as_cell(ty).is_some() || tree.types.as_wide(ty).is_some() => ty,
            _ => tree.types.add(Kind::Reference(ty, false)),
        });
    }
    let closure = &mut tree.closures[number];
    closure.locals = found.iter().map(|&(local, _)| local).collect();
    closure.held = closure.locals.clone();
    tree.types.closures[closure.of].captures = types;
}

/// `let kept = closure;`: the variable holds what the closure does. One that is `move` keeps copies.
fn keep(tree: &mut Tree, kept: usize, closure: &Expr) {
    if let ExprKind::Closure(closure) = &closure.kind
        && tree.closures[closure.number].is_move
    {
        let mut held = tree.closures[closure.number].locals.clone();
        for local in &mut held {
            let kept = &tree.locals[*local];
            if kept.mutable || !matches!(tree.types.kind(kept.ty), Kind::Reference(..) | Kind::Matrix(..)) {
                *local = copy(tree, *local);
            }
        }
        tree.closures[closure.number].held = held;
    }
    let held = tree.held_by(closure).to_vec();
    tree.held.push((kept, held));
}

/// A copy of a variable.
fn copy(tree: &mut Tree, local: usize) -> usize {
    let original = &tree.locals[local];
    let copy = crate::syntax::tree::Local {
        name: original.name.clone(),
        ty: original.ty,
        mutable: false,
        read: false,
        origin: Origin::Declared,
    };
    tree.locals.push(copy);
    tree.locals.len() - 1
}

/// The locals that the body of a closure mentions, and those that it declares.
struct Mentions<'t> {
    tree: &'t Tree,
    /// Each once, and whether it is changed.
    found: Vec<(usize, bool)>,
    own: Vec<usize>,
    /// References that it assigns.
    moved: Vec<(usize, Span)>,
}

impl Mentions<'_> {
    fn block(&mut self, of: &Block) {
        for statement in &of.statements {
            if let Statement::Let {
                local: Some(local),
                init,
                ..
            } = statement
            {
                self.own.push(*local);
                if let Some(init) = init {
                    // Copies that a closure in this one keeps.
                    self.own.extend(self.tree.held_by(init).iter().filter(|&held| {
                        matches!(&init.kind, ExprKind::Closure(inner) if !self.tree.closures[inner.number].locals.contains(held))
                    }));
                }
            }
        }
        of.each_child(&mut |child| self.expr(child));
    }

    fn mention(&mut self, local: usize, changes: bool) {
        if let Some(known) = self.found.iter_mut().find(|(known, _)| *known == local) {
            known.1 |= changes;
        } else if self.tree.types.as_closure(self.tree.locals[local].ty).is_none() {
            self.found.push((local, changes));
        }
    }

    fn expr(&mut self, of: &Expr) {
        match &of.kind {
            ExprKind::Local(local) => {
                self.mention(*local, false);
                if let Some(number) = self.tree.types.as_closure(of.ty) {
                    let captures = &self.tree.types.closures[number].captures;
                    for (&held, &ty) in self.tree.held_by(of).iter().zip(captures) {
                        self.mention(held, self.changes(held, ty));
                    }
                }
            }
            ExprKind::Assign(_, target, _) | ExprKind::Borrow(target, true) => {
                if let (ExprKind::Assign(None, ..), &ExprKind::Local(local)) = (&of.kind, &target.kind)
                    && self.tree.types.is_reference(self.tree.locals[local].ty)
                {
                    self.moved.push((local, of.span));
                }
                self.changed(target);
            }
            ExprKind::Method(call) => {
                let finds = call.method.is_some_and(|method| method.gives == Gives::Sought(true));
                if finds || matches!(self.tree.types.kind(of.ty), Kind::Reference(_, true)) {
                    self.changed(&call.receiver);
                }
            }
            ExprKind::For(for_) => self.own.extend(for_.local),
            ExprKind::Closure(closure) => self.own.extend(&closure.parameters),
            _ => {}
        }
        let mut blocks = Vec::new();
        of.each_child(&mut |child| self.expr(child), &mut |inner| blocks.push(inner));
        blocks.into_iter().for_each(|inner| self.block(inner));
    }

    /// True if a closure that takes a variable as this type changes it.
    fn changes(&self, local: usize, ty: Ty) -> bool {
        matches!(self.tree.types.kind(ty), Kind::Reference(_, true))
            && !matches!(self.tree.types.kind(self.tree.locals[local].ty), Kind::Reference(..))
    }

    /// Notes that the value at a place is changed.
    fn changed(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Local(local) => self.mention(*local, true),
            ExprKind::Method(call) => self.changed(&call.receiver),
            _ => place.base().into_iter().for_each(|base| self.changed(base)),
        }
    }
}
