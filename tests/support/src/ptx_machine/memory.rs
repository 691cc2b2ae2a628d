//! All memories of a launch in one address space: every address is generic.

/// Bits of the offset into a large object.
const LARGE: u32 = 36;
/// The start of the objects within reach of 32-bit addresses: constants, shared and local
/// variables.
const SMALL: u64 = 1 << 16;

/// Everything that has an address.
#[derive(Debug, Default)]
pub(super) struct Memory {
    large: Vec<Vec<u8>>,
    /// One after the other, with gaps that catch invalid accesses.
    small: Vec<u8>,
    /// Starts and lengths of the small objects.
    spans: Vec<(u64, u64)>,
    /// Small objects that outlive a block.
    kept: usize,
}

/// The target of an access.
struct Place {
    /// The index of a large object, or `None` for the small ones.
    object: Option<usize>,
    start: usize,
}

impl Memory {
    /// Adds an object; returns its address. Constants are small, so that 32 bits reach them.
    pub(super) fn add(&mut self, small: bool, bytes: Vec<u8>) -> u64 {
        if small {
            let address = self.add_small(bytes, 8);
            self.kept = self.spans.len();
            return address;
        }
        self.large.push(bytes);
        (self.large.len() as u64) << LARGE
    }

    /// The address of the next object of the running block.
    pub(super) fn next_small(&self) -> u64 {
        SMALL + (self.small.len() as u64).next_multiple_of(64) + 64
    }

    /// Adds an object of the running block, at an odd multiple of its alignment.
    pub(super) fn add_small(&mut self, bytes: Vec<u8>, align: u64) -> u64 {
        let start = self.next_small() - SMALL + align;
        self.small.resize(start as usize, 0);
        self.spans.push((start, bytes.len() as u64));
        self.small.extend(bytes);
        SMALL + start
    }

    /// Frees the objects of the running block.
    pub(super) fn release_small(&mut self) {
        self.spans.truncate(self.kept);
        let end = self.spans.last().map_or(0, |&(start, length)| start + length);
        self.small.truncate(end as usize);
    }

    /// Frees the small objects between two addresses.
    pub(super) fn end_between(&mut self, from: u64, to: u64) {
        for (start, length) in &mut self.spans {
            if (from..to).contains(&(SMALL + *start)) {
                *length = 0;
            }
        }
    }

    /// Takes a large object out.
    pub(super) fn take(&mut self, address: u64) -> Vec<u8> {
        std::mem::take(&mut self.large[(address >> LARGE) as usize - 1])
    }

    /// Exchanges the bytes of an object that is not small.
    pub(super) fn put(&mut self, address: u64, bytes: Vec<u8>) {
        self.large[(address >> LARGE) as usize - 1] = bytes;
    }

    /// Reads a little-endian word.
    pub(super) fn read(&self, address: u64, size: u64) -> Result<u64, String> {
        let mut bits = [0; 8];
        let place = self.find(address, size)?;
        let bytes = match place.object {
            Some(number) => &self.large[number],
            None => &self.small,
        };
        bits[..size as usize].copy_from_slice(&bytes[place.start..place.start + size as usize]);
        Ok(u64::from_le_bytes(bits))
    }

    fn find(&self, address: u64, size: u64) -> Result<Place, String> {
        if !address.is_multiple_of(size) {
            return Err(format!("an access of {size} bytes at {address:#x} is not aligned"));
        }
        let wrong = || format!("an access of {size} bytes at {address:#x} is outside of all memory");
        if address >> LARGE != 0 {
            let number = (address >> LARGE) as usize - 1;
            let start = address & ((1 << LARGE) - 1);
            let length = self.large.get(number).ok_or_else(wrong)?.len() as u64;
            return (start + size <= length)
                .then_some(Place {
                    object: Some(number),
                    start: start as usize,
                })
                .ok_or_else(wrong);
        }
        let start = address.checked_sub(SMALL).ok_or_else(wrong)?;
        let after = self.spans.partition_point(|&(first, _)| first <= start);
        let &(first, length) = after
            .checked_sub(1)
            .and_then(|index| self.spans.get(index))
            .ok_or_else(wrong)?;
        (start + size <= first + length)
            .then_some(Place {
                object: None,
                start: start as usize,
            })
            .ok_or_else(wrong)
    }

    /// Copies 4, 8 or 16 bytes between addresses of that alignment.
    pub(super) fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), String> {
        self.find(to, size)?;
        self.find(from, size)?;
        for offset in (0..size).step_by(4) {
            let bits = self.read(from + offset, 4)?;
            self.write(to + offset, 4, bits)?;
        }
        Ok(())
    }

    /// Writes a little-endian word.
    pub(super) fn write(&mut self, address: u64, size: u64, bits: u64) -> Result<(), String> {
        let place = self.find(address, size)?;
        let bytes = match place.object {
            Some(number) => &mut self.large[number],
            None => &mut self.small,
        };
        bytes[place.start..place.start + size as usize].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
