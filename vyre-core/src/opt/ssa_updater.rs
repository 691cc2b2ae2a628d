//! The SSA updater: finds which of several definitions of a variable reaches a use, and adds block
//! parameters at joins of definitions.
//!
//! A pass that copies blocks leaves a value with one definition in each copy; an object in local
//! memory that becomes a value has one at each store. The pass names the blocks with definitions,
//! then asks for the value at the start or end of the blocks with uses.
//!
//! **Algorithm.** Definitions meet in the iterated dominance frontier of their blocks (Cytron et
//! al., "Efficiently computing static single assignment form"). These joins and the definitions are
//! the places of a variable, sorted by the numbers of their blocks in the dominator tree: the value
//! at a block comes from the deepest place that dominates it, found by a binary search and a walk
//! over the places around. A join gets its parameter at the first query, so no unused one is added;
//! its arguments follow in [`finish`](SsaUpdater::finish).
//!
//! **Before:** edges are final. **After:** a parameter may receive a single value, in which case
//! [`simplify_cfg`](super::simplify_cfg) removes it. **Cost:** linear in the frontiers of the
//! definitions, and logarithmic in the number of places for each use; nothing per block and
//! variable.

use vyre_abi::order::sort_by_key;

use crate::analysis::frontiers::Frontiers;
use crate::ssa::graph::{Graph, NONE};
use crate::ssa::{Block, Function, Span, Terminator, Ty, Value, filled};

/// Variables with several definitions.
pub(super) struct SsaUpdater<'g> {
    graph: &'g Graph,
    frontiers: Frontiers,
    variables: Vec<Variable>,
    /// The parameters added so far: variable and block.
    added: Vec<(u32, Block)>,
    /// For each block, by position, the last variable with a place in it.
    stamps: Vec<u32>,
}

struct Variable {
    ty: Ty,
    span: Span,
    /// Sorted by the numbers of their blocks in the dominator tree.
    places: Vec<Place>,
}

/// A block with a definition of a variable, or a join of definitions.
struct Place {
    block: Block,
    /// The deepest other place that dominates this one.
    around: Option<u32>,
    /// True if definitions join at the start of the block.
    is_join: bool,
    /// The parameter of the join, once queried.
    parameter: Option<Value>,
    /// True if the block defines the variable.
    is_defined: bool,
    /// The value at the end of the block, if defined there.
    definition: Option<Value>,
}

impl<'g> SsaUpdater<'g> {
    /// Prepares for a function with this graph.
    pub(super) fn new(graph: &'g Graph) -> Self {
        SsaUpdater {
            graph,
            frontiers: Frontiers::of(graph),
            variables: Vec::new(),
            added: Vec::new(),
            stamps: filled(NONE, graph.order.len()),
        }
    }

    /// A new variable, defined in exactly these blocks. Blocks may be repeated; unreachable ones
    /// are ignored.
    pub(super) fn variable(&mut self, ty: Ty, span: Span, definitions: &[Block]) -> u32 {
        let number = self.variables.len() as u32;
        let mut places: Vec<Place> = Vec::new();
        let mut work: Vec<Block> = Vec::new();
        for &block in definitions {
            if self.graph.position(block) != NONE {
                places.push(Place::new(block, true));
                work.push(block);
            }
        }
        while let Some(block) = work.pop() {
            for &join in self.frontiers.at(self.graph.position(block)) {
                let stamp = &mut self.stamps[self.graph.position(join) as usize];
                if std::mem::replace(stamp, number) != number {
                    places.push(Place::new(join, false));
                    work.push(join);
                }
            }
        }
        sort_by_key(&mut places, |place| self.graph.number(place.block).into());
        places.dedup_by(|place, before| {
            let same = place.block == before.block;
            if same {
                before.is_join |= place.is_join;
                before.is_defined |= place.is_defined;
            }
            same
        });
        // The places that dominate the current one, outermost first.
        let mut around: Vec<u32> = Vec::new();
        for index in 0..places.len() {
            while let Some(&outer) = around.last()
                && !self.graph.dominates(places[outer as usize].block, places[index].block)
            {
                around.pop();
            }
            places[index].around = around.last().copied();
            around.push(index as u32);
        }
        self.variables.push(Variable { ty, span, places });
        number
    }

    /// Sets the value of a variable at the end of a block that defines it.
    pub(super) fn define(&mut self, variable: u32, block: Block, value: Value) {
        if self.graph.position(block) != NONE
            && let Some(place) = self.deepest(variable, block)
        {
            self.variables[variable as usize].places[place as usize].definition = Some(value);
        }
    }

    /// The value of a variable at the start of a block; `None` if no definition reaches it.
    pub(super) fn at_start(&mut self, function: &mut Function, variable: u32, block: Block) -> Option<Value> {
        let index = self.deepest(variable, block)?;
        let place = &self.variables[variable as usize].places[index as usize];
        if place.block != block {
            return self.value(function, variable, index);
        }
        match (place.is_join, place.around) {
            (true, _) => Some(self.parameter(function, variable, index)),
            (false, Some(around)) => self.value(function, variable, around),
            (false, None) => None,
        }
    }

    /// The value of a variable at the end of a block; `None` if no definition reaches it. If the
    /// block defines the variable, the value must have been [set](Self::define) before.
    pub(super) fn at_end(&mut self, function: &mut Function, variable: u32, block: Block) -> Option<Value> {
        let index = self.deepest(variable, block)?;
        self.value(function, variable, index)
    }

    /// Passes arguments for the added parameters. A variable without a reaching definition is zero.
    pub(super) fn finish(mut self, function: &mut Function) {
        let mut next = 0;
        // Arguments may need more parameters.
        while let Some(&(variable, join)) = self.added.get(next) {
            next += 1;
            let graph = self.graph;
            let mut last = None;
            for &predecessor in graph.predecessors(join) {
                // A predecessor with two edges to the join is listed twice in a row.
                if last.replace(predecessor) == Some(predecessor) {
                    continue;
                }
                let value = self.at_end(function, variable, predecessor).unwrap_or_else(|| {
                    let ty = self.variables[variable as usize].ty;
                    function.constant(ty, 0)
                });
                let mut end = std::mem::replace(&mut function.blocks[predecessor].end, Terminator::Return);
                for edge in end.edges_mut().filter(|edge| edge.block == join) {
                    edge.arguments.push(value);
                }
                function.blocks[predecessor].end = end;
            }
        }
    }

    /// The deepest place of a variable that dominates a block.
    fn deepest(&self, variable: u32, block: Block) -> Option<u32> {
        let places = &self.variables[variable as usize].places;
        let number = self.graph.number(block);
        let behind = places.partition_point(|place| self.graph.number(place.block) <= number);
        let mut index = (behind as u32).checked_sub(1)?;
        while !self.graph.dominates(places[index as usize].block, block) {
            index = places[index as usize].around?;
        }
        Some(index)
    }

    /// The value at the end of a place.
    fn value(&mut self, function: &mut Function, variable: u32, index: u32) -> Option<Value> {
        let place = &self.variables[variable as usize].places[index as usize];
        match place.is_defined {
            true => place.definition,
            false => Some(self.parameter(function, variable, index)),
        }
    }

    fn parameter(&mut self, function: &mut Function, variable: u32, index: u32) -> Value {
        let of = &mut self.variables[variable as usize];
        let place = &mut of.places[index as usize];
        *place.parameter.get_or_insert_with(|| {
            self.added.push((variable, place.block));
            function.add_parameter(place.block, of.ty, of.span)
        })
    }
}

impl Place {
    fn new(block: Block, is_defined: bool) -> Place {
        Place {
            block,
            around: None,
            is_join: !is_defined,
            parameter: None,
            is_defined,
            definition: None,
        }
    }
}
