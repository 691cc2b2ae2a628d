//! Facts about values, each of which holds in a block and in those that it dominates.
//!
//! **Cost:** a fact costs twelve bytes and constant time. The facts about one value form a chain, from which
//! those go that will not hold again.

use crate::ssa::graph::Graph;
use crate::ssa::{Block, Value};

/// Facts about values, each valid in a block and in those that it dominates.
pub(crate) struct Conditions<T> {
    /// The block, the fact, and one more than the next older fact about the same value.
    list: Vec<(Block, T, u32)>,
    /// For each value one more than its newest fact.
    newest: Vec<u32>,
}

impl<T> Default for Conditions<T> {
    fn default() -> Self {
        Conditions {
            list: Vec::new(),
            newest: Vec::new(),
        }
    }
}

impl<T: Copy> Conditions<T> {
    /// Records a fact that holds in a block and below it. Blocks are visited in the order of the
    /// dominator tree: facts about the value that do not hold here will not hold again, and are
    /// dropped.
    pub(crate) fn add(&mut self, value: Value, graph: &Graph, block: Block, fact: T) {
        if self.newest.len() <= value.index() {
            self.newest.resize(value.index() + 1, 0);
        }
        let mut newest = self.newest[value.index()];
        while newest != 0 && !graph.dominates(self.list[newest as usize - 1].0, block) {
            newest = self.list[newest as usize - 1].2;
        }
        self.list.push((block, fact, newest));
        self.newest[value.index()] = self.list.len() as u32;
    }

    /// The facts about a value that hold in a block, the newest first.
    pub(crate) fn at(&self, value: Value, graph: &Graph, here: Block) -> impl Iterator<Item = T> {
        let mut next = self.newest.get(value.index()).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            while next != 0 {
                let (block, fact, older) = self.list[next as usize - 1];
                next = older;
                if graph.dominates(block, here) {
                    return Some(fact);
                }
            }
            None
        })
    }
}
