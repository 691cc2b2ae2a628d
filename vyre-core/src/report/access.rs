//! The pattern of each access.
//!
//! Global memory moves in sectors of 32 bytes. A warp whose lanes access neighbouring addresses touches as few as there are;
//! lanes that are apart touch one each. Of sums with unknown factors, lanes with different multiples are taken to be far
//! apart. Shared memory has 32 banks of four bytes. Lanes that access different words of a bank take turns. Accesses of 8
//! bytes are served by half warps, those of 16 by quarters.

use std::collections::{BTreeMap, BTreeSet};

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{Intrinsic, Kernel, Layout, Program, Span, Type};

use super::checks::{self, Final};
use super::lanes::{Factor, LANES, Lanes, Varying, Warp};
use super::{AccessReport, Check, CheckReport, Element, Pattern};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::provenance::{Provenance, Root};
use crate::ptx::Memory;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, Space, Ty, Value};

/// Bytes of a sector of global memory.
const SECTOR: i64 = 32;

/// Banks of shared memory, and the bytes of each.
const BANKS: i64 = 32;
const BANK: i64 = 4;

/// Rows that are this many words apart or more are worth a word of padding.
const ROW: i64 = 8;

/// An access of a warp.
pub(super) struct Found {
    span: Span,
    name: String,
    kind: &'static str,
    space: &'static str,
    bytes: u32,
    element: Option<Element>,
    pattern: Pattern,
}

/// A part of an operation that accesses memory.
pub(super) struct Part {
    pub(super) kind: &'static str,
    address: Value,
    offset: i32,
    bytes: u32,
}

/// The destination and the source of an asynchronous copy, each with an offset, and its bytes.
pub(crate) fn copied(function: &Function, value: Value) -> Option<([(Value, i32); 2], u32)> {
    match function.op(value) {
        Op::Intrinsic {
            intrinsic: Intrinsic::CopyPiece { offsets, bytes, .. },
            operands,
        } => {
            let operands = function.lists.get(operands);
            Some(([(operands[0], offsets[0]), (operands[1], offsets[1])], bytes.into()))
        }
        _ => None,
    }
}

/// The parts of an operation that access memory: none of most, two of a copy.
pub(super) fn parts(function: &Function, value: Value) -> Vec<Part> {
    let one = |kind, address, offset, bytes| {
        vec![Part {
            kind,
            address,
            offset,
            bytes,
        }]
    };
    match function.op(value) {
        Op::Load {
            address,
            offset,
            scalar,
            ..
        } => one("load", address, offset, scalar.size()),
        Op::Store {
            address,
            offset,
            scalar,
            ..
        } => one("store", address, offset, scalar.size()),
        Op::Atomic { address, scalar, .. } => one("atomic access", address, 0, scalar.size()),
        _ => match copied(function, value) {
            Some(([to, from], bytes)) => {
                let mut parts = one("copy to", to.0, to.1, bytes);
                parts.extend(one("copy from", from.0, from.1, bytes));
                parts
            }
            None => Vec::new(),
        },
    }
}

/// The accesses of a graph.
pub(super) struct Search<'f> {
    program: &'f Program,
    kernel: &'f Kernel,
    function: &'f Function,
    order: Vec<Block>,
    provenance: Provenance,
    /// The words of each vector, at the one that stands for it.
    vectors: Vec<Option<Vec<Value>>>,
    pub(super) found: Vec<Found>,
}

impl<'f> Search<'f> {
    pub(super) fn new(
        program: &'f Program,
        kernel: &'f Kernel,
        function: &'f Function,
        forest: &LoopForest,
    ) -> Search<'f> {
        let memory = Memory {
            program,
            kernel,
            function,
            shared_align: 1,
        };
        Search {
            program,
            kernel,
            function,
            order: forest.graph.order.clone(),
            provenance: Provenance::of(function, &forest.graph),
            vectors: memory.vectors(&forest.graph, &|_| true),
            found: Vec::new(),
        }
    }

    /// Adds the accesses of a warp.
    pub(super) fn warp(&mut self, warp: &Warp<'_>) {
        let function = self.function;
        for block in self.order.clone() {
            let came = warp.came(block);
            if came == 0 {
                continue;
            }
            for &value in &function.blocks[block].body {
                for part in parts(function, value) {
                    let vector = self.vectors.get(value.index()).and_then(Option::as_ref);
                    let (mut offset, mut bytes) = (part.offset, part.bytes);
                    match vector.map(Vec::as_slice) {
                        Some([first, ..]) => {
                            offset = parts(function, *first)[0].offset;
                            bytes *= vector.map_or(1, Vec::len) as u32;
                        }
                        Some([]) => continue,
                        None => {}
                    }
                    let found = self.access(warp, came, value, Part { offset, bytes, ..part });
                    self.add(found);
                }
            }
        }
    }

    /// Adds an access. Words of an element that no instruction accesses together are one, with the worst pattern.
    fn add(&mut self, found: Found) {
        let same = |known: &&mut Found| {
            (known.span, known.kind, known.space, known.bytes) == (found.span, found.kind, found.space, found.bytes)
                && known.name == found.name
        };
        match self.found.iter_mut().find(same) {
            Some(known) => {
                if severity(&found.pattern) > severity(&known.pattern) {
                    known.pattern = found.pattern;
                }
            }
            None => self.found.push(found),
        }
    }

    fn access(&self, warp: &Warp<'_>, came: u32, value: Value, part: Part) -> Found {
        let function = self.function;
        let space = match function.ty(part.address) {
            Ty::Pointer(space) => space,
            _ => Space::Generic,
        };
        let lanes = warp.value(part.address);
        let pattern = match (space, lanes) {
            (Space::Global | Space::Generic, Ok(lanes)) => self.global(&lanes, came, part.bytes),
            (Space::Global | Space::Generic, Err(reason)) => Pattern::Scattered {
                by_data: reason == Varying::Data,
            },
            (Space::Shared, Ok(lanes)) => banks(&lanes, came, part.bytes),
            (Space::Shared, Err(reason)) => Pattern::UnknownBanks {
                by_data: reason == Varying::Data,
            },
            _ => Pattern::Private,
        };
        Found {
            span: function.values[value].span,
            name: self.name(part.address),
            kind: part.kind,
            space: space.name(),
            bytes: part.bytes,
            element: self.element(part.address),
            pattern,
        }
    }

    /// The elements of the slice that an address is in.
    fn element(&self, address: Value) -> Option<Element> {
        let Root::Value(root) = self.provenance.root(self.function, address) else {
            return None;
        };
        let Op::Argument { parameter, .. } = self.function.op(root) else {
            return None;
        };
        match self.program.types[self.kernel.parameters[parameter as usize].ty] {
            Type::Slice { element, .. } => {
                let Layout { size, align, .. } = self.program.types.layout(element);
                Some(Element { size, align })
            }
            _ => None,
        }
    }

    /// The name of what an address is in.
    fn name(&self, address: Value) -> String {
        let Root::Value(root) = self.provenance.root(self.function, address) else {
            return String::new();
        };
        match self.function.op(root) {
            Op::Argument { parameter, .. } => self.kernel.parameters[parameter as usize].name.clone(),
            Op::Address(Object::Shared(variable)) => self.program.shared[variable].name.clone(),
            Op::Address(Object::Table(table)) => self.program.tables[table].name.clone(),
            Op::Address(Object::Parameter { number, .. }) => self.kernel.parameters[number as usize].name.clone(),
            _ => String::new(),
        }
    }

    /// The pattern of an access to global memory.
    fn global(&self, lanes: &Lanes, came: u32, bytes: u32) -> Pattern {
        let active: Vec<usize> = (0..LANES).filter(|lane| came >> lane & 1 == 1).collect();
        if is_same(lanes, &active) {
            return Pattern::Uniform;
        }
        let (sectors, least) = sectors(lanes, &active, bytes);
        let step = |numbers: &[i64; LANES]| even_step(numbers, &active);
        let stride = |bytes: i64, factor: Option<Factor>| Pattern::Strided {
            bytes,
            times: factor.map(|factor| self.factor(factor)),
            sectors,
        };
        match (step(&lanes.known), &lanes.scaled[..]) {
            (Some(step), []) if step.unsigned_abs() == u64::from(bytes) => Pattern::Coalesced { sectors },
            (Some(step), []) => stride(step, None),
            (Some(_), [(factor, numbers)]) if step(numbers).is_some_and(|step| step != 0) => {
                stride(step(numbers).unwrap_or(0), Some(*factor))
            }
            // A sector more for each row.
            _ if sectors <= least + least.div_ceil(2) => Pattern::Coalesced { sectors },
            _ => Pattern::Irregular { sectors },
        }
    }

    /// The name of a factor, if it is an argument or a length.
    fn factor(&self, factor: Factor) -> String {
        let name = match factor {
            Factor::Value(value) => match self.function.op(self.widened(value)) {
                Op::Argument { parameter, offset, .. } => {
                    let parameter = &self.kernel.parameters[parameter as usize];
                    match offset {
                        0 => Some(parameter.name.clone()),
                        8 => Some(format!("{}.len()", parameter.name)),
                        _ => None,
                    }
                }
                _ => None,
            },
            Factor::Digit(_) => None,
        };
        name.unwrap_or_default()
    }

    /// The value that others are extensions of.
    fn widened(&self, mut value: Value) -> Value {
        while let Op::Convert { a, .. } = self.function.op(value) {
            value = a;
        }
        value
    }
}

/// True if lanes have one address.
fn is_same(lanes: &Lanes, active: &[usize]) -> bool {
    has_one(&lanes.known, active) && lanes.scaled.iter().all(|(_, numbers)| has_one(numbers, active))
}

/// True if lanes have one number.
fn has_one(numbers: &[i64; LANES], active: &[usize]) -> bool {
    active.iter().all(|&lane| numbers[lane] == numbers[active[0]])
}

/// The difference of neighbouring lanes that are active, if all have the same.
fn even_step(numbers: &[i64; LANES], active: &[usize]) -> Option<i64> {
    let mut steps = active.windows(2).map(|pair| {
        let difference = numbers[pair[1]].wrapping_sub(numbers[pair[0]]);
        let lanes = (pair[1] - pair[0]) as i64;
        (difference % lanes == 0).then(|| difference / lanes)
    });
    let first = steps.next().unwrap_or(Some(0))?;
    steps.all(|step| step == Some(first)).then_some(first)
}

/// The sectors that lanes touch, and the least in which their bytes have room.
fn sectors(lanes: &Lanes, active: &[usize], bytes: u32) -> (u32, u32) {
    let mut groups: BTreeMap<Vec<i64>, BTreeSet<i64>> = BTreeMap::new();
    for &lane in active {
        let group = lanes.scaled.iter().map(|(_, numbers)| numbers[lane]).collect();
        groups.entry(group).or_default().insert(lanes.known[lane]);
    }
    let (mut touched, mut least) = (0, 0);
    let first = groups.values().flatten().min().copied().unwrap_or(0);
    for starts in groups.values() {
        let mut sectors = BTreeSet::new();
        let (mut covered, mut end) = (0, i64::MIN);
        for &start in starts {
            let (from, to) = (start.wrapping_sub(first), start.wrapping_sub(first) + i64::from(bytes));
            sectors.extend(from / SECTOR..=(to - 1) / SECTOR);
            covered += to - from.max(end.min(to));
            end = end.max(to);
        }
        touched += sectors.len() as u32;
        least += ((covered.max(1) + SECTOR - 1) / SECTOR) as u32;
    }
    (touched, least)
}

/// The turns that a warp takes to access shared memory.
fn banks(lanes: &Lanes, mask: u32, bytes: u32) -> Pattern {
    let active: Vec<usize> = (0..LANES).filter(|lane| mask >> lane & 1 == 1).collect();
    if is_same(lanes, &active) {
        return Pattern::Uniform;
    }
    // Lanes with different multiples of unknown numbers may be in any banks.
    if !lanes.scaled.iter().all(|(_, numbers)| has_one(numbers, &active)) {
        return Pattern::UnknownBanks { by_data: false };
    }
    let degree = turns(&lanes.known, &active, bytes);
    let words = even_step(&lanes.known, &active)
        .filter(|step| step % BANK == 0)
        .map(|step| step / BANK);
    let padded = words.filter(|words| degree > 1 && words.abs() >= ROW).map(|words| {
        let next = std::array::from_fn(|lane| (lane as i64).wrapping_mul(words + words.signum()).wrapping_mul(BANK));
        turns(&next, &active, bytes)
    });
    Pattern::Banks { degree, padded }
}

/// The most words of one bank that lanes which are served together access.
fn turns(addresses: &[i64; LANES], active: &[usize], bytes: u32) -> u32 {
    let lanes = match bytes {
        16 => LANES / 4,
        8 => LANES / 2,
        _ => LANES,
    };
    let mut most = 1;
    for group in 0..LANES / lanes {
        let mut words: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for &lane in active.iter().filter(|lane| *lane / lanes == group) {
            for word in 0..i64::from(bytes.div_ceil(BANK as u32)) {
                let word = addresses[lane].div_euclid(BANK) + word;
                words.entry(word.rem_euclid(BANKS)).or_default().insert(word);
            }
        }
        most = words.values().map(|words| words.len() as u32).fold(most, u32::max);
    }
    most
}

/// How bad a pattern is.
fn severity(pattern: &Pattern) -> (u32, u32, u32) {
    match *pattern {
        Pattern::Private => (0, 0, 0),
        Pattern::Uniform => (1, 0, 0),
        Pattern::Coalesced { sectors } => (2, sectors, 0),
        Pattern::Strided { sectors, .. } | Pattern::Irregular { sectors } => (2, sectors, 1),
        Pattern::Banks { degree, .. } => (2, degree, 0),
        Pattern::Scattered { .. } | Pattern::UnknownBanks { .. } => (3, 0, 0),
    }
}

/// The accesses that are left at the end with what became of their checks, by place, and the other checks that are left.
pub(super) fn reports(
    found: &[Found],
    verdicts: &[(Span, FaultKind, Check)],
    end: &Final,
) -> (Vec<AccessReport>, Vec<CheckReport>) {
    let mut accesses: Vec<AccessReport> = Vec::new();
    for access in found.iter().filter(|access| end.has_access(access.span, access.kind)) {
        let of_place = verdicts.iter().filter(|(span, _, _)| *span == access.span);
        accesses.push(AccessReport {
            span: access.span,
            name: access.name.clone(),
            kind: access.kind,
            space: access.space,
            bytes: access.bytes,
            element: access.element,
            check: of_place.map(|(_, _, check)| *check).max(),
            pattern: access.pattern.clone(),
        });
    }
    accesses.sort_by_key(|access| access.span);
    let others = verdicts.iter().filter(|(span, _, check)| {
        !matches!(check, Check::Proven | Check::Launch) && !accesses.iter().any(|access| access.span == *span)
    });
    let mut checks: Vec<CheckReport> = Vec::new();
    for &(span, kind, check) in others {
        let kind = checks::name(kind);
        match checks.iter_mut().find(|known| (known.span, known.kind) == (span, kind)) {
            Some(known) => known.check = known.check.max(check),
            None => checks.push(CheckReport { span, kind, check }),
        }
    }
    checks.sort_by_key(|check| check.span);
    (accesses, checks)
}
