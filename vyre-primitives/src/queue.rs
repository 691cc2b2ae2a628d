//! Queues of tasks for persistent kernels.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU64;

use super::call::{Call, belongs, equal};
use super::kernels::queue::{count_filled, fill_slots, words};
use super::scalar::Scalar;
use vyre::{AtomicView, Device, DeviceBuffer, Error, Result, View, ViewMut};
use vyre_runtime::kernel::reinterpret;

/// A queue of tasks in device memory, for persistent kernels: their threads take tasks by
/// [`run_tasks`](super::run_tasks), and push more by [`push_task`](super::push_task).
///
/// It has room for so many tasks and no more. A push that finds none returns `false`, and [`offer`](Queue::offer) takes
/// the first values and says how many: whoever has more does the tasks itself, or offers them again later.
///
/// A task is a number, often an index. Tasks leave in the order in which they came.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{Queue, run_tasks};
///
/// #[vyre::kernel(block = 64)]
/// fn squares(queue: &[AtomicU64], sum: &[AtomicU32]) {
///     run_tasks(queue, |x: u32| {
///         sum[0].fetch_add(x * x, Ordering::Relaxed);
///     });
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1u32, 2, 3, 4, 5])?;
/// let (mut queue, mut accepted) = (Queue::new(&device, 3)?, device.zeros(1)?);
/// let mut sum = device.zeros(1)?;
/// let mut done = 0;
/// while done < x.len() {
///     queue.offer(x.slice(done..)?, &mut accepted).launch()?;
///     squares(queue.as_atomics(), &mut sum).grid(2).launch(&device)?;
///     done += accepted.download()?[0] as usize; // 3, then 2
/// }
/// assert_eq!(sum.download()?, [55]);
/// # Ok(())
/// # }
/// ```
pub struct Queue<T> {
    words: DeviceBuffer<u64>,
    capacity: usize,
    tasks: PhantomData<T>,
}

impl<T: Scalar> Queue<T> {
    /// An empty queue with room for so many tasks.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::LengthMismatch`] for room for none.
    pub fn new(device: &Device, capacity: usize) -> Result<Queue<T>> {
        if capacity == 0 {
            return Err(Error::LengthMismatch {
                first: "the room of a queue".into(),
                first_length: 0,
                second: "one task".into(),
                second_length: 1,
            });
        }
        Ok(Queue {
            words: device.zeros(words(capacity))?,
            capacity,
            tasks: PhantomData,
        })
    }

    /// The most tasks that it holds.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Its memory, for kernels that take tasks and push them.
    pub fn as_atomics(&mut self) -> AtomicView<'_, AtomicU64> {
        self.words.as_atomics()
    }

    /// Pushes the first values of `x` for which there is room, in their order, and writes their number to `accepted`, one
    /// value. The others are not lost: `x` still has them.
    pub fn offer<'c>(&'c mut self, x: impl Into<View<'c, T>>, accepted: impl Into<ViewMut<'c, u64>>) -> Call<'c> {
        let (x, accepted) = (x.into(), accepted.into());
        Call::new("offer", self.words.device(), move |queue| {
            belongs("offer", "x", &x.device(), queue.device)?;
            belongs("offer", "accepted", &accepted.device(), queue.device)?;
            equal("the number", 1, "accepted", accepted.len())?;
            let length = x.len();
            // SAFETY: all bits are values of numbers, and the sizes are the same.
            unsafe {
                if size_of::<T>() == 4 {
                    let launch = fill_slots(reinterpret::<T, u32>(x), self.words.as_atomics()).over(length);
                    queue.launch(launch)?;
                } else {
                    let launch = fill_slots(reinterpret::<T, u64>(x), self.words.as_atomics()).over(length);
                    queue.launch(launch)?;
                }
            }
            let count = count_filled(length as u64, self.words.as_atomics(), accepted);
            queue.launch(count.grid(1))
        })
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue of {} tasks on {}", self.capacity, self.words.device())
    }
}
