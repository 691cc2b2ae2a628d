//! Values of `const` blocks: rustc computes them too, so their products are not contracted and their quotients not approximated.

use std::ops::Range;

use vyre_ir::ir::{Function, Handle, Program, StmtKind, each_stmt};

use super::ExprId;

/// The parts of a program whose values are those of rustc.
#[derive(Default)]
pub(super) struct Constant {
    /// Expressions of functions by their numbers, with `None` of the kernel.
    pub(super) exprs: Vec<(Option<Handle<Function>>, Range<usize>)>,
    /// The functions that are called there.
    pub(super) functions: Vec<Handle<Function>>,
}

impl Constant {
    /// True of an expression in a `const` block.
    pub(super) fn keeps(&self, of: Option<Handle<Function>>, expr: ExprId) -> bool {
        let mut exprs = self.exprs.iter();
        exprs.any(|(known, exprs)| *known == of && exprs.contains(&expr.index()))
    }

    /// Marks the functions that are called in `const` blocks, and those that they call, as exact: one function has one
    /// result, also where it is called elsewhere.
    pub(super) fn keep_functions(&self, program: &mut Program) {
        let mut open = self.functions.clone();
        while let Some(next) = open.pop() {
            let function = &mut program.functions[next];
            if !std::mem::replace(&mut function.exact, true) {
                each_stmt(&function.body.block, &mut |stmt| {
                    if let StmtKind::Call { function, .. } = stmt.kind {
                        open.push(function);
                    }
                });
            }
        }
    }
}
