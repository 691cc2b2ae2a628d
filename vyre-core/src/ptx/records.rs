//! Records read by the host: printed output, and faults whose message has values. The protocols are
//! those of [`vyre_abi::print`] and [`vyre_abi::fault`].

use std::mem::offset_of;
use vyre_abi::list;

use vyre_abi::fault::FaultControl;
use vyre_abi::format::{Part, parts};
use vyre_abi::print::{HEADER_WORDS, PrintBuffer, site_word};
use vyre_ir::ir::PtxPlace;

use super::entry::Writer;
use super::text::{Class, Operand, Register};
use crate::ssa::value_list::ValueList;
use crate::ssa::{Ty, Value};

/// Offset of the records from the address of a buffer.
const RECORDS: i64 = size_of::<PrintBuffer>() as i64;

/// Offsets in `FaultControl` and `PrintBuffer`.
const PRINTS: i64 = offset_of!(FaultControl, prints) as i64;
const CAPACITY: i64 = offset_of!(PrintBuffer, capacity) as i64;
const LOST: i64 = offset_of!(PrintBuffer, lost) as i64;
const _: () = assert!(offset_of!(PrintBuffer, cursor) == 0);

impl Writer<'_> {
    /// Reserves a print record and writes its header.
    pub(super) fn print(&mut self, value: Value, site: u32, values: u32) {
        let bytes = Operand::Number(8 * (HEADER_WORDS as i64 + i64::from(values)));
        let (buffer, kernel, at, end, capacity) = (
            self.double(),
            self.double(),
            self.double(),
            self.double(),
            self.double(),
        );
        let fits = self.text.register(Class::Predicate);
        self.load_channel(buffer, super::fault::channel::CONTROL);
        self.load_channel(kernel, super::fault::channel::KERNEL);
        self.text.instruction(&["cvta.to.global.u64"], &[buffer, buffer]);
        self.at("ld.global.u64", Some(buffer), buffer, PRINTS, None);
        self.text.instruction(&["cvta.to.global.u64"], &[buffer, buffer]);
        self.at("atom.relaxed.gpu.global.add.u64", Some(at), buffer, 0, Some(bytes));
        self.at("ld.global.u64", Some(capacity), buffer, CAPACITY, None);
        self.text.instruction(&["add.s64"], &[end, at, bytes]);
        self.text
            .instruction(&["setp.le.u64"], &[Operand::Register(fits), end, capacity]);
        self.text.instruction(&["add.s64"], &[at, at, buffer]);
        let record = Operand::Register(self.register(value));
        self.text.instruction(
            &["selp.b64"],
            &[record, at, Operand::Number(0), Operand::Register(fits)],
        );
        let one = Operand::Number(1);
        self.only((fits, false), "red.relaxed.gpu.global.add.u64", (buffer, LOST), one);
        let site = Operand::Immediate(Ty::I64, site_word(site, values as usize));
        self.only((fits, true), "st.global.u64", (at, RECORDS), kernel);
        self.only((fits, true), "st.global.u64", (at, RECORDS + 8), site);
    }

    /// Claims the record of the launch's first fault, or exits.
    pub(super) fn claim(&mut self, value: Value, site: u32) {
        let number = self.text.register(Class::Word);
        self.mov(number, Operand::Number(i64::from(site)));
        let record = self.register(value);
        self.claim_record(Some(record), number, &[], false);
    }

    /// Writes a value into a record, if there is one.
    pub(super) fn put(&mut self, record: Value, offset: u32, value: Value) {
        let is_fault = matches!(self.function.op(record), crate::ssa::op::Op::Claim { .. });
        let (start, record) = (if is_fault { 0 } else { RECORDS }, self.operand(record));
        let name = match self.function.ty(value) {
            Ty::F32 => "st.global.f32",
            Ty::F64 => "st.global.f64",
            Ty::I32 => "st.global.u32",
            _ => "st.global.u64",
        };
        let value = self.operand(value);
        let place = (record, start + i64::from(offset));
        if is_fault {
            return self.at(name, None, place.0, place.1, Some(value));
        }
        let room = self.text.register(Class::Predicate);
        self.text
            .instruction(&["setp.ne.u64"], &[Operand::Register(room), record, Operand::Number(0)]);
        self.only((room, true), name, place, value);
    }

    /// Marks the record of a fault as complete.
    pub(super) fn leave(&mut self, record: Value) {
        let record = self.operand(record);
        self.publish(record);
    }

    /// Emits inline PTX of the source, in a scope of its own.
    pub(super) fn inline(&mut self, value: Value, number: u32, operands: ValueList) {
        let function = self.function;
        let inline = &function.inline[number as usize];
        // Constants go into registers too: not every instruction takes an immediate.
        let registers: Vec<_> = list::map(function.lists.get(operands), |&operand| self.in_register(operand));
        let (tuple, results) = match function.ty(value) {
            Ty::Unit => (
                Some(inline.results.len()),
                self.result_registers(value, &inline.results),
            ),
            _ => (None, vec![self.register(value)]),
        };
        let start = self.text.out.len();
        for part in parts(&inline.text).unwrap_or_default() {
            let name = match part {
                Part::Text(text) => {
                    self.text.out.push_str(text);
                    continue;
                }
                Part::Place(name) => name,
            };
            let register = match PtxPlace::of(name, registers.len(), tuple) {
                Some(PtxPlace::Operand(number)) => registers[number],
                Some(PtxPlace::Result(number)) => results[number],
                None => continue,
            };
            self.text.operand(Operand::Register(register));
        }
        let written = self.text.out.split_off(start);
        self.scope(&written);
    }

    /// Emits instructions in a scope of their own, one per line.
    fn scope(&mut self, text: &str) {
        self.text.out.push_str("    {\n");
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            // A brace at the start of a statement opens or closes a scope.
            let end = match first {
                '{' | '}' => 1,
                _ => rest.find(';').map_or(rest.len(), |end| end + 1),
            };
            let (statement, after) = rest.split_at(end);
            self.text.begin(&[statement, "\n"]);
            rest = after.trim_start();
        }
        self.text.out.push_str("    }\n");
    }

    /// Emits a predicated store.
    fn only(
        &mut self,
        (predicate, value): (Register, bool),
        name: &str,
        (address, offset): (Operand<'_>, i64),
        source: Operand<'_>,
    ) {
        self.text.condition(predicate, value);
        self.at(name, None, address, offset, Some(source));
    }
}
