//! What a thread does that cannot go on: the cold end of an entry.
//!
//! Each guard has a few instructions here that say which site failed and with which values; all go
//! on in one tail that follows the protocol of [`crate::fault`]. Nothing of this stands in the way
//! of the code that does not fault.

use super::entry::Writer;
use super::text::{Class, Operand, Register};
use crate::ssa::Value;
use crate::ssa::op::Op;

/// Offsets in `FaultChannel`.
mod channel {
    pub(super) const CONTROL: &str = "[fault_channel]";
    pub(super) const LAUNCH: &str = "[fault_channel+8]";
    pub(super) const KERNEL: &str = "[fault_channel+16]";
}

impl Writer<'_> {
    /// Leaves for the cold end unless a condition holds.
    pub(super) fn guard(&mut self, condition: Value, op: Op) {
        let number = self.guards.len();
        self.guards.push(op);
        let target = format!("FAULT{number}");
        match self.function.as_constant(condition) {
            Some(1) => {}
            Some(_) => self.text.instruction(&["bra"], &[Operand::Text(&target)]),
            None => {
                let predicate = self.predicate(condition);
                self.text.predicated(predicate, false, "bra", Operand::Text(&target));
            }
        }
    }

    /// Leaves where another thread of the launch has faulted.
    pub(super) fn poll(&mut self) {
        let (control, launch, seen) = (self.double(), self.double(), self.double());
        self.load_channel(control, channel::CONTROL);
        self.load_channel(launch, channel::LAUNCH);
        self.text.instruction(&["cvta.to.global.u64"], &[control, control]);
        self.text.begin(&["ld.relaxed.gpu.global.u64 "]);
        self.text.operand(seen);
        self.text.out.push_str(", [");
        self.text.operand(control);
        self.text.out.push(']');
        self.text.end();
        let faulted = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.eq.u64"], &[Operand::Register(faulted), seen, launch]);
        self.text.predicated(faulted, true, "bra", Operand::Text("EXIT"));
        self.exits = true;
    }

    /// Writes the cold end.
    pub(super) fn cold(&mut self) {
        let guards = std::mem::take(&mut self.guards);
        if !guards.is_empty() {
            let site = self.text.register(Class::Word);
            let values = [(); 2].map(|()| self.text.register(Class::Double));
            for (number, op) in guards.iter().enumerate() {
                let Op::Guard {
                    site: index,
                    values: words,
                    ..
                } = *op
                else {
                    continue;
                };
                self.text.label(&format!("FAULT{number}"));
                self.mov(site, Operand::Number(i64::from(index)));
                for (target, word) in values.into_iter().zip(words) {
                    let word = self.operand(word);
                    self.mov(target, word);
                }
                if number + 1 < guards.len() {
                    self.text.instruction(&["bra"], &[Operand::Text("FAULT")]);
                }
            }
            self.tail(site, values);
        }
        if self.exits {
            self.text.label("EXIT");
            self.text.instruction(&["ret"], &[]);
        }
    }

    fn tail(&mut self, site: Register, values: [Register; 2]) {
        self.text.label("FAULT");
        let (control, launch, kernel) = (self.double(), self.double(), self.double());
        let (old, record) = (self.double(), self.double());
        let taken = self.text.register(Class::Word);
        let late = self.text.register(Class::Predicate);
        self.load_channel(control, channel::CONTROL);
        self.load_channel(launch, channel::LAUNCH);
        self.load_channel(kernel, channel::KERNEL);
        self.text.instruction(&["cvta.to.global.u64"], &[control, control]);
        self.at("atom.relaxed.gpu.global.max.u64", Some(old), control, 0, Some(launch));
        self.text
            .instruction(&["setp.ge.u64"], &[Operand::Register(late), old, launch]);
        self.text.predicated(late, true, "bra", Operand::Text("EXIT"));
        let claimed = Operand::Register(taken);
        self.at(
            "atom.relaxed.gpu.global.exch.b32",
            Some(claimed),
            control,
            16,
            Some(Operand::Number(1)),
        );
        self.text.instruction(
            &["setp.ne.u32"],
            &[Operand::Register(late), claimed, Operand::Number(0)],
        );
        self.text.predicated(late, true, "bra", Operand::Text("EXIT"));
        self.at("ld.global.u64", Some(record), control, 8, None);
        self.text.instruction(&["cvta.to.global.u64"], &[record, record]);
        self.at("st.global.u64", None, record, 0, Some(kernel));
        self.at("st.global.u64", None, record, 8, Some(Operand::Register(values[0])));
        self.at("st.global.u64", None, record, 16, Some(Operand::Register(values[1])));
        let places = ["%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z"];
        for (number, place) in places.into_iter().enumerate() {
            let word = Operand::Register(taken);
            self.text.instruction(&["mov.u32"], &[word, Operand::Text(place)]);
            self.at("st.global.u32", None, record, 24 + 4 * number as i64, Some(word));
        }
        self.at("st.global.u32", None, record, 48, Some(Operand::Register(site)));
        self.text.instruction(&["fence.acq_rel.sys"], &[]);
        self.at("st.relaxed.sys.global.u32", None, record, 52, Some(Operand::Number(1)));
        self.exits = true;
    }

    fn double(&mut self) -> Operand<'static> {
        Operand::Register(self.text.register(Class::Double))
    }

    fn load_channel(&mut self, target: Operand<'_>, source: &str) {
        self.text
            .instruction(&["ld.param.u64"], &[target, Operand::Text(source)]);
    }

    /// An access at a constant offset: target, address, source, as far as there are any.
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
