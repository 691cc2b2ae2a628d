//! Warp shuffles and votes, and reductions and scans built from them.

use super::BodyBuilder;
use crate::ir::{BinaryOp, Builtin, Constant, ExprId, Handle, Intrinsic, Local, Scalar, Shuffle, UnaryOp, WARP_SIZE};

impl BodyBuilder<'_> {
    /// `warp::shuffle(value, amount)` and the like, among tiles of `tile` lanes; the result is in the
    /// local returned.
    pub fn shuffle(&mut self, tile: u32, from: Shuffle, value: ExprId, amount: ExprId) -> Handle<Local> {
        self.intrinsic_value(Intrinsic::Shuffle { from, tile }, &[value, amount])
    }

    /// `warp::ballot(predicate)`, among tiles of `tile` lanes; the lanes are in the local returned.
    pub fn ballot(&mut self, tile: u32, predicate: ExprId) -> Handle<Local> {
        self.intrinsic_value(Intrinsic::Ballot { tile }, &[predicate])
    }

    /// The active lanes of a tile, in the local returned.
    pub fn active_lanes(&mut self, tile: u32) -> Handle<Local> {
        let everyone = self.bool(true);
        self.ballot(tile, everyone)
    }

    /// A reduction over the active lanes of a tile, [`Intrinsic::Reduce`]; the result is in the local returned.
    pub fn warp_reduce(&mut self, tile: u32, op: BinaryOp, value: ExprId) -> Handle<Local> {
        let ty = self.type_of(value);
        // A value of another type is refused where the program is checked.
        let scalar = self.types.as_scalar(ty).unwrap_or(Scalar::U32);
        self.intrinsic_value(Intrinsic::Reduce { op, scalar, tile }, &[value])
    }

    /// An inclusive scan over this lane and those below; with `identity` an exclusive scan, in
    /// which the first lane gets `identity`.
    ///
    /// If all lanes of the tile are active, each combines the value of the lane 1 below, if any,
    /// with its own, the result of the lane 2 below with that, and so on, in a warp for 4, 8 and
    /// 16. Otherwise the values are combined sequentially, in the order of the lanes. In an
    /// exclusive scan a lane gets the result of the one below.
    pub fn warp_scan(&mut self, tile: u32, op: BinaryOp, value: ExprId, identity: Option<Constant>) -> Handle<Local> {
        let result = self.let_("", value);
        let own = self.get(result);
        let own = self.let_("", own);
        let lanes = self.active_lanes(tile);
        let is_full = self.is_full(tile, lanes);
        self.if_(
            is_full,
            |b| {
                for distance in distances(tile) {
                    let (value, amount) = (b.get(result), b.u32(distance));
                    let below = b.shuffle(tile, Shuffle::Up, value, amount);
                    let (below, value) = (b.get(below), b.get(result));
                    let combined = b.binary(op, below, value);
                    let (lane, amount) = (b.lane_of(tile), b.u32(distance));
                    let has_one = b.binary(BinaryOp::Ge, lane, amount);
                    let value = b.get(result);
                    let value = b.select(has_one, combined, value);
                    b.set(result, value);
                }
                let Some(identity) = identity else { return };
                let (value, one) = (b.get(result), b.u32(1));
                let below = b.shuffle(tile, Shuffle::Up, value, one);
                let (lane, zero) = (b.lane_of(tile), b.u32(0));
                let is_first = b.binary(BinaryOp::Eq, lane, zero);
                let (identity, below) = (b.constant(identity), b.get(below));
                let value = b.select(is_first, identity, below);
                b.set(result, value);
            },
            |b| b.scan_some(tile, op, (own, result), lanes, identity),
        );
        result
    }

    /// A scan among a set of lanes, which is consumed.
    fn scan_some(
        &mut self,
        tile: u32,
        op: BinaryOp,
        (own, result): (Handle<Local>, Handle<Local>),
        lanes: Handle<Local>,
        identity: Option<Constant>,
    ) {
        let first = self.get(lanes);
        let first = self.unary(UnaryOp::TrailingZeros, first);
        let first = self.let_("", first);
        let (value, lane) = (self.get(own), self.get(first));
        let running = self.shuffle(tile, Shuffle::Index, value, lane);
        if let Some(identity) = identity {
            let (lane, first) = (self.lane_of(tile), self.get(first));
            let is_first = self.binary(BinaryOp::Eq, lane, first);
            let (identity, value) = (self.constant(identity), self.get(result));
            let value = self.select(is_first, identity, value);
            self.set(result, value);
        }
        self.loop_(
            |b| {
                b.drop_lowest(lanes);
                let (rest, zero) = (b.get(lanes), b.u32(0));
                let more = b.binary(BinaryOp::Ne, rest, zero);
                b.break_unless(more, 0);
                let (rest, own_value) = (b.get(lanes), b.get(own));
                let lane = b.unary(UnaryOp::TrailingZeros, rest);
                let lane = b.let_("", lane);
                let source = b.get(lane);
                let given = b.shuffle(tile, Shuffle::Index, own_value, source);
                let before = b.get(running);
                let before = b.let_("", before);
                let (sum, given) = (b.get(running), b.get(given));
                let combined = b.binary(op, sum, given);
                b.set(running, combined);
                let taken = if identity.is_some() { before } else { running };
                let (own_lane, lane) = (b.lane_of(tile), b.get(lane));
                let is_own = b.binary(BinaryOp::Eq, own_lane, lane);
                let (taken, value) = (b.get(taken), b.get(result));
                let value = b.select(is_own, taken, value);
                b.set(result, value);
            },
            |_| {},
        );
    }

    /// The index of this thread in its tile of `tile` lanes, a `u32`.
    pub fn lane_of(&mut self, tile: u32) -> ExprId {
        let lane = self.builtin(Builtin::LaneIndex);
        if tile == WARP_SIZE {
            return lane;
        }
        let mask = self.u32(tile - 1);
        self.binary(BinaryOp::And, lane, mask)
    }

    /// True if a set holds all lanes of a tile.
    fn is_full(&mut self, tile: u32, lanes: Handle<Local>) -> ExprId {
        let (there, full) = (self.get(lanes), self.u32(u32::MAX >> (WARP_SIZE - tile)));
        self.binary(BinaryOp::Eq, there, full)
    }

    /// Takes the lowest lane from a set.
    fn drop_lowest(&mut self, lanes: Handle<Local>) {
        let (left, one, again) = (self.get(lanes), self.u32(1), self.get(lanes));
        let below = self.binary(BinaryOp::Sub, left, one);
        let rest = self.binary(BinaryOp::And, below, again);
        self.set(lanes, rest);
    }
}

/// The powers of two below the size of a tile.
fn distances(tile: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..tile.trailing_zeros()).map(|bit| 1 << bit)
}
