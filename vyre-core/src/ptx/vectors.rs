//! Vector accesses: neighbours in memory that are loaded or stored together become one instruction.
//!
//! **Rules.** A vector has two or four elements of one size, at most 16 bytes together, and its address is a multiple of
//! its size. That must follow from the alignment of the type: elements of a slice are aligned as their type asks, which
//! launches check, and so are variables. Loads move up to the first of a vector, and stores down to the last. So
//! neither passes an operation with an effect, a guard among them, and a store passes no load and no store to another
//! address.
//!
//! **Algorithm.** One walk over each block collects the loads and stores that nothing separates, and cuts them into
//! vectors, the widest first. The alignment of addresses is analysed only where there are neighbours.
//! **Cost:** linear, but for sorting.

use vyre_abi::list;
use vyre_abi::order::sort_by_key;
use vyre_ir::ir::{Access, Kernel, Program, SHARED_ALIGN, Scalar, Type};

use super::entry::{EntryPlan, Writer};
use super::memory::read_only;
use super::text::{Class, Operand, memory_type};
use crate::analysis::digits::{Digits, Given};
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Function, Value};

/// Limit of the size of a vector, in bytes.
const WIDEST: u32 = 16;

/// The vectors of an entry, by value: the accesses of each in the order of their addresses, at the one in whose place it is
/// emitted, and an empty list at the others. Empty if there are none.
pub(crate) type Vectors = Vec<Option<Vec<Value>>>;

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Word {
    value: Value,
    /// The position in its block.
    position: usize,
    address: Value,
    offset: i32,
    scalar: Scalar,
    is_load: bool,
    /// True for a load of memory that is not written.
    constant: bool,
}

impl Word {
    /// True if both may be in one vector. Narrow words are extended, so their types must be the same.
    fn fits(&self, other: &Word) -> bool {
        let alike = self.scalar == other.scalar || self.scalar.size() == other.scalar.size() && self.scalar.size() >= 4;
        alike && self.address == other.address && self.constant == other.constant
    }
}

/// The function of an entry, and the types of its memory.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) program: &'a Program,
    pub(crate) kernel: &'a Kernel,
    pub(crate) function: &'a Function,
    /// Minimal alignment of its shared variables.
    pub(crate) shared_align: u64,
}

impl Memory<'_> {
    /// Finds the vectors of all blocks. Loads that are not `is_hot` are not emitted.
    pub(crate) fn vectors(self, flow: &Flow, is_hot: &dyn Fn(Value) -> bool) -> Vectors {
        let mut runs = Vec::new();
        for &block in &flow.order {
            self.runs(&self.function.blocks[block].body, is_hot, &mut runs);
        }
        if runs.is_empty() {
            return Vec::new();
        }
        let root = |op| self.root_alignment(op);
        let digits = Digits::of(self.function, flow, &Given::alignment(&root));
        let mut vectors = vec![None; self.function.values.len()];
        for run in &runs {
            let zeros = digits.zeros(run[0].address);
            cut(run, zeros, &mut vectors);
        }
        vectors
    }

    /// Adds the runs of neighbours in a block: accesses that may become vectors, in the order of their addresses.
    fn runs(self, body: &[Value], is_hot: &dyn Fn(Value) -> bool, runs: &mut Vec<Vec<Word>>) {
        let (mut loads, mut stores) = (Vec::<Word>::new(), Vec::<Word>::new());
        for (position, &value) in body.iter().enumerate() {
            match self.function.op(value) {
                Op::Load {
                    address,
                    offset,
                    scalar,
                    constant,
                    access: Access::Plain,
                    ..
                } => {
                    end(&mut stores, runs);
                    if is_hot(value) {
                        loads.push(Word {
                            value,
                            position,
                            address,
                            offset,
                            scalar,
                            is_load: true,
                            constant,
                        });
                    }
                }
                Op::Store {
                    address,
                    offset,
                    scalar,
                    access: Access::Plain,
                    ..
                } => {
                    end(&mut loads, runs);
                    let word = Word {
                        value,
                        position,
                        address,
                        offset,
                        scalar,
                        is_load: false,
                        constant: false,
                    };
                    let overlaps = |other: &Word| other.offset.abs_diff(offset) < scalar.size();
                    if stores.iter().any(|other| !other.fits(&word) || overlaps(other)) {
                        end(&mut stores, runs);
                    }
                    stores.push(word);
                }
                op if op.has_effect() || op.accesses_memory() => {
                    end(&mut loads, runs);
                    end(&mut stores, runs);
                }
                _ => {}
            }
        }
        end(&mut loads, runs);
        end(&mut stores, runs);
    }

    /// The alignment of an address that is no result of arithmetic, in bytes.
    fn root_alignment(self, op: Op) -> u64 {
        let program = self.program;
        let types = &program.types;
        match op {
            Op::Address(Object::Shared(shared)) => types.layout(program.shared[shared].ty).align.max(self.shared_align),
            Op::Address(Object::Dynamic) => SHARED_ALIGN,
            Op::Address(Object::Table(table)) => types.layout(program.tables[table].ty).align,
            Op::Address(Object::Local(number)) => self.function.objects[number as usize].align,
            Op::Address(Object::Parameter { number, .. }) => {
                types.layout(self.kernel.parameters[number as usize].ty).align
            }
            Op::Argument {
                parameter, offset: 0, ..
            } => match types[self.kernel.parameters[parameter as usize].ty] {
                Type::Slice { element, .. } => types.layout(element).align,
                _ => 1,
            },
            _ => 1,
        }
    }
}

impl Writer<'_> {
    /// Finds the vectors of all blocks.
    pub(super) fn find_vectors(&mut self) {
        let EntryPlan {
            program,
            kernel,
            function,
            shared_align,
            ..
        } = self.plan;
        let memory = Memory {
            program,
            kernel,
            function,
            shared_align,
        };
        self.vectors = memory.vectors(self.graph, &|value| self.is_hot(value));
    }

    /// Emits a vector.
    pub(super) fn vector(&mut self, accesses: &[Value]) {
        let scalars = accesses.iter().filter_map(|&value| word(self.function.op(value)));
        let scalars: Vec<Scalar> = scalars.collect();
        let ty = match scalars.iter().all(|&scalar| scalar == scalars[0]) {
            true => memory_type(scalars[0]),
            false if scalars[0].size() == 8 => "b64",
            false => "b32",
        };
        let count = if accesses.len() == 2 { ".v2." } else { ".v4." };
        match self.function.op(accesses[0]) {
            Op::Load {
                address,
                offset,
                constant,
                ..
            } => {
                let space = self.space(address);
                let cache = read_only(constant, space);
                let targets: Vec<_> = list::map(accesses, |&it| Operand::Register(self.register(it)));
                self.text.begin(&["ld", space.suffix(), cache, count, ty, " "]);
                self.text.group(&targets);
                self.text.out.push_str(", ");
                self.address(address, offset);
            }
            Op::Store { address, offset, .. } => {
                let space = self.space(address);
                let words: Vec<_> = list::map(accesses, |&it| self.stored(it));
                self.text.begin(&["st", space.suffix(), count, ty, " "]);
                self.address(address, offset);
                self.text.out.push_str(", ");
                self.text.group(&words);
            }
            _ => return,
        }
        self.text.end();
    }

    /// The value that a store writes, in a register.
    fn stored(&mut self, store: Value) -> Operand<'static> {
        let Op::Store { value, .. } = self.function.op(store) else {
            return Operand::Number(0);
        };
        match self.operand(value) {
            operand @ Operand::Register(_) => operand,
            immediate => {
                let class = Class::of(self.function.ty(value));
                let register = self.text.register(class);
                self.mov(register, immediate);
                Operand::Register(register)
            }
        }
    }
}

/// The scalar that an access moves.
fn word(op: Op) -> Option<Scalar> {
    match op {
        Op::Load { scalar, .. } | Op::Store { scalar, .. } => Some(scalar),
        _ => None,
    }
}

/// Ends the accesses that nothing separates: adds those that have neighbours, and forgets them.
fn end(words: &mut Vec<Word>, runs: &mut Vec<Vec<Word>>) {
    sort_by_key(words, |word| {
        let offset = i64::from(word.offset) - i64::from(i32::MIN);
        (word.address.index() as u128) << 96 | (offset as u128) << 64 | word.position as u128
    });
    let follows = |one: &Word, next: &Word| {
        one.fits(next) && one.offset.checked_add(one.scalar.size() as i32) == Some(next.offset)
    };
    let neighbours = words.chunk_by(follows).filter(|neighbours| neighbours.len() > 1);
    runs.extend(neighbours.map(<[Word]>::to_vec));
    words.clear();
}

/// Cuts neighbours into vectors, where so many low bits of their address are zero.
fn cut(run: &[Word], zeros: u32, vectors: &mut [Option<Vec<Value>>]) {
    let size = run[0].scalar.size();
    let mut rest = run;
    while let Some(first) = rest.first() {
        let fits = |&count: &usize| {
            let bytes = count as u32 * size;
            let aligned = zeros.min(first.offset.trailing_zeros()) >= bytes.trailing_zeros();
            bytes <= WIDEST && rest.len() >= count && aligned
        };
        let Some(count) = [4, 2].into_iter().find(fits) else {
            rest = &rest[1..];
            continue;
        };
        let (words, after) = rest.split_at(count);
        rest = after;
        let by_position = |word: &&Word| word.position;
        let at = match words[0].is_load {
            true => words.iter().min_by_key(by_position),
            false => words.iter().max_by_key(by_position),
        };
        let at = at.map_or(first.value, |word| word.value);
        let values: Vec<Value> = list::map(words, |word| word.value);
        for value in &values {
            vectors[value.index()] = Some(Vec::new());
        }
        vectors[at.index()] = Some(values);
    }
}
