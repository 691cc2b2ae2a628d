//! Launches of a graph: its parts are queued on a stream, in order.

use std::sync::Arc;

use super::device::{OnDevice, Part};
use crate::backend::{DeviceGraph, Moment};
use crate::device::staging::Staging;
use crate::error::Result;
use crate::memory::allocation::Allocation;
use crate::sequence::holdings::Holdings;
use crate::sequence::play::Player;
use crate::sequence::step::{Range, Step};

/// A launch that is queued.
pub(super) struct Launched {
    /// The moment before, if it is timed, or the error after which no more was queued.
    pub(super) start: Result<Option<Box<dyn Moment>>>,
    pub(super) end: Arc<dyn Moment>,
}

impl Player<'_> {
    /// Queues a graph, as [`queue`](Player::queue) queues steps.
    pub(super) fn queue_graph(
        mut self,
        steps: &[Step],
        on_device: &mut OnDevice,
        holdings: &mut Holdings,
        timed: bool,
    ) -> Result<Launched> {
        let stream = self.target.stream;
        self.begin()?;
        let writes = holdings.written();
        let OnDevice {
            graph, parts, staging, ..
        } = on_device;
        let queued = holdings.with(stream, timed, &mut || {
            self.announce(steps)?;
            let number = self.target.device.tick();
            graph.begin(stream.queue(), number, &writes)?;
            self.note_launch(number);
            self.watch(steps);
            let mut launcher = Launcher {
                player: &mut self,
                graph: &mut **graph,
                staging,
            };
            // SAFETY: the stream follows earlier work on what the nodes use, and no other is queued meanwhile; the memory
            // for what is read is the graph's.
            unsafe { launcher.parts(parts) }.map(drop)
        });
        // A part of it may have been queued, which overwrites the values of the launch before.
        self.note_end(queued.is_ok());
        let end = self.end(staging)?;
        Ok(Launched { start: queued, end })
    }

    /// Counts the copies of steps, refuses those of what a faulted launch may have written, and notes what is
    /// overwritten.
    fn announce(&self, steps: &[Step]) -> Result<()> {
        let mut overwritten = Vec::new();
        self.announce_steps(steps, 1, &mut overwritten)?;
        for range in overwritten {
            range.allocation.overwrite(range.address, range.bytes);
        }
        Ok(())
    }

    fn announce_steps<'s>(&self, steps: &'s [Step], turns: u64, overwritten: &mut Vec<&'s Range>) -> Result<()> {
        let counters = self.target.device.counters();
        let bytes = |range: &Range| (range.bytes as u64).saturating_mul(turns);
        for step in steps {
            match step {
                Step::Write { to, .. } => {
                    counters.uploaded_bytes.add(bytes(to));
                    overwritten.push(to);
                }
                Step::Fill { to, .. } => overwritten.push(to),
                Step::Copy { to, from } => {
                    let is_new = |known: &&&Range| std::ptr::eq::<Allocation>(&*known.allocation, &*from.allocation);
                    if !overwritten
                        .iter()
                        .filter(is_new)
                        .any(|known| known.bytes == from.allocation.bytes())
                    {
                        from.allocation.check()?;
                    }
                    counters.copied_bytes.add(bytes(to));
                    overwritten.push(to);
                }
                Step::Read { from, .. } => counters.downloaded_bytes.add(bytes(from)),
                Step::Repeat { turns: times, body } => {
                    self.announce_steps(body, turns.saturating_mul(*times as u64), overwritten)?;
                }
                // Its turns are not known; each is counted as one.
                Step::Fixpoint { body, .. } => self.announce_steps(body, turns, overwritten)?,
                // The bytes are counted when they are known.
                Step::Launch(_) | Step::ReadCounted(_) => {}
            }
        }
        Ok(())
    }

    /// Looks out for faults that what is read is from.
    fn watch(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Read { from, place } => self.note_read(*place, from),
                Step::ReadCounted(counted) => self.note_counted(counted),
                Step::Fixpoint {
                    flag,
                    limit,
                    body,
                    place,
                } => {
                    self.note_read(*place, flag);
                    if *limit != 0 {
                        self.watch(body);
                    }
                }
                Step::Repeat { turns, body } if *turns != 0 => self.watch(body),
                _ => {}
            }
        }
    }
}

/// A graph that is being queued.
struct Launcher<'l, 'p> {
    player: &'l mut Player<'p>,
    graph: &'l mut dyn DeviceGraph,
    staging: &'l Staging,
}

impl Launcher<'_, '_> {
    /// Queues parts; false if a launch of this run has reported a fault, after which nothing more is queued.
    ///
    /// # Safety
    /// The stream follows all conflicting work on what the nodes use, and other work uses neither that nor the staging
    /// memory.
    unsafe fn parts(&mut self, parts: &[Part]) -> Result<bool> {
        for part in parts {
            // SAFETY: the contract is the same.
            let goes_on = unsafe {
                match part {
                    Part::Nodes(nodes) => {
                        self.nodes(nodes.number)?;
                        true
                    }
                    Part::Repeat { turns, body } => self.repeat(*turns, body)?,
                    Part::Fixpoint {
                        flag,
                        limit,
                        body,
                        place,
                    } => self.fixpoint((flag, *place), *limit, body)?,
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// # Safety
    /// As of `parts`.
    unsafe fn nodes(&mut self, part: usize) -> Result<()> {
        let stream = self.player.target.stream;
        // SAFETY: by the contract; the graph was begun on this queue.
        unsafe { self.graph.launch(stream.queue(), part)? };
        stream.launched_in_graph(self.graph.launches(part));
        self.player.target.device.counters().graph_launches.add(1);
        Ok(())
    }

    /// # Safety
    /// As of `parts`.
    unsafe fn repeat(&mut self, turns: usize, body: &[Part]) -> Result<bool> {
        for _ in 0..turns {
            self.player.target.device.counters().graph_turns.add(1);
            // SAFETY: by the contract.
            if self.player.has_faulted()? || !unsafe { self.parts(body)? } {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// # Safety
    /// As of `parts`.
    unsafe fn fixpoint(&mut self, (flag, place): (&Range, usize), limit: u32, body: &[Part]) -> Result<bool> {
        let mut turns = 0;
        while turns < limit {
            self.player.target.device.counters().graph_turns.add(1);
            // SAFETY: the sequence has made the flag, and keeps it; the rest is the contract.
            let goes_on = unsafe {
                self.player.clear(flag)?;
                self.parts(body)?
            };
            if !goes_on {
                return Ok(false);
            }
            // SAFETY: by the contract.
            match unsafe { self.player.look(flag, place, self.staging)? } {
                None => return Ok(false),
                Some(0) => break,
                Some(_) => turns += 1,
            }
        }
        // SAFETY: no work writes the word.
        unsafe { self.player.tell_turns(flag, place, turns, self.staging) };
        Ok(true)
    }
}
