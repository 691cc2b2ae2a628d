//! Demotes the values of some blocks from SSA form to local memory, so that the blocks can be copied
//! and joined anew.
//!
//! A value that is used in another block than its own is stored to an object of its own behind
//! its definition, and loaded where it is used. [`mem2reg`](super::promote) turns the objects back
//! into values and adds the parameters that the new edges call for. In between the graph does not
//! satisfy the rules of types for memory, because predicates and pointers are stored as they are.

use crate::ir::{Access, Scalar};
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, LocalObject, Space, Terminator, Ty, Value, filled};

/// Demotes what the blocks define and other blocks use. `order` has all blocks that control
/// reaches.
pub(super) fn run(function: &mut Function, order: &[Block], blocks: &[Block]) {
    let mut home: Vec<Option<Block>> = filled(None, function.values.len());
    for &block in blocks {
        let data = &function.blocks[block];
        for value in data.parameters.iter().chain(&data.body) {
            home[value.index()] = Some(block);
        }
    }
    // The object of each value that is used elsewhere.
    let mut slots: Vec<Option<Value>> = filled(None, function.values.len());
    for &block in order {
        let data = &function.blocks[block];
        let mut foreign = Vec::new();
        let mut note = |operand: Value| {
            if home[operand.index()].is_some_and(|home| home != block) && slots[operand.index()].is_none() {
                foreign.push(operand);
            }
        };
        for &value in &data.body {
            function.each_operand(value, &mut note);
        }
        data.end.each_operand(&mut note);
        for value in foreign {
            if slots[value.index()].is_none() {
                slots[value.index()] = Some(add_slot(function));
            }
        }
    }
    for &block in order {
        rewrite(function, block, &home, &slots);
    }
}

fn add_slot(function: &mut Function) -> Value {
    let number = function.objects.len() as u32;
    function.objects.push(LocalObject { size: 8, align: 8 });
    function.root(Op::Address(Object::Local(number)), Ty::Pointer(Space::Local))
}

fn rewrite(function: &mut Function, block: Block, home: &[Option<Block>], slots: &[Option<Value>]) {
    let slot = |value: Value| slots.get(value.index()).copied().flatten();
    let own = |value: Value| home.get(value.index()).copied().flatten() == Some(block);
    let old = std::mem::take(&mut function.blocks[block].body);
    let mut body = Vec::with_capacity(old.len());
    // What each demoted value was loaded as in this block.
    let mut loaded: Vec<(Value, Value)> = Vec::new();
    for position in 0..function.blocks[block].parameters.len() {
        let parameter = function.blocks[block].parameters[position];
        if let Some(address) = slot(parameter) {
            store(function, &mut body, address, parameter);
        }
    }
    let mut fetch = |function: &mut Function, body: &mut Vec<Value>, value: Value| {
        if own(value) {
            return value;
        }
        let Some(address) = slot(value) else { return value };
        if let Some(&(_, known)) = loaded.iter().find(|(of, _)| *of == value) {
            return known;
        }
        let data = function.values[value];
        let op = Op::Load {
            address,
            offset: 0,
            scalar: scalar(data.ty),
            constant: false,
            access: Access::Plain,
        };
        let load = function.add_value(op, data.ty, data.span);
        body.push(load);
        loaded.push((value, load));
        load
    };
    for value in old {
        let mut operands = Vec::new();
        function.each_operand(value, |operand| operands.push(operand));
        for operand in &mut operands {
            *operand = fetch(function, &mut body, *operand);
        }
        let mut operands = operands.into_iter();
        function.visit_operands(value, |operand| *operand = operands.next().unwrap_or(*operand));
        body.push(value);
        if let Some(address) = slot(value) {
            store(function, &mut body, address, value);
        }
    }
    let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
    end.visit(|operand| *operand = fetch(function, &mut body, *operand));
    function.blocks[block].end = end;
    function.blocks[block].body = body;
}

fn store(function: &mut Function, body: &mut Vec<Value>, address: Value, value: Value) {
    let data = function.values[value];
    let op = Op::Store {
        address,
        offset: 0,
        scalar: scalar(data.ty),
        value,
        access: Access::Plain,
    };
    let store = function.add_value(op, Ty::Unit, data.span);
    body.push(store);
}

/// A scalar whose load extends nothing, so that [`mem2reg`](super::promote) takes it as it is.
fn scalar(ty: Ty) -> Scalar {
    match ty {
        Ty::F16 => Scalar::F16,
        Ty::BF16 => Scalar::BF16,
        _ if ty.bits() == 64 => Scalar::U64,
        _ => Scalar::U32,
    }
}

/// A copy of some blocks: the edges among them lead to copies, those that leave are as they were.
pub(super) struct Copies {
    of: Vec<Option<Block>>,
}

impl Copies {
    /// Copies demoted blocks.
    pub(super) fn of(function: &mut Function, blocks: &[Block]) -> Copies {
        let mut copies = Copies {
            of: filled(None, function.blocks.len()),
        };
        for &block in blocks {
            copies.of[block.index()] = Some(function.add_block());
        }
        // Values do not cross blocks, but arguments name values of their own block alone.
        let mut values: Vec<Option<Value>> = filled(None, function.values.len());
        for &block in blocks {
            let copy = copies.get(block);
            let mut data = function.blocks[block].clone();
            for parameter in &mut data.parameters {
                let old = function.values[*parameter];
                let new = function.add_value(old.op, old.ty, old.span);
                values[parameter.index()] = Some(new);
                *parameter = new;
            }
            for value in &mut data.body {
                let new = function.duplicate(*value);
                function.visit_operands(new, |operand| {
                    if let Some(new) = values[operand.index()] {
                        *operand = new;
                    }
                });
                values[value.index()] = Some(new);
                *value = new;
            }
            data.end.visit(|operand| {
                if let Some(new) = values[operand.index()] {
                    *operand = new;
                }
            });
            for edge in data.end.edges_mut() {
                edge.block = copies.get(edge.block);
            }
            function.blocks[copy] = data;
        }
        copies
    }

    /// The copy of a block, or itself.
    pub(super) fn get(&self, block: Block) -> Block {
        self.of.get(block.index()).copied().flatten().unwrap_or(block)
    }
}
