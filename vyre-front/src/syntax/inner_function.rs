//! Functions inside a kernel: closures that capture nothing, in scope in their whole block.

use std::mem;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericParam, ItemFn, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::constant::find_name;
use super::tree::{Origin, Statement};
use super::{Binding, Name, Reader, unsupported};
use crate::errors::Code;
use crate::resolve::spelling::is_capitalized;

impl Reader<'_> {
    /// Binds the functions of a block, with their places among its statements, to their names; one comes after those that
    /// it mentions.
    pub(super) fn inner_functions(&mut self, items: &[(&ItemFn, usize)], block: &syn::Block, to: &mut Vec<Statement>) {
        let mut waiting = items.to_vec();
        while !waiting.is_empty() {
            let is_ready = |(item, _): &(&ItemFn, usize)| {
                let others = waiting.iter().filter(|(other, _)| other.sig.ident != item.sig.ident);
                let others: Vec<&ItemFn> = others.map(|(other, _)| *other).collect();
                !mentions_any(item.block.to_token_stream(), &others)
            };
            // In a circle any comes first: the call of a function that has not come is refused.
            let (item, at) = waiting.remove(waiting.iter().position(is_ready).unwrap_or(0));
            // Bindings are numbered in the order of the text.
            let (mut lets, mut fors) = (self.lets, self.fors);
            for statement in &block.stmts[..at] {
                let (more_lets, more_fors) = bindings_of(statement.to_token_stream());
                lets += more_lets;
                fors += more_fors;
            }
            let around = (mem::replace(&mut self.lets, lets), mem::replace(&mut self.fors, fors));
            self.inner_function(item, &block.stmts[..at], to);
            (self.lets, self.fors) = around;
        }
    }

    fn inner_function(&mut self, item: &ItemFn, before: &[Stmt], to: &mut Vec<Statement>) {
        let name = &item.sig.ident;
        let is_generic = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
        let refused = match item.sig.generics.params.iter().any(is_generic) {
            true => Some((
                "a function inside a kernel is not generic",
                "put it beside the kernel and mark it `#[vyre::device]`",
            )),
            false if mentions_any(item.block.to_token_stream(), &[item]) => Some((
                "a function inside a kernel does not call itself: a GPU thread has no stack to recurse on",
                "write a loop, or keep a small array as a stack",
            )),
            false => None,
        };
        if let Some((fault, help)) = refused {
            self.errors.refuse_all(Code::ItemInside, &item.sig, fault, help);
            return self.bring(name, Binding::Refused);
        }
        unsupported::qualifiers(&item.sig, "function inside a kernel", self.errors);
        self.attributes(&item.attrs);
        let inputs = item.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            // rustc refuses it.
            FnArg::Receiver(_) => None,
        });
        let (output, block) = (&item.sig.output, &item.block);
        let output = match output {
            syn::ReturnType::Default => parse_quote!(-> ()),
            written => written.clone(),
        };
        let closure: syn::ExprClosure = parse_quote_spanned!(name.span()=> |#(#inputs),*| #output #block);
        // It sees the items around it and no variables.
        let locals = &self.tree.locals;
        let is_item = |name: &Name| match name.binding {
            Binding::Local(local) => locals[local].origin == Origin::Function,
            Binding::Bundle(_) => false,
            _ => true,
        };
        let written = item.sig.inputs.to_token_stream();
        let around = |name: &Name| !has_name(written.clone(), &name.text);
        let seen = self
            .scopes
            .iter()
            .filter(|name| is_item(name) || around(name))
            .map(|name| match is_item(name) {
                true => name.clone(),
                false => Name {
                    binding: Binding::Around,
                    ..name.clone()
                },
            });
        let items = seen.collect();
        let around = mem::replace(&mut self.scopes, items);
        for variable in before.iter().filter_map(variable) {
            if !has_name(written.clone(), &variable.to_string()) {
                self.bring(variable, Binding::Around);
            }
        }
        let value = self.closure(&closure, true);
        self.scopes = around;
        let ty = self.tree.types.unknown();
        let local = self.local(name, ty, false, Origin::Function);
        to.push(Statement::bind(local, value));
    }
}

/// The variable that a statement brings. A pattern that may not match is that of a constant or variant.
fn variable(statement: &Stmt) -> Option<&Ident> {
    let Stmt::Local(local) = statement else { return None };
    if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
        return None;
    }
    let pattern = match &local.pat {
        Pat::Type(typed) => &typed.pat,
        pattern => pattern,
    };
    match pattern {
        Pat::Ident(name) => Some(&name.ident).filter(|name| !is_capitalized(&name.to_string())),
        _ => None,
    }
}

/// The numbers of `let` and of `for` in tokens.
pub(super) fn bindings_of(tokens: TokenStream) -> (usize, usize) {
    tokens.into_iter().fold((0, 0), |(lets, fors), token| match token {
        TokenTree::Ident(word) => (lets + usize::from(word == "let"), fors + usize::from(word == "for")),
        TokenTree::Group(group) => {
            let (more_lets, more_fors) = bindings_of(group.stream());
            (lets + more_lets, fors + more_fors)
        }
        _ => (lets, fors),
    })
}

/// True if a word is among tokens.
fn has_name(tokens: TokenStream, name: &str) -> bool {
    find_name(tokens, &mut |word| word == name).is_some()
}

/// True if tokens mention one of the functions by its name.
fn mentions_any(tokens: TokenStream, functions: &[&ItemFn]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => functions.iter().any(|item| item.sig.ident == word),
        TokenTree::Group(group) => mentions_any(group.stream(), functions),
        _ => false,
    })
}
