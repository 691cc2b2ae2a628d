//! Promotes objects in local memory to SSA values.
//!
//! A local lives in memory because its address was taken or an array was indexed by a value. Once
//! calls are inlined and loops unrolled most such addresses are constants, and the object's words
//! are variables again.
//!
//! **Algorithm.** An object qualifies if every use of its address is a load or store at a constant
//! offset and no two accesses overlap without being equal in offset and size. Each such location is
//! a variable, and its last store in a block defines it there. Blocks are visited in order: a load
//! yields the value last stored in the block, or else the definition that reaches the start of the
//! block, found by the [updater](super::ssa_updater).
//!
//! **Before:** [`gvn`](super::gvn), which moves constant offsets into the accesses. **After:**
//! redundant parameters are left to [`simplify_cfg`](super::simplify_cfg). **Cost:** linear in the
//! code and in the frontiers of the stores.

use vyre_ir::ir::{BinaryOp, Scalar, Span};

use super::replacements::Replacements;
use super::ssa_updater::SsaUpdater;
use crate::ssa::graph::Graph;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, Ty, Value, filled};

/// Objects with more locations than this stay in memory.
const MAX_PLACES: usize = 512;

/// Promotes objects of a function; returns the graph, whose edges are unchanged, if there were any.
pub(crate) fn run(function: &mut Function) -> Option<Graph> {
    if function.objects.len() == function.promoted {
        return None;
    }
    let graph = Graph::of(function);
    let variables = Variables::find(function, &graph)?;
    if !variables.some_escape {
        function.promoted = function.objects.len();
    }
    Renaming {
        updater: variables.updater(function, &graph),
        replaced: Replacements::new(function),
        current: filled(None, variables.list.len()),
        variables,
        function,
    }
    .run(&graph.order);
    Some(graph)
}

/// A location in an object that is a variable.
#[derive(Clone, Copy)]
struct Variable {
    object: u32,
    offset: i32,
    size: u32,
    /// The type of the register that holds it.
    ty: Ty,
}

/// The variables, and the variable of each access.
struct Variables {
    list: Vec<Variable>,
    /// For each load and store of a variable its index.
    of: Vec<Option<u32>>,
    /// True if some object has to stay in memory.
    some_escape: bool,
}

impl Variables {
    fn find(function: &Function, graph: &Graph) -> Option<Variables> {
        let mut search = Search {
            function,
            escapes: vec![false; function.objects.len()],
            places: vec![Vec::new(); function.objects.len()],
            found: Variables {
                list: Vec::new(),
                of: filled(None, function.values.len()),
                some_escape: false,
            },
        };
        for &block in &graph.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                search.operation(value);
            }
            data.end.each_operand(|operand| search.escape(operand));
        }
        search.finish()
    }

    /// The variables for the updater, in the order of the list.
    fn updater<'g>(&self, function: &Function, graph: &'g Graph) -> SsaUpdater<'g> {
        let mut stores: Vec<Vec<Block>> = vec![Vec::new(); self.list.len()];
        for &block in &graph.order {
            for &value in &function.blocks[block].body {
                if let Some(variable) = self.of[value.index()]
                    && let Op::Store { .. } = function.op(value)
                    && stores[variable as usize].last() != Some(&block)
                {
                    stores[variable as usize].push(block);
                }
            }
        }
        let mut updater = SsaUpdater::new(graph);
        for (variable, blocks) in self.list.iter().zip(stores) {
            updater.variable(variable.ty, Span::NONE, &blocks);
        }
        updater
    }
}

/// Finds variables.
struct Search<'f> {
    function: &'f Function,
    /// For each object, true if it has to stay in memory.
    escapes: Vec<bool>,
    /// The variables of each object.
    places: Vec<Vec<u32>>,
    found: Variables,
}

impl Search<'_> {
    fn object(&self, value: Value) -> Option<u32> {
        match self.function.op(value) {
            Op::Address(Object::Local(number)) => Some(number),
            _ => None,
        }
    }

    fn escape(&mut self, value: Value) {
        if let Some(number) = self.object(value) {
            self.escapes[number as usize] = true;
        }
    }

    fn operation(&mut self, value: Value) {
        match self.function.op(value) {
            Op::Load {
                address,
                offset,
                scalar,
                ..
            } => self.access(value, address, offset, scalar.size(), self.function.ty(value)),
            Op::Store {
                address,
                offset,
                scalar,
                value: stored,
                ..
            } => {
                self.escape(stored);
                self.access(value, address, offset, scalar.size(), self.function.ty(stored));
            }
            _ => {
                let function = self.function;
                function.each_operand(value, |operand| self.escape(operand));
            }
        }
    }

    fn access(&mut self, value: Value, address: Value, offset: i32, size: u32, ty: Ty) {
        let Some(number) = self.object(address) else { return };
        let places = &mut self.places[number as usize];
        let list = &mut self.found.list;
        let known = places.iter().copied().find(|&place| {
            let known = &list[place as usize];
            offset < known.offset + known.size as i32 && known.offset < offset + size as i32
        });
        let variable = known.unwrap_or_else(|| {
            let new = list.len() as u32;
            list.push(Variable {
                object: number,
                offset,
                size,
                ty,
            });
            places.push(new);
            new
        });
        let place = &mut list[variable as usize];
        let alike = (place.offset, place.size) == (offset, size) && fits(place.ty, ty);
        if ty.is_float() {
            // Code that fills or copies memory uses integers for any content.
            place.ty = ty;
        }
        self.escapes[number as usize] |= !alike || places.len() > MAX_PLACES;
        self.found.of[value.index()] = Some(variable);
    }

    fn finish(mut self) -> Option<Variables> {
        let list = &self.found.list;
        for variable in &mut self.found.of {
            *variable = variable.filter(|&variable| !self.escapes[list[variable as usize].object as usize]);
        }
        self.found.some_escape = self.escapes.contains(&true);
        self.found.of.iter().any(Option::is_some).then_some(self.found)
    }
}

/// True if one register type serves two accesses of equal size: a float of 16 bits and an integer
/// of 16 bits, whose register has 32.
fn fits(a: Ty, b: Ty) -> bool {
    let width = |ty: Ty| if ty.is_half() { 32 } else { ty.bits() };
    a == b || !matches!(a, Ty::Pointer(_)) && !matches!(b, Ty::Pointer(_)) && width(a) == width(b)
}

/// Replaces accesses by values.
struct Renaming<'f> {
    function: &'f mut Function,
    variables: Variables,
    updater: SsaUpdater<'f>,
    /// The value of each variable at this point, if it was accessed earlier in the block.
    current: Vec<Option<Value>>,
    /// The value of each load.
    replaced: Replacements,
}

impl Renaming<'_> {
    fn run(mut self, order: &[Block]) {
        for &block in order {
            self.block(block);
        }
        self.updater.finish(self.function);
    }

    fn block(&mut self, block: Block) {
        let old = std::mem::take(&mut self.function.blocks[block].body);
        let mut body = Vec::with_capacity(old.len());
        // The variables accessed in this block; true if they are written.
        let mut met: Vec<(u32, bool)> = Vec::new();
        for value in old {
            self.replaced.operands(self.function, value);
            let variable = self.variables.of.get(value.index()).copied().flatten();
            match (variable, self.function.op(value)) {
                (Some(variable), Op::Store { value: stored, .. }) => {
                    let ty = self.variables.list[variable as usize].ty;
                    let word = self.as_type(stored, ty, &mut body);
                    self.current[variable as usize] = Some(word);
                    met.push((variable, true));
                }
                (Some(variable), Op::Load { scalar, .. }) => {
                    let held = match self.current[variable as usize] {
                        Some(held) => held,
                        None => {
                            let held = self.read(variable, block);
                            self.current[variable as usize] = Some(held);
                            met.push((variable, false));
                            held
                        }
                    };
                    let ty = self.function.ty(value);
                    let word = self.as_type(held, ty, &mut body);
                    let word = self.extended(word, scalar, &mut body);
                    self.replaced.set(value, word);
                }
                _ => body.push(value),
            }
        }
        self.function.blocks[block].body = body;
        let replaced = &self.replaced;
        let end = &mut self.function.blocks[block].end;
        end.visit(|operand| *operand = replaced.resolve(*operand));
        for &(variable, written) in &met {
            if let (true, Some(value)) = (written, self.current[variable as usize]) {
                self.updater.define(variable, block, value);
            }
        }
        for (variable, _) in met {
            self.current[variable as usize] = None;
        }
    }

    /// The value of a variable at the start of a block; an uninitialised one is arbitrary.
    fn read(&mut self, variable: u32, block: Block) -> Value {
        let ty = self.variables.list[variable as usize].ty;
        let held = self.updater.at_start(self.function, variable, block);
        held.unwrap_or_else(|| self.function.constant(ty, 0))
    }

    fn as_type(&mut self, value: Value, ty: Ty, body: &mut Vec<Value>) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        let value = self.function.add_value(Op::Bits(value), ty, Span::NONE);
        body.push(value);
        value
    }

    /// The result of a narrow load from a word whose upper bits the store has cut off.
    fn extended(&mut self, word: Value, scalar: Scalar, body: &mut Vec<Value>) -> Value {
        let op = match scalar {
            Scalar::I8 | Scalar::I16 => Op::Convert {
                from: scalar,
                to: Scalar::U32,
                a: word,
            },
            Scalar::Bool | Scalar::U8 | Scalar::U16 => Op::Binary {
                op: BinaryOp::And,
                scalar: Scalar::U32,
                a: word,
                b: self.function.constant(Ty::I32, (1 << scalar.bits()) - 1),
            },
            _ => return word,
        };
        let value = self.function.add_value(op, Ty::I32, Span::NONE);
        body.push(value);
        value
    }
}
