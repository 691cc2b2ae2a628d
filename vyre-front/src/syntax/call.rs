//! Calls of functions.

use syn::{Expr as Syntax, ExprCall};

use super::expr::unparenthesised;
use super::res::{Res, Use};
use super::tree::{Callable, Expr};
use super::{Binding, Reader};
use crate::errors::Code;

impl Reader<'_> {
    pub(super) fn call(&mut self, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let Syntax::Path(path) = unparenthesised(&call.func) else {
            if self.is_part_of_refused(&call.func) {
                return self.refused(span);
            }
            return self.refuse(
                Code::CalledExpression,
                &call.func,
                "a kernel calls functions by their names alone",
                "write the name of the function",
            );
        };
        let (path, res) = self.resolve(path, Use::Call(call.args.len()));
        match res {
            Res::Local(_) => {
                let mut arguments = vec![self.expr(&call.func)];
                arguments.append(&mut self.exprs(&call.args));
                Expr::call(Callable::Closure, arguments, span)
            }
            Res::Operation(function) => Expr::call(Callable::Row(function), self.exprs(&call.args), span),
            Res::Intrinsic(entry) => self.intrinsic(entry, &path, call, span),
            Res::Math(row) => self.math_call(row, &path, call, span),
            Res::Collective(function, arguments) => self.collective(function, arguments, &path, call, span),
            Res::Fragment(role) => self.fragment_call(role, &path.path, call, span),
            Res::Shared(function) => self.misplaced_shared(function, whole),
            Res::AnySlice(mutable) => {
                let all = self.expr(&call.args[0]);
                self.any_slice(all, mutable, span)
            }
            Res::Core(function, row) => self.core_call(function, row, &path.path, call, span),
            Res::Associated(item) => self.associated_call(item, &path, call, span),
            Res::Primitive(primitive) => self.on_primitive(primitive, &path.path, call, whole),
            Res::Parameter(ty) => self.function_of_parameter(ty, &path.path, call, span),
            Res::Device(item, names, key) => self.invoke(*item, names, key, &path.path, call, span),
            Res::Constructor(named) => self.made_by_call(named, &path.path, call, span),
            Res::Unresolved(reason) => self.unresolved_call(reason, &path, call, whole),
            Res::Bundle(_) | Res::Constant(_) | Res::Number(..) | Res::Outer(..) | Res::External(_) => {
                self.left_to_rustc(span)
            }
        }
    }

    /// True of an element or a field of what was refused.
    fn is_part_of_refused(&mut self, expr: &Syntax) -> bool {
        match unparenthesised(expr) {
            Syntax::Index(index) => self.is_part_of_refused(&index.expr),
            Syntax::Field(field) => self.is_part_of_refused(&field.base),
            Syntax::Path(path) => {
                let name = path.path.get_ident();
                name.is_some_and(|name| matches!(self.lookup(name), Some(Binding::Refused)))
            }
            _ => false,
        }
    }
}
