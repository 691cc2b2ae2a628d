//! Loads, stores, atomics, fences, barriers.

use vyre_ir::ir::{AtomicOp, MemoryOrder, MemoryScope, Scalar};

use super::cache_ops::Way;
use super::entry::Writer;
use super::text::{Class, Operand, memory_type};
use crate::ssa::op::Op;
use crate::ssa::{Space, Ty, Value};

impl Writer<'_> {
    /// Emits an operation on memory.
    pub(super) fn memory_operation(&mut self, value: Value, op: Op) {
        match op {
            Op::Load {
                address,
                offset,
                scalar,
                constant,
                access,
                ..
            } => {
                let space = self.space(address);
                let cache = read_only(constant, space);
                let way = Way::of(access, false, space);
                if !way.prefetch.is_empty() {
                    let name = ["prefetch", space.suffix(), way.prefetch];
                    self.access(&name, None, address, offset, &[]);
                }
                if access.is_prefetch() && self.uses[value.index()] == 0 {
                    return;
                }
                let ty = memory_type(scalar);
                let name = ["ld", way.before, space.suffix(), way.after, cache, way.hint, ".", ty];
                let target = self.register(value);
                let policy = self.policy(&way).map(Operand::Register);
                self.access(
                    &name,
                    Some(Operand::Register(target)),
                    address,
                    offset,
                    policy.as_slice(),
                );
            }
            Op::Store {
                address,
                offset,
                scalar,
                value: word,
                access,
            } => {
                let space = self.space(address);
                let (way, ty) = (Way::of(access, true, space), memory_type(scalar));
                let name = ["st", way.before, space.suffix(), way.after, way.hint, ".", ty];
                let word = self.operand(word);
                match self.policy(&way).map(Operand::Register) {
                    Some(policy) => self.access(&name, None, address, offset, &[word, policy]),
                    None => self.access(&name, None, address, offset, &[word]),
                }
            }
            Op::Atomic {
                op, address, operands, ..
            } if op.is_barrier() => self.split_barrier(value, op, address, operands[0]),
            Op::Atomic { .. } => self.atomic(value, op),
            _ => {}
        }
    }

    pub(super) fn space(&self, address: Value) -> Space {
        match self.function.ty(address) {
            Ty::Pointer(space) => space,
            _ => Space::Generic,
        }
    }

    /// Emits a memory access: target, address, sources, as far as present.
    pub(super) fn access(
        &mut self,
        name: &[&str],
        target: Option<Operand<'_>>,
        address: Value,
        offset: i32,
        sources: &[Operand<'_>],
    ) {
        self.text.begin(name);
        self.text.out.push(' ');
        if let Some(target) = target {
            self.text.operand(target);
            self.text.out.push_str(", ");
        }
        self.address(address, offset);
        for &source in sources {
            self.text.out.push_str(", ");
            self.text.operand(source);
        }
        self.text.end();
    }

    /// Emits the address of an access as an operand.
    pub(super) fn address(&mut self, address: Value, offset: i32) {
        let place;
        let base = match self.function.op(address) {
            Op::Address(object) => {
                place = self.object_name(object);
                Operand::Text(&place)
            }
            _ => self.operand(address),
        };
        self.text.out.push('[');
        self.text.operand(base);
        self.text.offset(i64::from(offset));
        self.text.out.push(']');
    }

    fn atomic(&mut self, value: Value, op: Op) {
        let Op::Atomic {
            op,
            scalar,
            order,
            scope,
            address,
            operands,
        } = op
        else {
            return;
        };
        let order = match (order, op) {
            (MemoryOrder::Relaxed, _) => ".relaxed",
            (MemoryOrder::Acquire, _) => ".acquire",
            (MemoryOrder::Release, _) => ".release",
            (MemoryOrder::AcqRel | MemoryOrder::SeqCst, AtomicOp::Load) => ".acquire",
            (MemoryOrder::AcqRel | MemoryOrder::SeqCst, AtomicOp::Store) => ".release",
            (MemoryOrder::AcqRel | MemoryOrder::SeqCst, _) => ".acq_rel",
        };
        let (scope, space) = (scope_suffix(scope), self.space(address).suffix());
        let first = self.operand(operands[0]);
        let target = (self.function.ty(value) != Ty::Unit).then(|| self.register(value));
        let target = target.map(Operand::Register);
        let bits = if scalar.size() == 8 { ".b64" } else { ".b32" };
        match op {
            AtomicOp::Load => {
                let name = ["ld", order, scope, space, bits];
                // A load needs a target register, used or not.
                let class = if scalar.size() == 8 { Class::Double } else { Class::Word };
                let target = target.unwrap_or_else(|| Operand::Register(self.text.register(class)));
                self.access(&name, Some(target), address, 0, &[]);
            }
            AtomicOp::Store => {
                let name = ["st", order, scope, space, bits];
                self.access(&name, None, address, 0, &[first]);
            }
            // There is no reduction that exchanges, so the unused result goes to a sink register.
            AtomicOp::Exchange => {
                let name = ["atom", order, scope, space, ".exch", bits];
                self.access(&name, target.or(Some(Operand::Text("_"))), address, 0, &[first]);
            }
            AtomicOp::CompareExchange => {
                let name = ["atom", order, scope, space, ".cas", bits];
                let second = self.operand(operands[1]);
                let sources = [first, second];
                self.access(&name, target.or(Some(Operand::Text("_"))), address, 0, &sources);
            }
            _ => {
                let (name, ty) = reduction(op, scalar);
                // A reduction reads nothing, so it cannot acquire.
                let reads = target.is_some() || matches!(order, ".acquire" | ".acq_rel");
                let instruction = if reads { "atom" } else { "red" };
                let target = match target {
                    None if !reads => None,
                    // ptxas crashes on pairs without a target register.
                    None if scalar.is_half() => Some(Operand::Register(self.text.register(Class::Word))),
                    None => Some(Operand::Text("_")),
                    target => target,
                };
                let name = [instruction, order, scope, space, name, ty];
                let first = match first {
                    // There are no immediates of pairs either.
                    Operand::Immediate(..) if scalar.is_half() => {
                        let register = Operand::Register(self.text.register(Class::Word));
                        self.text.instruction(&["mov.b32"], &[register, first]);
                        register
                    }
                    first => first,
                };
                self.access(&name, target, address, 0, &[first]);
            }
        }
    }
}

/// The modifier of a load through the read-only cache, which serves global memory only.
pub(super) fn read_only(constant: bool, space: Space) -> &'static str {
    if constant && space == Space::Global { ".nc" } else { "" }
}

/// The name and type of a read-modify-write.
fn reduction(op: AtomicOp, scalar: Scalar) -> (&'static str, &'static str) {
    let wide = scalar.size() == 8;
    let bits = if wide { ".b64" } else { ".b32" };
    // 64-bit addition has no signed form, and needs none.
    let unsigned = if wide { ".u64" } else { ".u32" };
    let typed = match scalar {
        Scalar::I32 => ".s32",
        Scalar::I64 => ".s64",
        _ => unsigned,
    };
    match op {
        AtomicOp::And => (".and", bits),
        AtomicOp::Or => (".or", bits),
        AtomicOp::Xor => (".xor", bits),
        AtomicOp::Min => (".min", typed),
        AtomicOp::Max => (".max", typed),
        _ => match scalar {
            Scalar::F32 => (".add", ".f32"),
            Scalar::F64 => (".add", ".f64"),
            Scalar::F16 => (".add", ".noftz.f16x2"),
            Scalar::BF16 => (".add", ".noftz.bf16x2"),
            _ => (".add", unsigned),
        },
    }
}

impl Space {
    /// The suffix of an access.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::Cluster => ".shared::cluster",
            Space::Local => ".local",
            Space::Const => ".const",
            Space::Param => ".param",
            Space::Generic => "",
        }
    }
}

pub(super) const fn scope_suffix(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Block => ".cta",
        MemoryScope::Device => ".gpu",
        MemoryScope::System => ".sys",
    }
}
