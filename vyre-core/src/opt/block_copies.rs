//! Copies blocks and keeps the function in SSA form, for rotation, unrolling and versioning.
//!
//! **Algorithm.** A region is a set of blocks that is entered through its first one. A copy has new
//! values for those of the region, and its operands follow; edges among the blocks of the region
//! lead to copies, edges that leave it are unchanged. The pass then redirects edges. Finally
//! [`repair`](Regions::repair) finds uses of a region's values outside of it: each gets the
//! definition that reaches it, from the region or from a copy, by the
//! [updater](super::ssa_updater).
//!
//! Within a region, and within a copy, no use needs repair: a definition dominates its uses, and
//! control comes from the first block to either.
//!
//! **Before:** any valid graph; regions do not overlap. **Cost:** linear in the function and the
//! copies.

use super::ssa_updater::SsaUpdater;
use crate::ssa::graph::{Graph, NONE};
use crate::ssa::{Block, Edge, Function, Terminator, Value, filled};

/// Regions of a function and their copies.
pub(super) struct Regions {
    list: Vec<Region>,
    /// For each block its region and its index there.
    of_block: Vec<(u32, u32)>,
    /// For each block, copies included, its region.
    owners: Vec<u32>,
    /// For each value its region and its index there.
    of_value: Vec<(u32, u32)>,
}

struct Region {
    blocks: Vec<Block>,
    /// The values, each with the index of its block.
    values: Vec<(Value, u32)>,
    copies: Vec<Copy>,
}

/// The copies of blocks and values, at the indices of the originals.
struct Copy {
    blocks: Vec<Block>,
    values: Vec<Value>,
}

impl Regions {
    /// Nothing is registered yet.
    pub(super) fn new(function: &Function) -> Regions {
        Regions {
            list: Vec::new(),
            of_block: filled((NONE, NONE), function.blocks.len()),
            owners: filled(NONE, function.blocks.len()),
            of_value: filled((NONE, NONE), function.values.len()),
        }
    }

    /// Registers the next region, a list of blocks in the function's order.
    pub(super) fn add(&mut self, function: &Function, blocks: &[Block]) {
        let number = self.list.len() as u32;
        let mut values = Vec::new();
        for (place, &block) in blocks.iter().enumerate() {
            self.of_block[block.index()] = (number, place as u32);
            self.owners[block.index()] = number;
            let data = &function.blocks[block];
            for list in [&data.parameters, &data.body] {
                for &value in list {
                    self.of_value[value.index()] = (number, values.len() as u32);
                    values.push((value, place as u32));
                }
            }
        }
        self.list.push(Region {
            blocks: blocks.to_vec(),
            values,
            copies: Vec::new(),
        });
    }

    /// Copies a region; returns the index of the copy.
    pub(super) fn copy(&mut self, function: &mut Function, region: usize) -> usize {
        self.copy_with(function, region, Vec::new()).0
    }

    /// Copies a region that a single edge with these arguments will enter; returns the index of the
    /// copy and the edge. Arguments replace the parameters of the copy's first block, which then
    /// need not exist.
    pub(super) fn copy_with(
        &mut self,
        function: &mut Function,
        region: usize,
        mut arguments: Vec<Value>,
    ) -> (usize, Edge) {
        let of = &self.list[region];
        let mut copy = Copy {
            blocks: of.blocks.iter().map(|_| function.add_block()).collect(),
            values: Vec::with_capacity(of.values.len()),
        };
        for place in 0..of.blocks.len() {
            let mut data = function.blocks[of.blocks[place]].clone();
            let mut given = arguments.iter().copied();
            data.parameters.retain_mut(|parameter| {
                let argument = given.next().filter(|_| place == 0);
                // The reaching definition of another region's value is not known yet.
                let known = argument.filter(|argument| !self.is_foreign(region as u32, *argument));
                let value = known.unwrap_or_else(|| function.duplicate(*parameter));
                *parameter = value;
                copy.values.push(value);
                known.is_none()
            });
            for value in &mut data.body {
                *value = function.duplicate(*value);
                function.visit_operands(*value, |operand| *operand = self.in_copy(&copy, region, *operand));
                copy.values.push(*value);
            }
            data.end
                .visit(|operand| *operand = self.in_copy(&copy, region, *operand));
            for edge in data.end.edges_mut() {
                if let Some(place) = self.place(region, edge.block) {
                    edge.block = copy.blocks[place];
                }
            }
            function.blocks[copy.blocks[place]] = data;
        }
        arguments.retain(|&argument| self.is_foreign(region as u32, argument));
        let block = copy.blocks[0];
        self.owners.resize(function.blocks.len(), NONE);
        for copied in &copy.blocks {
            self.owners[copied.index()] = region as u32;
        }
        let copies = &mut self.list[region].copies;
        copies.push(copy);
        (copies.len() - 1, Edge { block, arguments })
    }

    /// True if a value belongs to another region than this one.
    fn is_foreign(&self, region: u32, value: Value) -> bool {
        match self.of_value.get(value.index()) {
            Some(&(of, _)) => of != NONE && of != region,
            None => false,
        }
    }

    /// The copy of a block of a region.
    pub(super) fn block(&self, region: usize, copy: usize, block: Block) -> Block {
        match self.place(region, block) {
            Some(place) => self.list[region].copies[copy].blocks[place],
            None => block,
        }
    }

    fn place(&self, region: usize, block: Block) -> Option<usize> {
        let &(of, place) = self.of_block.get(block.index())?;
        (of == region as u32).then_some(place as usize)
    }

    fn in_copy(&self, copy: &Copy, region: usize, value: Value) -> Value {
        match self.of_value.get(value.index()) {
            Some(&(of, place)) if of == region as u32 => copy.values[place as usize],
            _ => value,
        }
    }

    /// Gives uses of copied values outside of their regions their reaching definitions; returns the
    /// graph.
    pub(super) fn repair(&self, function: &mut Function) -> Graph {
        let graph = Graph::of(function);
        let mut updater = SsaUpdater::new(&graph);
        // For each value of a region its variable, created at the first use.
        let mut variables = filled(NONE, self.of_value.len());
        let mut reaching = Vec::new();
        for &block in &graph.order {
            // A copy directly after the region itself passes values of the region to its first
            // block's parameters.
            let own = self.owners.get(block.index()).copied().unwrap_or(NONE);
            let mut reach = |function: &mut Function, operand: &mut Value| {
                let variable = &mut variables[operand.index()];
                if *variable == NONE {
                    *variable = self.define(function, &mut updater, *operand);
                }
                if let Some(value) = updater.at_end(function, *variable, block) {
                    *operand = value;
                }
            };
            for position in 0..function.blocks[block].body.len() {
                let value = function.blocks[block].body[position];
                function.each_operand(value, |operand| {
                    if self.is_foreign(own, operand) {
                        reaching.push(operand);
                    }
                });
                if reaching.is_empty() {
                    continue;
                }
                reaching.iter_mut().for_each(|operand| reach(function, operand));
                let mut found = reaching.drain(..);
                function.visit_operands(value, |operand| {
                    if self.is_foreign(own, *operand) {
                        *operand = found.next().unwrap_or(*operand);
                    }
                });
            }
            let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
            end.visit(|operand| {
                if self.is_foreign(own, *operand) {
                    reach(function, operand);
                }
            });
            function.blocks[block].end = end;
        }
        updater.finish(function);
        graph
    }

    /// A variable whose definitions are a value and its copies.
    fn define(&self, function: &Function, updater: &mut SsaUpdater<'_>, value: Value) -> u32 {
        let (region, place) = self.of_value[value.index()];
        let of = &self.list[region as usize];
        let home = of.values[place as usize].1 as usize;
        let mut definitions = Vec::with_capacity(of.copies.len() + 1);
        for copy in &of.copies {
            definitions.push((copy.blocks[home], copy.values[place as usize]));
        }
        definitions.push((of.blocks[home], value));
        let mut blocks = Vec::with_capacity(definitions.len());
        for &(block, _) in &definitions {
            blocks.push(block);
        }
        let data = &function.values[value];
        let variable = updater.variable(data.ty, data.span, &blocks);
        for (block, value) in definitions {
            updater.define(variable, block, value);
        }
        variable
    }
}
