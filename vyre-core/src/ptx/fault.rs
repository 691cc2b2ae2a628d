//! Guards and the cold path of an entry, which reports faults.
//!
//! Adjacent guards share one branch to the cold path, which determines the first one that failed.
//! Each guard has a few instructions there that load its site and values; all continue in one tail
//! that implements the protocol of [`vyre_abi::fault`]. The path without faults contains none of
//! this code.

use std::mem::offset_of;

use vyre_abi::fault::{FaultChannel, FaultControl, FaultKind, FaultRecord};
use vyre_ir::ir::{BinaryOp, Scalar};

use super::cluster::Leaving;
use super::entry::Writer;
use super::text::{Class, Operand, Register, type_name};
use crate::ssa::Value;
use crate::ssa::op::Op;

/// Offsets in `FaultChannel`.
pub(super) mod channel {
    pub(in crate::ptx) const CONTROL: &str = "[fault_channel]";
    pub(in crate::ptx) const LAUNCH: &str = "[fault_channel+8]";
    pub(in crate::ptx) const KERNEL: &str = "[fault_channel+16]";
}

const _: () = assert!(offset_of!(FaultChannel, launch) == 8 && offset_of!(FaultChannel, kernel) == 16);
const _: () = assert!(offset_of!(FaultControl, launch) == 0);

// A record is written in vectors of 16 bytes.
const _: () = {
    assert!(offset_of!(FaultRecord, kernel) == 0 && offset_of!(FaultRecord, launch) == 8);
    assert!(offset_of!(FaultRecord, values) == 16);
    assert!(offset_of!(FaultRecord, block) == 32 && offset_of!(FaultRecord, thread) == 44);
    assert!(offset_of!(FaultRecord, site) == 56 && offset_of!(FaultRecord, written) == 60);
};

/// Bounds checks whose indices differ by constants.
#[derive(Clone, Copy, PartialEq)]
struct Family {
    /// The common base of the indices; `None` for constant indices.
    index: Option<Value>,
    length: Value,
}

/// Adjacent guards that share one branch.
#[derive(Debug)]
pub(super) struct GuardGroup {
    /// The guards, in the order of evaluation.
    guards: Vec<Value>,
}

/// An integer comparison as an instruction expresses it.
#[derive(Clone, Copy)]
struct Comparison {
    operator: &'static str,
    scalar: Scalar,
    a: Value,
    b: Value,
}

impl Writer<'_> {
    /// Branches to the cold path unless the conditions of all these guards hold.
    pub(super) fn guards(&mut self, guards: &[Value]) {
        let target = format!("CHECK{}", self.guard_groups.len());
        let mut all: Option<Register> = None;
        for guard in self.decisive(guards) {
            let condition = self.condition(guard);
            if self.function.as_constant(condition) == Some(0) {
                // The code after it is unreachable.
                self.text.instruction(&["bra"], &[Operand::Text(&target)]);
                all = None;
                break;
            }
            all = Some(self.and_condition(condition, all));
        }
        if let Some(all) = all {
            self.text.predicated(all, false, "bra", Operand::Text(&target));
        }
        self.guard_groups.push(GuardGroup {
            guards: guards.to_vec(),
        });
    }

    /// Combines a condition with a predicate by AND.
    fn and_condition(&mut self, condition: Value, all: Option<Register>) -> Register {
        let Some(comparison) = self.comparison(condition).filter(|_| self.is_fused(condition)) else {
            let register = self.register(condition);
            let Some(all) = all else { return register };
            let both = self.text.register(Class::Predicate);
            self.text.instruction(
                &["and.pred"],
                &[
                    Operand::Register(both),
                    Operand::Register(register),
                    Operand::Register(all),
                ],
            );
            return both;
        };
        let Comparison { operator, scalar, a, b } = comparison;
        let target = self.text.register(Class::Predicate);
        let (a, b) = (self.operand(a), self.operand(b));
        let and = if all.is_some() { ".and." } else { "." };
        let operands = [
            Operand::Register(target),
            a,
            b,
            Operand::Register(all.unwrap_or(target)),
        ];
        let count = if all.is_some() { 4 } else { 3 };
        self.text
            .instruction(&["setp.", operator, and, type_name(scalar)], &operands[..count]);
        target
    }

    pub(super) fn condition(&self, guard: Value) -> Value {
        match self.function.op(guard) {
            Op::Guard { condition, .. } => condition,
            _ => guard,
        }
    }

    /// The integer comparison that computes a condition.
    fn comparison(&self, condition: Value) -> Option<Comparison> {
        let (operator, comparison) = match self.inverted(condition) {
            Some(inverted) => inverted,
            None => match self.function.op(condition) {
                Op::Binary { op: BinaryOp::Lt, .. } => ("lt", condition),
                Op::Binary { op: BinaryOp::Eq, .. } => ("eq", condition),
                _ => return None,
            },
        };
        match self.function.op(comparison) {
            Op::Binary { scalar, a, b, .. } if scalar.is_integer() => Some(Comparison { operator, scalar, a, b }),
            _ => None,
        }
    }

    /// True if a condition is compared at the guard that is its only use.
    pub(super) fn is_guarded_comparison(&self, condition: Value) -> bool {
        self.comparison(condition).is_some()
    }

    /// The guards of a group that decide its outcome: of the bounds checks against one length at
    /// indices that differ by constants, those with the smallest and the largest constant. The ones
    /// between are implied, because lengths are far below 2^63, so that no index between wraps.
    pub(super) fn decisive(&self, guards: &[Value]) -> Vec<Value> {
        let mut decisive: Vec<Value> = Vec::with_capacity(guards.len());
        let mut families: Vec<(Family, i64, Value, i64, Value)> = Vec::new();
        for &guard in guards {
            let Some((family, constant)) = self.family(guard) else {
                decisive.push(guard);
                continue;
            };
            match families.iter_mut().find(|(known, ..)| *known == family) {
                Some((_, least, at_least, greatest, at_greatest)) => {
                    if constant < *least {
                        (*least, *at_least) = (constant, guard);
                    }
                    if constant > *greatest {
                        (*greatest, *at_greatest) = (constant, guard);
                    }
                }
                None => families.push((family, constant, guard, constant, guard)),
            }
        }
        for (family, least, at_least, greatest, at_greatest) in families {
            // The largest of constant indices decides.
            if family.index.is_some() && least != greatest {
                decisive.push(at_least);
            }
            decisive.push(at_greatest);
        }
        decisive
    }

    /// The family of a bounds check, and its constant.
    fn family(&self, guard: Value) -> Option<(Family, i64)> {
        let Op::Guard { condition, site, .. } = self.function.op(guard) else {
            return None;
        };
        let compares = |kind| {
            matches!(
                kind,
                FaultKind::IndexOutOfBounds | FaultKind::RowOutOfBounds | FaultKind::ColumnOutOfBounds
            )
        };
        if !compares(self.plan.sites.get(site as usize)?.kind) {
            return None;
        }
        let Comparison { operator, scalar, a, b } = self.comparison(condition)?;
        if scalar != Scalar::U64 {
            return None;
        }
        match (operator, self.function.as_constant(b)) {
            // length >= c, and length != 0
            ("ge", Some(c)) => Some((Family { index: None, length: a }, i64::try_from(c).ok()?)),
            ("ne", Some(0)) => Some((Family { index: None, length: a }, 1)),
            ("lt", None) => {
                let (index, constant) = match self.function.op(a) {
                    Op::Binary {
                        op: BinaryOp::Add,
                        a: index,
                        b: constant,
                        ..
                    } => match self.function.as_constant(constant) {
                        Some(bits) => (index, bits as i64),
                        None => (a, 0),
                    },
                    _ => (a, 0),
                };
                // Larger constants do not occur, and might wrap.
                (constant.unsigned_abs() < 1 << 32).then_some((
                    Family {
                        index: Some(index),
                        length: b,
                    },
                    constant,
                ))
            }
            _ => None,
        }
    }

    /// Polls: exits if another thread of the launch has faulted, in iterations where a poll is due.
    pub(super) fn poll(&mut self, due: Value) {
        let on = format!("POLLED{}", self.polls);
        self.polls += 1;
        let due = self.register(due);
        self.text.predicated(due, false, "bra", Operand::Text(&on));
        self.leave_if_faulted();
        self.text.label(&on);
    }

    /// Exits if another thread of the launch has faulted. Returns the address of the control, and the number of the launch.
    pub(super) fn leave_if_faulted(&mut self) -> [Operand<'static>; 2] {
        let seen = self.double();
        let [control, launch] = self.control_and_launch();
        self.text.begin(&["ld.relaxed.gpu.global.u64 "]);
        self.text.operand(seen);
        self.text.out.push_str(", [");
        self.text.operand(control);
        self.text.out.push(']');
        self.text.end();
        let faulted = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.ge.u64"], &[Operand::Register(faulted), seen, launch]);
        self.exit_where(faulted);
        [control, launch]
    }

    /// Exits if a predicate is true.
    pub(super) fn exit_where(&mut self, predicate: Register) {
        let out = self.way_out();
        self.text.predicated(predicate, true, "bra", Operand::Text(&out));
    }

    /// Emits the cold path.
    pub(super) fn cold(&mut self) {
        let groups = std::mem::take(&mut self.guard_groups);
        if !groups.is_empty() {
            let site = self.text.register(Class::Word);
            let values = [self.text.register(Class::Double), self.text.register(Class::Double)];
            let last = groups.len() - 1;
            for (number, group) in groups.iter().enumerate() {
                self.cold_group(number, group, site, values, number == last);
            }
            if self.leaving == Leaving::Together {
                self.text.label("FAULT");
                self.tail(site, values);
            }
        }
        self.ends();
        self.last_of_block();
    }

    /// Determines the first failed guard of a group, and its site and values.
    fn cold_group(&mut self, number: usize, group: &GuardGroup, site: Register, values: [Register; 2], last: bool) {
        self.text.label(&format!("CHECK{number}"));
        if self.is_waited_for() {
            self.tell_early();
        }
        let count = group.guards.len();
        for (position, &guard) in group.guards.iter().enumerate() {
            let next = format!("CHECK{number}_{}", position + 1);
            let Op::Guard {
                condition,
                site: index,
                values: words,
            } = self.function.op(guard)
            else {
                continue;
            };
            if position + 1 < count {
                // Recomputed, to shorten the live ranges of the predicates.
                if self.is_fused(condition) {
                    self.cold_operands(condition);
                } else {
                    self.cold_value(condition);
                }
                let predicate = self.and_condition(condition, None);
                self.text.predicated(predicate, true, "bra", Operand::Text(&next));
            }
            words.into_iter().for_each(|word| self.cold_value(word));
            self.mov(site, Operand::Number(i64::from(index)));
            for (target, word) in values.into_iter().zip(words) {
                let word = self.operand(word);
                self.mov(target, word);
            }
            if self.leaving != Leaving::Together {
                self.tail(site, values);
                let out = format!("EXIT{}", self.ways_out);
                self.text.instruction(&["bra"], &[Operand::Text(&out)]);
            } else if !last || position + 1 < count {
                self.text.instruction(&["bra"], &[Operand::Text("FAULT")]);
            }
            if position + 1 < count {
                self.text.label(&next);
            }
        }
    }

    /// Computes a value that only the cold path uses.
    fn cold_value(&mut self, value: Value) {
        if self.function.op(value).is_root() || self.is_hot(value) || self.is_parameter(value) {
            return;
        }
        self.cold_operands(value);
        self.operation(value);
    }

    /// Computes the operands of a value that have no other uses.
    fn cold_operands(&mut self, value: Value) {
        let value = self.inverted(value).map_or(value, |(_, comparison)| comparison);
        if self.is_parameter(value) {
            return;
        }
        self.function.each_operand(value, |operand| {
            if self.is_fused(operand) {
                self.cold_operands(operand);
            } else {
                self.cold_value(operand);
            }
        });
    }

    fn is_parameter(&self, value: Value) -> bool {
        self.function.op(value) == Op::Parameter
    }

    fn tail(&mut self, site: Register, values: [Register; 2]) {
        let record = self.claim_record(None, site, &values, self.is_waited_for());
        self.publish(record);
    }

    /// True if some thread may wait for another one and poll for faults.
    fn is_waited_for(&self) -> bool {
        self.polls != 0 || self.waits != 0
    }

    /// Signals the fault to polling threads at the start of a cold path. Where the exits join,
    /// ptxas makes the lanes of a warp wait for the others, which may be the polling ones.
    fn tell_early(&mut self) {
        let old = self.double();
        let [control, launch] = self.control_and_launch();
        self.at("atom.relaxed.gpu.global.max.u64", Some(old), control, 0, Some(launch));
    }

    /// Claims a record and writes these values, none or two, and all other fields, with `written` 0;
    /// exits if this is not the first fault of the launch, or no record is left. Returns the record's
    /// address, in `record` if given. `told` means that this thread has already signalled its fault.
    pub(super) fn claim_record(
        &mut self,
        record: Option<Register>,
        site: Register,
        values: &[Register],
        told: bool,
    ) -> Operand<'static> {
        let [kernel, next] = self.text.operands(Class::Double);
        let record = record.map_or_else(|| self.double(), Operand::Register);
        let [control, launch] = self.control_and_launch();
        self.load_channel(kernel, channel::KERNEL);
        let late = self.text.register(Class::Predicate);
        let out = self.way_out();
        let out = Operand::Text(&out);
        if !told {
            let old = self.double();
            self.at("atom.relaxed.gpu.global.max.u64", Some(old), control, 0, Some(launch));
            self.text
                .instruction(&["setp.ge.u64"], &[Operand::Register(late), old, launch]);
            self.text.predicated(late, true, "bra", out);
        }
        let free = offset_of!(FaultControl, free) as i64;
        let none = Operand::Number(0);
        self.at(
            "atom.relaxed.gpu.global.exch.b64",
            Some(record),
            control,
            free,
            Some(none),
        );
        self.text
            .instruction(&["setp.eq.u64"], &[Operand::Register(late), record, none]);
        self.text.predicated(late, true, "bra", out);
        self.text.instruction(&["cvta.to.global.u64"], &[record, record]);
        let offset = offset_of!(FaultRecord, next) as i64;
        self.at("ld.global.u64", Some(next), record, offset, None);
        self.at("st.global.u64", None, control, free, Some(next));
        self.record_words("st.global.v2.u64", record, 0, &[kernel, launch]);
        if let &[first, second] = values {
            let values = [first, second].map(Operand::Register);
            self.record_words("st.global.v2.u64", record, 16, &values);
        }
        let mut words = self.text.operands::<8>(Class::Word);
        let indices = ["%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z"];
        for (&word, index) in words.iter().zip(indices) {
            self.text.instruction(&["mov.u32"], &[word, Operand::Text(index)]);
        }
        words[6] = Operand::Register(site);
        self.text.instruction(&["mov.u32"], &[words[7], Operand::Number(0)]);
        self.record_words("st.global.v4.u32", record, 32, &words[..4]);
        self.record_words("st.global.v4.u32", record, 48, &words[4..]);
        record
    }

    /// Emits a store of a vector of registers at a constant offset.
    fn record_words(&mut self, name: &str, address: Operand<'_>, offset: i64, values: &[Operand<'_>]) {
        self.text.begin(&[name, " ["]);
        self.text.operand(address);
        self.text.offset(offset);
        self.text.out.push_str("], ");
        self.text.group(values);
        self.text.end();
    }

    /// Marks the record as complete.
    pub(super) fn publish(&mut self, record: Operand<'_>) {
        self.text.instruction(&["fence.acq_rel.sys"], &[]);
        let offset = offset_of!(FaultRecord, written) as i64;
        let one = Operand::Number(1);
        self.at("st.relaxed.sys.global.u32", None, record, offset, Some(one));
    }

    pub(super) fn double(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Double))
    }

    /// Loads the address of the control, and the number of the launch.
    pub(super) fn control_and_launch(&mut self) -> [Operand<'static>; 2] {
        let [control, launch, base] = self.text.operands(Class::Double);
        self.load_channel(control, channel::CONTROL);
        self.load_channel(launch, channel::LAUNCH);
        self.text.instruction(&["cvta.to.global.u64"], &[control, control]);
        let offset = offset_of!(FaultControl, base) as i64;
        self.at("ld.global.u64", Some(base), control, offset, None);
        self.text.instruction(&["add.s64"], &[launch, launch, base]);
        [control, launch]
    }

    pub(super) fn load_channel(&mut self, target: Operand<'_>, source: &str) {
        self.text
            .instruction(&["ld.param.u64"], &[target, Operand::Text(source)]);
    }

    /// Emits an access at a constant offset: target, address, source, as far as present.
    pub(super) fn at(
        &mut self,
        name: &str,
        target: Option<Operand<'_>>,
        address: Operand<'_>,
        offset: i64,
        source: Option<Operand<'_>>,
    ) {
        self.text.begin(&[name, " "]);
        if let Some(target) = target {
            self.text.operand(target);
            self.text.out.push_str(", ");
        }
        self.text.out.push('[');
        self.text.operand(address);
        self.text.offset(offset);
        self.text.out.push(']');
        if let Some(source) = source {
            self.text.out.push_str(", ");
            self.text.operand(source);
        }
        self.text.end();
    }
}
