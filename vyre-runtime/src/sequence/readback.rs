//! The values that a sequence reads, and their places.

use std::fmt;
use std::marker::PhantomData;

use crate::Element;
use crate::error::{Error, Result};
use crate::memory::element::check;

/// The place of a step's values in a [`Readback`], from [`Sequence::read`](crate::Sequence::read),
/// [`Sequence::read_counted`](crate::Sequence::read_counted) or [`Sequence::fixpoint`](crate::Sequence::fixpoint).
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
    sequence: u64,
    at: At,
    marker: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy)]
enum At {
    /// This many elements from a byte on.
    Fixed { offset: usize, length: usize },
    /// The counted elements of this number, at most so many.
    Counted { number: usize, most: usize },
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Place<T> {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> fmt::Debug for Place<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        match self.at {
            At::Fixed { length, .. } => write!(f, "Place<{element}>[{length}]"),
            At::Counted { most, .. } => write!(f, "Place<{element}>[..{most}]"),
        }
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
    /// The fixed places, and behind them what is counted. It may be longer, as it was once.
    memory: Vec<Line>,
    /// The bytes of the fixed places.
    fixed: usize,
    /// The bytes of all places.
    used: usize,
    /// The first byte and the number of the elements that were counted, by their numbers.
    counted: Vec<(usize, usize)>,
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
    sequence: u64,
    pub(super) slots: Vec<Slot>,
    /// The bytes of all in the memory to which the device copies.
    pub(super) bytes: usize,
    /// The bytes of the fixed places in what comes back.
    fixed: usize,
    /// The number of counted places.
    counted: usize,
}

/// A range of the memory to which the device copies.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) offset: usize,
    pub(super) bytes: usize,
    /// Checks that bytes are values of the place.
    pub(super) check: fn(&[u8]) -> Result<()>,
    pub(super) to: To,
}

/// The place of a slot in what comes back.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// This byte.
    Fixed(usize),
    /// None: it is the count of the next slot.
    Count,
    /// That of counted elements, at most so many of a size.
    Counted { most: usize, size: usize },
}

impl Layout {
    pub(super) fn new(sequence: u64) -> Layout {
        Layout {
            sequence,
            slots: Vec::new(),
            bytes: 0,
            fixed: 0,
            counted: 0,
        }
    }

    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Adds a slot, which begins at a line, and returns its number.
    fn slot<T: Element>(&mut self, bytes: usize, to: To) -> usize {
        const { assert!(align_of::<T>() <= LINE, "no element is aligned to more") };
        let (offset, check) = (self.bytes, check::<T>);
        self.slots.push(Slot {
            offset,
            bytes,
            check,
            to,
        });
        self.bytes += bytes.next_multiple_of(LINE);
        self.slots.len() - 1
    }

    /// A place for elements of a type, with the number of its slot.
    pub(super) fn place<T: Element>(&mut self, length: usize) -> (usize, Place<T>) {
        let (offset, bytes) = (self.fixed, length * size_of::<T>());
        self.fixed += bytes.next_multiple_of(LINE);
        let slot = self.slot::<T>(bytes, To::Fixed(offset));
        (slot, self.place_at(At::Fixed { offset, length }))
    }

    /// A place for at most so many elements, with the number of the slot of their count. The next slot is theirs.
    pub(super) fn counted<T: Element>(&mut self, most: usize) -> (usize, Place<T>) {
        let (number, size) = (self.counted, size_of::<T>());
        self.counted += 1;
        let slot = self.slot::<u64>(size_of::<u64>(), To::Count);
        self.slot::<T>(most * size, To::Counted { most, size });
        (slot, self.place_at(At::Counted { number, most }))
    }

    fn place_at<T>(&self, at: At) -> Place<T> {
        Place {
            sequence: self.sequence,
            at,
            marker: PhantomData,
        }
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

    /// The values of a place: of its last turn in a loop, and zeros, or none that are counted, if no turn ran. `None` if
    /// these are not the values of a run that succeeded, of the sequence that the place is from, recorded before that run.
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
        if place.sequence != self.sequence {
            return None;
        }
        let (offset, length) = match place.at {
            // Places that were recorded after the run lie behind those that it had.
            At::Fixed { offset, length } if offset + length * size_of::<T>() <= self.fixed => (offset, length),
            At::Fixed { .. } => return None,
            At::Counted { number, .. } => *self.counted.get(number)?,
        };
        // SAFETY: the place is one of these values, so elements of the type lie there, or zeros, which are a value; the
        // memory begins at a line, and so does each place.
        Some(unsafe {
            let first = self.memory.as_ptr().cast::<u8>().add(offset).cast::<T>();
            std::slice::from_raw_parts(first, length)
        })
    }

    /// Forgets the values, and makes room for the fixed places of a layout.
    pub(super) fn clear(&mut self, layout: &Layout) -> Result<()> {
        self.sequence = 0;
        self.counted.clear();
        self.fixed = layout.fixed;
        self.used = layout.fixed;
        self.grow()
    }

    /// Makes room for the bytes that are used.
    fn grow(&mut self) -> Result<()> {
        let lines = self.used.div_ceil(LINE);
        let more = lines.saturating_sub(self.memory.len());
        if more != 0 {
            self.memory
                .try_reserve(more)
                .map_err(|_| Error::out_of_memory(self.used))?;
            self.memory.resize(lines, Line([0; LINE]));
        }
        Ok(())
    }

    /// Fills a fixed place of a layout for which there is room, with the bytes that were read or with zeros.
    pub(super) fn fill(&mut self, offset: usize, bytes: usize, read: Option<&[u8]>) {
        // SAFETY: lines are bytes without padding.
        let memory =
            unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast::<u8>(), self.memory.len() * LINE) };
        let target = &mut memory[offset..offset + bytes];
        match read {
            Some(bytes) => target.copy_from_slice(bytes),
            None => target.fill(0),
        }
    }

    /// Adds the next counted elements, with their bytes.
    pub(super) fn add_counted(&mut self, count: usize, bytes: &[u8]) -> Result<()> {
        let offset = self.used;
        self.used += bytes.len().next_multiple_of(LINE);
        self.grow()?;
        self.fill(offset, bytes.len(), Some(bytes));
        self.counted.push((offset, count));
        Ok(())
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
            _ => write!(f, "Readback of {} bytes", self.used),
        }
    }
}
