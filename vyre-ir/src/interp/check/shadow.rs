//! Shadow memory: the latest accesses to each part of memory that are not ordered among themselves.
//!
//! A cell keeps, as FastTrack does, one epoch for the last plain write, and one for plain reads as long as they are
//! ordered; reads that are not stand in a list. Atomic accesses stand in a list of their own, where a plain access to
//! them is possible at all.

use super::clock::{Clock, Who};
use super::{Action, Unwritten};
use crate::ir::Span;

/// An access: its epoch, its place in the source, and what it does. Millions of them are kept, hence the small numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    block: u32,
    /// 0 for no access.
    pub(super) time: u32,
    line: u32,
    column: u16,
    file: u16,
    slot: u16,
    pub(super) action: Action,
    /// True for an atomic access at the scope of the block.
    pub(super) in_block: bool,
}

impl Access {
    pub(super) fn new(who: Who, time: u32, action: Action, span: Span) -> Self {
        Access {
            block: who.block,
            time,
            line: span.line,
            column: u16::try_from(span.column).unwrap_or(u16::MAX),
            file: u16::try_from(span.file).unwrap_or(u16::MAX),
            slot: who.slot,
            action,
            in_block: false,
        }
    }

    pub(super) fn who(&self) -> Who {
        Who {
            block: self.block,
            slot: self.slot,
        }
    }

    pub(super) fn span(&self) -> Span {
        Span {
            file: self.file.into(),
            line: self.line,
            column: self.column.into(),
        }
    }

    /// True if there is such an access, and it does not happen before what the observer does now.
    fn is_open(&self, observer: &Observer<'_>) -> bool {
        let who = self.who();
        self.time > 0 && who != observer.who && observer.clock.time(who) < self.time
    }
}

/// A thread, or its copies, with what the thread knows.
#[derive(Clone, Copy)]
pub(super) struct Observer<'c> {
    pub(super) who: Who,
    pub(super) clock: &'c Clock,
    /// Blocks of a cluster, which share the scope of the block.
    pub(super) cluster: u32,
}

/// A part of memory: as many bytes as the smallest scalar of its region.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    write: Access,
    read: Access,
    more: Option<Box<More>>,
}

#[derive(Clone, Debug, Default)]
struct More {
    /// Plain reads that are not ordered, by their slots.
    reads: Vec<Access>,
    /// Atomic accesses, one of each kind for a slot.
    atomics: Vec<Access>,
    /// True if an atomic access has written the cell.
    is_written: bool,
}

impl Cell {
    pub(super) fn is_written(&self) -> bool {
        self.write.time > 0 || self.more.as_ref().is_some_and(|more| more.is_written)
    }

    /// A last write: a plain one, or else an atomic one of the highest block and thread.
    pub(super) fn last_write(&self) -> Option<Access> {
        let mut atomics = self.more.iter().flat_map(|more| &more.atomics);
        let atomic = atomics.rfind(|access| access.action.writes()).copied();
        atomic.or(Some(self.write).filter(|access| access.time > 0))
    }

    /// Enters an access, and calls `found` with each earlier one that races with it. `keeps` is false for atomic accesses
    /// to memory that has no others.
    pub(super) fn enter(
        &mut self,
        access: Access,
        keeps: bool,
        observer: &Observer<'_>,
        found: &mut impl FnMut(Access),
    ) {
        if self.write.is_open(observer) {
            found(self.write);
        }
        match (access.action.is_atomic(), access.action.writes()) {
            (false, false) => {
                self.against_atomics(access, observer, found);
                self.add_read(access, observer);
            }
            (false, true) => {
                self.against_reads(observer, found);
                self.against_atomics(access, observer, found);
                // What is ordered before the write is ordered before all that is ordered after it.
                self.write = access;
                self.read = Access::default();
                // Its memory is needed again as soon as many threads read.
                if let Some(more) = &mut self.more {
                    more.reads.clear();
                    more.atomics.clear();
                    more.is_written = false;
                }
            }
            (true, writes) => {
                if writes {
                    self.against_reads(observer, found);
                    self.more.get_or_insert_default().is_written = true;
                }
                if keeps {
                    self.against_atomics(access, observer, found);
                    let atomics = &mut self.more.get_or_insert_default().atomics;
                    add(atomics, access);
                }
            }
        }
    }

    fn against_reads(&self, observer: &Observer<'_>, found: &mut impl FnMut(Access)) {
        let many = self.more.iter().flat_map(|more| &more.reads);
        for read in many.chain([&self.read]) {
            if read.is_open(observer) {
                found(*read);
            }
        }
    }

    /// Plain accesses race with atomic ones, and atomic ones with those whose scope leaves them out.
    fn against_atomics(&self, access: Access, observer: &Observer<'_>, found: &mut impl FnMut(Access)) {
        let Some(more) = &self.more else { return };
        let is_apart = |other: &Access| {
            let far = other.block / observer.cluster != access.block / observer.cluster;
            !access.action.is_atomic() || far && (access.in_block || other.in_block)
        };
        let conflicts = |other: &&Access| {
            (access.action.writes() || other.action.writes()) && is_apart(other) && other.is_open(observer)
        };
        for other in more.atomics.iter().filter(conflicts) {
            found(*other);
        }
    }

    fn add_read(&mut self, access: Access, observer: &Observer<'_>) {
        let is_replaced = self.read.time == 0 || self.read.who() == access.who() || !self.read.is_open(observer);
        match &mut self.more {
            Some(more) if !more.reads.is_empty() => {
                if is_replaced {
                    more.reads.retain(|read| read.is_open(observer));
                    self.read = access;
                } else {
                    add(&mut more.reads, access);
                }
            }
            _ if is_replaced => self.read = access,
            _ => add(&mut self.more.get_or_insert_default().reads, access),
        }
    }
}

/// Adds an access to a list that is sorted by slots, in place of an earlier one of its slot and kind.
fn add(list: &mut Vec<Access>, access: Access) {
    let key = |access: &Access| (access.who(), access.action, access.in_block);
    // Threads mostly come in their order.
    if list.last().is_none_or(|last| key(last) < key(&access)) {
        return list.push(access);
    }
    match list.binary_search_by_key(&key(&access), key) {
        Ok(at) => list[at] = access,
        Err(at) => list.insert(at, access),
    }
}

/// Cells of a chunk, which is made when one of them is accessed.
const CHUNK: usize = 64;

/// The cells of a region of memory.
#[derive(Debug)]
pub(super) struct Region {
    /// Bytes of a cell.
    pub(super) granule: u64,
    chunks: Vec<Option<Box<[Cell; CHUNK]>>>,
    /// False for memory that the launch does not write.
    pub(super) is_tracked: bool,
    /// True if it has values when the launch, or the block, starts.
    pub(super) is_initialised: bool,
    /// True if atomic accesses are kept.
    pub(super) keeps_atomics: bool,
    /// The written bytes of memory that is partly uninitialised when the launch starts.
    pub(super) unwritten: Option<Unwritten>,
}

impl Region {
    pub(super) fn new(granule: u64, is_tracked: bool, is_initialised: bool) -> Self {
        Region {
            granule: granule.max(1),
            chunks: Vec::new(),
            is_tracked,
            is_initialised,
            keeps_atomics: false,
            unwritten: None,
        }
    }

    /// Forgets all accesses.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
    }

    /// A cell that was accessed, or one near it.
    pub(super) fn known(&self, number: u64) -> Option<&Cell> {
        let chunk = self.chunks.get(number as usize / CHUNK)?.as_ref()?;
        chunk.get(number as usize % CHUNK)
    }

    pub(super) fn cell(&mut self, number: u64) -> &mut Cell {
        let (chunk, at) = (number as usize / CHUNK, number as usize % CHUNK);
        if self.chunks.len() <= chunk {
            self.chunks.resize_with(chunk + 1, || None);
        }
        let chunk = self.chunks[chunk].get_or_insert_with(|| Box::new(std::array::from_fn(|_| Cell::default())));
        &mut chunk[at]
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Cell};

    /// A buffer has one for each of its elements.
    #[test]
    fn cells_are_small() {
        assert_eq!((size_of::<Access>(), size_of::<Cell>()), (20, 48));
    }
}
