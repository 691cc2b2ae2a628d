//! Functions as values of variables: `let f = f32::sqrt;`.
//!
//! A kernel has no pointers to functions. A variable that holds a device function is another name of it, and one that holds
//! a function of a primitive type is a closure that calls it.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprPath, Item, Pat, Path};

use super::binding::is_name;
use super::closure::calling;
use super::expr::unparenthesised;
use super::outer_item::Outside;
use super::res::is_function;
use super::tree::Expr;
use super::{Binding, Reader, start};
use crate::errors::Code;

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
        let path = self.imported(&path.path).unwrap_or_else(|| path.path.clone());
        self.paths.push(path);
        self.bring(&name.ident, Binding::Path(self.paths.len() - 1));
        true
    }

    /// The closure that calls a function, of which inference has to know the arguments or whose name the variable takes;
    /// `None` for other values.
    pub(super) fn function_value(&mut self, init: &Syntax) -> Option<Expr> {
        let Syntax::Path(function) = unparenthesised(init) else {
            return None;
        };
        let path = &function.path;
        // Allocates memory, and is called where that is bound.
        let last = path.segments.last();
        let is_shared = last.is_some_and(|last| last.ident == "shared" && !last.arguments.is_none());
        if is_shared || function.qself.is_some() || path.segments.len() == 1 && self.is_own(path) {
            return None;
        }
        let span = start(init);
        let count = self.arity(init);
        if self.may_be_function(function) && self.is_to_come(path, count) {
            self.want_function(path);
            return Some(self.refused(span));
        }
        Some(self.closure(&calling(function, count?, span)?, false))
    }

    /// Refuses a function that is neither an argument nor all of what a variable is bound to. The functions of a choice have
    /// one error.
    pub(super) fn function_as_part(&mut self, function: &str, span: Span) -> Expr {
        if !self.errors.has(Code::Closure) {
            self.errors.conditional(
                Code::Closure,
                span,
                format_args!("a kernel knows which function it calls: `{function}` is no part of another value"),
                format_args!(
                    "call it, and choose among several in a closure that calls them: `let f = |x: f32| if c {{ first(x) }} \
                     else {{ second(x) }};`"
                ),
            );
        }
        self.refused(span)
    }

    /// True if a path that is none of the kernel's may lead to a device function.
    fn may_be_function(&mut self, path: &ExprPath) -> bool {
        if path.qself.is_some() || !is_function(&path.path) || self.is_own(&path.path) {
            return false;
        }
        let path = self.imported(&path.path).unwrap_or_else(|| path.path.clone());
        self.primitive_before(&path).is_none()
            && match self.leads_to(&path) {
                Outside::Found(item, ..) => matches!(*item, Item::Fn(_)),
                _ => true,
            }
    }

    /// True if the path of a function leads to nothing that has been read.
    fn is_to_come(&mut self, path: &Path, arity: Option<usize>) -> bool {
        let path = self.imported(path).unwrap_or_else(|| path.clone());
        match self.leads_to(&path) {
            Outside::Found(..) => false,
            _ => arity.is_none() || !self.is_of_type(&path),
        }
    }

    /// Requests a function, or says why there is none.
    fn want_function(&mut self, path: &Path) {
        let path = self.imported(path).unwrap_or_else(|| path.clone());
        match self.leads_to(&path) {
            // The type has been requested.
            _ if self.is_of_type(&path) => {}
            Outside::Elsewhere => self.want(&path),
            Outside::Refused => self.errors.elsewhere(),
            _ => self.refuse_device_function(&path),
        }
    }
}
