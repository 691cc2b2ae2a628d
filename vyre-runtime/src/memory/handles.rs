//! Buffers of bytes by number, for bindings and tools that cannot hold a buffer.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_abi::order::sort_by_key;

use crate::device::Device;
use crate::error::{Error, HandleProblem, Result};
use crate::memory::buffer::DeviceBuffer;
use crate::memory::together;
use crate::memory::view::RawView;
use crate::sync::{Condvar, Mutex, MutexGuard};

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
    /// Notified when buffers are given back.
    returned: Condvar,
}

/// The place of a buffer.
enum Slot {
    Here(DeviceBuffer<u8>),
    /// A call of the table has it.
    Lent(Loan),
}

/// What a buffer is lent for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loan {
    /// Copies of the table itself, which are soon over.
    Copies,
    /// A function of the user.
    Work,
}

thread_local! {
    /// The loans that this thread has, for copies and for work. Work waits for copies of other threads alone, and copies,
    /// during which a printer may run, for nothing: so nobody waits for a loan of its own, or in a circle.
    static LOANS: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
}

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
                returned: Condvar::new(),
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
        let mut buffers = self.table.buffers.lock();
        loop {
            buffers = match *self.slot(&mut buffers, handle)?.get() {
                Slot::Here(_) => break,
                Slot::Lent(loan) => self.wait_for(loan, buffers, handle)?,
            };
        }
        match buffers.remove(&handle.number) {
            Some(Slot::Here(buffer)) => Ok(buffer),
            _ => Err(problem(handle.number, HandleProblem::Freed)),
        }
    }

    /// Frees buffers: all, or none if one of the handles is refused, such as one that [`with`](Handles::with) has lent.
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
        refuse_twice(handles)?;
        let mut buffers = self.table.buffers.lock();
        'look: loop {
            for &handle in handles {
                match self.slot(&mut buffers, handle)?.get() {
                    Slot::Here(_) => {}
                    Slot::Lent(Loan::Work) => return Err(problem(handle.number, HandleProblem::Lent)),
                    Slot::Lent(Loan::Copies) => {
                        buffers = self.wait_for(Loan::Copies, buffers, handle)?;
                        continue 'look;
                    }
                }
            }
            break;
        }
        let freed: Vec<_> = handles.iter().map(|handle| buffers.remove(&handle.number)).collect();
        // Without the lock, since that calls the driver.
        drop(buffers);
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
        Ok(self.lend(1, &|_| handle, Loan::Copies)?.buffer(handle).len())
    }

    /// Copies bytes of the host into buffers, each from an offset in bytes on. The copies are made in their order, in one
    /// submission: the host waits once for all of them.
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
        let lent = self.lend(copies.len(), &|copy| copies[copy].0, Loan::Copies)?;
        let mut views = Vec::with_capacity(copies.len());
        for &(handle, start, bytes) in copies {
            views.push((lent.range(handle, start, bytes.len())?, bytes));
        }
        together::write(self.table.device.state(), &views)
    }

    /// Overwrites buffers, each with as many bytes as it has. Waits once, as [`write`](Handles::write) does.
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
        let lent = self.lend(copies.len(), &|copy| copies[copy].0, Loan::Copies)?;
        let mut views = Vec::with_capacity(copies.len());
        for &(handle, bytes) in copies {
            let (length, given) = (lent.buffer(handle).len(), bytes.len());
            if length != given {
                return Err(problem(handle.number, HandleProblem::Length { length, given }));
            }
            views.push((lent.range(handle, 0, given)?, bytes));
        }
        together::write(self.table.device.state(), &views)
    }

    /// Copies bytes of buffers to the host, each from an offset in bytes on, after all work on the buffers so far.
    /// The copies are one submission: the host waits once for all of them. After an error of a kernel or of the driver the
    /// contents of the targets are unspecified.
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
        let lent = self.lend(copies.len(), &|copy| copies[copy].0, Loan::Copies)?;
        let mut views = Vec::with_capacity(copies.len());
        for (handle, start, bytes) in copies {
            views.push((lent.range(*handle, *start, bytes.len())?, &mut **bytes));
        }
        together::read(self.table.device.state(), views)
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
        self.lend(1, &|_| handle, Loan::Copies)?.buffer(handle).download()
    }

    /// Runs a function on buffers, in the order of their handles: launches and calls of pipelines take them. The buffers are
    /// lent meanwhile. Other threads that use them wait, and do not free them. The function itself waits for no loan: a
    /// handle that is lent by a `with`, its own or that of another thread, is refused at once with [`HandleProblem::Lent`].
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
    /// [`Error::Handle`], also for one that is there twice or, in a function of another `with`, lent; or the function's own.
    pub fn with<R>(
        &self,
        handles: &[Handle],
        work: impl FnOnce(&mut [&mut DeviceBuffer<u8>]) -> Result<R>,
    ) -> Result<R> {
        refuse_twice(handles)?;
        let mut lent = self.lend(handles.len(), &|number| handles[number], Loan::Work)?;
        let places: Vec<_> = handles.iter().map(|&handle| lent.place(handle)).collect();
        let mut all: Vec<_> = lent.buffers.iter_mut().map(|(_, buffer)| Some(buffer)).collect();
        let buffers = places.iter().filter_map(|&place| all[place].take());
        work(&mut buffers.collect::<Vec<_>>())
    }

    fn keep(&self, buffer: DeviceBuffer<u8>) -> Handle {
        let number = self.table.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.table.buffers.lock().insert(number, Slot::Here(buffer));
        Handle {
            table: self.table.id,
            number,
        }
    }

    /// The place of a handle's buffer.
    fn slot<'b>(&self, buffers: &'b mut HashMap<u64, Slot>, handle: Handle) -> Result<Occupied<'b>> {
        if handle.table != self.table.id {
            return Err(problem(handle.number, HandleProblem::Foreign));
        }
        match buffers.entry(handle.number) {
            Entry::Occupied(slot) => Ok(slot),
            Entry::Vacant(_) => Err(problem(handle.number, HandleProblem::Freed)),
        }
    }

    /// Waits until buffers are given back, for one that has this loan.
    fn wait_for<'b>(&'b self, loan: Loan, buffers: Buffers<'b>, handle: Handle) -> Result<Buffers<'b>> {
        match (loan, LOANS.get()) {
            (_, [0, 0]) | (Loan::Copies, [0, _]) => Ok(self.table.returned.wait(buffers)),
            _ => Err(problem(handle.number, HandleProblem::Lent)),
        }
    }

    /// Lends the buffers of all these handles at the same time.
    fn lend(&self, count: usize, handle: &dyn Fn(usize) -> Handle, loan: Loan) -> Result<Lent<'_>> {
        let mut buffers = self.table.buffers.lock();
        'look: loop {
            for handle in (0..count).map(handle) {
                if let &Slot::Lent(loan) = self.slot(&mut buffers, handle)?.get() {
                    buffers = self.wait_for(loan, buffers, handle)?;
                    continue 'look;
                }
            }
            break;
        }
        let mut lent = Lent {
            table: &self.table,
            loan,
            buffers: Vec::new(),
        };
        let mut loans = LOANS.get();
        loans[loan as usize] += 1;
        LOANS.set(loans);
        for handle in (0..count).map(handle) {
            // A handle that stands twice was lent by the first.
            if let Slot::Here(buffer) = self.slot(&mut buffers, handle)?.insert(Slot::Lent(loan)) {
                lent.buffers.push((handle.number, buffer));
            }
        }
        sort_by_key(&mut lent.buffers, |&(number, _)| number.into());
        Ok(lent)
    }
}

type Buffers<'b> = MutexGuard<'b, HashMap<u64, Slot>>;
type Occupied<'b> = std::collections::hash_map::OccupiedEntry<'b, u64, Slot>;

/// Buffers that are lent, in the order of their numbers. Dropping it gives them back.
struct Lent<'t> {
    table: &'t Table,
    loan: Loan,
    buffers: Vec<(u64, DeviceBuffer<u8>)>,
}

impl Lent<'_> {
    /// The buffer of one of the handles.
    fn buffer(&self, handle: Handle) -> &DeviceBuffer<u8> {
        &self.buffers[self.place(handle)].1
    }

    fn place(&self, handle: Handle) -> usize {
        let number = |&(number, _): &(u64, _)| number;
        let found = self.buffers.binary_search_by_key(&handle.number, number);
        found.expect("all handles of the call are lent")
    }

    /// A range of a buffer, which has it.
    fn range(&self, handle: Handle, start: usize, bytes: usize) -> Result<RawView<'_>> {
        let buffer = self.buffer(handle);
        // A function of the user may have put another buffer into the place of this one.
        if buffer.device() != self.table.device {
            return Err(problem(handle.number, HandleProblem::Foreign));
        }
        let length = buffer.len();
        match start.checked_add(bytes) {
            Some(end) if end <= length => Ok(*buffer.slice(start..end)?.raw()),
            end => {
                let end = end.unwrap_or(usize::MAX);
                Err(problem(handle.number, HandleProblem::Range { start, end, length }))
            }
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut loans = LOANS.get();
        loans[self.loan as usize] -= 1;
        LOANS.set(loans);
        let mut buffers = self.table.buffers.lock();
        for (number, buffer) in std::mem::take(&mut self.buffers) {
            buffers.insert(number, Slot::Here(buffer));
        }
        drop(buffers);
        self.table.returned.notify_all();
    }
}

/// Refuses a handle that stands twice.
fn refuse_twice(handles: &[Handle]) -> Result<()> {
    let mut sorted = handles.to_vec();
    sort_by_key(&mut sorted, |handle| {
        u128::from(handle.table) << 64 | u128::from(handle.number)
    });
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(problem(pair[0].number, HandleProblem::Twice)),
        None => Ok(()),
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
