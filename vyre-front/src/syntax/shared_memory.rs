//! Shared memory where a `let` takes it.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Expr as Syntax, GenericArgument, Pat, Path, PathArguments, Type};

use super::constant::find_name;
use super::expr::unparenthesised;
use super::res::spelled;
use super::tree::{Callable, Expr, ExprKind, Shared};
use super::{Binding, Reader};
use crate::errors::Code;
use crate::library::intrinsics::SHARED;
use crate::types::{Kind, Ty};

/// Arrivals that a barrier counts.
const MOST_ARRIVALS: u64 = (1 << 20) - 1;

impl Reader<'_> {
    /// The initialiser of `let tile = shared::<T>();`, or `None` where it is no call of `shared`.
    pub(super) fn shared_variable(&mut self, pattern: &Pat, annotation: Option<Ty>, init: &Syntax) -> Option<Expr> {
        let Syntax::Call(call) = unparenthesised(init) else {
            return None;
        };
        let Syntax::Path(path) = unparenthesised(&call.func) else {
            return None;
        };
        let resolved = self.imported(&path.path);
        let path = resolved.as_ref().unwrap_or(&path.path);
        if call.args.len() == 1
            && let Some(mutable) = self.any_slice_at(path)
        {
            let whole = self.shared_variable(pattern, None, &call.args[0])?;
            return Some(self.any_slice(whole, mutable, super::start(init)));
        }
        let last = path.segments.last()?;
        let names = spelled(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = match &names[..] {
            ["vyre", rest @ ..] => rest,
            [_] if self.lookup(&last.ident).is_some() => return None,
            names => names,
        };
        let function = SHARED
            .into_iter()
            .find(|path| path.split("::").eq(names.iter().copied()))?;
        let dynamic = matches!(function, "shared::slice" | "shared::dynamic");
        let span = super::start(init);
        let Pat::Ident(pattern) = pattern else {
            return Some(self.refuse(
                Code::SharedBinding,
                init,
                "shared memory is bound to one name",
                "write `let tile = shared::<[f32; 256]>();`",
            ));
        };
        if let Some(mutability) = &pattern.mutability {
            return Some(self.fault(
                Code::SharedBinding,
                mutability.span,
                "a name for shared memory is not `mut`",
                "leave `mut` out: `shared` yields a mutable reference already",
            ));
        }
        if call.args.len() != usize::from(function == "shared::slice") {
            if function != "shared" {
                return Some(self.left_to_rustc(span));
            }
            return Some(self.refuse(
                Code::SharedBinding,
                init,
                "shared memory has no initial value",
                "write `let tile = shared::<[f32; 256]>();`, and let each thread store elements before `block::sync()`",
            ));
        }
        if function == "shared::barriers" {
            return Some(self.barriers(path, &pattern.ident, span));
        }
        let ty = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => match self.variable_length(ty) {
                    Some(length) => return Some(self.refuse_variable_length(ty, &length)),
                    None => self.ty(ty),
                },
                _ => return Some(self.left_to_rustc(span)),
            },
            _ => match annotation.map(|ty| self.tree.types.kind(ty).clone()) {
                Some(Kind::Reference(inner, _)) => match *self.tree.types.kind(inner) {
                    Kind::Slice(element, false) if dynamic => element,
                    _ => inner,
                },
                _ => {
                    return Some(self.refuse(
                        Code::SharedBinding,
                        init,
                        "the type of the shared memory is missing",
                        match dynamic {
                            true => "write `shared::dynamic::<f32>()`, the type of an element",
                            false => "write `shared::<[f32; 256]>()`",
                        },
                    ));
                }
            },
        };
        self.note_bare(path, function);
        if dynamic {
            if self.is_device {
                return Some(self.refuse(
                    Code::SharedBinding,
                    init,
                    "dynamic shared memory belongs to the kernel",
                    "take it in the kernel, and pass the slice to the function",
                ));
            }
            return Some(Expr::call(Callable::Dynamic(ty), self.exprs(&call.args), span));
        }
        if matches!(self.tree.types.kind(ty), Kind::Array(..)) && self.tree.types.scalars(ty) == 0 {
            return Some(self.refuse(
                Code::SharedType,
                init,
                "an array of no bytes is not shared",
                "give it elements: `shared::<[f32; 256]>()`",
            ));
        }
        Some(self.shared_of(&pattern.ident, ty, None, span))
    }

    /// Refuses shared memory that no `let` takes.
    #[cold]
    pub(super) fn misplaced_shared(&mut self, function: &str, whole: &Syntax) -> Expr {
        let (what, help) = match function {
            "shared" => ("`shared`", "write `let tile = shared::<[f32; 256]>();`"),
            "shared::barriers" => ("`shared::barriers`", "write `let full = shared::barriers::<2, 64>();`"),
            _ => ("dynamic shared memory", "write `let tile = shared::dynamic::<f32>();`"),
        };
        self.refuse(
            Code::SharedBinding,
            whole,
            &format!("{what} is the whole value of a `let`"),
            help,
        )
    }

    /// The variable in the length of an array.
    fn variable_length(&mut self, ty: &Type) -> Option<Ident> {
        let Type::Array(array) = ty else { return None };
        let mut is_variable = |name: &Ident| matches!(self.lookup(name), Some(Binding::Local(_)));
        match &array.len {
            // It may have variables of its own.
            Syntax::Block(_) => None,
            length => find_name(length.to_token_stream(), &mut is_variable),
        }
        .or_else(|| self.variable_length(&array.elem))
    }

    /// Refuses shared memory of a length that only the launch knows.
    fn refuse_variable_length(&mut self, ty: &Type, length: &Ident) -> Expr {
        let help = match ty {
            Type::Array(array) if !self.is_device && !matches!(&*array.elem, Type::Array(_)) => format!(
                "write a constant, or let the launch say the size: `shared::slice::<{}>({})`, and `.shared_bytes(..)` before \
                 `.launch`",
                array.elem.to_token_stream(),
                array.len.to_token_stream()
            ),
            _ => "write a constant: `const LENGTH: usize = 256;`".to_owned(),
        };
        self.fault(
            Code::UnknownLength,
            length.span(),
            format_args!("`{length}` is a variable, and this length is known when the kernel is compiled"),
            help,
        )
    }

    /// The initialiser of `let full = shared::barriers::<4, 64>();`.
    fn barriers(&mut self, path: &Path, name: &Ident, span: Span) -> Expr {
        self.note_bare(path, "shared::barriers");
        let Some(PathArguments::AngleBracketed(given)) = path.segments.last().map(|last| &last.arguments) else {
            return self.fault(
                Code::SharedBinding,
                span,
                "nothing says how many barriers these are, and for how many arrivals",
                "write both: `shared::barriers::<2, 64>()`",
            );
        };
        if given.args.len() != 2 {
            return self.left_to_rustc(span);
        }
        let (length, arrivals) = (self.group_number(&given.args[0]), self.group_number(&given.args[1]));
        let (Some(length), Some(arrivals)) = (length, arrivals) else {
            return self.refused(span);
        };
        if !self.is_template && (length == 0 || arrivals == 0 || arrivals > MOST_ARRIVALS) {
            return self.fault(
                Code::SharedBinding,
                span,
                format_args!("there are no {length} barriers for {arrivals} arrivals"),
                "there is one at least, and a phase ends with 1 to 1048575 arrivals: `shared::barriers::<2, 64>()`",
            );
        }
        let cell = self.tree.types.add(Kind::Barrier);
        let ty = self.tree.types.add(Kind::Array(cell, length));
        self.shared_of(name, ty, Some(arrivals), span)
    }

    fn shared_of(&mut self, name: &Ident, ty: Ty, arrivals: Option<u64>, span: Span) -> Expr {
        self.tree.shared.push(Shared {
            name: name.to_string(),
            ty,
            local: None,
            arrivals,
            span: name.span(),
        });
        Expr::new(ExprKind::Shared(self.tree.shared.len() - 1), span)
    }
}
