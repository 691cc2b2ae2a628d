//! Tokens of barriers: each is waited for at the barrier that gave it.
//!
//! Known mistakes are refused here: a token in a `let`, of a barrier by its name. For all others the kernel finds out
//! when it waits.

use vyre_ir::ir::AtomicOp;

use super::Inference;
use crate::errors::Code;
use crate::library::methods::Does;
use crate::syntax::tree::{Argument, Expr, ExprKind, MethodCall, Tree};

/// One of the barriers of a variable.
#[derive(Clone, Copy, PartialEq)]
struct Barrier {
    /// The shared variable.
    of: usize,
    /// The index of the barrier, if it is a literal.
    number: Option<u128>,
}

/// The variables that name barriers and tokens of barriers.
#[derive(Default)]
pub(super) struct Known(Vec<(usize, Barrier)>);

impl Inference<'_> {
    /// Notes what a `let` binds to a barrier, or to a token of one.
    pub(super) fn know_token(&mut self, local: Option<usize>, init: &Expr) {
        if let (Some(local), ExprKind::Method(_) | ExprKind::Borrow(..)) = (local, &init.kind)
            && !self.tree.locals[local].mutable
        {
            let (known, tree) = (&mut self.known, &*self.tree);
            let barrier = known.token(tree, init).or_else(|| known.barrier(tree, init));
            known.0.extend(barrier.map(|barrier| (local, barrier)));
        }
    }

    /// Refuses to wait at a barrier for a token of another one.
    pub(super) fn check_token(&mut self, call: &MethodCall) {
        let Some(Argument::Value(token)) = call.arguments.first() else {
            return;
        };
        let here = self.known.barrier(self.tree, &call.receiver);
        let (Some(here), Some(there)) = (here, self.known.token(self.tree, token)) else {
            return;
        };
        let differ = here.number.is_some() && there.number.is_some() && here.number != there.number;
        if here.of != there.of || differ {
            let [here, there] = [here, there].map(|barrier| {
                let name = &self.tree.shared[barrier.of].name;
                match barrier.number {
                    Some(number) => format!("{name}[{number}]"),
                    None => name.clone(),
                }
            });
            self.errors.refuse(
                Code::ForeignToken,
                token.span,
                format_args!("this token is of `{there}`, and not of `{here}`"),
                format_args!("wait for it where the thread arrived, at `{there}`"),
            );
        }
    }
}

impl Known {
    fn of_local(&self, local: usize) -> Option<Barrier> {
        let known = self.0.iter().find(|(known, _)| *known == local);
        known.map(|&(_, barrier)| barrier)
    }

    /// The barrier that a token is of.
    fn token(&self, tree: &Tree, expr: &Expr) -> Option<Barrier> {
        match &expr.kind {
            ExprKind::Local(local) => self.of_local(*local),
            ExprKind::Method(call) if call.does(Does::Atomic(AtomicOp::BarrierArrive)) => {
                self.barrier(tree, &call.receiver)
            }
            _ => None,
        }
    }

    /// The barrier that an expression names.
    fn barrier(&self, tree: &Tree, expr: &Expr) -> Option<Barrier> {
        match &expr.kind {
            ExprKind::Local(local) => self.of_local(*local),
            ExprKind::Borrow(place, _) | ExprKind::Deref(place) => self.barrier(tree, place),
            ExprKind::Index { base, index, .. } => {
                let ExprKind::Local(local) = base.whole().kind else {
                    return None;
                };
                let mut all = tree.shared.iter();
                Some(Barrier {
                    of: all.position(|shared| shared.local == Some(local) && shared.arrivals.is_some())?,
                    number: match index.kind {
                        ExprKind::Integer(number, _) => Some(number),
                        _ => None,
                    },
                })
            }
            _ => None,
        }
    }
}
