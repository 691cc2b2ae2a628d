//! Evaluation of expressions.

use vyre_abi::fault::FaultKind;

use super::PRIVATE_BYTES;
use super::block::Machine;
use super::error::Undefined;
use super::flatten::Routine;
use super::memory::Pointer;
use super::value::{Value, read_scalar};
use crate::ir::{
    BinaryOp, Builtin, Constant, Expr, ExprId, ExprKind, Extent, External, Handle, PlaceId, SHARED_ALIGN, Scalar, Span,
    Type, TypeId, WARP_SIZE,
};
use crate::semantics;

/// The reason why a thread stops.
#[derive(Debug)]
pub(super) enum Stop {
    Fault {
        kind: FaultKind,
        span: Span,
        /// The text of an assertion or panic, or the name of an indexed place.
        message: String,
        values: [u64; 2],
    },
    Undefined {
        what: Undefined,
        span: Span,
    },
    External(Handle<External>),
    Memory,
    StepLimit,
}

impl Stop {
    pub(super) fn fault(kind: FaultKind, span: Span, values: [u64; 2]) -> Stop {
        Stop::Fault {
            kind,
            span,
            message: String::new(),
            values,
        }
    }
}

/// The environment of an evaluation: the running call, the thread's private memory, and all other
/// memory.
#[derive(Clone, Copy)]
pub(super) struct Context<'m> {
    pub(super) machine: &'m Machine<'m, 'm>,
    pub(super) routine: &'m Routine<'m>,
    /// The private memory of the thread.
    pub(super) private: &'m [u8],
    /// The bytes of it that have been written, where checking mode asks for them.
    pub(super) written: &'m [bool],
    /// The start of the running call's frame in it.
    pub(super) frame: u64,
    /// The thread in its block.
    pub(super) thread: [u32; 3],
}

impl Context<'_> {
    /// Evaluates an expression to a scalar.
    pub(super) fn scalar(&self, id: ExprId) -> Result<Constant, Stop> {
        let expr = &self.routine.body.exprs[id];
        match &expr.kind {
            ExprKind::Load(place) => match self.local_scalar(*place) {
                Some(constant) => Ok(constant),
                None => Ok(self.load(*place)?.scalar()),
            },
            kind if is_computed(kind) => self.computed(expr),
            _ => Ok(self.value(id)?.scalar()),
        }
    }

    /// The value of a place that is a whole local of a scalar type: most operands are.
    fn local_scalar(&self, place: PlaceId) -> Option<Constant> {
        let (scalar, offset) = self.routine.scalars[place.index()]?;
        let start = (self.frame + offset) as usize;
        let bytes = self.private.get(start..start + scalar.size() as usize)?;
        Some(read_scalar(scalar, bytes))
    }

    /// Evaluates expressions to scalars, in order.
    pub(super) fn scalars(&self, ids: &[ExprId]) -> Result<Vec<Constant>, Stop> {
        ids.iter().map(|&id| self.scalar(id)).collect()
    }

    /// Evaluates expressions, in order.
    pub(super) fn values(&self, ids: &[ExprId]) -> Result<Vec<Value>, Stop> {
        ids.iter().map(|&id| self.value(id)).collect()
    }

    /// Evaluates a condition.
    pub(super) fn holds(&self, id: ExprId) -> Result<bool, Stop> {
        Ok(self.scalar(id)?.bits != 0)
    }

    /// Evaluates an expression. It comes back here for each operand, and a build without optimisation takes stack for each
    /// value of each branch, so all that computes is in functions of its own.
    pub(super) fn value(&self, id: ExprId) -> Result<Value, Stop> {
        let expr = &self.routine.body.exprs[id];
        match &expr.kind {
            ExprKind::Load(place) => self.load(*place),
            ExprKind::Reference(place) => self.reference(*place),
            ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            } => self.subslice(*place, [*start, *end], *checked, expr.span),
            ExprKind::Regroup(operand) => self.regroup(*operand, expr.ty),
            ExprKind::DynamicShared { offset, length } => self.dynamic_shared(expr, *offset, *length),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => self.select(*condition, *then, *otherwise),
            ExprKind::Construct(parts) => self.construct(expr.ty, parts),
            ExprKind::Repeat(operand) => self.repeat(expr.ty, *operand),
            &ExprKind::MapShared { reference, rank } => self.map_shared(reference, rank, expr.span),
            ExprKind::Field { operand, index } => self.field(*operand, *index as usize),
            _ => self.computed(expr).map(Value::Scalar),
        }
    }

    /// A scalar that is computed of others.
    fn computed(&self, expr: &Expr) -> Result<Constant, Stop> {
        match &expr.kind {
            ExprKind::Constant(constant) => Ok(*constant),
            ExprKind::External(external) => self.external(*external),
            ExprKind::Builtin(builtin) => Ok(self.builtin(*builtin)),
            ExprKind::Length(place) => self.length(*place),
            ExprKind::Unary { op, operand } => self.scalar(*operand).map(|operand| semantics::unary(*op, operand)),
            ExprKind::Binary { op, left, right } => self.binary(*op, *left, *right, expr.span),
            ExprKind::MulAdd { a, b, c } => self.mul_add(*a, *b, *c),
            ExprKind::And { left, right } => self.either(*left, *right, false),
            ExprKind::Or { left, right } => self.either(*left, *right, true),
            ExprKind::Cast(operand) => self
                .scalar(*operand)
                .map(|operand| semantics::cast(operand, self.scalar_type(expr))),
            ExprKind::Bitcast(operand) => self
                .scalar(*operand)
                .map(|operand| semantics::bitcast(operand, self.scalar_type(expr))),
            &ExprKind::Within { index, length, extent } => self.within(index, length, extent, expr.span),
            _ => {
                debug_assert!(false, "this is no scalar of others");
                Ok(Constant::u64(0))
            }
        }
    }

    fn reference(&self, place: PlaceId) -> Result<Value, Stop> {
        self.locate(place).map(|spot| Value::Reference(spot.at))
    }

    fn select(&self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Result<Value, Stop> {
        self.value(if self.holds(condition)? { then } else { otherwise })
    }

    fn mul_add(&self, a: ExprId, b: ExprId, c: ExprId) -> Result<Constant, Stop> {
        let (a, b, c) = (self.scalar(a)?, self.scalar(b)?, self.scalar(c)?);
        Ok(semantics::mul_add(a, b, c))
    }

    /// The left condition where it is `decides`, otherwise the right one.
    fn either(&self, left: ExprId, right: ExprId, decides: bool) -> Result<Constant, Stop> {
        let holds = match self.holds(left)? == decides {
            true => decides,
            false => self.holds(right)?,
        };
        Ok(Constant::bool(holds))
    }

    fn external(&self, external: Handle<External>) -> Result<Constant, Stop> {
        let External { scalar, value, .. } = &self.machine.code.program.externals[external];
        let bits = value.ok_or(Stop::External(external))?;
        Ok(Constant::new(*scalar, bits))
    }

    fn builtin(&self, builtin: Builtin) -> Constant {
        let (thread, block) = (self.thread, self.machine.block);
        let (threads, blocks) = (self.machine.kernel.block, self.machine.grid);
        let value = match builtin {
            Builtin::ThreadIndex(axis) => u64::from(thread[axis.index()]),
            Builtin::BlockIndex(axis) => u64::from(block[axis.index()]),
            Builtin::BlockSize(axis) => u64::from(threads[axis.index()]),
            Builtin::GridSize(axis) => u64::from(blocks[axis.index()]),
            Builtin::ClusterSize(axis) => u64::from(self.machine.cluster()[axis.index()]),
            Builtin::ClusterBlock(axis) => u64::from(block[axis.index()] % self.machine.cluster()[axis.index()]),
            Builtin::ClusterIndex(axis) => u64::from(block[axis.index()] / self.machine.cluster()[axis.index()]),
            Builtin::GlobalIndex(axis) => {
                let axis = axis.index();
                u64::from(block[axis]) * u64::from(threads[axis]) + u64::from(thread[axis])
            }
            Builtin::LinearIndex => linear(block, blocks)
                .wrapping_mul(self.machine.kernel.block_threads())
                .wrapping_add(linear(thread, threads)),
            Builtin::LaneIndex => linear(thread, threads) % u64::from(WARP_SIZE),
            Builtin::OnGpu => 0,
        };
        Constant::new(builtin.scalar(), value)
    }

    fn load(&self, place: PlaceId) -> Result<Value, Stop> {
        let spot = self.locate(place)?;
        let bytes = self.bytes(spot, self.routine.body.places[place].span)?;
        self.record_load(spot, place);
        let code = &self.machine.code;
        let mut value = Value::read(&code.program.types, spot.ty, bytes);
        if let Value::Aggregate(bytes) = &mut value {
            code.normalise(spot.ty, bytes);
        }
        Ok(value)
    }

    fn length(&self, place: PlaceId) -> Result<Constant, Stop> {
        let (_, length, _) = self.elements(self.locate(place)?, self.routine.body.places[place].span)?;
        Ok(Constant::u64(length))
    }

    fn subslice(&self, place: PlaceId, range: [ExprId; 2], checked: bool, span: Span) -> Result<Value, Stop> {
        let spot = self.locate(place)?;
        let (start, end) = (self.scalar(range[0])?.bits, self.scalar(range[1])?.bits);
        let (first, length, element) = self.elements(spot, span)?;
        if start > end || end > length {
            return Err(if checked {
                self.outside(FaultKind::RangeOutOfBounds, (place, usize::MAX), span, [start, end])
            } else {
                let what = Undefined::Range { start, end, length };
                Stop::Undefined { what, span }
            });
        }
        Ok(Value::Slice {
            start: first.add(start * self.machine.code.layout(element).size),
            length: end - start,
        })
    }

    fn regroup(&self, operand: ExprId, ty: TypeId) -> Result<Value, Stop> {
        let value = self.value(operand)?;
        let from = self.routine.body.exprs[operand].ty;
        let (&Value::Slice { start, length }, Some((op, count))) =
            (&value, self.machine.code.program.types.regrouped(from, ty))
        else {
            return Ok(value);
        };
        let length = match op {
            BinaryOp::Div => length / count,
            _ => length * count,
        };
        Ok(Value::Slice { start, length })
    }

    fn within(&self, index: ExprId, length: ExprId, extent: Extent, span: Span) -> Result<Constant, Stop> {
        let (index, length) = (self.scalar(index)?, self.scalar(length)?);
        match index.bits < length.bits {
            true => Ok(index),
            false => Err(Stop::fault(extent.fault(), span, [index.bits, length.bits])),
        }
    }

    /// The corresponding address in the shared memory of another block of the cluster.
    fn map_shared(&self, reference: ExprId, rank: ExprId, span: Span) -> Result<Value, Stop> {
        let (value, rank) = (self.value(reference)?, self.scalar(rank)?.bits);
        let blocks = u64::from(self.machine.kernel.cluster_blocks());
        if rank >= blocks {
            return Err(Stop::fault(FaultKind::ClusterRank, span, [rank, blocks]));
        }
        let there = |at: Pointer| at.moved(self.machine.shared_start, rank * self.machine.shared_size);
        Ok(match value {
            Value::Reference(at) => Value::Reference(there(at)),
            Value::Slice { start, length } => Value::Slice {
                start: there(start),
                length,
            },
            other => other,
        })
    }

    fn dynamic_shared(&self, expr: &Expr, offset: ExprId, length: Option<ExprId>) -> Result<Value, Stop> {
        let offset = self.scalar(offset)?.bits;
        let length = length.map(|length| self.scalar(length)).transpose()?;
        let element = match self.machine.code.program.types[expr.ty] {
            Type::Slice { element, .. } => element,
            _ => expr.ty,
        };
        let size = self.machine.code.layout(element).size.max(1);
        let [base, bytes] = self.machine.dynamic;
        let start = offset.wrapping_add(SHARED_ALIGN - 1) & !(SHARED_ALIGN - 1);
        let room = bytes.saturating_sub(start) / size;
        let length = length.map_or(room, |length| length.bits);
        if length > room {
            let end = start.wrapping_add(length.wrapping_mul(size));
            return Err(Stop::fault(FaultKind::SharedMemory, expr.span, [end, bytes]));
        }
        Ok(Value::Slice {
            start: Pointer::shared(self.machine.shared_start + base + start.min(bytes)),
            length,
        })
    }

    fn binary(&self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Result<Constant, Stop> {
        let (left, right) = (self.scalar(left)?, self.scalar(right)?);
        semantics::binary(op, left, right).map_err(|kind| Stop::fault(kind, span, [0, 0]))
    }

    fn construct(&self, ty: TypeId, parts: &[ExprId]) -> Result<Value, Stop> {
        let code = &self.machine.code;
        let mut bytes = zeroed(code.layout(ty).size)?;
        for (number, &part) in parts.iter().enumerate() {
            let (offset, size) = match &code.program.types[ty] {
                Type::Array { element, .. } => {
                    let size = code.layout(*element).size;
                    (number as u64 * size, size)
                }
                _ => (
                    code.layout(ty).offsets[number],
                    code.layout(self.routine.body.exprs[part].ty).size,
                ),
            };
            let value = self.value(part)?;
            value.write(&mut bytes[offset as usize..(offset + size) as usize]);
        }
        Ok(Value::Aggregate(bytes))
    }

    fn repeat(&self, ty: TypeId, operand: ExprId) -> Result<Value, Stop> {
        let mut bytes = zeroed(self.machine.code.layout(ty).size)?;
        let value = self.value(operand)?;
        let size = self.machine.code.layout(self.routine.body.exprs[operand].ty).size;
        // Zero-sized elements need no write.
        for element in bytes.chunks_exact_mut(size.max(1) as usize) {
            value.write(element);
        }
        Ok(Value::Aggregate(bytes))
    }

    fn field(&self, operand: ExprId, index: usize) -> Result<Value, Stop> {
        let types = &self.machine.code.program.types;
        let outer = self.routine.body.exprs[operand].ty;
        let field = match &types[outer] {
            Type::Tuple(fields) => fields[index],
            Type::Struct { fields, .. } => fields[index].ty,
            _ => outer,
        };
        let Value::Aggregate(bytes) = self.value(operand)? else {
            debug_assert!(false, "only tuples and structs have fields");
            return Ok(Value::Aggregate(Vec::new()));
        };
        let offset = self.machine.code.layout(outer).offsets[index] as usize;
        let size = self.machine.code.layout(field).size as usize;
        Ok(Value::read(types, field, &bytes[offset..offset + size]))
    }

    fn scalar_type(&self, expr: &Expr) -> Scalar {
        let scalar = self.machine.code.program.types.as_scalar(expr.ty);
        debug_assert!(scalar.is_some(), "a cast is to a scalar");
        scalar.unwrap_or(Scalar::U64)
    }
}

/// True for a scalar that is computed of others.
fn is_computed(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Constant(_)
            | ExprKind::External(_)
            | ExprKind::Builtin(_)
            | ExprKind::Length(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::MulAdd { .. }
            | ExprKind::And { .. }
            | ExprKind::Or { .. }
            | ExprKind::Cast(_)
            | ExprKind::Bitcast(_)
            | ExprKind::Within { .. }
    )
}

/// The linear index of a cell among `extents`, x fastest.
fn linear(at: [u32; 3], extents: [u32; 3]) -> u64 {
    let [x, y, z] = at.map(u64::from);
    let [width, height, _] = extents.map(u64::from);
    z.wrapping_mul(height)
        .wrapping_add(y)
        .wrapping_mul(width)
        .wrapping_add(x)
}

/// Zeroed bytes for an aggregate under construction.
fn zeroed(size: u64) -> Result<Vec<u8>, Stop> {
    if size > PRIVATE_BYTES {
        return Err(Stop::Memory);
    }
    Ok(vec![0; size as usize])
}
