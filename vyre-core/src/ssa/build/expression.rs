//! Expressions.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{Axis, BinaryOp, Builtin, ExprId, ExprKind, PlaceId, SHARED_ALIGN, Scalar, Type, TypeId, UnaryOp};

use super::Builder;
use super::place::Spot;
use super::shape::LeafKind;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Space, Ty, Value};

/// Limit of the operations of an operand that is speculated because that is cheaper than a branch.
const CHEAP: u32 = 8;

impl Builder<'_, '_> {
    /// The scalar type of an expression.
    pub(super) fn scalar_type(&self, expr: ExprId) -> Scalar {
        let ty = self.body().exprs[expr].ty;
        self.program.types.as_scalar(ty).unwrap_or(Scalar::U64)
    }

    /// The value of an expression of one word.
    pub(super) fn scalar(&mut self, id: ExprId) -> Value {
        let body = self.body();
        let expr = &body.exprs[id];
        let span = std::mem::replace(&mut self.span, expr.span);
        let value = self.scalar_kind(id, &expr.kind);
        self.span = span;
        value
    }

    /// The values of several such expressions.
    pub(super) fn scalars(&mut self, ids: &[ExprId]) -> Vec<Value> {
        ids.iter().map(|&id| self.scalar(id)).collect()
    }

    fn scalar_kind(&mut self, id: ExprId, kind: &ExprKind) -> Value {
        match *kind {
            ExprKind::Constant(constant) => self.scalar_constant(constant.scalar, constant.as_i128() as u64),
            ExprKind::External(external) => self.external(external),
            ExprKind::Builtin(builtin) => self.builtin(builtin),
            ExprKind::Length(place) => {
                let spot = self.spot(place);
                self.word(spot, 1, LeafKind::Scalar(Scalar::U64))
            }
            ExprKind::Reference(place) => match self.spot(place) {
                Spot::Memory { address, offset } => self.pointer(address, offset),
                // Locals whose address is taken live in memory.
                Spot::Variables(_) => self.constant(Ty::Pointer(Space::Global), 0),
            },
            ExprKind::Unary { op, operand } => {
                let a = self.scalar(operand);
                self.unary(op, self.scalar_type(operand), a)
            }
            ExprKind::Binary { op, left, right } => {
                let a = self.scalar(left);
                let b = self.scalar(right);
                self.binary(op, self.scalar_type(left), a, b)
            }
            ExprKind::MulAdd { a, b, c } => {
                let (a, b, c) = (self.scalar(a), self.scalar(b), self.scalar(c));
                let ty = self.function.ty(a);
                self.emit(Op::MulAdd { a, b, c }, ty)
            }
            ExprKind::And { left, right } => self.short_circuit(BinaryOp::And, left, right),
            ExprKind::Or { left, right } => self.short_circuit(BinaryOp::Or, left, right),
            ExprKind::Cast(operand) => {
                let a = self.scalar(operand);
                self.cast(a, self.scalar_type(operand), self.scalar_type(id))
            }
            ExprKind::Bitcast(operand) => {
                let a = self.scalar(operand);
                self.bitcast(a, self.scalar_type(operand), self.scalar_type(id))
            }
            ExprKind::Within { index, length, extent } => {
                let (index, length) = (self.scalar(index), self.scalar(length));
                let inside = self.binary_op(BinaryOp::Lt, Scalar::U64, index, length);
                self.guard_access(self.accesses().of_expr(id), inside, extent.fault(), [index, length]);
                index
            }
            ExprKind::Load(_)
            | ExprKind::Select { .. }
            | ExprKind::Field { .. }
            | ExprKind::Subslice { .. }
            | ExprKind::Regroup(_)
            | ExprKind::DynamicShared { .. }
            | ExprKind::MapShared { .. }
            | ExprKind::Construct(_)
            | ExprKind::Repeat(_) => {
                let mut words = Vec::with_capacity(1);
                self.words_kind(id, kind, &mut words);
                match words.first() {
                    Some(&word) => word,
                    // Only a value of the unit type has no word, and it is never used.
                    None => self.constant(Ty::I64, 0),
                }
            }
        }
    }

    /// Appends the words of the value of an expression that is not bulky.
    pub(super) fn words(&mut self, id: ExprId, words: &mut Vec<Value>) {
        let body = self.body();
        let expr = &body.exprs[id];
        let span = std::mem::replace(&mut self.span, expr.span);
        self.words_kind(id, &expr.kind, words);
        self.span = span;
    }

    fn words_kind(&mut self, id: ExprId, kind: &ExprKind, words: &mut Vec<Value>) {
        let body = self.body();
        match kind {
            &ExprKind::Load(place) => {
                let spot = self.spot(place);
                self.begin_value(place);
                self.read(spot, body.exprs[id].ty, words);
                self.end_value();
            }
            ExprKind::Construct(parts) => parts.iter().for_each(|&part| self.words(part, words)),
            &ExprKind::Repeat(operand) => {
                let start = words.len();
                self.words(operand, words);
                let element = words.split_off(start);
                let length = self.shapes.of(body.exprs[id].ty).length;
                for _ in 0..length {
                    words.extend_from_slice(&element);
                }
            }
            &ExprKind::Field { operand, index } => self.field(operand, index, body.exprs[id].ty, words),
            &ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            } => self.subslice(id, (place, start, end, checked), words),
            &ExprKind::Regroup(operand) => self.regroup(operand, body.exprs[id].ty, words),
            &ExprKind::DynamicShared { offset, length } => {
                let element = match self.program.types[body.exprs[id].ty] {
                    Type::Slice { element, .. } => element,
                    _ => return,
                };
                self.dynamic_shared(id, element, offset, length, words);
            }
            &ExprKind::MapShared { reference, rank } => self.map_shared(id, reference, rank, words),
            &ExprKind::Select {
                condition,
                then,
                otherwise,
            } => self.select_words(condition, then, otherwise, words),
            _ => {
                let word = self.scalar_kind(id, kind);
                words.push(word);
            }
        }
    }

    fn field(&mut self, operand: ExprId, index: u32, ty: TypeId, words: &mut Vec<Value>) {
        let shape = self.shapes.of(self.body().exprs[operand].ty);
        let field = shape.fields[index as usize];
        if shape.bulky {
            let source = self.bulky(operand);
            let spot = Spot::Memory {
                address: source,
                offset: field.offset,
            };
            self.read(spot, ty, words);
            return;
        }
        let mut whole = Vec::with_capacity(shape.leaves.len());
        self.words(operand, &mut whole);
        let count = self.shapes.of(ty).leaves.len();
        let first = field.first as usize;
        words.extend_from_slice(&whole[first..first + count]);
    }

    fn subslice(
        &mut self,
        id: ExprId,
        (place, start, end, checked): (PlaceId, ExprId, ExprId, bool),
        words: &mut Vec<Value>,
    ) {
        let ty = self.body().places[place].ty;
        let spot = self.spot(place);
        let (address, offset, element, length) = match (&self.program.types[ty], spot) {
            (&Type::Array { element, length }, Spot::Memory { address, offset }) => {
                (address, offset, element, self.constant(Ty::I64, length))
            }
            (&Type::Slice { element, .. }, spot) => {
                let address = self.word(spot, 0, LeafKind::Pointer);
                let length = self.word(spot, 1, LeafKind::Scalar(Scalar::U64));
                (address, 0, element, length)
            }
            // Arrays that are sliced live in memory, so no other expression occurs here.
            _ => return,
        };
        let start = self.scalar(start);
        let end = self.scalar(end);
        if checked {
            let inside = self.is_inside(start, end, length);
            let access = self.accesses().of_expr(id);
            let kind = FaultKind::RangeOutOfBounds;
            self.guard_place(access, inside, kind, (place, usize::MAX), [start, end]);
        }
        let address = self.pointer(address, offset);
        let size = self.shapes.of(element).size;
        let first = self.element_address(address, start, size);
        let length = self.binary_op(BinaryOp::Sub, Scalar::U64, end, start);
        words.extend([first, length]);
    }

    /// The words of a slice with the length in other elements.
    fn regroup(&mut self, operand: ExprId, ty: TypeId, words: &mut Vec<Value>) {
        let first = words.len();
        self.words(operand, words);
        let Some((op, count)) = self.program.types.regrouped(self.body().exprs[operand].ty, ty) else {
            return;
        };
        let count = self.constant(Ty::I64, count);
        words[first + 1] = self.binary_op(op, Scalar::U64, words[first + 1], count);
    }

    fn map_shared(&mut self, id: ExprId, reference: ExprId, rank: ExprId, words: &mut Vec<Value>) {
        let first = words.len();
        self.words(reference, words);
        let rank = self.scalar(rank);
        let blocks = self.cluster.map_or(1, |cluster| cluster.iter().product::<u32>());
        let blocks = self.constant(Ty::I64, u64::from(blocks));
        let known = match (self.function.as_constant(rank), self.function.as_constant(blocks)) {
            (Some(rank), Some(blocks)) => self.bool(rank < blocks),
            _ => self.binary_op(BinaryOp::Lt, Scalar::U64, rank, blocks),
        };
        self.guard_access(
            self.accesses().of_expr(id),
            known,
            FaultKind::ClusterRank,
            [rank, blocks],
        );
        if self.cluster.is_some() {
            let (address, rank) = (words[first], self.convert(Scalar::U64, Scalar::U32, rank));
            words[first] = self.emit(Op::MapShared { address, rank }, Ty::Pointer(Space::Cluster));
        }
    }

    /// True if `start <= end` and `end <= length`. For a constant number of elements one comparison
    /// decides both, with a loop-invariant bound if the length is invariant.
    fn is_inside(&mut self, start: Value, end: Value, length: Value) -> Value {
        if let Op::Binary {
            op: BinaryOp::Add,
            a,
            b,
            ..
        } = self.function.op(end)
            && let (true, Some(count @ 1..)) = (a == start, self.function.as_constant(b))
        {
            let longer = match self.function.as_constant(length) {
                Some(length) => self.constant(Ty::I64, length.max(count - 1)),
                None => {
                    let least = self.constant(Ty::I64, count - 1);
                    self.binary_op(BinaryOp::Max, Scalar::U64, length, least)
                }
            };
            let starts = self.binary_with(BinaryOp::Sub, Scalar::U64, longer, count - 1);
            return self.binary_op(BinaryOp::Lt, Scalar::U64, start, starts);
        }
        let ordered = self.binary_op(BinaryOp::Le, Scalar::U64, start, end);
        let inside = self.binary_op(BinaryOp::Le, Scalar::U64, end, length);
        self.binary_op(BinaryOp::And, Scalar::Bool, ordered, inside)
    }

    fn dynamic_shared(
        &mut self,
        id: ExprId,
        element: TypeId,
        offset: ExprId,
        length: Option<ExprId>,
        words: &mut Vec<Value>,
    ) {
        let offset = self.scalar(offset);
        let length = length.map(|length| self.scalar(length));
        let size = self.shapes.of(element).size.max(1);
        let given = self.special(Special::SharedBytes);
        let given = self.convert(Scalar::U32, Scalar::U64, given);
        let above = self.binary_with(BinaryOp::Add, Scalar::U64, offset, SHARED_ALIGN - 1);
        let start = self.binary_with(BinaryOp::And, Scalar::U64, above, !(SHARED_ALIGN - 1));
        // A start past the end leaves an empty slice; its address then stays aligned.
        let start_or_end = match self.function.as_constant(start) {
            Some(0) => start,
            _ => self.binary_op(BinaryOp::Min, Scalar::U64, start, given),
        };
        let left = self.binary_op(BinaryOp::Sub, Scalar::U64, given, start_or_end);
        let room = self.binary_with(BinaryOp::Div, Scalar::U64, left, size);
        if let Some(length) = length {
            let fits = self.binary_op(BinaryOp::Le, Scalar::U64, length, room);
            let bytes = self.binary_with(BinaryOp::Mul, Scalar::U64, length, size);
            let end = self.binary_op(BinaryOp::Add, Scalar::U64, start, bytes);
            self.guard_access(self.accesses().of_expr(id), fits, FaultKind::SharedMemory, [end, given]);
        }
        let base = self
            .function
            .root(Op::Address(Object::Dynamic), Ty::Pointer(Space::Shared));
        let address = self.element_address(base, start, 1);
        words.extend([address, length.unwrap_or(room)]);
    }

    /// True if an expression may be speculated at little cost. Each operation decrements the
    /// budget.
    fn is_cheap(&self, id: ExprId, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        let body = self.body();
        match body.exprs[id].kind {
            ExprKind::Constant(_) | ExprKind::External(_) | ExprKind::Builtin(_) => true,
            ExprKind::Load(place) | ExprKind::Length(place) => {
                self.is_variable(place) && self.program.types.as_scalar(body.exprs[id].ty).is_some()
            }
            ExprKind::Unary { op, operand } => {
                !matches!(op, UnaryOp::Sqrt | UnaryOp::Round) && self.is_cheap(operand, budget)
            }
            ExprKind::Binary { op, left, right } => {
                !matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && self.is_cheap(left, budget)
                    && self.is_cheap(right, budget)
            }
            ExprKind::And { left, right } | ExprKind::Or { left, right } => {
                self.is_cheap(left, budget) && self.is_cheap(right, budget)
            }
            ExprKind::MulAdd { a, b, c } => {
                self.is_cheap(a, budget) && self.is_cheap(b, budget) && self.is_cheap(c, budget)
            }
            ExprKind::Cast(operand) | ExprKind::Bitcast(operand) => self.is_cheap(operand, budget),
            _ => false,
        }
    }

    fn short_circuit(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Value {
        let first = self.scalar(left);
        // The value of the left operand for which the right one is evaluated.
        let proceed = op == BinaryOp::And;
        if let Some(bits) = self.function.as_constant(first) {
            return if (bits == 1) == proceed {
                self.scalar(right)
            } else {
                first
            };
        }
        if self.is_cheap(right, &mut { CHEAP }) {
            let second = self.scalar(right);
            return self.binary_op(op, Scalar::Bool, first, second);
        }
        let (then, otherwise) = self.branch(first);
        let (evaluate, skip) = if proceed { (then, otherwise) } else { (otherwise, then) };
        self.block = evaluate;
        let second = self.scalar(right);
        let evaluated = self.arrive(vec![second]);
        self.block = skip;
        let known = self.bool(!proceed);
        let skipped = self.arrive(vec![known]);
        self.join(vec![evaluated, skipped])[0]
    }

    fn select_words(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, words: &mut Vec<Value>) {
        let condition = self.scalar(condition);
        if let Some(bits) = self.function.as_constant(condition) {
            return self.words(if bits == 1 { then } else { otherwise }, words);
        }
        let mut budget = CHEAP;
        if self.is_cheap(then, &mut budget) && self.is_cheap(otherwise, &mut budget) {
            let a = self.scalar(then);
            let b = self.scalar(otherwise);
            let word = self.select(condition, a, b);
            return words.push(word);
        }
        let (then_block, otherwise_block) = self.branch(condition);
        let mut arrivals = Vec::with_capacity(2);
        for (block, expr) in [(then_block, then), (otherwise_block, otherwise)] {
            self.block = block;
            let mut brought = Vec::new();
            self.words(expr, &mut brought);
            arrivals.push(self.arrive(brought));
        }
        let met = self.join(arrivals);
        words.extend(met);
    }

    /// A constant; `bits` extended as in the scalar's register.
    fn scalar_constant(&mut self, scalar: Scalar, bits: u64) -> Value {
        self.constant(Ty::of(scalar), bits)
    }

    fn external(&mut self, external: vyre_ir::ir::Handle<vyre_ir::ir::External>) -> Value {
        let definition = &self.program.externals[external];
        let scalar = definition.scalar;
        if let Some(bits) = definition.value {
            let constant = vyre_ir::ir::Constant::new(scalar, bits);
            return self.scalar_constant(scalar, constant.as_i128() as u64);
        }
        match scalar {
            Scalar::Bool => {
                let word = self.function.root(Op::External(external), Ty::I32);
                self.binary_with(BinaryOp::Ne, Scalar::U32, word, 0)
            }
            // The placeholder has the bits of the narrow type; the register extends them.
            Scalar::I8 | Scalar::I16 => {
                let word = self.function.root(Op::External(external), Ty::I32);
                self.narrow(word, scalar)
            }
            Scalar::F16 | Scalar::BF16 => {
                let word = self.function.root(Op::External(external), Ty::I32);
                self.bits(word, Ty::of(scalar))
            }
            _ => self.function.root(Op::External(external), Ty::of(scalar)),
        }
    }

    fn builtin(&mut self, builtin: Builtin) -> Value {
        match builtin {
            Builtin::ThreadIndex(axis) if self.extent(axis) == 1 => self.constant(Ty::I32, 0),
            Builtin::ThreadIndex(axis) => self.special(Special::Thread(axis)),
            Builtin::BlockIndex(axis) if !self.uses(axis) => self.constant(Ty::I32, 0),
            Builtin::BlockIndex(axis) => self.special(Special::Block(axis)),
            Builtin::BlockSize(axis) => self.constant(Ty::I32, u64::from(self.extent(axis))),
            Builtin::GridSize(axis) if !self.uses(axis) => self.constant(Ty::I32, 1),
            Builtin::GridSize(axis) => self.special(Special::Grid(axis)),
            Builtin::ClusterSize(axis) => self.constant(Ty::I32, self.cluster_size(axis)),
            Builtin::ClusterBlock(axis) => {
                let block = self.builtin(Builtin::BlockIndex(axis));
                self.binary_with(BinaryOp::Rem, Scalar::U32, block, self.cluster_size(axis))
            }
            Builtin::ClusterIndex(axis) => {
                let block = self.builtin(Builtin::BlockIndex(axis));
                self.binary_with(BinaryOp::Div, Scalar::U32, block, self.cluster_size(axis))
            }
            Builtin::GlobalIndex(axis) => self.global_index(axis),
            Builtin::LinearIndex => self.linear_index(),
            Builtin::LaneIndex => self.special(Special::Lane),
            Builtin::OnGpu => self.bool(true),
        }
    }

    fn cluster_size(&self, axis: Axis) -> u64 {
        self.cluster.map_or(1, |cluster| cluster[axis.index()].into())
    }

    fn extent(&self, axis: Axis) -> u32 {
        self.function.block_size[axis.index()]
    }

    /// True if the launch may have more than one block along an axis.
    fn uses(&self, axis: Axis) -> bool {
        axis.index() < self.dimensions as usize
    }

    fn global_index(&mut self, axis: Axis) -> Value {
        let block = self.builtin(Builtin::BlockIndex(axis));
        let size = self.builtin(Builtin::BlockSize(axis));
        let thread = self.builtin(Builtin::ThreadIndex(axis));
        // A grid has at most 2^31 - 1 blocks along x and 65535 along the others.
        let blocks: u64 = if axis == Axis::X { (1 << 31) - 1 } else { 65535 };
        if blocks * u64::from(self.extent(axis)) <= 1 << 32 {
            let first = self.binary_op(BinaryOp::Mul, Scalar::U32, block, size);
            let index = self.binary_op(BinaryOp::Add, Scalar::U32, first, thread);
            return self.convert(Scalar::U32, Scalar::U64, index);
        }
        let first = self.emit(
            Op::MulWide {
                signed: false,
                a: block,
                b: size,
            },
            Ty::I64,
        );
        let thread = self.convert(Scalar::U32, Scalar::U64, thread);
        self.binary_op(BinaryOp::Add, Scalar::U64, first, thread)
    }

    fn linear_index(&mut self) -> Value {
        if self.dimensions == 1 && self.extent(Axis::Y) == 1 && self.extent(Axis::Z) == 1 {
            return self.global_index(Axis::X);
        }
        let mut block = self.constant(Ty::I64, 0);
        let mut thread = self.constant(Ty::I32, 0);
        for axis in [Axis::Z, Axis::Y, Axis::X] {
            let blocks = self.builtin(Builtin::GridSize(axis));
            let blocks = self.convert(Scalar::U32, Scalar::U64, blocks);
            let index = self.builtin(Builtin::BlockIndex(axis));
            let index = self.convert(Scalar::U32, Scalar::U64, index);
            let outer = self.binary_op(BinaryOp::Mul, Scalar::U64, block, blocks);
            block = self.binary_op(BinaryOp::Add, Scalar::U64, outer, index);

            let threads = self.builtin(Builtin::BlockSize(axis));
            let index = self.builtin(Builtin::ThreadIndex(axis));
            let outer = self.binary_op(BinaryOp::Mul, Scalar::U32, thread, threads);
            thread = self.binary_op(BinaryOp::Add, Scalar::U32, outer, index);
        }
        let threads: u64 = self
            .function
            .block_size
            .iter()
            .map(|&extent| u64::from(extent))
            .product();
        let first = self.binary_with(BinaryOp::Mul, Scalar::U64, block, threads);
        let thread = self.convert(Scalar::U32, Scalar::U64, thread);
        self.binary_op(BinaryOp::Add, Scalar::U64, first, thread)
    }
}
