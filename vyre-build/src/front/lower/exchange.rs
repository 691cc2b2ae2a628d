//! Exchanges among the threads of a warp.

use vyre_core::ir::{BinaryOp, Scalar, UnaryOp, WarpOp};

use super::super::tree::Expr;
use super::super::vocabulary::Exchange;
use super::{ExprId, Lowering};

impl Lowering<'_, '_> {
    /// Lowers an exchange to the statement that it is, and the value that comes of it.
    pub(super) fn exchange(&mut self, exchange: Exchange, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        let values = self.operands(arguments)?;
        self.b.span = here;
        let value = *values.first()?;
        let result = match exchange {
            Exchange::Shuffle(op) => {
                // The low five bits count, and those stay.
                let amount = self.cast(*values.get(1)?, Scalar::U32);
                self.b.warp(op, vec![value, amount])
            }
            Exchange::Reduce(op) => self.b.warp_reduce(op, value),
            Exchange::Any | Exchange::Ballot => self.b.warp(WarpOp::Ballot, vec![value]),
            Exchange::All => {
                let against = self.b.unary(UnaryOp::Not, value);
                self.b.warp(WarpOp::Ballot, vec![against])
            }
        };
        self.fixed.push(result);
        let result = self.b.get(result);
        Some(match exchange {
            Exchange::Any => self.compare_zero(BinaryOp::Ne, result),
            Exchange::All => self.compare_zero(BinaryOp::Eq, result),
            Exchange::Shuffle(_) | Exchange::Reduce(_) | Exchange::Ballot => result,
        })
    }
}
