//! The memory of checked devices, and which of its bytes have been written.
//!
//! It is one table for all devices of the process, because they copy from each other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use vyre_ir::interp::check::Unwritten;

use crate::sync::Mutex;

/// The allocations, by their addresses.
static ALL: Mutex<BTreeMap<u64, Allocated>> = Mutex::new(BTreeMap::new());

struct Allocated {
    bytes: usize,
    /// True for each byte that has been written; `None` if all have.
    written: Option<Vec<bool>>,
}

/// An allocation with bytes that have not been written, and the place of a slice in it.
pub(super) struct Known {
    address: u64,
    start: u64,
}

pub(super) fn add(address: u64, bytes: usize, has_values: bool) {
    let written = (!has_values && bytes > 0).then(|| vec![false; bytes]);
    ALL.lock().insert(address, Allocated { bytes, written });
}

pub(super) fn remove(address: u64) {
    ALL.lock().remove(&address);
}

/// Marks bytes as written.
pub(super) fn mark(address: u64, bytes: usize) {
    set(&mut ALL.lock(), address, bytes, &mut |written| written.fill(true));
}

/// Marks a target of a copy as its source is.
pub(super) fn copy(to: u64, from: u64, bytes: usize) {
    let mut all = ALL.lock();
    let source = find(&mut all, from).and_then(|(allocated, start)| {
        let written = allocated.written.as_ref()?;
        written.get(range(start, bytes)).map(<[bool]>::to_vec)
    });
    let Some(source) = source.filter(|source| source.contains(&false)) else {
        return set(&mut all, to, bytes, &mut |written| written.fill(true));
    };
    if let Some((allocated, start)) = find(&mut all, to) {
        let written = allocated.written.get_or_insert_with(|| vec![true; allocated.bytes]);
        if let Some(target) = written.get_mut(range(start, bytes)) {
            target.copy_from_slice(&source);
        }
    }
}

/// The allocation of a slice, if it has bytes that have not been written.
pub(super) fn known(address: u64) -> Option<Known> {
    let mut all = ALL.lock();
    let (allocated, start) = find(&mut all, address)?;
    allocated.written.as_ref()?;
    Some(Known {
        address: address - start as u64,
        start: start as u64,
    })
}

/// The written bytes of slices, for a launch. Slices of one allocation share it.
pub(super) fn unwritten(known: &[(Known, usize)]) -> Vec<Unwritten> {
    let all = ALL.lock();
    let mut shared: BTreeMap<u64, Rc<RefCell<Vec<bool>>>> = BTreeMap::new();
    let one = |(known, parameter): &(Known, usize)| {
        let written = shared.entry(known.address).or_insert_with(|| {
            let written = all.get(&known.address).and_then(|allocated| allocated.written.clone());
            Rc::new(RefCell::new(written.unwrap_or_default()))
        });
        Unwritten {
            parameter: *parameter,
            written: Rc::clone(written),
            start: known.start,
        }
    };
    known.iter().map(one).collect()
}

/// Keeps what a launch has written.
pub(super) fn keep(known: &[(Known, usize)], after: &[Unwritten]) {
    let mut all = ALL.lock();
    for ((known, _), after) in known.iter().zip(after) {
        if let Some(allocated) = all.get_mut(&known.address) {
            let written = after.written.borrow();
            allocated.written = written.contains(&false).then(|| written.clone());
        }
    }
}

fn range(start: usize, bytes: usize) -> Range<usize> {
    start..start.saturating_add(bytes)
}

/// The allocation with an address, and where that is in it.
fn find(all: &mut BTreeMap<u64, Allocated>, address: u64) -> Option<(&mut Allocated, usize)> {
    let (first, allocated) = all.range_mut(..=address).next_back()?;
    let start = (address - first) as usize;
    (start < allocated.bytes).then_some((allocated, start))
}

fn set(all: &mut BTreeMap<u64, Allocated>, address: u64, bytes: usize, change: &mut dyn FnMut(&mut [bool])) {
    let Some((allocated, start)) = find(all, address) else {
        return;
    };
    if let Some(written) = &mut allocated.written {
        if let Some(part) = written.get_mut(range(start, bytes)) {
            change(part);
        }
        if !written.contains(&false) {
            allocated.written = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{add, copy, known, mark, remove};

    /// No allocation of a test is at these addresses.
    #[test]
    fn copies_hand_on_what_is_unwritten() {
        let (one, other) = (16, 4096);
        add(one, 8, false);
        add(other, 8, true);
        assert!(known(one + 7).is_some() && known(one + 8).is_none() && known(other).is_none());
        mark(one, 4);
        copy(other, one, 4);
        assert!(known(other).is_none(), "the part that was copied has values");
        copy(other + 4, one + 4, 4);
        assert!(known(other).is_some());
        mark(other + 4, 4);
        assert!(known(other).is_none());
        copy(one + 4, other, 4);
        assert!(known(one).is_none());
        remove(one);
        remove(other);
    }
}
