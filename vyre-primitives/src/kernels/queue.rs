//! A queue of tasks in device memory, with room for so many, that any threads push to and take from at the same time.
//!
//! Positions count on for ever; a position lies in slot `position % capacity`, and its round is `position / capacity`. The
//! slot is free for round `r` while its stamp is `2 * r`, and full while that is `2 * r + 1`: a queue begins as zeros. Who
//! has claimed a position writes the value and then the stamp, so that a stamp is never ahead of its value.
//!
//! The queue counts its *open* tasks: those that were pushed and are not done. A task that pushes is open itself, so that
//! none are left only once no thread can push another.

use crate::value::Value;
use vyre::prelude::*;

/// The words before the slots: the next position to take, the next to fill, and the open tasks.
#[vyre::device]
const TAKEN: usize = 0;
#[vyre::device]
const FILLED: usize = 1;
#[vyre::device]
const OPEN: usize = 2;
#[vyre::device]
const SLOTS: usize = 3;

/// The words of a queue with room for so many tasks.
pub fn words(capacity: usize) -> usize {
    capacity.saturating_mul(2).saturating_add(SLOTS)
}

/// Pushes a task, unless there is no room: `false` is the queue's back pressure, and the caller does the task itself, or
/// keeps it. `queue` is that of a [`Queue`](crate::Queue).
///
/// See [`run_tasks`].
#[vyre::device]
pub fn push_task<T: Value>(queue: &[AtomicU64], task: T) -> bool {
    let capacity = ((queue.len() - SLOTS) / 2) as u64;
    // Before anybody can take it, so that it is never done before it is counted.
    queue[OPEN].fetch_add(1, Ordering::Relaxed);
    let mut position = queue[FILLED].load(Ordering::Relaxed);
    let mut pushed = false;
    let mut full = false;
    while !pushed && !full {
        let slot = SLOTS + 2 * (position % capacity) as usize;
        let (stamp, free) = (queue[slot].load(Ordering::Acquire), 2 * (position / capacity));
        if stamp == free {
            match queue[FILLED].compare_exchange(position, position + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    queue[slot + 1].store(task.to_word(), Ordering::Relaxed);
                    queue[slot].store(free + 1, Ordering::Release);
                    pushed = true;
                }
                Err(current) => position = current,
            }
        } else if stamp < free {
            full = true;
        } else {
            position = queue[FILLED].load(Ordering::Relaxed);
        }
    }
    if full {
        queue[OPEN].fetch_sub(1, Ordering::Relaxed);
    }
    pushed
}

/// Takes the task that was pushed first, if there is any.
#[vyre::device]
fn take_task(queue: &[AtomicU64]) -> (u64, bool) {
    let capacity = ((queue.len() - SLOTS) / 2) as u64;
    let mut position = queue[TAKEN].load(Ordering::Relaxed);
    let mut word = 0u64;
    let mut taken = false;
    let mut empty = false;
    while !taken && !empty {
        let slot = SLOTS + 2 * (position % capacity) as usize;
        let (stamp, full) = (queue[slot].load(Ordering::Acquire), 2 * (position / capacity) + 1);
        if stamp == full {
            match queue[TAKEN].compare_exchange(position, position + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    word = queue[slot + 1].load(Ordering::Relaxed);
                    queue[slot].store(full + 1, Ordering::Release);
                    taken = true;
                }
                Err(current) => position = current,
            }
        } else if stamp < full {
            empty = true;
        } else {
            position = queue[TAKEN].load(Ordering::Relaxed);
        }
    }
    (word, taken)
}

/// Takes tasks and does them, until none is open: the loop of a persistent kernel, in which each thread does one task
/// after another. A task may [push](push_task) more.
///
/// The number of blocks is free. With as many as run at the same time, which `device.resident_blocks` tells, none waits
/// for a place. What a task writes before it pushes is seen by the task that it has pushed.
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{Queue, push_task, run_tasks};
///
/// /// Counts the nodes of a binary tree, each of which pushes the ones below it.
/// #[vyre::kernel(block = 64)]
/// fn visit(nodes: u32, queue: &[AtomicU64], visits: &[AtomicU32]) {
///     run_tasks(queue, |node: u32| {
///         visits[node as usize].fetch_add(1, Ordering::Relaxed);
///         for below in 2 * node + 1..2 * node + 3 {
///             if below < nodes {
///                 assert!(push_task(queue, below)); // there is room for all of them
///             }
///         }
///     });
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut queue = Queue::<u32>::new(&device, 1000)?;
/// let (root, mut accepted) = (device.upload(&[0u32])?, device.zeros(1)?);
/// queue.offer(&root, &mut accepted).launch()?;
/// let mut visits = device.zeros(1000)?;
/// visit(1000, queue.as_atomics(), &mut visits).grid(4).launch(&device)?;
/// assert_eq!(visits.download()?, [1; 1000]);
/// # Ok(())
/// # }
/// ```
#[vyre::device]
pub fn run_tasks<T: Value>(queue: &[AtomicU64], mut task: impl FnMut(T)) {
    let mut open = true;
    while open {
        let (word, taken) = take_task(queue);
        if taken {
            task(T::from_word(word));
            // Behind all that it has pushed.
            queue[OPEN].fetch_sub(1, Ordering::AcqRel);
        } else {
            open = queue[OPEN].load(Ordering::Acquire) != 0;
        }
    }
}

/// Puts the first values that find room into slots. No thread takes or pushes meanwhile.
#[vyre::kernel(block = 256, T = [u32, u64])]
pub fn fill_slots<T: Value>(x: &[T], queue: &[AtomicU64]) {
    let capacity = ((queue.len() - SLOTS) / 2) as u64;
    let (taken, filled) = (
        queue[TAKEN].load(Ordering::Relaxed),
        queue[FILLED].load(Ordering::Relaxed),
    );
    let i = thread::index();
    if i < x.len() && (i as u64) < capacity - (filled - taken) {
        let position = filled + i as u64;
        let slot = SLOTS + 2 * (position % capacity) as usize;
        queue[slot + 1].store(x[i].to_word(), Ordering::Relaxed);
        queue[slot].store(2 * (position / capacity) + 1, Ordering::Relaxed);
    }
}

/// Counts the values that [`fill_slots`] has put there.
#[vyre::kernel(block = 32)]
pub fn count_filled(length: u64, queue: &[AtomicU64], accepted: &mut [u64]) {
    if thread::index() == 0 {
        let capacity = ((queue.len() - SLOTS) / 2) as u64;
        let (taken, filled) = (
            queue[TAKEN].load(Ordering::Relaxed),
            queue[FILLED].load(Ordering::Relaxed),
        );
        let count = length.min(capacity - (filled - taken));
        queue[FILLED].store(filled + count, Ordering::Relaxed);
        queue[OPEN].fetch_add(count, Ordering::Relaxed);
        accepted[0] = count;
    }
}
