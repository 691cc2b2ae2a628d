//! Intrinsics on values.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Builtin, Constant, Handle, Intrinsic, Local, Scalar, Shuffle, Type, UnaryOp, WARP_SIZE};

use super::control::unsigned;
use super::{ExprId, Lowering};
use crate::library::intrinsics::{Asks, Function, Operation, Scan, Voters};
use crate::syntax::evaluate::float;
use crate::syntax::tree::Expr;
use crate::types::Ty;

impl Lowering<'_, '_> {
    /// Lowers an intrinsic on values that yields a value of a type; a warp operation is among tiles of
    /// `tile` lanes.
    pub(super) fn intrinsic(&mut self, function: &Function, tile: u32, ty: Ty, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        if matches!(function.does, Operation::MultiplyAdd) {
            return self.multiply_add(arguments);
        }
        let values = self.operands(arguments)?;
        self.b.span = here;
        let result = match (function.does, &values[..]) {
            (Operation::Builtin(Builtin::LinearIndex), _) => return Some(self.linear_index()),
            (Operation::Builtin(builtin), _) => return Some(self.index_of(builtin)),
            (Operation::Axes(builtin), _) => return Some(self.indices_of(ty, builtin)),
            (Operation::WarpSize, _) => return Some(self.b.u64(WARP_SIZE.into())),
            (Operation::ClusterRank, _) => return Some(self.cluster_rank()),
            (Operation::ClusterBlocks, _) => return Some(self.cluster_blocks()),
            (Operation::ActiveMask, _) => return Some(self.lanes(tile)),
            (Operation::Vote(voters, asks), &[value]) => return Some(self.vote(voters, asks, tile, value)),
            (Operation::Match(asks), &[value]) => return Some(self.match_lanes(asks, tile, value)),
            (Operation::Fast(fast), &[x, .., y]) => return Some(fast.value(&mut self.b, [x, y])),
            (Operation::Fast(fast), &[x]) => return Some(fast.value(&mut self.b, [x, x])),
            (Operation::Unary(op), &[x]) => return Some(self.b.unary(op, x)),
            (Operation::Intrinsic(intrinsic), values) => self.b.intrinsic_value(intrinsic(tile), values),
            (Operation::Shuffle(from), &[value, amount]) => {
                // The low five bits count, and those stay.
                let amount = self.cast(amount, Scalar::U32);
                return Some(self.shuffled(tile, from, value, amount));
            }
            (Operation::Reduce(op), &[value]) => self.b.warp_reduce(tile, op, value),
            (Operation::Scan(op, scan), &[value]) => {
                let identity = (scan == Scan::Exclusive).then(|| identity(op, self.scalar_of(value)));
                self.b.warp_scan(tile, op, value, identity)
            }
            _ => return None,
        };
        Some(self.result(result))
    }

    /// Lowers an intrinsic on values that yields nothing.
    pub(super) fn intrinsic_effect(&mut self, function: &Function, arguments: &[Expr]) -> Option<()> {
        let here = self.b.span;
        let values = self.operands(arguments)?;
        self.b.span = here;
        if let Operation::Intrinsic(intrinsic) = function.does {
            self.b.intrinsic(intrinsic(WARP_SIZE), &values);
        }
        Some(())
    }

    /// A shuffle: of structs and arrays the scalars are exchanged one by one.
    fn shuffled(&mut self, tile: u32, from: Shuffle, value: ExprId, amount: ExprId) -> ExprId {
        let ty = self.b.type_of(value);
        if self.b.types().as_scalar(ty).is_some() {
            let result = self.b.shuffle(tile, from, value, amount);
            return self.result(result);
        }
        let (value, amount) = (self.b.let_("", value), self.b.let_("", amount));
        let whole = self.b.local_place(value);
        self.shuffled_place(tile, from, whole, amount)
    }

    /// The same of what a place holds.
    fn shuffled_place(&mut self, tile: u32, from: Shuffle, place: Path, amount: Handle<Local>) -> ExprId {
        let ty = self.b.path_type(&place);
        let (count, is_array) = match &self.b.types()[ty] {
            Type::Struct { fields, .. } => (fields.len() as u64, false),
            Type::Tuple(fields) => (fields.len() as u64, false),
            Type::Array { length, .. } => (*length, true),
            _ => {
                let (value, amount) = (self.b.load(place), self.b.get(amount));
                let result = self.b.shuffle(tile, from, value, amount);
                return self.result(result);
            }
        };
        let mut places = Vec::new();
        for number in 0..count {
            places.push(match is_array {
                true => {
                    let index = self.b.u64(number);
                    self.b.index(place.clone(), index)
                }
                false => self.b.field(place.clone(), number as u32),
            });
        }
        let mut parts = Vec::new();
        for place in places {
            parts.push(self.shuffled_place(tile, from, place, amount));
        }
        self.b.construct(ty, parts)
    }

    /// A vote by a predicate.
    fn vote(&mut self, voters: Voters, asks: Asks, tile: u32, predicate: ExprId) -> ExprId {
        let predicate = match asks {
            Asks::All => self.b.unary(UnaryOp::Not, predicate),
            Asks::Any | Asks::Which => predicate,
        };
        let votes = match voters {
            Voters::Warp => self.b.ballot(tile, predicate),
            Voters::Block => self.b.intrinsic_value(Intrinsic::BarrierCount, &[predicate]),
        };
        let votes = self.result(votes);
        match (asks, voters) {
            (Asks::Any, _) => self.compare_zero(BinaryOp::Ne, votes),
            (Asks::All, _) => self.compare_zero(BinaryOp::Eq, votes),
            (Asks::Which, Voters::Block) => self.cast(votes, Scalar::U64),
            (Asks::Which, Voters::Warp) => votes,
        }
    }

    /// The lanes with the same value, or a comparison of them with all active lanes.
    fn match_lanes(&mut self, asks: Asks, tile: u32, value: ExprId) -> ExprId {
        let scalar = self.scalar_of(value);
        let bits = match scalar.is_float() {
            true => self.b.bitcast(value, unsigned(scalar)),
            false => value,
        };
        let same = self.b.intrinsic_value(Intrinsic::MatchAny { tile }, &[bits]);
        let same = self.result(same);
        if asks == Asks::Which {
            return same;
        }
        let all = self.lanes(tile);
        self.b.binary(BinaryOp::Eq, same, all)
    }

    /// The active lanes.
    fn lanes(&mut self, tile: u32) -> ExprId {
        let lanes = self.b.active_lanes(tile);
        self.result(lanes)
    }

    /// The result of a statement, which nothing else assigns.
    fn result(&mut self, local: Handle<Local>) -> ExprId {
        self.fixed.push(local);
        self.b.get(local)
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
