//! The barriers of the grid in a body, by number in the order of the text.

use crate::ir::{Among, Block, Stmt, StmtKind};

/// True of a barrier of the grid.
pub(super) fn is_cut(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Intrinsic { intrinsic, .. } if intrinsic.row().among == Among::Grid)
}

/// The number of barriers that a statement is or contains.
pub(super) fn cuts_in(stmt: &Stmt) -> usize {
    usize::from(is_cut(stmt)) + stmt.kind.blocks().map(cuts_of).sum::<usize>()
}

/// The number of barriers in a block.
pub(super) fn cuts_of(block: &Block) -> usize {
    block.iter().map(cuts_in).sum()
}

/// The statements of a body itself that run once, and the barriers between them.
pub(super) struct Row<'b> {
    /// Those without barriers, each with the number of the first barrier behind it.
    pub(super) plain: Vec<(usize, &'b Stmt)>,
    /// The loops and branches with barriers, each with the number of its first one.
    pub(super) nests: Vec<(usize, &'b Stmt)>,
    /// The number of barriers.
    pub(super) count: usize,
}

impl<'b> Row<'b> {
    pub(super) fn of(block: &'b Block) -> Row<'b> {
        let (mut plain, mut nests, mut count) = (Vec::new(), Vec::new(), 0);
        for stmt in block {
            match cuts_in(stmt) {
                0 => plain.push((count, stmt)),
                _ if !is_cut(stmt) => nests.push((count, stmt)),
                _ => {}
            }
            count += cuts_in(stmt);
        }
        Row { plain, nests, count }
    }

    /// The statements that every thread has executed once when it comes to a barrier.
    pub(super) fn before(&self, barrier: usize) -> Vec<&'b Stmt> {
        let nest = self
            .nests
            .iter()
            .find(|(first, stmt)| (*first..first + cuts_in(stmt)).contains(&barrier));
        let begin = nest.map_or(barrier, |&(first, _)| first);
        let before = self.plain.iter().take_while(|(first, _)| *first <= begin);
        before.map(|(_, stmt)| *stmt).collect()
    }
}
