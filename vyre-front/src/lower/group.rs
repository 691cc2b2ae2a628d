//! Methods of groups of threads: tiles of a warp, and barriers of some warps of a block.

use vyre_ir::ir::{BinaryOp, Builtin, Intrinsic, Scalar, WARP_SIZE};

use super::{ExprId, Lowering};
use crate::library::group_methods::OfGroup;
use crate::syntax::tree::Expr;
use crate::types::group::Group;
use crate::types::{Kind, Ty};

impl Lowering<'_, '_> {
    /// A method of a group that yields a value.
    pub(super) fn of_group(&mut self, group: &Expr, does: OfGroup, ty: Ty, arguments: &[Expr]) -> Option<ExprId> {
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
            OfGroup::Call(function) => self.intrinsic(function, tile, ty, arguments),
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
}
