//! The block of each value: where it is computed, or whose parameter it is.
//!
//! **Cost:** linear; a table of four bytes for each value. Passes compute it where they need it: keeping it in
//! the function would make every edit of a block's body two edits.

use crate::ssa::graph::Flow;
use crate::ssa::{Block, Function, Value, filled};

/// For each value its block.
pub(crate) struct Homes {
    blocks: Vec<Option<Block>>,
}

impl Homes {
    /// Looks through a function.
    pub(crate) fn of(function: &Function, flow: &Flow) -> Homes {
        let mut blocks = filled(None, function.values.len());
        for &block in &flow.order {
            let data = &function.blocks[block];
            for value in data.parameters.iter().chain(&data.body) {
                blocks[value.index()] = Some(block);
            }
        }
        Homes { blocks }
    }

    /// The block of a value; `None` for roots, and for later values that were not [set](Self::set).
    pub(crate) fn get(&self, value: Value) -> Option<Block> {
        self.blocks.get(value.index()).copied().flatten()
    }

    /// Records the block of a new or moved value.
    pub(crate) fn set(&mut self, value: Value, block: Block) {
        if self.blocks.len() <= value.index() {
            self.blocks.resize(value.index() + 1, None);
        }
        self.blocks[value.index()] = Some(block);
    }
}
