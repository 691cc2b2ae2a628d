//! Functions as values of variables: `let f = f32::sqrt;`, `let f = if n > 3 { f32::max } else { f32::min };`.
//!
//! A kernel has no pointers to functions. A variable that holds a device function is another name of it. A choice among
//! functions becomes the number of the chosen one, and a closure that calls it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Expr as Syntax, ExprClosure, ExprPath, Item, Pat, Path, Stmt};

use super::binding::is_name;
use super::closure::{calling, is_function};
use super::expr::unparenthesised;
use super::outer_item::Outside;
use super::tree::{Expr, Origin, Statement};
use super::{Binding, Reader, start};

impl Reader<'_> {
    /// `let f = double;`: another name of the function; false of anything else.
    pub(super) fn function_name(&mut self, pattern: &Pat, init: &Syntax) -> bool {
        let (Pat::Ident(name), Syntax::Path(path)) = (pattern, unparenthesised(init)) else {
            return false;
        };
        let has_types = path.path.segments.iter().any(|segment| !segment.arguments.is_none());
        if !is_name(name)
            || name.mutability.is_some()
            || path.qself.is_some()
            || has_types
            // In the body its name is that of the variable then.
            || path.path.is_ident(&name.ident)
            || !self.may_be_function(path)
        {
            return false;
        }
        let path = self.resolve(&path.path).unwrap_or_else(|| path.path.clone());
        self.paths.push(path);
        self.bring(&name.ident, Binding::Path(self.paths.len() - 1));
        true
    }

    /// The closure that calls a function, or one of those among which branches choose; `None` for other values. The
    /// number of the chosen one goes before it.
    pub(super) fn function_value(&mut self, init: &Syntax, to: &mut Vec<Statement>) -> Option<Expr> {
        let init = unparenthesised(init);
        if !matches!(
            init,
            Syntax::Path(_) | Syntax::If(_) | Syntax::Match(_) | Syntax::Block(_)
        ) {
            return None;
        }
        let mut chosen = init.clone();
        let mut functions = Vec::new();
        if !self.number_functions(&mut chosen, &mut functions) {
            return None;
        }
        let span = start(init);
        let to_come = functions.iter().filter(|function| self.is_to_come(function));
        let to_come: Vec<&ExprPath> = to_come.collect();
        if !to_come.is_empty() {
            to_come
                .into_iter()
                .for_each(|function| self.want_function(&function.path));
            return Some(self.refused(span));
        }
        let count = self.arity(&Syntax::Path(functions.first()?.clone()))?;
        let [only] = &functions[..] else {
            let number = self.expr(&chosen);
            let name = Ident::new("__vyre_function", span);
            let ty = crate::types::Ty::U32;
            let local = self.local(&name, ty, false, Origin::Declared);
            to.push(Statement::bind(local, number));
            let closure = choosing(&name, &functions, count, span)?;
            let value = self.closure(&closure, false);
            self.scopes.pop();
            return Some(value);
        };
        Some(self.closure(&calling(only, count, span)?, false))
    }

    /// True if a path that is none of the kernel's may lead to a device function.
    fn may_be_function(&mut self, path: &ExprPath) -> bool {
        if path.qself.is_some() || !is_function(&path.path) || self.is_own(&path.path) {
            return false;
        }
        let path = self.resolve(&path.path).unwrap_or_else(|| path.path.clone());
        self.primitive_before(&path).is_none()
            && match self.leads_to(&path) {
                Outside::Found(item, ..) => matches!(*item, Item::Fn(_)),
                _ => true,
            }
    }

    /// True if such a path leads to nothing that has been read.
    fn is_to_come(&mut self, path: &ExprPath) -> bool {
        if !self.may_be_function(path) {
            return false;
        }
        let resolved = self.resolve(&path.path).unwrap_or_else(|| path.path.clone());
        match self.leads_to(&resolved) {
            Outside::Found(..) => false,
            _ => !self.is_of_type(&resolved) || self.arity(&Syntax::Path(path.clone())).is_none(),
        }
    }

    /// Requests a function, or says why there is none.
    fn want_function(&mut self, path: &Path) {
        let path = self.resolve(path).unwrap_or_else(|| path.clone());
        match self.leads_to(&path) {
            // The type has been requested.
            _ if self.is_of_type(&path) => {}
            Outside::Elsewhere => self.want(&path),
            Outside::Refused => self.errors.elsewhere(),
            _ => self.refuse_device_function(&path),
        }
    }

    /// Puts numbers in the place of functions at the ends of all branches; false if there is anything else.
    fn number_functions(&mut self, value: &mut Syntax, functions: &mut Vec<ExprPath>) -> bool {
        match value {
            Syntax::Paren(inner) => self.number_functions(&mut inner.expr, functions),
            Syntax::Group(inner) => self.number_functions(&mut inner.expr, functions),
            Syntax::If(choice) => {
                let number = functions.len();
                let then = self.number_tail(&mut choice.then_branch, functions);
                if !then || binds(&choice.cond) && is_mentioned(&functions[number..], &choice.cond) {
                    return false;
                }
                let otherwise = choice.else_branch.as_mut();
                otherwise.is_some_and(|(_, otherwise)| self.number_functions(otherwise, functions))
            }
            Syntax::Match(choice) => choice.arms.iter_mut().all(|arm| {
                let number = functions.len();
                self.number_functions(&mut arm.body, functions) && !is_mentioned(&functions[number..], &arm.pat)
            }),
            Syntax::Block(block) if block.label.is_none() => self.number_tail(&mut block.block, functions),
            Syntax::Path(path) => {
                let path = path.clone();
                let is_value = path.qself.is_some() || path.path.segments.len() == 1 && self.is_own(&path.path);
                // Allocates memory, and is called where that is bound.
                let last = path.path.segments.last();
                let is_shared = last.is_some_and(|last| last.ident == "shared" && !last.arguments.is_none());
                if is_value
                    || is_shared
                    || self.arity(&Syntax::Path(path.clone())).is_none() && !self.may_be_function(&path)
                {
                    return false;
                }
                let number = functions.len();
                let span = start(value);
                let numbered = syn::LitInt::new(&format!("{number}u32"), span);
                *value = Syntax::Lit(syn::ExprLit {
                    attrs: Vec::new(),
                    lit: syn::Lit::Int(numbered),
                });
                functions.push(path);
                true
            }
            _ => false,
        }
    }

    fn number_tail(&mut self, block: &mut syn::Block, functions: &mut Vec<ExprPath>) -> bool {
        let number = functions.len();
        let Some((Stmt::Expr(tail, None), before)) = block.stmts.split_last_mut() else {
            return false;
        };
        self.number_functions(tail, functions)
            && !before
                .iter()
                .any(|statement| is_mentioned(&functions[number..], statement))
    }
}

/// True if a condition binds names.
fn binds(condition: &Syntax) -> bool {
    match condition {
        Syntax::Let(_) => true,
        Syntax::Binary(both) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

/// True if a name among those of functions stands in what may bind it.
fn is_mentioned(functions: &[ExprPath], tokens: &impl ToTokens) -> bool {
    let names: Vec<&Ident> = functions
        .iter()
        .filter_map(|function| function.path.get_ident())
        .collect();
    !names.is_empty() && stands_in(&names, tokens.to_token_stream())
}

fn stands_in(names: &[&Ident], tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => stands_in(names, group.stream()),
        TokenTree::Ident(name) => names.contains(&&name),
        _ => false,
    })
}

/// The closure that calls the function of a number.
fn choosing(number: &Ident, functions: &[ExprPath], count: usize, span: Span) -> Option<ExprClosure> {
    let names: Vec<Ident> = (0..count)
        .map(|place| format_ident!("__vyre_{place}", span = span))
        .collect();
    let (last, others) = functions.split_last()?;
    let mut body = quote_spanned!(span=> #last(#(#names),*));
    for (place, function) in others.iter().enumerate().rev() {
        let place = syn::LitInt::new(&format!("{place}u32"), span);
        body = quote_spanned!(span=> if #number == #place { #function(#(#names),*) } else { #body });
    }
    syn::parse2(quote_spanned!(span=> |#(#names),*| #body)).ok()
}
