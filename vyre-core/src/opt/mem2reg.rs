//! Promotes objects in local memory to SSA values.
//!
//! A local lands in memory because its address was taken or an array was indexed by a value. Once
//! calls are inlined and loops unrolled most such addresses are constants, and the object's words
//! are variables again.
//!
//! **Algorithm.** An object qualifies if every use of its address is a load or store at a constant
//! offset and no two accesses overlap without being equal in place and size. Each such place is a
//! variable. Blocks are taken in order with the value of each variable at their end; where ways
//! join a variable becomes a parameter if it is read later, and the arguments are filled in when
//! all blocks are done.
//!
//! **Before:** [`gvn`](super::numbering), which moves constant offsets into the accesses.
//! **After:** needless parameters are left to [`simplify_cfg`](super::blocks). **Cost:** linear in the
//! code, times one bit for each variable.

use crate::ir::{BinaryOp, Scalar, Span};
use crate::ssa::graph::Graph;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, Terminator, Ty, Value, filled};

/// Objects with more places than this stay in memory.
const MAX_PLACES: usize = 512;

/// Turns objects of a function into values; returns the graph, whose edges stay, if there were any.
pub(super) fn run(function: &mut Function) -> Option<Graph> {
    if function.objects.len() == function.promoted {
        return None;
    }
    let graph = Graph::of(function);
    let variables = Variables::find(function, &graph)?;
    if !variables.some_escape {
        function.promoted = function.objects.len();
    }
    let live = variables.liveness(function, &graph);
    Renaming {
        ends: vec![Vec::new(); function.blocks.len()],
        added: vec![Vec::new(); function.blocks.len()],
        replaced: filled(None, function.values.len()),
        variables,
        function,
        graph: &graph,
    }
    .run(&live);
    Some(graph)
}

/// A place in an object that is a variable.
#[derive(Clone, Copy)]
struct Variable {
    object: u32,
    offset: i32,
    size: u32,
    /// The type of the register that holds it.
    ty: Ty,
}

/// The variables, and which accesses are to which.
struct Variables {
    list: Vec<Variable>,
    /// For each load and store of a variable its number.
    of: Vec<Option<u32>>,
    /// Whether some object has to stay in memory.
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

    /// For each block the variables that are read at or after its start before they are written.
    fn liveness(&self, function: &Function, graph: &Graph) -> Vec<Bits> {
        let mut live = vec![Bits::new(self.list.len()); function.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &block in graph.order.iter().rev() {
                let mut here = Bits::new(self.list.len());
                for edge in function.blocks[block].end.edges() {
                    here.add(&live[edge.block.index()]);
                }
                for &value in function.blocks[block].body.iter().rev() {
                    if let Some(variable) = self.of[value.index()] {
                        here.set(variable, matches!(function.op(value), Op::Load { .. }));
                    }
                }
                if here != live[block.index()] {
                    live[block.index()] = here;
                    changed = true;
                }
            }
        }
        live
    }
}

/// Looks for variables.
struct Search<'f> {
    function: &'f Function,
    /// For each object whether it has to stay in memory.
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
            // What fills or copies memory takes integers for whatever lies there.
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

/// Whether one register holds what two accesses of equal size want: a float of 16 bits what an integer
/// of 16 bits does, whose register has 32.
fn fits(a: Ty, b: Ty) -> bool {
    let width = |ty: Ty| if ty.is_half() { 32 } else { ty.bits() };
    a == b || !matches!(a, Ty::Pointer(_)) && !matches!(b, Ty::Pointer(_)) && width(a) == width(b)
}

/// A set of variables.
#[derive(Clone, PartialEq)]
struct Bits {
    words: Vec<u64>,
}

impl Bits {
    fn new(count: usize) -> Bits {
        Bits {
            words: vec![0; count.div_ceil(64)],
        }
    }

    fn set(&mut self, bit: u32, value: bool) {
        let mask = 1 << (bit % 64);
        let word = &mut self.words[bit as usize / 64];
        *word = if value { *word | mask } else { *word & !mask };
    }

    fn has(&self, bit: u32) -> bool {
        self.words[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    fn add(&mut self, other: &Bits) {
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}

/// Replaces accesses by values.
struct Renaming<'f> {
    function: &'f mut Function,
    graph: &'f Graph,
    variables: Variables,
    /// For each block that is done the value of each variable at its end.
    ends: Vec<Vec<Option<Value>>>,
    /// For each block the variables that became parameters, in the order of these.
    added: Vec<Vec<u32>>,
    /// For each load what it read.
    replaced: Vec<Option<Value>>,
}

impl Renaming<'_> {
    fn run(mut self, live: &[Bits]) {
        let order = self.graph.order.clone();
        for &block in &order {
            let mut state = self.arrive(block, &live[block.index()]);
            let old = std::mem::take(&mut self.function.blocks[block].body);
            let mut body = Vec::with_capacity(old.len());
            for value in old {
                let replaced = &self.replaced;
                self.function
                    .visit_operands(value, |operand| *operand = resolve(replaced, *operand));
                match (
                    self.variables.of.get(value.index()).copied().flatten(),
                    self.function.op(value),
                ) {
                    (Some(variable), Op::Store { value: stored, .. }) => {
                        let ty = self.variables.list[variable as usize].ty;
                        let word = self.as_type(stored, ty, &mut body);
                        state[variable as usize] = Some(word);
                    }
                    (Some(variable), Op::Load { scalar, .. }) => {
                        let held = self.read(state[variable as usize], variable);
                        let ty = self.function.ty(value);
                        let word = self.as_type(held, ty, &mut body);
                        let word = self.extended(word, scalar, &mut body);
                        self.replaced[value.index()] = Some(word);
                    }
                    _ => body.push(value),
                }
            }
            self.function.blocks[block].body = body;
            let mut end = std::mem::replace(&mut self.function.blocks[block].end, Terminator::Return);
            end.visit(|operand| *operand = self.resolve(*operand));
            self.function.blocks[block].end = end;
            self.ends[block.index()] = state;
        }
        for &block in &order {
            self.pass_on(block);
        }
    }

    /// The value of each variable at the start of a block.
    fn arrive(&mut self, block: Block, live: &Bits) -> Vec<Option<Value>> {
        let count = self.variables.list.len();
        let predecessors = self.graph.predecessors(block);
        match predecessors {
            [] => return vec![None; count],
            [only] => return self.ends[only.index()].clone(),
            _ => {}
        }
        let done = predecessors
            .iter()
            .all(|predecessor| !self.ends[predecessor.index()].is_empty());
        let mut state = vec![None; count];
        for (variable, slot) in state.iter_mut().enumerate() {
            if !live.has(variable as u32) {
                continue;
            }
            let first = self.ends[predecessors[0].index()].get(variable).copied().flatten();
            let agree = done
                && predecessors
                    .iter()
                    .all(|predecessor| self.ends[predecessor.index()][variable] == first);
            *slot = if agree {
                first
            } else {
                let ty = self.variables.list[variable].ty;
                self.added[block.index()].push(variable as u32);
                Some(self.function.add_parameter(block, ty, Span::NONE))
            };
        }
        state
    }

    /// Appends the arguments for the parameters that were added to the successors of a block.
    fn pass_on(&mut self, block: Block) {
        let mut end = std::mem::replace(&mut self.function.blocks[block].end, Terminator::Return);
        for edge in end.edges_mut() {
            for &variable in &self.added[edge.block.index()] {
                let held = self.ends[block.index()][variable as usize];
                let ty = self.variables.list[variable as usize].ty;
                let value = held.unwrap_or_else(|| self.function.constant(ty, 0));
                edge.arguments.push(value);
            }
        }
        self.function.blocks[block].end = end;
    }

    fn resolve(&self, value: Value) -> Value {
        resolve(&self.replaced, value)
    }

    /// What a variable holds; what nobody has written may be anything.
    fn read(&mut self, held: Option<Value>, variable: u32) -> Value {
        let ty = self.variables.list[variable as usize].ty;
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

    /// What a load of a narrow scalar makes of a word whose upper bits the store has cut off.
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

/// What stands for a value.
fn resolve(replaced: &[Option<Value>], value: Value) -> Value {
    replaced.get(value.index()).copied().flatten().unwrap_or(value)
}
