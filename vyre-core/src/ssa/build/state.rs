//! The current value of each variable, frame by frame, and the merging of states at joins.

use std::rc::Rc;

use vyre_abi::order::sort_by_key;
use vyre_ir::ir::{self, Body, Handle, Local};
use vyre_ir::validate::BodyInfo;

use super::Builder;
use super::storage::{self, Homes};
use super::variables::Variables;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Edge, LocalObject, Space, Terminator, Ty, Value};

/// The state of a body under construction, once per inlined call.
#[derive(Debug, Default)]
pub(super) struct Frame<'p, 's> {
    /// The body; `None` before the kernel's.
    pub(super) body: Option<&'p Body>,
    /// The facts about it.
    pub(super) info: Option<&'s BodyInfo<'p>>,
    /// Its index among the inlined bodies; `None` for the kernel's.
    pub(super) inlined: Option<u32>,
    /// The storage of each local.
    pub(super) locals: Vec<Home>,
    /// The enclosing loops, outermost first.
    pub(super) loops: Vec<Loop>,
    /// The returns of the body.
    pub(super) returns: Vec<Arrival>,
    /// The address for a bulky result.
    pub(super) result: Option<Value>,
    /// Index of the frame's first variable.
    first: usize,
}

/// The storage of a local.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// Consecutive variables, one per word, from this one on.
    Variables(u32),
    /// In local memory, or among the parameters of the kernel, at this address.
    Memory(Value),
}

/// The pending edges of a loop.
#[derive(Debug, Default)]
pub(super) struct Loop {
    /// The `break`s.
    pub(super) breaks: Vec<Arrival>,
    /// The `continue`s.
    pub(super) continues: Vec<Arrival>,
}

/// The end of a block whose successor is not known yet.
#[derive(Debug)]
pub(super) struct Arrival {
    /// The block.
    pub(super) block: Block,
    /// The value of each variable at its end.
    pub(super) state: Variables,
    /// Additional values passed along.
    pub(super) extra: Vec<Value>,
}

/// Objects of at least so many bytes never become values.
const LARGE_OBJECT: u64 = 2048;

impl<'p, 's> Builder<'p, 's> {
    /// Starts a frame and returns the outer one.
    pub(super) fn enter(
        &mut self,
        body: &'p Body,
        info: &'s BodyInfo<'p>,
        homes: Rc<Homes>,
        parameters: usize,
    ) -> Frame<'p, 's> {
        let mut frame = Frame {
            body: Some(body),
            info: Some(info),
            first: self.state.len(),
            ..Frame::default()
        };
        for (handle, local) in body.locals.iter() {
            let shape = self.shapes.of(local.ty);
            let home = if homes.in_place.get(handle.index()) == Some(&true) {
                let (number, size) = (handle.index() as u32, shape.size as u32);
                let object = Op::Address(Object::Parameter { number, size });
                Home::Memory(self.function.root(object, Ty::Pointer(Space::Param)))
            } else if homes.in_memory[handle.index()] {
                let address = self.add_object(shape.size, shape.align);
                if homes.zeroed[handle.index()] && handle.index() >= parameters {
                    self.zero(address, local.ty);
                }
                Home::Memory(address)
            } else {
                let first = self.state.len() as u32;
                for leaf in &shape.leaves {
                    let zero = self.constant(leaf.kind.ty(), 0);
                    self.state.push(zero);
                }
                Home::Variables(first)
            };
            frame.locals.push(home);
        }
        std::mem::replace(&mut self.frame, frame)
    }

    /// Ends a frame, returns to the outer one, and returns the ended frame.
    pub(super) fn leave(&mut self, outer: Frame<'p, 's>) -> Frame<'p, 's> {
        let mut frame = std::mem::replace(&mut self.frame, outer);
        self.state.truncate(frame.first);
        for arrival in &mut frame.returns {
            arrival.state.truncate(frame.first);
        }
        frame
    }

    /// Allocates an object in local memory; returns its address.
    ///
    /// A large one is that of a call that has ended, if there is one, made as large as it must be: what it held is not
    /// read again. Smaller ones may become values, which are better apart.
    pub(super) fn add_object(&mut self, size: u64, align: u64) -> Value {
        let number = match size >= LARGE_OBJECT {
            true => self.free_object(size),
            false => None,
        };
        let number = number.unwrap_or_else(|| {
            self.function.objects.push(LocalObject { size, align });
            self.function.objects.len() as u32 - 1
        });
        let object = &mut self.function.objects[number as usize];
        (object.size, object.align) = (object.size.max(size), object.align.max(align));
        if size >= LARGE_OBJECT {
            self.large_objects.push(number);
        }
        self.function
            .root(Op::Address(Object::Local(number)), Ty::Pointer(Space::Local))
    }

    /// Takes the smallest of the free objects that have the size, or else the largest.
    fn free_object(&mut self, size: u64) -> Option<u32> {
        let objects = &self.function.objects;
        let excess = |&number: &u32| {
            let has = objects[number as usize].size;
            (has < size, has.abs_diff(size))
        };
        let best = (0..self.free_objects.len()).min_by_key(|&place| excess(&self.free_objects[place]))?;
        Some(self.free_objects.swap_remove(best))
    }

    /// Frees the large objects past the first of so many: those of a call that has ended.
    pub(super) fn free_objects(&mut self, held: usize) {
        self.free_objects.extend(self.large_objects.drain(held..));
    }

    /// Gives a local the words of its type.
    pub(super) fn initialise(&mut self, local: Handle<Local>, words: &[Value]) {
        match self.frame.locals[local.index()] {
            Home::Variables(first) => self.state.set_all(first as usize, words),
            Home::Memory(address) => {
                let ty = self.body().locals[local].ty;
                self.store_words(address, 0, ty, words);
            }
        }
    }

    /// The current body.
    pub(super) fn body(&self) -> &'p Body {
        self.frame.body.expect("statements stand in a body")
    }

    /// Ends the current block with a pending edge.
    pub(super) fn arrive(&mut self, extra: Vec<Value>) -> Arrival {
        self.reachable = false;
        Arrival {
            block: self.block,
            state: self.state.clone(),
            extra,
        }
    }

    /// Continues where the arrivals join; returns their additional values. Variables with different
    /// values become parameters of the join block.
    pub(super) fn join(&mut self, mut arrivals: Vec<Arrival>) -> Vec<Value> {
        self.reachable = !arrivals.is_empty();
        match arrivals.len() {
            0 => {
                // Unreachable code goes into a separate block.
                self.block = self.function.add_block();
                return Vec::new();
            }
            1 => {
                let Some(arrival) = arrivals.pop() else {
                    return Vec::new();
                };
                self.block = arrival.block;
                self.state = arrival.state;
                return arrival.extra;
            }
            _ => {}
        }
        let join = self.function.add_block();
        let mut edges: Vec<Vec<Value>> = vec![Vec::new(); arrivals.len()];
        let mut state = arrivals[0].state.clone();
        let others = arrivals[1..].iter().map(|arrival| &arrival.state);
        for (first, end) in state.differing(others) {
            for variable in first..end {
                let words = arrivals.iter().map(|arrival| arrival.state.get(variable));
                if let Some(met) = self.meet(join, &arrivals, words, &mut edges) {
                    state.set(variable, met);
                }
            }
        }
        let mut extra = arrivals[0].extra.clone();
        for (number, word) in extra.iter_mut().enumerate() {
            let words = arrivals.iter().map(|arrival| arrival.extra[number]);
            *word = self.meet(join, &arrivals, words, &mut edges).unwrap_or(*word);
        }
        for (arrival, arguments) in arrivals.iter().zip(edges) {
            self.function.blocks[arrival.block].end = Terminator::Jump(Edge { block: join, arguments });
        }
        self.block = join;
        self.state = state;
        extra
    }

    /// The parameter that merges the words of arrivals, unless they are the same.
    fn meet(
        &mut self,
        join: Block,
        arrivals: &[Arrival],
        words: impl Iterator<Item = Value> + Clone,
        edges: &mut [Vec<Value>],
    ) -> Option<Value> {
        let mut rest = words.clone();
        let first = rest.next();
        if rest.all(|word| Some(word) == first) {
            return None;
        }
        let ty = self.common_type(words.clone());
        for ((arrival, word), edge) in arrivals.iter().zip(words).zip(edges) {
            edge.push(self.fit(arrival.block, word, ty));
        }
        Some(self.function.add_parameter(join, ty, self.span))
    }

    /// The common type of these values: theirs, or a generic pointer for pointers into different
    /// memories. A constant pointer fits any space.
    fn common_type(&self, values: impl Iterator<Item = Value>) -> Ty {
        let mut common = None;
        for value in values {
            let ty = self.function.ty(value);
            let null = matches!(ty, Ty::Pointer(_)) && self.function.as_constant(value).is_some();
            common = match common {
                None => Some((ty, null)),
                Some((known, true)) if ty != known => Some((ty, null)),
                Some((known, false)) if ty != known && !null => Some((Ty::Pointer(Space::Generic), false)),
                Some((known, known_null)) => Some((known, known_null && null)),
            };
        }
        common.map_or(Ty::Unit, |(ty, _)| ty)
    }

    /// Converts a value to type `ty` at the end of `block` if needed.
    fn fit(&mut self, block: Block, value: Value, ty: Ty) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        if let Some(bits) = self.function.as_constant(value) {
            return self.constant(ty, bits);
        }
        let converted = self.function.add_value(Op::ToGeneric(value), ty, self.span);
        self.function.blocks[block].body.push(converted);
        converted
    }

    /// Starts a loop: jumps into a new block with a parameter per variable that the loop assigns.
    /// Returns that block and the indices of those variables.
    pub(super) fn loop_header(&mut self, body: &ir::Block, step: &ir::Block) -> (Block, Vec<usize>) {
        let mut assigned = Vec::new();
        storage::assigned(self.body(), &self.program.types, body, &mut assigned);
        storage::assigned(self.body(), &self.program.types, step, &mut assigned);
        sort_by_key(&mut assigned, |local| local.index() as u128);
        assigned.dedup();
        let header = self.function.add_block();
        let mut variables = Vec::new();
        let mut arguments = Vec::new();
        for local in assigned {
            let Home::Variables(first) = self.frame.locals[local.index()] else {
                continue;
            };
            let shape = self.shapes.of(self.body().locals[local].ty);
            for variable in first as usize..first as usize + shape.leaves.len() {
                // The space of a loop-carried pointer is not known yet, so it is made generic;
                // `opt::address_spaces` infers the space again.
                let value = self.state.get(variable);
                let mut ty = self.function.ty(value);
                if let Ty::Pointer(_) = ty {
                    ty = Ty::Pointer(Space::Generic);
                }
                arguments.push(self.fit(self.block, value, ty));
                let parameter = self.function.add_parameter(header, ty, self.span);
                self.state.set(variable, parameter);
                variables.push(variable);
            }
        }
        self.jump_into(header, arguments);
        (header, variables)
    }

    /// Ends a loop's last block with the back edge to its header.
    pub(super) fn loop_latch(&mut self, header: Block, variables: &[usize]) {
        let mut arguments = Vec::with_capacity(variables.len());
        for (position, &variable) in variables.iter().enumerate() {
            let ty = self.function.ty(self.function.blocks[header].parameters[position]);
            arguments.push(self.fit(self.block, self.state.get(variable), ty));
        }
        self.function.blocks[self.block].end = Terminator::Jump(Edge {
            block: header,
            arguments,
        });
        self.reachable = false;
    }
}
