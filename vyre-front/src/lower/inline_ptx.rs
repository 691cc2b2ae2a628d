//! Instructions in PTX.

use vyre_abi::list;
use vyre_ir::ir::{Builtin, ExprId, StmtKind};

use super::Lowering;
use crate::syntax::tree::{Expr, Inline};

impl Lowering<'_, '_> {
    /// `if on_gpu { ptx } else { host }`.
    pub(super) fn inline(&mut self, inline: &Inline, given: &[Expr], host: &Expr) -> Option<ExprId> {
        let here = self.b.span;
        let mut operands = Vec::with_capacity(given.len());
        for operand in given {
            let value = self.value(operand)?;
            operands.push(self.b.let_("", value));
        }
        let result = (!self.tree.types.is_unit(inline.result)).then(|| {
            let ty = self.ty(inline.result);
            self.b.local("", ty)
        });
        let (otherwise, _) = self.nested(|l| {
            match result {
                Some(result) => {
                    let value = l.value(host)?;
                    l.b.set(result, value);
                }
                None => l.effect(host)?,
            }
            Some(())
        });
        self.b.span = here;
        let (then, ()) = self.nested(|l| {
            let operands = list::map(&operands, |&operand| l.b.get(operand));
            let text = inline.text.clone();
            l.b.push(StmtKind::Ptx {
                text,
                version: inline.version,
                operands,
                result,
            });
        });
        let condition = self.b.builtin(Builtin::OnGpu);
        self.branch(condition, then, otherwise);
        result.map(|result| self.b.get(result))
    }
}
