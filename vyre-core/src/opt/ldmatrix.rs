//! Expands the matrix loads that `ldmatrix` does not support.
//!
//! `ldmatrix` requires rows in shared memory at multiples of their size. If a load's rows are not
//! known to satisfy that, lanes exchange the addresses of their rows by shuffles, and each loads
//! its own elements.
//!
//! **Algorithm.** One walk that queries the [alignment](crate::analysis::digits) of each
//! address, and expands the loads whose alignment is not known to suffice.
//!
//! **Before:** the last pass except those that add no arithmetic. **After:** rows of
//! [`Intrinsic::LoadMatrices`] are aligned and in shared memory. **Cost:** that of the analysis; nothing
//! for functions without such loads.

use vyre_ir::ir::{Access, BinaryOp, Intrinsic, MatrixLoad, Scalar, Shuffle, WARP_SIZE};

use crate::analysis::digits::{Digits, Given};
use crate::ssa::build::warp::shuffle;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Space, Span, Ty, Value};

/// Trailing zero bits of the address of a row.
const ROW_BITS: u32 = MatrixLoad::ROW_BYTES.trailing_zeros();

/// Expands the loads that the hardware may not support.
pub(crate) fn run(function: &mut Function, graph: &Flow) {
    let mut digits = None;
    for &block in &graph.order {
        let body = &function.blocks[block].body;
        let is_load = |&value: &Value| as_load(function, value).is_some();
        if body.iter().any(is_load) {
            let digits = digits.get_or_insert_with(|| Digits::of(function, graph, &Given::alignment(&rows)));
            expand(function, block, digits);
        }
    }
}

/// The alignment of objects: the entry aligns shared variables for its matrix loads.
fn rows(of: Op) -> u64 {
    match of {
        Op::Address(Object::Shared(_) | Object::Dynamic) => MatrixLoad::ROW_BYTES,
        _ => 1,
    }
}

/// The load, its elements, address and offset, if the value is a matrix load.
fn as_load(function: &Function, value: Value) -> Option<(MatrixLoad, Scalar, Value, i32)> {
    match function.op(value) {
        Op::Intrinsic {
            intrinsic: Intrinsic::LoadMatrices { load, element, offset },
            operands,
        } => Some((load, element, function.lists.get(operands)[0], offset)),
        _ => None,
    }
}

/// Expands the loads of a block, and replaces their results.
fn expand(function: &mut Function, block: Block, digits: &Digits) {
    let old = std::mem::take(&mut function.blocks[block].body);
    let mut writing = Writing {
        function,
        body: Vec::with_capacity(old.len()),
        span: Span::NONE,
    };
    let mut words: Vec<(Value, Vec<Value>)> = Vec::new();
    for value in old {
        if let Some((load, scalar, address, offset)) = as_load(writing.function, value) {
            let in_shared = writing.function.ty(address) == Ty::Pointer(Space::Shared);
            let aligned = digits.zeros(address).min(offset.trailing_zeros()) >= ROW_BITS;
            if in_shared && aligned {
                writing.body.push(value);
            } else {
                writing.span = writing.function.values[value].span;
                words.push((value, writing.load(load, scalar, address, offset)));
            }
            continue;
        }
        match writing.function.op(value) {
            Op::Result { of, index } if words.iter().any(|(known, _)| *known == of) => {
                let word = words.iter().find(|(known, _)| *known == of);
                let a = word.map_or(value, |(_, words)| words[index as usize]);
                // A copy, which ptxas removes.
                let zero = writing.word(0);
                let scalar = Scalar::U32;
                let op = BinaryOp::Or;
                writing.function.values[value].op = Op::Binary { op, scalar, a, b: zero };
                writing.body.push(value);
            }
            _ => writing.body.push(value),
        }
    }
    let body = writing.body;
    function.blocks[block].body = body;
}

/// A block under construction.
struct Writing<'f> {
    function: &'f mut Function,
    body: Vec<Value>,
    span: Span,
}

impl Writing<'_> {
    /// The words of the matrices.
    fn load(&mut self, load: MatrixLoad, scalar: Scalar, address: Value, offset: i32) -> Vec<Value> {
        let lane = self.function.special(Special::Lane);
        let group = self.binary(BinaryOp::Shr, lane, 2);
        let rest = self.binary(BinaryOp::And, lane, 3);
        let mut words = Vec::new();
        for matrix in 0..load.count() {
            if load.is_transposed() {
                let column = self.binary(BinaryOp::Shl, group, 1);
                let row = self.binary(BinaryOp::Shl, rest, 1);
                let mut half = |half: u64| {
                    let source = self.binary(BinaryOp::Add, row, 8 * matrix + half);
                    let place = self.row(address, source, column);
                    self.element(place, offset, Scalar::U16)
                };
                let halves = [half(0), half(1)];
                words.push(self.join(halves[0], halves[1], 16));
            } else {
                let column = self.binary(BinaryOp::Shl, rest, 2);
                let source = self.binary(BinaryOp::Add, group, 8 * matrix);
                let place = self.row(address, source, column);
                let narrow = match scalar.size() {
                    1 => Scalar::U8,
                    2 => Scalar::U16,
                    _ => Scalar::U32,
                };
                let mut word = self.element(place, offset, narrow);
                for number in 1..4 / narrow.size() {
                    let behind = offset + (number * narrow.size()) as i32;
                    let next = self.element(place, behind, narrow);
                    word = self.join(word, next, u64::from(number * narrow.bits()));
                }
                words.push(word);
            }
        }
        words
    }

    /// The address `bytes` past the row supplied by a lane.
    fn row(&mut self, address: Value, source: Value, bytes: Value) -> Value {
        let ty = self.function.ty(address);
        let word = ty.word();
        let bits = self.add(Op::Bits(address), word);
        let members = self.word(u64::from(u32::MAX));
        let shuffle = shuffle(self.function, (Shuffle::Index, WARP_SIZE), [bits, source, members]);
        let given = self.add(shuffle, word);
        let (from, to) = (Scalar::U32, Scalar::U64);
        let bytes = match word {
            Ty::I32 => bytes,
            _ => self.add(Op::Convert { from, to, a: bytes }, word),
        };
        let base = self.add(Op::Bits(given), ty);
        self.add(Op::Offset { base, bytes }, ty)
    }

    fn element(&mut self, address: Value, offset: i32, scalar: Scalar) -> Value {
        let load = Op::Load {
            address,
            offset,
            scalar,
            constant: false,
            in_bounds: false,
            access: Access::Plain,
        };
        self.add(load, Ty::I32)
    }

    /// A word with `high` shifted above the bits of `low`.
    fn join(&mut self, low: Value, high: Value, amount: u64) -> Value {
        let b = self.binary(BinaryOp::Shl, high, amount);
        let (op, scalar) = (BinaryOp::Or, Scalar::U32);
        self.add(Op::Binary { op, scalar, a: low, b }, Ty::I32)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, constant: u64) -> Value {
        let b = self.word(constant);
        let scalar = Scalar::U32;
        self.add(Op::Binary { op, scalar, a, b }, Ty::I32)
    }

    fn word(&mut self, bits: u64) -> Value {
        self.function.constant(Ty::I32, bits)
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.function.add_value(op, ty, self.span);
        self.body.push(value);
        value
    }
}
