//! Buffers of bytes by number, for bindings and tools that cannot hold a buffer.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::Device;
use crate::error::{Error, HandleProblem, Result};
use crate::memory::buffer::DeviceBuffer;
use crate::sync::Mutex;

/// A buffer of bytes of a table of [`Handles`]. Copied freely; one whose buffer was freed is known as such.
///
/// ```
/// # fn main() -> vyre::Result<()> {
/// let handles = vyre::Device::best()?.handles();
/// let (x, y) = (handles.allocate(16)?, handles.allocate(16)?);
/// assert_ne!(x, y);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    table: u64,
    number: u64,
}

/// A table of buffers of bytes on a device, each named by a [`Handle`], for bindings and tools that cannot hold a
/// [`DeviceBuffer`] of a type.
///
/// Each call checks all its handles, lengths and ranges before it does anything, so one that refuses has changed
/// nothing. Cheap to clone; the buffers are freed with the last clone.
///
/// ```
/// # fn main() -> vyre::Result<()> {
/// let handles = vyre::Device::best()?.handles();
/// let (x, y) = (handles.allocate(4)?, handles.allocate(2)?); // zeros
/// handles.write(&[(x, 1, &[5, 6]), (y, 0, &[7, 8])])?;
/// let (mut middle, mut last) = ([0; 2], [0; 1]);
/// handles.read(&mut [(x, 1, &mut middle), (y, 1, &mut last)])?;
/// assert_eq!((middle, last), ([5, 6], [8]));
/// handles.free(&[x, y])?;
/// assert!(handles.free(&[x]).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Handles {
    table: Arc<Table>,
}

struct Table {
    device: Device,
    /// Tells it from all others of the process.
    id: u64,
    /// The number of the last handle.
    last: AtomicU64,
    buffers: Mutex<HashMap<u64, Slot>>,
}

/// A buffer, until it is taken out of the table.
type Slot = Arc<Mutex<Option<DeviceBuffer<u8>>>>;

impl Device {
    /// A new table of buffers of bytes, named by numbers.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let x = handles.allocate(3)?;
    /// assert_eq!(handles.read_whole(x)?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn handles(&self) -> Handles {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Handles {
            table: Arc::new(Table {
                device: self.clone(),
                id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
                last: AtomicU64::new(0),
                buffers: Mutex::default(),
            }),
        }
    }
}

impl Handles {
    /// A buffer of this many bytes, which are zero.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// assert_eq!(handles.length(handles.allocate(100)?)?, 100);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn allocate(&self, bytes: usize) -> Result<Handle> {
        Ok(self.keep(self.table.device.zeros(bytes)?))
    }

    /// Takes a buffer into the table, such as a result that stayed on the device.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// let handles = device.handles();
    /// let x = handles.insert(device.upload(b"abc")?)?;
    /// assert_eq!(handles.read_whole(x)?, b"abc");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`] with [`HandleProblem::Foreign`] for a buffer of another device, which is dropped.
    pub fn insert(&self, buffer: DeviceBuffer<u8>) -> Result<Handle> {
        match buffer.device() == self.table.device {
            true => Ok(self.keep(buffer)),
            false => Err(problem(0, HandleProblem::Foreign)),
        }
    }

    /// Takes a buffer out of the table: its handle is then as one that was freed.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let x = handles.allocate(2)?;
    /// assert_eq!(handles.remove(x)?.download()?, [0, 0]);
    /// assert!(handles.length(x).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn remove(&self, handle: Handle) -> Result<DeviceBuffer<u8>> {
        let slot = self.slot(handle)?;
        // Another thread may use it until the lock is free.
        let buffer = slot.lock().take();
        self.table.buffers.lock().remove(&handle.number);
        buffer.ok_or_else(|| problem(handle.number, HandleProblem::Freed))
    }

    /// Frees buffers: all, or none if one of the handles is refused.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let (x, y) = (handles.allocate(1)?, handles.allocate(1)?);
    /// assert!(handles.free(&[x, y, x]).is_err());
    /// handles.free(&[x, y])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], also for one that is there twice.
    pub fn free(&self, handles: &[Handle]) -> Result<()> {
        let mut buffers = self.table.buffers.lock();
        let mut freed = BTreeMap::new();
        for &handle in handles {
            self.check_table(handle)?;
            let slot = buffers.get(&handle.number);
            let slot = slot.ok_or_else(|| problem(handle.number, HandleProblem::Freed))?;
            if freed.insert(handle.number, slot.clone()).is_some() {
                return Err(problem(handle.number, HandleProblem::Twice));
            }
        }
        for number in freed.keys() {
            buffers.remove(number);
        }
        drop(buffers);
        // Those that another thread uses are freed by that one.
        drop(freed);
        Ok(())
    }

    /// The length of a buffer, in bytes.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// assert_eq!(handles.length(handles.allocate(0)?)?, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`].
    pub fn length(&self, handle: Handle) -> Result<usize> {
        self.with(&[handle], |buffers| Ok(buffers[0].len()))
    }

    /// Copies bytes of the host into buffers, each from an offset in bytes on. The copies are made in their order.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let x = handles.allocate(4)?;
    /// assert!(handles.write(&[(x, 0, &[1]), (x, 3, &[2, 3])]).is_err());
    /// assert_eq!(handles.read_whole(x)?, [0; 4]); // nothing was written
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], or an error of the driver.
    pub fn write(&self, copies: &[(Handle, usize, &[u8])]) -> Result<()> {
        let ranges = copies
            .iter()
            .map(|&(handle, start, bytes)| (handle, start, bytes.len()));
        let slots = self.ranges(ranges)?;
        for (slot, &(handle, start, bytes)) in slots.iter().zip(copies) {
            let mut buffer = slot.lock();
            let buffer = buffer
                .as_mut()
                .ok_or_else(|| problem(handle.number, HandleProblem::Freed))?;
            buffer.slice_mut(start..start + bytes.len())?.write(bytes)?;
        }
        Ok(())
    }

    /// Overwrites buffers, each with as many bytes as it has.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let x = handles.allocate(2)?;
    /// handles.write_whole(&[(x, &[1, 2])])?;
    /// assert!(handles.write_whole(&[(x, &[1])]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], or an error of the driver.
    pub fn write_whole(&self, copies: &[(Handle, &[u8])]) -> Result<()> {
        for &(handle, bytes) in copies {
            let length = self.length(handle)?;
            if length != bytes.len() {
                let given = bytes.len();
                return Err(problem(handle.number, HandleProblem::Length { length, given }));
            }
        }
        let copies: Vec<_> = copies.iter().map(|&(handle, bytes)| (handle, 0, bytes)).collect();
        self.write(&copies)
    }

    /// Copies bytes of buffers to the host, each from an offset in bytes on, after all work on the buffers so far.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let x = handles.allocate(4)?;
    /// handles.write(&[(x, 2, &[9])])?;
    /// let mut bytes = [1; 2];
    /// handles.read(&mut [(x, 1, &mut bytes)])?;
    /// assert_eq!(bytes, [0, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], or as of [`DeviceBuffer::download_into`].
    pub fn read(&self, copies: &mut [(Handle, usize, &mut [u8])]) -> Result<()> {
        let ranges = copies
            .iter()
            .map(|(handle, start, bytes)| (*handle, *start, bytes.len()));
        let slots = self.ranges(ranges)?;
        for (slot, (handle, start, bytes)) in slots.iter().zip(copies) {
            let buffer = slot.lock();
            let buffer = buffer
                .as_ref()
                .ok_or_else(|| problem(handle.number, HandleProblem::Freed))?;
            buffer.slice(*start..*start + bytes.len())?.download_into(bytes)?;
        }
        Ok(())
    }

    /// All bytes of a buffer.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// assert_eq!(handles.read_whole(handles.allocate(1)?)?, [0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], or as of [`DeviceBuffer::download`].
    pub fn read_whole(&self, handle: Handle) -> Result<Vec<u8>> {
        self.with(&[handle], |buffers| buffers[0].download())
    }

    /// Runs a function on buffers, in the order of their handles: launches and calls of pipelines take them. Other threads
    /// wait for these buffers meanwhile, so the function must not use handles of a table.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let handles = vyre::Device::best()?.handles();
    /// let (x, y) = (handles.allocate(2)?, handles.allocate(2)?);
    /// handles.write(&[(x, 0, &[1, 2])])?;
    /// handles.with(&[y, x], |buffers| {
    ///     let [y, x] = buffers else { unreachable!("there are two") };
    ///     y.copy_from(&**x)
    /// })?;
    /// assert_eq!(handles.read_whole(y)?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Handle`], also for one that is there twice; or the function's own.
    pub fn with<R>(
        &self,
        handles: &[Handle],
        work: impl FnOnce(&mut [&mut DeviceBuffer<u8>]) -> Result<R>,
    ) -> Result<R> {
        let mut slots = BTreeMap::new();
        for (place, &handle) in handles.iter().enumerate() {
            if slots.insert(handle.number, (self.slot(handle)?, place)).is_some() {
                return Err(problem(handle.number, HandleProblem::Twice));
            }
        }
        // Locked in the order of their numbers, so that threads with the same ones do not wait for each other in a circle.
        let mut locked: Vec<_> = slots
            .iter()
            .map(|(&number, (slot, place))| (*place, number, slot.lock()))
            .collect();
        locked.sort_by_key(|&(place, ..)| place);
        let buffers = locked
            .iter_mut()
            .map(|(_, number, buffer)| buffer.as_mut().ok_or_else(|| problem(*number, HandleProblem::Freed)));
        work(&mut buffers.collect::<Result<Vec<_>>>()?)
    }

    fn keep(&self, buffer: DeviceBuffer<u8>) -> Handle {
        let number = self.table.last.fetch_add(1, Ordering::Relaxed) + 1;
        let slot = Arc::new(Mutex::new(Some(buffer)));
        self.table.buffers.lock().insert(number, slot);
        Handle {
            table: self.table.id,
            number,
        }
    }

    fn check_table(&self, handle: Handle) -> Result<()> {
        match handle.table == self.table.id {
            true => Ok(()),
            false => Err(problem(handle.number, HandleProblem::Foreign)),
        }
    }

    fn slot(&self, handle: Handle) -> Result<Slot> {
        self.check_table(handle)?;
        let slot = self.table.buffers.lock().get(&handle.number).cloned();
        slot.ok_or_else(|| problem(handle.number, HandleProblem::Freed))
    }

    /// The buffers of ranges, all of which they have.
    fn ranges(&self, ranges: impl Iterator<Item = (Handle, usize, usize)>) -> Result<Vec<Slot>> {
        let found = ranges.map(|(handle, start, bytes)| {
            let slot = self.slot(handle)?;
            let length = slot.lock().as_ref().map(DeviceBuffer::len);
            let length = length.ok_or_else(|| problem(handle.number, HandleProblem::Freed))?;
            match start.checked_add(bytes) {
                Some(end) if end <= length => Ok(slot),
                end => {
                    let end = end.unwrap_or(usize::MAX);
                    Err(problem(handle.number, HandleProblem::Range { start, end, length }))
                }
            }
        });
        found.collect()
    }
}

#[cold]
fn problem(number: u64, problem: HandleProblem) -> Error {
    Error::Handle { number, problem }
}

impl fmt::Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { device, buffers, .. } = &*self.table;
        write!(f, "Handles of {} buffers on {device}", buffers.lock().len())
    }
}
