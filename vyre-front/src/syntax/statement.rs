//! Statements: `let`, expressions, and the items allowed in a kernel.

use quote::ToTokens;
use syn::{Item, Pat, Stmt};

use super::expr::unparenthesised;
use super::inner_function::bindings_of;
use super::iterator::local;
use super::tree::{Block, Bounds, Expr, ExprKind, Origin, Statement};
use super::{Binding, Reader, Syntax};
use crate::errors::Code;
use crate::types::Ty;

impl Reader<'_> {
    /// Reads a block in a scope of its own.
    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        let outside = self.scopes.len();
        let read = self.statements(block);
        self.scopes.truncate(outside);
        read
    }

    /// Reads a block whose scope the caller closes.
    pub(super) fn statements(&mut self, block: &syn::Block) -> Block {
        let mut statements = Vec::with_capacity(block.stmts.len());
        self.items(block, &mut statements);
        let mut tail = None;
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == block.stmts.len();
            match statement {
                Stmt::Local(local) => self.declaration(local, &mut statements),
                // It was read before; its bindings are numbered where it stands.
                Stmt::Item(Item::Fn(function)) => {
                    let (lets, fors) = bindings_of(function.to_token_stream());
                    self.lets += lets;
                    self.fors += fors;
                }
                Stmt::Item(_) => {}
                // A `;` too many.
                Stmt::Expr(Syntax::Verbatim(nothing), _) if nothing.is_empty() => {}
                Stmt::Expr(expr, None) if last => tail = Some(Box::new(self.expr(expr))),
                Stmt::Expr(expr, semicolon) => {
                    let expr = self.expr(expr);
                    statements.push(Statement::Expr(expr, semicolon.is_some()));
                }
                Stmt::Macro(macro_) => {
                    self.attributes(&macro_.attrs);
                    let expr = self.macro_call(&macro_.mac);
                    if last && macro_.semi_token.is_none() {
                        tail = Some(Box::new(expr));
                    } else {
                        statements.push(Statement::Expr(expr, true));
                    }
                }
            }
        }
        Block {
            statements,
            tail,
            diverges: false,
            is_constant: false,
        }
    }

    /// Items are in scope in their whole block, so they are read before its statements.
    fn items(&mut self, block: &syn::Block, statements: &mut Vec<Statement>) {
        let constants: Vec<&syn::ItemConst> = block
            .stmts
            .iter()
            .filter_map(|statement| match statement {
                Stmt::Item(Item::Const(constant)) => Some(constant),
                _ => None,
            })
            .collect();
        let (mut functions, names) = (Vec::new(), self.scopes.len());
        for (at, statement) in block.stmts.iter().enumerate() {
            let Stmt::Item(item) = statement else { continue };
            let (code, what, help) = match item {
                Item::Const(_) => continue,
                Item::Use(item) => {
                    self.use_item(item, names);
                    continue;
                }
                Item::Fn(item) => {
                    functions.push((item, at));
                    continue;
                }
                Item::Static(_) => (
                    Code::ItemInside,
                    "a kernel has no statics",
                    "use `const`, a parameter, or `shared::<T>()` for memory that a block shares",
                ),
                Item::Struct(_) | Item::Enum(_) | Item::Union(_) => (
                    Code::ItemInside,
                    "a type is not defined inside a kernel",
                    "move it out of the kernel, and mark it `#[vyre::device]`",
                ),
                Item::Macro(_) => (
                    Code::ItemInside,
                    "macros inside a kernel are not supported",
                    "vyre sees tokens before macros expand: write the code out",
                ),
                Item::Type(_) => (
                    Code::ItemInside,
                    "type aliases inside a kernel are not supported yet",
                    "write the type out",
                ),
                _ => (
                    Code::ItemInside,
                    "this item is not supported in a kernel",
                    "move it out of the kernel",
                ),
            };
            self.errors.refuse_all(code, item, what, help);
            // Its uses are not faults too.
            match item {
                Item::Static(item) => self.bring(&item.ident, Binding::Refused),
                Item::Macro(item) => {
                    if let Some(name) = &item.ident {
                        self.macros.push(name.to_string());
                    }
                }
                _ => {}
            }
        }
        self.constants(&constants);
        if !functions.is_empty() {
            self.inner_functions(&functions, block, statements);
        }
    }

    fn declaration(&mut self, local: &syn::Local, statements: &mut Vec<Statement>) {
        self.attributes(&local.attrs);
        let number = self.lets;
        self.lets += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        let (pattern, annotation) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(self.ty(&typed.ty))),
            pattern => (pattern, None),
        };
        if let (Pat::Tuple(parts), Some(init)) = (pattern, &local.init)
            && self.split(parts, annotation, init, number, statements)
        {
            return;
        }
        // The initialiser does not see the names that it initialises.
        let Some(init) = &local.init else {
            return self.declare_pattern(pattern, annotation, statements);
        };
        let before = self.errors.count();
        let value = match annotation {
            Some(Ty::REFUSED) => self.refused(init.eq_token.span),
            _ => match self.shared_variable(pattern, annotation, &init.expr) {
                Some(shared) => shared,
                None => self.initial(pattern, &init.expr),
            },
        };
        if let (Pat::Ident(name), ExprKind::Refused, None) = (pattern, &value.kind, &init.diverge)
            && self.errors.count() > before
            && name.subpat.is_none()
        {
            // Its uses are not faults too.
            return self.bring(&name.ident, Binding::Refused);
        }
        if let Some((_, otherwise)) = &init.diverge {
            return self.let_else(pattern, annotation, value, otherwise, statements);
        }
        let shared = match value.kind {
            ExprKind::Shared(number) => Some(number),
            _ => None,
        };
        let value = match pattern {
            Pat::Tuple(_) => self.chosen_tuple(value, statements),
            _ => value,
        };
        self.bind_place(pattern, annotation, value, Origin::Let(number), statements);
        if let (Some(number), Some(&Statement::Let { local, .. })) = (shared, statements.last()) {
            self.tree.shared[number].local = local;
        }
    }

    /// `let (a, b) = x.split_at(n);`: two parts of one slice.
    fn split(
        &mut self,
        parts: &syn::PatTuple,
        annotation: Option<Ty>,
        init: &syn::LocalInit,
        number: usize,
        statements: &mut Vec<Statement>,
    ) -> bool {
        let types = annotation.and_then(|ty| self.tree.types.fields(ty));
        let types = [0, 1].map(|part| types.as_ref().and_then(|types| types.get(part).copied()));
        if init.diverge.is_none() && self.chunks(parts, types, &init.expr, number, statements) {
            return true;
        }
        let (Syntax::MethodCall(call), None, 2) = (unparenthesised(&init.expr), &init.diverge, parts.elems.len())
        else {
            return false;
        };
        let mutable = call.method == "split_at_mut";
        if !mutable && call.method != "split_at" || call.args.len() != 1 {
            return false;
        }
        let span = call.method.span();
        let whole = self.gone_through(&call.receiver, mutable, span);
        let whole = self.kept("elements", whole, statements, span);
        let middle = self.expr(&call.args[0]);
        let middle = self.kept("middle", middle, statements, span);
        let at = || Some(Box::new(local(middle, span)));
        for ((part, ty), ends) in parts.elems.iter().zip(types).zip([[None, at()], [at(), None]]) {
            let part_of = ExprKind::Part(Box::new(local(whole, span)), ends, Bounds::HalfOpen);
            let init = ExprKind::Borrow(Box::new(Expr::new(part_of, span)), mutable);
            self.bind_pattern(part, ty, Expr::new(init, span), Origin::Let(number), statements);
        }
        true
    }

    /// `unsafe { .. }` and plain blocks.
    pub(super) fn block_expr(&mut self, block: &syn::Block, label: Option<&syn::Label>, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        match label {
            None => self.block(block).into_expr(span),
            Some(label) => {
                let number = self.target();
                let block = self.inside(number, Some(label), false, |reader| reader.block(block));
                Expr::new(ExprKind::Block(block, Some(number)), span)
            }
        }
    }
}
