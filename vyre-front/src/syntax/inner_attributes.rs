//! Attributes inside a body: lints pass, what removes code cannot.

use syn::{Attribute, Expr as Syntax};

use super::Reader;
use crate::errors::Code;

impl Reader<'_> {
    pub(super) fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let path = attribute.path();
            let lint = ["allow", "warn", "deny", "forbid", "expect"]
                .iter()
                .any(|name| path.is_ident(name));
            let harmless = path
                .segments
                .first()
                .is_some_and(|s| s.ident == "rustfmt" || s.ident == "clippy");
            // Documentation comments on undocumentable items are reported by rustc.
            if lint || harmless || path.is_ident("doc") {
                continue;
            }
            if path.is_ident("cfg") || path.is_ident("cfg_attr") {
                let (fault, help) = match self.names.complete {
                    true => (
                        "`#[cfg]` inside a kernel is not decided here: cargo tells a build script of the target and the features alone",
                        "put the attribute on the whole kernel, or use `if cfg!(..)`",
                    ),
                    false => (
                        "`#[cfg]` is not decided in the arguments of a macro",
                        "put the attribute on the whole statement, or use `if cfg!(..)`",
                    ),
                };
                self.errors.refuse_all(Code::AttributeInside, attribute, fault, help);
            } else {
                self.errors.refuse_all(
                    Code::AttributeInside,
                    attribute,
                    "this attribute is not supported inside a kernel",
                    match () {
                        () if path.is_ident("unroll") => "remove it: loops whose count is known are unrolled",
                        () if path.is_ident("shared") => "write `let tile = shared::<[f32; 256]>();`",
                        () => "remove it",
                    },
                );
            }
        }
    }
}

/// The attributes of an expression.
pub(super) fn of(expr: &Syntax) -> &[Attribute] {
    macro_rules! attrs {
        ($($variant:ident)*) => {
            match expr {
                $(Syntax::$variant(expr) => &expr.attrs,)*
                _ => &[],
            }
        };
    }
    attrs! {
        Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group If Index
        Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try
        TryBlock Tuple Unary Unsafe While Yield
    }
}
