//! Instruction selection of register operations: arithmetic, comparisons, conversions.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::entry::Writer;
use super::quirks;
use super::text::{Class, Operand, type_name};
use crate::ssa::op::Op;
use crate::ssa::{Space, Ty, Value};

impl Writer<'_> {
    /// Emits the instructions of one operation.
    pub(super) fn operation(&mut self, value: Value) {
        match self.function.op(value) {
            Op::Parameter
            | Op::Constant(_)
            | Op::External(_)
            | Op::Argument { .. }
            | Op::Special(_)
            | Op::Address(_) => {}
            Op::Unary { op, scalar, a } => self.unary(value, op, scalar, a),
            Op::Binary { op, scalar, a, b } => self.binary(value, op, scalar, a, b),
            Op::MulAdd { a, b, c } => {
                // Also for `bf16`: the module's target has it.
                let ty = self.type_name(value);
                self.plain(&["fma.rn.", ty], value, &[a, b, c]);
            }
            Op::MulWide { signed, a, b } => {
                self.plain(&["mul.wide.", if signed { "s32" } else { "u32" }], value, &[a, b]);
            }
            Op::Select { condition, a, b } => {
                let target = self.register(value);
                let (first, second) = (self.operand(a), self.operand(b));
                let predicate = self.register(condition);
                self.text.instruction(
                    &["selp.", quirks::selected_type(target.class)],
                    &[Operand::Register(target), first, second, Operand::Register(predicate)],
                );
            }
            Op::Convert { from, to, a } => self.convert(value, from, to, a),
            Op::Bits(a) => {
                let name = match (self.function.ty(a), self.function.ty(value)) {
                    (Ty::I32, to) if to.is_half() => "cvt.u16.u32",
                    (from, Ty::I32) if from.is_half() => "cvt.u32.u16",
                    (_, to) if to.is_half() => "mov.b16",
                    (_, to) if to.bits() == 64 => "mov.b64",
                    _ => "mov.b32",
                };
                self.plain(&[name], value, &[a]);
            }
            Op::Offset { base, bytes } => self.offset(value, base, bytes),
            Op::ToGeneric(a) => self.generic_address(value, a),
            Op::LowBits(a) => self.low_bits(value, a),
            Op::MapShared { address, rank } => self.plain(&["mapa.shared::cluster.u32"], value, &[address, rank]),
            Op::Guard { .. } => self.guards(&[value]),
            Op::Poll(due) => self.poll(due),
            Op::Leave(condition) => {
                let condition = self.register(condition);
                self.exit_where(condition);
            }
            Op::Print { site, values } => self.print(value, site, values),
            Op::Claim { site } => self.claim(value, site),
            Op::Put { record, offset, value } => self.put(record, offset, value),
            Op::Fault(record) => self.leave(record),
            Op::Ptx { number, operands } => self.inline(value, number, operands),
            Op::Result { of, index } => self.result(value, of, index),
            Op::Intrinsic { intrinsic, operands } => self.intrinsic(value, intrinsic, operands),
            op @ (Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. }) => self.memory_operation(value, op),
        }
    }

    /// The PTX type of a value's scalar: `u32`, `f64` and so on.
    fn type_name(&self, value: Value) -> &'static str {
        self.function.ty(value).word().scalar().map_or("b32", type_name)
    }

    fn unary(&mut self, value: Value, op: UnaryOp, scalar: Scalar, a: Value) {
        let wide = scalar.size() == 8;
        let bits = if wide { "b64" } else { "b32" };
        let name = type_name(scalar);
        match op {
            UnaryOp::Neg if scalar.is_float() => self.sign(value, scalar, a, "neg.", "xor."),
            UnaryOp::Abs if scalar.is_float() => self.sign(value, scalar, a, "abs.", "and."),
            UnaryOp::Neg => self.negation(value, scalar, a),
            UnaryOp::Abs => self.integer_abs(value, scalar, a),
            UnaryOp::Not if scalar == Scalar::Bool => match self.inverted(value) {
                Some((operator, comparison)) => {
                    if let Op::Binary { scalar, a, b, .. } = self.function.op(comparison) {
                        self.plain(&["setp.", operator, ".", type_name(scalar)], value, &[a, b]);
                    }
                }
                None => self.plain(&["not.pred"], value, &[a]),
            },
            UnaryOp::Not => self.plain(&["not.", bits], value, &[a]),
            UnaryOp::Sqrt => self.plain(&["sqrt.rn.", name], value, &[a]),
            UnaryOp::Floor => self.plain(&["cvt.rmi.", name, ".", name], value, &[a]),
            UnaryOp::Ceil => self.plain(&["cvt.rpi.", name, ".", name], value, &[a]),
            UnaryOp::Trunc => self.plain(&["cvt.rzi.", name, ".", name], value, &[a]),
            // The graph has no rounding with ties away from zero left, so this is ties to even.
            UnaryOp::Round | UnaryOp::RoundTiesEven => self.plain(&["cvt.rni.", name, ".", name], value, &[a]),
            UnaryOp::ApproxExp2 => self.plain(&["ex2.approx.f32"], value, &[a]),
            UnaryOp::ApproxLog2 => self.plain(&["lg2.approx.f32"], value, &[a]),
            UnaryOp::ApproxSin => self.plain(&["sin.approx.f32"], value, &[a]),
            UnaryOp::ApproxCos => self.plain(&["cos.approx.f32"], value, &[a]),
            UnaryOp::ApproxTanh => self.plain(&["tanh.approx.f32"], value, &[a]),
            UnaryOp::ApproxRsqrt => self.plain(&["rsqrt.approx.f32"], value, &[a]),
            UnaryOp::ApproxRecip => self.plain(&["rcp.approx.f32"], value, &[a]),
            UnaryOp::ApproxSqrt => self.plain(&["sqrt.approx.f32"], value, &[a]),
            UnaryOp::NormalRecip => self.normal_recip(value, a),
            UnaryOp::NormalSqrt => self.normal_sqrt(value, a),
            UnaryOp::NormalRsqrt => self.normal_rsqrt(value, a),
            UnaryOp::ReverseBits => self.plain(&["brev.", bits], value, &[a]),
            UnaryOp::CountOnes => self.plain(&["popc.", bits], value, &[a]),
            UnaryOp::LeadingZeros => self.plain(&["clz.", bits], value, &[a]),
            UnaryOp::TrailingZeros => {
                let reversed = Operand::Register(self.text.register(if wide { Class::Double } else { Class::Word }));
                let a = self.operand(a);
                self.text.instruction(&["brev.", bits], &[reversed, a]);
                let target = Operand::Register(self.register(value));
                self.text.instruction(&["clz.", bits], &[target, reversed]);
            }
            UnaryOp::SwapBytes if wide => {
                let (halves, swapped) = (self.halves(a), self.text.operands::<2>(Class::Word));
                self.swap_bytes(swapped[0], halves[0]);
                self.swap_bytes(swapped[1], halves[1]);
                self.join(value, [swapped[1], swapped[0]]);
            }
            UnaryOp::SwapBytes => {
                let a = self.operand(a);
                let target = Operand::Register(self.register(value));
                self.swap_bytes(target, a);
            }
        }
    }

    fn swap_bytes(&mut self, target: Operand<'_>, a: Operand<'_>) {
        self.text
            .instruction(&["prmt.b32"], &[target, a, Operand::Number(0), Operand::Text("0x0123")]);
    }

    /// Changes the sign of a float. The float instruction may lose the sign of a NaN, so it is used
    /// only if no user may store it; otherwise the bits are changed, as on other devices.
    fn sign(&mut self, value: Value, scalar: Scalar, a: Value, float: &str, bitwise: &str) {
        // Before sm_80 the only instruction for 16 bits is the negation of `f16`.
        let native = !scalar.is_half() || scalar == Scalar::F16 && float == "neg.";
        if native && !self.shows_nan_sign(value) {
            return self.plain(&[float, type_name(scalar)], value, &[a]);
        }
        let (bits, mask) = match (scalar, bitwise) {
            (Scalar::F16 | Scalar::BF16, "xor.") => ("b16", "0x8000"),
            (Scalar::F16 | Scalar::BF16, _) => ("b16", "0x7FFF"),
            (Scalar::F32, "xor.") => ("b32", "0x80000000"),
            (Scalar::F32, _) => ("b32", "0x7FFFFFFF"),
            (_, "xor.") => ("b64", "0x8000000000000000"),
            _ => ("b64", "0x7FFFFFFFFFFFFFFF"),
        };
        let target = Operand::Register(self.register(value));
        let a = self.operand(a);
        self.text
            .instruction(&[bitwise, bits], &[target, a, Operand::Text(mask)]);
    }

    /// The low and the high half of a 64-bit value.
    pub(super) fn halves(&mut self, a: Value) -> [Operand<'static>; 2] {
        let halves = self.text.operands(Class::Word);
        let a = self.operand(a);
        self.text.begin(&["mov.b64 {"]);
        self.text.operand(halves[0]);
        self.text.out.push_str(", ");
        self.text.operand(halves[1]);
        self.text.out.push_str("}, ");
        self.text.operand(a);
        self.text.end();
        halves
    }

    /// Builds a 64-bit value from its low and its high half.
    pub(super) fn join(&mut self, value: Value, halves: [Operand<'_>; 2]) {
        let target = Operand::Register(self.register(value));
        self.text.begin(&["mov.b64 "]);
        self.text.operand(target);
        self.text.out.push_str(", {");
        self.text.operand(halves[0]);
        self.text.out.push_str(", ");
        self.text.operand(halves[1]);
        self.text.out.push('}');
        self.text.end();
    }

    fn binary(&mut self, value: Value, op: BinaryOp, scalar: Scalar, a: Value, b: Value) {
        if op == BinaryOp::Add {
            for (product, summand) in [(a, b), (b, a)] {
                if self.is_fused(product) {
                    return self.multiply_add(value, product, summand);
                }
            }
        }
        let name = type_name(scalar);
        let bits = match scalar {
            Scalar::Bool => "pred",
            _ if scalar.size() == 8 => "b64",
            _ => "b32",
        };
        let rounding = if scalar.is_float() { "rn." } else { "" };
        match op {
            BinaryOp::Add => self.plain(&["add.", rounding, name], value, &[a, b]),
            BinaryOp::Sub if scalar.is_integer() && self.function.as_constant(a) == Some(0) => {
                self.negation(value, scalar, b);
            }
            BinaryOp::Sub => self.plain(&["sub.", rounding, name], value, &[a, b]),
            BinaryOp::Mul if scalar.is_float() => self.plain(&["mul.rn.", name], value, &[a, b]),
            BinaryOp::Mul => self.plain(&["mul.lo.", name], value, &[a, b]),
            BinaryOp::MulHigh => self.plain(&["mul.hi.", name], value, &[a, b]),
            // As exact as the division, in half of its instructions.
            BinaryOp::Div if self.is_one(scalar, a) => self.plain(&["rcp.rn.", name], value, &[b]),
            BinaryOp::Div => self.plain(&["div.", rounding, name], value, &[a, b]),
            BinaryOp::ApproxDiv => self.plain(&["div.approx.f32"], value, &[a, b]),
            BinaryOp::Rem => self.plain(&["rem.", name], value, &[a, b]),
            BinaryOp::And => self.plain(&["and.", bits], value, &[a, b]),
            BinaryOp::Or => self.plain(&["or.", bits], value, &[a, b]),
            BinaryOp::Xor => self.plain(&["xor.", bits], value, &[a, b]),
            BinaryOp::Min | BinaryOp::Max => self.extremum(op, scalar, value, a, b),
            // Expanded during SSA construction; the instruction takes the sign of a NaN as it is.
            BinaryOp::Copysign => self.plain(&["copysign.", name], value, &[b, a]),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(value, op, scalar, a, b),
            BinaryOp::RotateLeft | BinaryOp::RotateRight => self.rotate(value, op, scalar, a, b),
            BinaryOp::Eq => self.plain(&["setp.eq.", name], value, &[a, b]),
            // Expanded during SSA construction.
            BinaryOp::SameBits => self.plain(&["setp.eq.", bits], value, &[a, b]),
            // A NaN is unequal to everything.
            BinaryOp::Ne if scalar.is_float() => self.plain(&["setp.neu.", name], value, &[a, b]),
            BinaryOp::Ne => self.plain(&["setp.ne.", name], value, &[a, b]),
            BinaryOp::Lt | BinaryOp::Le if scalar == Scalar::F32 => self.less(op, value, a, b),
            BinaryOp::Lt => self.plain(&["setp.lt.", name], value, &[a, b]),
            BinaryOp::Le => self.plain(&["setp.le.", name], value, &[a, b]),
            BinaryOp::Gt => self.plain(&["setp.gt.", name], value, &[a, b]),
            BinaryOp::Ge => self.plain(&["setp.ge.", name], value, &[a, b]),
        }
    }

    /// True for the constant 1 of a float type that has the instruction for reciprocals.
    fn is_one(&self, scalar: Scalar, value: Value) -> bool {
        let one = match scalar {
            Scalar::F32 => u64::from(1f32.to_bits()),
            Scalar::F64 => 1f64.to_bits(),
            _ => return false,
        };
        self.function.as_constant(value) == Some(one)
    }

    /// Emits `product + summand` as one instruction; `product` has no other use.
    fn multiply_add(&mut self, value: Value, product: Value, summand: Value) {
        match self.function.op(product) {
            Op::MulWide { signed, a, b } => {
                let ty = if signed { "s32" } else { "u32" };
                self.plain(&["mad.wide.", ty], value, &[a, b, summand]);
            }
            Op::Binary { scalar, a, b, .. } => self.plain(&["mad.lo.", type_name(scalar)], value, &[a, b, summand]),
            _ => {}
        }
    }

    fn offset(&mut self, value: Value, base: Value, bytes: Value) {
        if self.is_fused(bytes) {
            return self.multiply_add(value, bytes, base);
        }
        let name = if self.function.ty(value).bits() == 64 {
            "add.s64"
        } else {
            "add.s32"
        };
        self.plain(&[name], value, &[base, bytes]);
    }

    /// PTX clamps shift amounts; the operation takes them modulo the width.
    fn shift(&mut self, value: Value, op: BinaryOp, scalar: Scalar, a: Value, b: Value) {
        let width = scalar.bits();
        let name = match (op, scalar.size()) {
            (BinaryOp::Shl, 8) => "shl.b64",
            (BinaryOp::Shl, _) => "shl.b32",
            (_, 8) if scalar.is_signed() => "shr.s64",
            (_, 8) => "shr.u64",
            _ if scalar.is_signed() => "shr.s32",
            _ => "shr.u32",
        };
        let amount = self.amount(b, width);
        let target = Operand::Register(self.register(value));
        let a = self.operand(a);
        self.text.instruction(&[name], &[target, a, amount]);
    }

    /// A shift amount modulo the width.
    fn amount(&mut self, b: Value, width: u32) -> Operand<'static> {
        if let Some(bits) = self.function.as_constant(b) {
            return Operand::Number((bits as u32 & (width - 1)).into());
        }
        if let Op::Binary {
            op: BinaryOp::And,
            b: mask,
            ..
        } = self.function.op(b)
            && self
                .function
                .as_constant(mask)
                .is_some_and(|mask| mask < u64::from(width))
        {
            return self.operand(b);
        }
        let masked = Operand::Register(self.text.register(Class::Word));
        let b = self.operand(b);
        self.text
            .instruction(&["and.b32"], &[masked, b, Operand::Number((width - 1).into())]);
        masked
    }

    fn rotate(&mut self, value: Value, op: BinaryOp, scalar: Scalar, a: Value, b: Value) {
        let left = op == BinaryOp::RotateLeft;
        if scalar.size() == 4 {
            let name = if left { "shf.l.wrap.b32" } else { "shf.r.wrap.b32" };
            return self.plain(&[name], value, &[a, a, b]);
        }
        if let Some(amount) = self.function.as_constant(b) {
            let amount = amount as u32 % 64;
            return self.rotate_by(value, a, if left { amount } else { (64 - amount) % 64 });
        }
        let amount = self.amount(b, 64);
        let other = Operand::Register(self.text.register(Class::Word));
        let [high, low] = self.text.operands(Class::Double);
        let a = self.operand(a);
        // For an amount of 0 the other one is 64, and PTX shifts all bits out.
        self.text
            .instruction(&["sub.s32"], &[other, Operand::Number(64), amount]);
        let (up, down) = if left { (amount, other) } else { (other, amount) };
        self.text.instruction(&["shl.b64"], &[high, a, up]);
        self.text.instruction(&["shr.u64"], &[low, a, down]);
        let target = Operand::Register(self.register(value));
        self.text.instruction(&["or.b64"], &[target, high, low]);
    }

    /// Rotates 64 bits left by a constant: each half takes bits from both.
    fn rotate_by(&mut self, value: Value, a: Value, amount: u32) {
        let [mut low, mut high] = self.halves(a);
        if amount >= 32 {
            (low, high) = (high, low);
        }
        let amount = amount % 32;
        if amount != 0 {
            let new = self.text.operands(Class::Word);
            let count = Operand::Number(amount.into());
            self.text.instruction(&["shf.l.wrap.b32"], &[new[0], high, low, count]);
            self.text.instruction(&["shf.l.wrap.b32"], &[new[1], low, high, count]);
            [low, high] = new;
        }
        self.join(value, [low, high]);
    }

    fn convert(&mut self, value: Value, from: Scalar, to: Scalar, a: Value) {
        match (from.is_float(), to.is_float()) {
            _ if from.is_half() || to.is_half() => self.convert_half(value, from, to, a),
            (false, false) => {
                // Sign extension follows the source, so the result type is written with the same
                // signedness.
                let to = match (from.is_signed(), to.size()) {
                    (true, 8) => "s64",
                    (true, _) => "s32",
                    (false, 8) => "u64",
                    (false, _) => "u32",
                };
                self.plain(&["cvt.", to, ".", type_name(from)], value, &[a]);
            }
            (false, true) => self.plain(&["cvt.rn.", type_name(to), ".", type_name(from)], value, &[a]),
            (true, true) if to == Scalar::F64 => self.plain(&["cvt.f64.f32"], value, &[a]),
            (true, true) => self.plain(&["cvt.rn.f32.f64"], value, &[a]),
            // PTX saturates; a NaN yields 0 only from 32 bits to 32 bits.
            (true, false) if from == Scalar::F32 && to.size() == 4 => {
                self.plain(&["cvt.rzi.", type_name(to), ".f32"], value, &[a]);
            }
            (true, false) => {
                let target = self.register(value);
                let raw = Operand::Register(self.text.register(target.class));
                let number = Operand::Register(self.text.register(Class::Predicate));
                let a = self.operand(a);
                self.text
                    .instruction(&["cvt.rzi.", type_name(to), ".", type_name(from)], &[raw, a]);
                self.text.instruction(&["setp.num.", type_name(from)], &[number, a, a]);
                self.text.instruction(
                    &["selp.", target.class.untyped()],
                    &[Operand::Register(target), raw, Operand::Number(0), number],
                );
            }
        }
    }

    fn generic_address(&mut self, value: Value, a: Value) {
        let Ty::Pointer(space) = self.function.ty(a) else {
            return;
        };
        let target = Operand::Register(self.register(value));
        let mut source = self.operand(a);
        if space.word() == Ty::I32 {
            let wide = Operand::Register(self.text.register(Class::Double));
            self.text.instruction(&["cvt.u64.u32"], &[wide, source]);
            source = wide;
        }
        if space == Space::Generic {
            return self.text.instruction(&["mov.b64"], &[target, source]);
        }
        self.text
            .instruction(&["cvta.", space.name(), ".u64"], &[target, source]);
    }

    fn low_bits(&mut self, value: Value, a: Value) {
        let target = Operand::Register(self.register(value));
        let mut source = self.operand(a);
        if self.function.ty(a).bits() == 64 {
            self.text.instruction(&["cvt.u32.u64"], &[target, source]);
            source = target;
        }
        self.text
            .instruction(&["and.b32"], &[target, source, Operand::Number(3)]);
    }
}
