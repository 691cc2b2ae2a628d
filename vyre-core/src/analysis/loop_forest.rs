//! The natural loops of a function: header, latches, blocks, exits, and how they nest.
//!
//! **Algorithm.** An edge to a block that dominates its source is a back edge; its target is the header of a
//! loop, and the blocks from which the back edges are reached without passing the header are the loop's.
//! Structured programs have no other cycles.
//!
//! Passes over loops share one forest as long as none of them changes an edge, because most do nothing,
//! and finding loops takes as long as they do.
//!
//! **Cost:** that of [`Graph`], and linear in the blocks times the depth of loops; twice where a preheader
//! was missing.

use crate::ssa::graph::{Graph, NONE};
use crate::ssa::{Block, Edge, Function, Terminator, Value, filled};

/// The graph and the loops of a function.
pub(crate) struct LoopForest {
    pub(crate) graph: Graph,
    /// The loops; an inner one follows those around it.
    pub(crate) loops: Vec<Loop>,
    /// For each block the innermost loop around it, or [`NONE`].
    innermost: Vec<u32>,
}

/// A natural loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The block through which control enters; the target of the back edges.
    pub(crate) header: Block,
    /// The loop around this one, or [`NONE`].
    pub(crate) parent: u32,
    /// The loops directly inside this one.
    pub(crate) children: Vec<u32>,
    /// How many loops are around this one.
    pub(crate) depth: u32,
    /// The blocks of the loop in the function's order, the header first.
    pub(crate) blocks: Vec<Block>,
    /// The blocks with a back edge.
    pub(crate) latches: Vec<Block>,
    /// The first block outside of the loop with an edge to its header.
    entering: Block,
}

impl LoopForest {
    /// Finds the loops, and adds the preheaders that are missing.
    pub(crate) fn of(function: &mut Function) -> LoopForest {
        let forest = LoopForest::as_is(function);
        let mut changed = false;
        for this in &forest.loops {
            let mut outside = forest.outside(this);
            if let (Some(only), None) = (outside.next(), outside.next())
                && matches!(function.blocks[only].end, Terminator::Jump(_))
            {
                continue;
            }
            changed = true;
            let outside: Vec<Block> = forest.outside(this).collect();
            add_preheader(function, this.header, &outside);
        }
        if changed { LoopForest::as_is(function) } else { forest }
    }

    /// Finds the loops; some may have no preheader.
    pub(crate) fn as_is(function: &Function) -> LoopForest {
        let mut forest = LoopForest {
            graph: Graph::of(function),
            loops: Vec::new(),
            innermost: filled(NONE, function.blocks.len()),
        };
        // Outer headers come first in the order, so the innermost loop is the last to claim a block.
        let mut stamp = filled(NONE, function.blocks.len());
        for position in 0..forest.graph.order.len() {
            let header = forest.graph.order[position];
            forest.add_loop(header, &mut stamp);
        }
        forest
    }

    /// Adds the loop of a header, if it is one.
    fn add_loop(&mut self, header: Block, stamp: &mut [u32]) {
        let graph = &self.graph;
        let first = graph.position(header);
        let mut latches = Vec::new();
        for &latch in graph.predecessors(header) {
            if graph.position(latch) >= first && graph.dominates(header, latch) {
                latches.push(latch);
            }
        }
        if latches.is_empty() {
            return;
        }
        let number = self.loops.len() as u32;
        stamp[header.index()] = number;
        let mut last = first;
        let mut work = latches.clone();
        while let Some(block) = work.pop() {
            if stamp[block.index()] != number {
                stamp[block.index()] = number;
                last = last.max(graph.position(block));
                work.extend_from_slice(graph.predecessors(block));
            }
        }
        // Few blocks between those of a loop do not belong to it.
        let mut blocks = Vec::new();
        for &block in &graph.order[first as usize..=last as usize] {
            if stamp[block.index()] == number {
                blocks.push(block);
            }
        }
        let entering = graph.predecessors(header).iter().find(|block| !latches.contains(block));
        let entering = *entering.unwrap_or_else(|| unreachable!("a loop that control reaches is entered from outside"));
        let parent = self.innermost[header.index()];
        for block in &blocks {
            self.innermost[block.index()] = number;
        }
        let depth = match self.loops.get_mut(parent as usize) {
            Some(parent) => {
                parent.children.push(number);
                parent.depth + 1
            }
            None => 0,
        };
        self.loops.push(Loop {
            header,
            parent,
            children: Vec::new(),
            depth,
            blocks,
            latches,
            entering,
        });
    }

    /// The innermost loop around a block of the graph, or [`NONE`].
    #[cfg(feature = "report")]
    pub(crate) fn innermost(&self, block: Block) -> u32 {
        self.innermost[block.index()]
    }

    /// True if a block belongs to a loop.
    pub(crate) fn contains(&self, number: usize, block: Block) -> bool {
        let mut innermost = self.innermost.get(block.index()).copied().unwrap_or(NONE);
        // Enclosing loops have smaller numbers.
        while innermost != NONE && innermost as usize > number {
            innermost = self.loops[innermost as usize].parent;
        }
        innermost as usize == number
    }

    /// True if a block belongs to the loop of a header.
    pub(crate) fn is_inside(&self, header: Block, block: Block) -> bool {
        let mut number = self.innermost[block.index()];
        while number != NONE && self.loops[number as usize].header != header {
            number = self.loops[number as usize].parent;
        }
        number != NONE
    }

    /// True if the same loops contain two blocks of the graph.
    pub(crate) fn same_loops(&self, a: Block, b: Block) -> bool {
        self.innermost[a.index()] == self.innermost[b.index()]
    }

    /// The exit edges of a loop: source and target block.
    pub(crate) fn exits<'a>(
        &'a self,
        function: &'a Function,
        number: usize,
    ) -> impl Iterator<Item = (Block, Block)> + 'a {
        let edges = self.loops[number].blocks.iter().flat_map(|&block| {
            let targets = function.blocks[block].end.targets().into_iter().flatten();
            targets.map(move |target| (block, target))
        });
        edges.filter(move |&(_, target)| !self.contains(number, target))
    }

    /// The blocks outside of a loop with an edge to its header.
    pub(crate) fn outside<'a>(&'a self, this: &'a Loop) -> impl Iterator<Item = Block> + 'a {
        let predecessors = self.graph.predecessors(this.header).iter().copied();
        predecessors.filter(|block| !this.latches.contains(block))
    }
}

impl Loop {
    /// True if the loop contains no other loop.
    pub(crate) fn is_innermost(&self) -> bool {
        self.children.is_empty()
    }

    /// The block in front of a loop of [`LoopForest::of`], which jumps to its header; of [`LoopForest::as_is`] one of
    /// the [blocks outside](LoopForest::outside).
    pub(crate) fn preheader(&self) -> Block {
        self.entering
    }
}

fn add_preheader(function: &mut Function, header: Block, outside: &[Block]) {
    let front = function.add_block();
    let mut arguments = Vec::new();
    if let &[only] = outside
        && let Some(edge) = function.blocks[only].end.edges_mut().find(|edge| edge.block == header)
    {
        // One edge passes its arguments on as they are.
        arguments = std::mem::take(&mut edge.arguments);
        edge.block = front;
    } else {
        // The header's parameters that the preheader needs too.
        let mut merged = Vec::new();
        for position in 0..function.blocks[header].parameters.len() {
            let alike = alike(function, header, outside, position);
            merged.push(alike.is_none());
            arguments.push(alike.unwrap_or_else(|| {
                let data = function.values[function.blocks[header].parameters[position]];
                function.add_parameter(front, data.ty, data.span)
            }));
        }
        for &block in outside {
            for edge in function.blocks[block].end.edges_mut() {
                if edge.block == header {
                    edge.block = front;
                    let mut merged = merged.iter();
                    edge.arguments.retain(|_| merged.next() == Some(&true));
                }
            }
        }
    }
    function.blocks[front].end = Terminator::Jump(Edge {
        block: header,
        arguments,
    });
}

/// The common value that all edges from `outside` pass for a parameter of `header`, if any. Then
/// the preheader needs no parameter, and the start of a counter stays a constant.
fn alike(function: &Function, header: Block, outside: &[Block], position: usize) -> Option<Value> {
    let mut only = None;
    for &block in outside {
        for edge in function.blocks[block].end.edges() {
            if edge.block == header && *only.get_or_insert(edge.arguments[position]) != edge.arguments[position] {
                return None;
            }
        }
    }
    only
}
