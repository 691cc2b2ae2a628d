//! The lines that kernels print on the CPU.

use vyre_abi::order::sort_by_key;
use vyre_abi::print::HEADER_WORDS;
use vyre_abi::semantics::Native;

use crate::sync::Mutex;

/// A value as a word of a record.
#[inline(always)]
pub fn word<T: Native>(value: T) -> u64 {
    value.constant().bits
}

/// A line that a thread has printed: the number of its template, and the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The linear index of the block in the launch.
    block: u64,
    /// The index of the template.
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
    /// Bytes left for records.
    room: u64,
    lost: u64,
}

impl PrintSlot {
    /// A slot with room for this many bytes of records, in the format of a GPU.
    pub fn new(room: u64) -> PrintSlot {
        let kept = Kept {
            lines: Vec::new(),
            room,
            lost: 0,
        };
        PrintSlot { kept: Mutex::new(kept) }
    }

    /// Keeps a line if there is room.
    #[cold]
    pub(super) fn push(&self, block: u64, site: usize, values: &[u64]) {
        let mut kept = self.kept.lock();
        let bytes = 8 * (HEADER_WORDS + values.len()) as u64;
        match kept.room.checked_sub(bytes) {
            Some(room) => {
                kept.room = room;
                let values = values.into();
                kept.lines.push(Line { block, site, values });
            }
            // As on a GPU, there is no room for later lines either.
            None => (kept.room, kept.lost) = (0, kept.lost + 1),
        }
    }

    /// The lines in the order of their blocks, the bytes left, and the number of lost lines.
    pub fn into_parts(self) -> (Vec<Line>, u64, u64) {
        let mut kept = self.kept.into_inner();
        sort_by_key(&mut kept.lines, |line| line.block.into());
        (kept.lines, kept.room, kept.lost)
    }
}
