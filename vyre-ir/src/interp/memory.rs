//! Memory: regions of bytes, and pointers with provenance.

use super::error::Undefined;
use crate::ir::Scalar;

/// The size of a word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// A `bool`: one byte, of which any but 0 is true.
    Bool,
    One,
    Two,
    Four,
    Eight,
}

impl Width {
    pub(super) fn of(scalar: Scalar) -> Width {
        match (scalar, scalar.size()) {
            (Scalar::Bool, _) => Width::Bool,
            (_, 1) => Width::One,
            (_, 2) => Width::Two,
            (_, 4) => Width::Four,
            _ => Width::Eight,
        }
    }

    /// Size in bytes.
    #[inline(always)]
    pub(super) fn size(self) -> u64 {
        match self {
            Width::Bool | Width::One => 1,
            Width::Two => 2,
            Width::Four => 4,
            Width::Eight => 8,
        }
    }

    /// The word at the start of bytes, of which there are enough.
    #[inline(always)]
    pub(super) fn read(self, bytes: &[u8]) -> u64 {
        let word = match self {
            Width::Bool => bytes.first().map(|byte| u64::from(*byte != 0)),
            Width::One => bytes.first().map(|byte| u64::from(*byte)),
            Width::Two => bytes.first_chunk().map(|word| u16::from_le_bytes(*word).into()),
            Width::Four => bytes.first_chunk().map(|word| u32::from_le_bytes(*word).into()),
            Width::Eight => bytes.first_chunk().map(|word| u64::from_le_bytes(*word)),
        };
        debug_assert!(word.is_some(), "a word is read from enough bytes");
        word.unwrap_or(0)
    }

    /// Writes a word to the start of bytes, of which there are enough.
    #[inline(always)]
    pub(super) fn write(self, word: u64, bytes: &mut [u8]) {
        let word = word.to_le_bytes();
        let size = self.size() as usize;
        bytes[..size].copy_from_slice(&word[..size]);
    }
}

/// A pointer: a region and an offset into it.
///
/// In memory a pointer takes eight bytes, with the region's number in the upper 24 bits; a launch
/// with more or larger regions is refused. Zero bits are a dangling pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    region: u32,
    offset: u64,
}

const OFFSET_BITS: u32 = 40;
const LAST_OFFSET: u64 = (1 << OFFSET_BITS) - 1;
const PRIVATE: u32 = 1;
pub(super) const SHARED: u32 = 2;
const FIRST_GLOBAL: u32 = 3;

impl Pointer {
    pub(super) fn private(offset: u64) -> Self {
        Pointer {
            region: PRIVATE,
            offset,
        }
    }

    pub(super) fn shared(offset: u64) -> Self {
        Pointer { region: SHARED, offset }
    }

    /// The pointer `bytes` further on in the same region.
    #[inline(always)]
    pub(super) fn add(self, bytes: u64) -> Self {
        Pointer {
            region: self.region,
            offset: self.offset.saturating_add(bytes).min(LAST_OFFSET),
        }
    }

    /// The pointer at the offset from `to` that this one has from `from`, in the same region.
    pub(super) fn moved(self, from: u64, to: u64) -> Self {
        Pointer {
            region: self.region,
            offset: self.offset.saturating_sub(from).saturating_add(to).min(LAST_OFFSET),
        }
    }

    /// The number of the region.
    #[cfg(feature = "programs")]
    pub(super) fn region(self) -> u32 {
        self.region
    }

    /// The offset in the region.
    pub(super) fn offset(self) -> u64 {
        self.offset
    }

    pub(super) fn is_private(self) -> bool {
        self.region == PRIVATE
    }

    pub(super) fn is_shared(self) -> bool {
        self.region == SHARED
    }

    #[inline(always)]
    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.region) << OFFSET_BITS | self.offset
    }

    #[inline(always)]
    pub(super) fn from_bits(bits: u64) -> Self {
        Pointer {
            region: (bits >> OFFSET_BITS) as u32,
            offset: bits & LAST_OFFSET,
        }
    }
}

/// A region that outlives a block.
pub(super) enum Global<'a> {
    /// A table of constants.
    Table(Vec<u8>),
    /// The bytes of a slice argument.
    Buffer(&'a mut [u8]),
    /// Those of one that is only read.
    Input(&'a [u8]),
}

/// All memory that is not private to a thread.
pub(super) struct Memory<'a> {
    /// The shared memory of the concurrently running blocks, one after the other.
    pub(super) shared: Vec<u8>,
    /// The tables, then the buffers.
    globals: Vec<Global<'a>>,
}

impl<'a> Memory<'a> {
    pub(super) fn new() -> Self {
        Memory {
            shared: Vec::new(),
            globals: Vec::new(),
        }
    }

    /// Adds a region; `None` if a pointer could not address all of its bytes.
    pub(super) fn add(&mut self, global: Global<'a>) -> Option<Pointer> {
        let number = self.globals.len() + FIRST_GLOBAL as usize;
        let size = match &global {
            Global::Table(bytes) => bytes.len(),
            Global::Buffer(bytes) => bytes.len(),
            Global::Input(bytes) => bytes.len(),
        };
        self.globals.push(global);
        let fits = number < 1 << (64 - OFFSET_BITS) && (size as u64) < 1 << OFFSET_BITS;
        fits.then_some(Pointer {
            region: number as u32,
            offset: 0,
        })
    }

    /// The start of a table, by its index.
    pub(super) fn table(number: usize) -> Pointer {
        Pointer {
            region: FIRST_GLOBAL + number as u32,
            offset: 0,
        }
    }

    /// The bytes at a pointer, as seen by the thread whose private memory is given.
    #[inline]
    pub(super) fn bytes<'m>(&'m self, private: &'m [u8], at: Pointer, size: u64) -> Result<&'m [u8], Undefined> {
        let region = match at.region {
            PRIVATE => private,
            SHARED => self.shared.as_slice(),
            global => match self.globals.get((global as usize).wrapping_sub(FIRST_GLOBAL as usize)) {
                Some(Global::Table(bytes)) => bytes.as_slice(),
                Some(Global::Buffer(bytes)) => bytes,
                Some(Global::Input(bytes)) => bytes,
                None => return Err(Undefined::Dangling),
            },
        };
        let start = at.offset as usize;
        region
            .get(start..start.saturating_add(size as usize))
            .ok_or(Undefined::Dangling)
    }

    /// The bytes at a pointer, to write.
    #[inline]
    pub(super) fn bytes_mut<'m>(
        &'m mut self,
        private: &'m mut [u8],
        at: Pointer,
        size: u64,
    ) -> Result<&'m mut [u8], Undefined> {
        let region = match at.region {
            PRIVATE => private,
            SHARED => self.shared.as_mut_slice(),
            global => match self
                .globals
                .get_mut((global as usize).wrapping_sub(FIRST_GLOBAL as usize))
            {
                Some(Global::Buffer(bytes)) => bytes,
                // A validated program does not write tables, nor through immutable slices but to atomic cells.
                Some(Global::Table(_) | Global::Input(_)) | None => return Err(Undefined::Dangling),
            },
        };
        let start = at.offset as usize;
        region
            .get_mut(start..start.saturating_add(size as usize))
            .ok_or(Undefined::Dangling)
    }
}
