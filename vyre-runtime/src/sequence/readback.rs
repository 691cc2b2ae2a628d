//! The values that a sequence reads, and their places.

use std::fmt;
use std::marker::PhantomData;

use crate::Element;
use crate::memory::element::check;

/// The place of a step's values in a [`Readback`], from [`Sequence::read`](crate::Sequence::read) or
/// [`Sequence::fixpoint`](crate::Sequence::fixpoint).
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// use vyre::{Place, Sequence};
///
/// let device = Device::best()?;
/// let x = device.upload(&[1u32, 2, 3])?;
/// let mut steps = Sequence::new(&device);
/// let tail: Place<u32> = steps.read(&x, 1..)?;
/// assert_eq!(steps.run()?.get(&tail), Some(&[2, 3][..]));
/// # Ok(())
/// # }
/// ```
pub struct Place<T> {
    /// The number of the sequence.
    pub(super) sequence: u64,
    /// In bytes.
    pub(super) offset: usize,
    /// In elements.
    pub(super) length: usize,
    pub(super) marker: PhantomData<fn() -> T>,
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Place<T> {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> fmt::Debug for Place<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place<{}>[{}]", std::any::type_name::<T>(), self.length)
    }
}

/// The values that a run of a sequence has read. Its memory is used again by
/// [`run_into`](crate::Sequence::run_into).
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// use vyre::{Readback, Sequence};
///
/// let device = Device::best()?;
/// let mut x = device.zeros::<u32>(100)?;
/// let mut steps = Sequence::new(&device);
/// steps.fill(&mut x, 7)?;
/// let first = steps.read(&x, ..2)?;
/// let mut values = Readback::new();
/// for _ in 0..10 {
///     steps.run_into(&mut values)?; // allocates once
///     assert_eq!(values.get(&first), Some(&[7, 7][..]));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Readback {
    /// The number of the sequence; 0 without values.
    sequence: u64,
    memory: Vec<Line>,
}

/// The unit in which places are laid out: at least as aligned as any element.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

pub(super) const LINE: usize = 64;

/// The places of a sequence, by their numbers.
#[derive(Clone)]
pub(super) struct Layout {
    /// The number of the sequence, from 1.
    pub(super) sequence: u64,
    pub(super) slots: Vec<Slot>,
    /// The bytes of all.
    pub(super) bytes: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) offset: usize,
    pub(super) bytes: usize,
    /// Checks that bytes are values of the place.
    pub(super) check: fn(&[u8]) -> crate::Result<()>,
}

impl Layout {
    /// A place for elements of a type, with the number of its slot. It begins at a line.
    pub(super) fn place<T: Element>(&mut self, length: usize) -> (usize, Place<T>) {
        const { assert!(align_of::<T>() <= LINE, "no element is aligned to more") };
        let (offset, bytes) = (self.bytes, length * size_of::<T>());
        let check = check::<T>;
        self.slots.push(Slot { offset, bytes, check });
        self.bytes += bytes.next_multiple_of(LINE);
        let place = Place {
            sequence: self.sequence,
            offset,
            length,
            marker: PhantomData,
        };
        (self.slots.len() - 1, place)
    }
}

impl Readback {
    /// No values.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// use vyre::{Readback, Sequence};
    ///
    /// let device = Device::best()?;
    /// let x = device.upload(&[1u32, 2, 3])?;
    /// let mut steps = Sequence::new(&device);
    /// let all = steps.read(&x, ..)?;
    /// let mut values = Readback::new();
    /// assert_eq!(values.get(&all), None); // before a run
    /// steps.run_into(&mut values)?;
    /// assert_eq!(values.get(&all), Some(&[1, 2, 3][..]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new() -> Readback {
        Readback::default()
    }

    /// The values of a place: of its last turn in a loop, and zeros if no turn ran. `None` if these are not the values of
    /// a run that succeeded, of the sequence that the place is from, recorded before that run.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// # use vyre::Sequence;
    /// let device = Device::best()?;
    /// let x = device.upload(&[0.5f32, 1.5])?;
    /// let mut steps = Sequence::new(&device);
    /// let all = steps.read(&x, ..)?;
    /// let values = steps.run()?;
    /// assert_eq!(values.get(&all), Some(&[0.5, 1.5][..]));
    /// let other = Sequence::new(&device).read(&x, ..)?;
    /// assert_eq!(values.get(&other), None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get<T: Element>(&self, place: &Place<T>) -> Option<&[T]> {
        let end = place.offset + place.length * size_of::<T>();
        if place.sequence != self.sequence || end > self.memory.len() * LINE {
            return None;
        }
        // SAFETY: the place is one of these values, so elements of the type lie there, or zeros, which are a value; the
        // memory begins at a line, and so does each place.
        Some(unsafe {
            let first = self.memory.as_ptr().cast::<u8>().add(place.offset).cast::<T>();
            std::slice::from_raw_parts(first, place.length)
        })
    }

    /// Forgets the values, and makes room for those of a layout.
    pub(super) fn clear(&mut self, layout: &Layout) -> crate::Result<()> {
        self.sequence = 0;
        let lines = layout.bytes / LINE;
        let more = lines.saturating_sub(self.memory.len());
        self.memory
            .try_reserve_exact(more)
            .map_err(|_| crate::Error::OutOfMemory {
                requested: layout.bytes as u64,
                free: None,
            })?;
        self.memory.resize(lines, Line([0; LINE]));
        Ok(())
    }

    /// Fills a slot of a layout for which there is room, with the bytes that were read or with zeros.
    pub(super) fn fill(&mut self, slot: Slot, read: Option<&[u8]>) {
        // SAFETY: lines are bytes without padding.
        let memory =
            unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast::<u8>(), self.memory.len() * LINE) };
        let target = &mut memory[slot.offset..slot.offset + slot.bytes];
        match read {
            Some(bytes) => target.copy_from_slice(bytes),
            None => target.fill(0),
        }
    }

    /// The values are there.
    pub(super) fn complete(&mut self, layout: &Layout) {
        self.sequence = layout.sequence;
    }
}

impl fmt::Debug for Readback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sequence {
            0 => f.write_str("Readback without values"),
            _ => write!(f, "Readback of {} bytes", self.memory.len() * LINE),
        }
    }
}
