//! The lines that kernels print on the CPU.

use std::sync::{Mutex, PoisonError};

use vyre_abi::print::HEADER_WORDS;
use vyre_abi::semantics::Native;

/// The word of a value, as a record holds it.
#[inline(always)]
pub fn word<T: Native>(value: T) -> u64 {
    value.constant().bits
}

/// A line that a thread has printed: the number of its template, and the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of the block in the launch.
    block: u64,
    /// The number of the template.
    pub site: usize,
    /// The bits of the values.
    pub values: Box<[u64]>,
}

/// The lines of a launch.
#[derive(Debug)]
pub struct PrintSlot {
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    lines: Vec<Line>,
    /// Bytes that records may still take.
    room: u64,
    lost: u64,
}

impl PrintSlot {
    /// Room for records of so many bytes, as a GPU would write them.
    pub fn new(room: u64) -> PrintSlot {
        let kept = Kept {
            lines: Vec::new(),
            room,
            lost: 0,
        };
        PrintSlot { kept: Mutex::new(kept) }
    }

    /// Keeps a line, if there is room.
    #[cold]
    pub(super) fn push(&self, block: u64, site: usize, values: &[u64]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = 8 * (HEADER_WORDS + values.len()) as u64;
        match kept.room.checked_sub(bytes) {
            Some(room) => {
                kept.room = room;
                let values = values.into();
                kept.lines.push(Line { block, site, values });
            }
            // As on a GPU, what comes after has no room either.
            None => (kept.room, kept.lost) = (0, kept.lost + 1),
        }
    }

    /// The lines in the order of their blocks, the bytes that are left, and how many lines were lost.
    pub fn into_parts(self) -> (Vec<Line>, u64, u64) {
        let mut kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.lines.sort_by_key(|line| line.block);
        (kept.lines, kept.room, kept.lost)
    }
}
