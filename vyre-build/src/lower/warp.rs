//! Exchanges among the threads of a warp, votes among those of a block, and groups.

use vyre_core::ir::{BinaryOp, Builtin, Constant, Intrinsic, Scalar, UnaryOp, WARP_SIZE};

use super::control::unsigned;
use super::{ExprId, Lowering};
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::{Exchange, Scan};
use crate::syntax::evaluate::float;
use crate::syntax::tree::Expr;
use crate::types::Kind;
use crate::types::group::Group;

impl Lowering<'_, '_> {
    /// Lowers a warp operation among tiles of `tile` lanes to its statement, and returns the
    /// result.
    pub(super) fn exchange(&mut self, exchange: Exchange, tile: u32, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        let values = self.operands(arguments)?;
        self.b.span = here;
        let Some(&value) = values.first() else {
            return Some(self.lanes(tile));
        };
        let result = match exchange {
            Exchange::Shuffle(from) => {
                // The low five bits count, and those stay.
                let amount = self.cast(*values.get(1)?, Scalar::U32);
                self.b.shuffle(tile, from, value, amount)
            }
            Exchange::Reduce(op) => self.b.warp_reduce(tile, op, value),
            Exchange::Scan(op, Scan::Inclusive) => self.b.warp_scan(tile, op, value, None),
            Exchange::Scan(op, Scan::Exclusive) => {
                let identity = identity(op, self.scalar_of(value));
                self.b.warp_scan(tile, op, value, Some(identity))
            }
            Exchange::Any | Exchange::Ballot | Exchange::ActiveMask => self.b.ballot(tile, value),
            Exchange::All => {
                let against = self.b.unary(UnaryOp::Not, value);
                self.b.ballot(tile, against)
            }
            Exchange::MatchAny | Exchange::MatchAll => {
                let scalar = self.scalar_of(value);
                let bits = if scalar.is_float() {
                    self.b.bitcast(value, unsigned(scalar))
                } else {
                    value
                };
                self.b.intrinsic_value(Intrinsic::MatchAny { tile }, &[bits])
            }
            // Lowered as a product.
            Exchange::MultiplyAdd => return None,
            Exchange::BlockCount | Exchange::BlockAny => self.b.intrinsic_value(Intrinsic::BarrierCount, &[value]),
            Exchange::BlockAll => {
                let against = self.b.unary(UnaryOp::Not, value);
                self.b.intrinsic_value(Intrinsic::BarrierCount, &[against])
            }
        };
        self.fixed.push(result);
        let result = self.b.get(result);
        Some(match exchange {
            Exchange::Any | Exchange::BlockAny => self.compare_zero(BinaryOp::Ne, result),
            Exchange::All | Exchange::BlockAll => self.compare_zero(BinaryOp::Eq, result),
            Exchange::BlockCount => self.cast(result, Scalar::U64),
            Exchange::MatchAll => {
                let all = self.lanes(tile);
                self.b.binary(BinaryOp::Eq, result, all)
            }
            Exchange::Shuffle(_)
            | Exchange::Reduce(_)
            | Exchange::Scan(..)
            | Exchange::Ballot
            | Exchange::MatchAny
            | Exchange::MultiplyAdd
            | Exchange::ActiveMask => result,
        })
    }

    /// A method of a group that yields a value.
    pub(super) fn of_group(&mut self, group: &Expr, does: OfGroup, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        self.effect(group)?;
        self.b.span = here;
        let tile = self.tile(group);
        match does {
            OfGroup::Lane => {
                let lane = self.b.lane_of(tile);
                Some(self.cast(lane, Scalar::U64))
            }
            OfGroup::Index => {
                let (lane, lanes) = (self.b.builtin(Builtin::LaneIndex), self.b.u32(tile));
                let index = self.b.binary(BinaryOp::Div, lane, lanes);
                Some(self.cast(index, Scalar::U64))
            }
            OfGroup::Size => Some(self.b.u64(tile.into())),
            OfGroup::Exchange(exchange) => self.exchange(exchange, tile, arguments),
            OfGroup::Sync | OfGroup::Arrive => None,
        }
    }

    /// `group.sync()`, or `group.arrive()` where it does not wait.
    pub(super) fn sync_group(&mut self, group: &Expr, waits: bool) -> Option<()> {
        let here = self.b.span;
        self.effect(group)?;
        self.b.span = here;
        match *self.tree.types.kind(group.ty) {
            Kind::Group(Group::Barrier, [barrier, threads]) => {
                let barrier = Intrinsic::NamedBarrier {
                    barrier: barrier as u32,
                    threads: threads as u32,
                    waits,
                };
                self.b.intrinsic(barrier, &[]);
            }
            _ => {
                let tile = self.tile(group);
                self.b.intrinsic(Intrinsic::WarpBarrier { tile }, &[]);
            }
        }
        Some(())
    }

    /// The number of lanes of the tile yielded by an expression.
    fn tile(&self, group: &Expr) -> u32 {
        match *self.tree.types.kind(group.ty) {
            Kind::Group(Group::Tile, [lanes, _]) => lanes as u32,
            _ => WARP_SIZE,
        }
    }

    /// The active lanes.
    fn lanes(&mut self, tile: u32) -> ExprId {
        let lanes = self.b.active_lanes(tile);
        self.fixed.push(lanes);
        self.b.get(lanes)
    }
}

/// The identity of a scan, for a lane that has none below it.
fn identity(op: BinaryOp, scalar: Scalar) -> Constant {
    let least = match scalar {
        _ if scalar.is_float() => float(scalar, f64::NEG_INFINITY).bits,
        _ if scalar.is_signed() => 1 << (scalar.bits() - 1),
        _ => 0,
    };
    let greatest = match scalar {
        _ if scalar.is_float() => float(scalar, f64::INFINITY).bits,
        _ => !least,
    };
    let bits = match op {
        BinaryOp::Min => greatest,
        BinaryOp::Max => least,
        _ => 0,
    };
    Constant::new(scalar, bits)
}
