//! Many small copies from the host by one kernel, which reads them from page-locked memory: a copy of the driver takes the
//! host a microsecond or more, however small it is.

use vyre_abi::order::sort_by_key;

use crate::backend::{Queue, ScatteredPart};
use crate::device::DeviceState;
use crate::device::staging::Staging;
use crate::error::Result;
use crate::memory::view::RawView;

/// The fewest copies for which a kernel pays.
const FEW: usize = 8;

/// The most bytes of a copy that a kernel makes: a warp makes it alone.
const SMALL: usize = 4 << 10;

/// The most bytes of the memory with all copies. Those past it are the driver's.
const MOST: usize = 16 << 20;

/// Sources and targets have the same remainder by this.
const UNIT: usize = 16;

/// A copy to a view, which has as many bytes.
pub(super) type Upload<'c> = (RawView<'c>, &'c [u8]);

/// Copies that a kernel makes, in memory of the host with their table.
pub(super) struct Scattered {
    staging: Staging,
    parts: u32,
}

/// Divides copies in those that a kernel makes and the others, in order. The two may be made in any order.
pub(super) fn divide<'c>(
    device: &'static DeviceState,
    copies: &'c [Upload<'c>],
) -> Result<(Option<Scattered>, Vec<&'c Upload<'c>>)> {
    let (mut all, mut few) = (Vec::with_capacity(copies.len()), 0);
    for copy in copies {
        let bytes = copy.1.len();
        few += usize::from((1..=SMALL).contains(&bytes));
        if bytes != 0 {
            all.push(copy);
        }
    }
    if few < FEW || overlap(&all) {
        return Ok((None, all));
    }
    // A table of half of the memory.
    let most = few.min(MOST / 2 / size_of::<ScatteredPart>());
    let (mut parts, mut small, mut others) = (Vec::with_capacity(most), Vec::with_capacity(most), Vec::new());
    let mut end = most * size_of::<ScatteredPart>();
    for copy in all {
        let (view, bytes) = copy;
        let offset = end + (view.address as usize).wrapping_sub(end) % UNIT;
        if bytes.len() > SMALL || small.len() == most || offset + bytes.len() > MOST {
            others.push(copy);
            continue;
        }
        parts.push(ScatteredPart {
            to: view.address,
            offset: offset as u32,
            bytes: bytes.len() as u32,
        });
        small.push(copy);
        end = offset + bytes.len();
    }
    let staging = device.staging(end)?;
    let memory = staging.pointer();
    // SAFETY: the memory is nobody else's and aligned to 64, and the table and the sources lie within it, one behind the
    // other.
    unsafe {
        let table = memory.cast::<ScatteredPart>();
        table.copy_from_nonoverlapping(parts.as_ptr(), parts.len());
        for (part, (_, bytes)) in parts.iter().zip(&small) {
            let source = memory.add(part.offset as usize);
            source.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }
    let parts = parts.len() as u32;
    Ok((Some(Scattered { staging, parts }), others))
}

/// True if two of the ranges that copies write overlap: then their order matters.
fn overlap(copies: &[&Upload<'_>]) -> bool {
    let mut ranges = Vec::with_capacity(copies.len());
    for (view, bytes) in copies {
        ranges.push((view.address, view.address + bytes.len() as u64));
    }
    sort_by_key(&mut ranges, |&(start, _): &(u64, u64)| start.into());
    ranges.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

impl Scattered {
    /// Queues the copies.
    ///
    /// # Safety
    /// The views are borrowed exclusively, the queue follows all work on them, and this lives until it was waited for.
    pub(super) unsafe fn start(&self, queue: &dyn Queue) -> Result<()> {
        // SAFETY: the memory has a table of this many parts and their sources, which nobody writes; no two targets overlap.
        // The rest is the contract.
        unsafe { queue.scatter(self.staging.pointer(), self.parts) }
    }

    /// The copies may go on for ever.
    pub(super) fn abandon(&mut self) {
        self.staging.abandon();
    }
}
