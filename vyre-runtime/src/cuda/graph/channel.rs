//! The memory in which the launches of a graph report faults and print, and what its reports mean.
//!
//! Parameters of nodes are frozen, so the control of a graph is its own, on whatever queue it is launched. Its first node
//! advances the `base` of the control by [`STRIDE`]: a *round*. The number of a launch is its round and, in the low
//! bits, the number of its node. The graph notes from which round on each of its launches runs. The turns of a loop are of
//! one round: a fault ends the loop, so that a number is never reported twice.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{CUdeviceptr, CUstream};
use vyre_abi::fault::FaultControl;

use crate::backend::{AllocationId, FaultedLaunch, LaunchLog, Write, Writes};
use crate::cuda::context::Context;
use crate::cuda::driver::call;
use crate::cuda::fault::FaultLink;
use crate::cuda::print::PrintLink;
use crate::error::Result;
use crate::sync::{Mutex, MutexGuard};

/// The numbers of a round. Nodes are numbered from 1, and a part has far fewer.
pub(super) const STRIDE: u64 = 1 << 20;

/// Launches of a graph that are noted before a wait shows that they are over.
const NOTED: usize = 4096;

/// Shared by a graph and the queues on which it was launched.
pub(in crate::cuda) struct GraphChannel {
    context: Arc<Context>,
    state: Mutex<State>,
}

/// Locked after the launches of a queue, while the graph is queued and while its reports are taken.
pub(in crate::cuda) struct State {
    pub(super) faults: FaultLink,
    pub(super) prints: PrintLink,
    /// The stream of the last launch.
    pub(super) stream: CUstream,
    /// The rounds until now.
    pub(super) rounds: u64,
    /// For each launch its first round, its number, and what it may have written.
    launches: Vec<(u64, u64, Arc<Writes>)>,
    /// True once the graph has gone, whose work is over.
    pub(super) is_over: bool,
}

// SAFETY: the driver accepts its handles from any thread; the memory is accessed under the lock, or atomically.
unsafe impl Send for GraphChannel {}
// SAFETY: as above.
unsafe impl Sync for GraphChannel {}

impl GraphChannel {
    /// Allocates the memory for faults, in the order of a stream of the context.
    pub(super) fn open(context: &Arc<Context>, stream: CUstream) -> Result<GraphChannel> {
        let channel = GraphChannel {
            context: context.clone(),
            state: Mutex::new(State {
                faults: FaultLink::closed(),
                prints: PrintLink::closed(),
                stream,
                rounds: 0,
                launches: Vec::new(),
                is_over: false,
            }),
        };
        // From here on `Drop` frees what was allocated.
        channel.state.lock().faults.open(context, stream)?;
        Ok(channel)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// True if a launch has reported a fault. Faults of work that was waited for are seen.
    fn is_faulted(&self) -> bool {
        self.state.lock().faults.is_written()
    }

    /// True if nothing was reported or printed that was not taken.
    fn is_quiet(&self) -> bool {
        self.state.lock().is_quiet()
    }

    /// True if the graph has gone, and nothing is left of it.
    fn is_gone(&self) -> bool {
        let state = self.state.lock();
        state.is_over && state.is_quiet()
    }
}

impl State {
    fn is_quiet(&self) -> bool {
        !self.faults.is_written() && !self.prints.is_used()
    }

    /// Waits for the stream of the last launch, so that the next one may be on another stream.
    pub(super) fn settle(&self, context: &Context) -> Result<()> {
        self.refuse_captured(context)?;
        let _bound = context.bind()?;
        // SAFETY: the stream is of the current context.
        unsafe { call!(context.driver(), cuStreamSynchronize(self.stream)) }
    }

    /// Refuses calls on the stream of the last launch if somebody captures it now.
    fn refuse_captured(&self, context: &Context) -> Result<()> {
        let _bound = context.bind()?;
        context.driver().check_uncaptured(self.stream)
    }

    /// The address of the number that is added to those of nodes.
    pub(super) fn base(&self) -> CUdeviceptr {
        self.faults.control() + offset_of!(FaultControl, base) as u64
    }

    /// Notes a launch of the graph, whose first round comes next.
    pub(super) fn begin(&mut self, context: &Context, number: u64, writes: &[AllocationId]) -> Result<()> {
        if self.launches.len() >= NOTED {
            self.settle(context)?;
            if !self.faults.is_written() {
                self.launches.clear();
            }
        }
        let same = self.launches.last().filter(|(.., last)| last[..] == *writes);
        let writes = match same {
            Some((.., last)) => last.clone(),
            None => Arc::new(Writes::from_slice(writes)),
        };
        self.launches.push((self.rounds + 1, number, writes));
        Ok(())
    }

    /// Waits for the graph, and appends its launches that have reported a fault.
    fn take(&mut self, context: &Context, faulted: &mut Vec<FaultedLaunch>) -> Result<()> {
        let first = faulted.len();
        self.refuse_captured(context)?;
        self.faults.take(context, self.stream, &LaunchLog::default(), faulted)?;
        self.settle(context)?;
        for fault in &mut faulted[first..] {
            let round = fault.launch / STRIDE;
            let after = self.launches.partition_point(|&(begin, ..)| begin <= round);
            if let Some((_, number, writes)) = after.checked_sub(1).map(|at| &self.launches[at]) {
                fault.launch = *number;
                let writes = writes.iter().map(|&allocation| Write {
                    launch: *number,
                    allocation,
                });
                fault.writes = writes.collect();
            }
        }
        // The stream was waited for. The last one may be about to be queued.
        let last = self.launches.len().saturating_sub(1);
        self.launches.drain(..last);
        // Several nodes of a launch may have faulted, of which the first is told.
        let mut told = faulted[..first].iter().map(|fault| fault.launch).collect::<Vec<_>>();
        let mut at = 0;
        faulted.retain(|fault| {
            at += 1;
            let keep = at <= first || !told.contains(&fault.launch);
            told.push(fault.launch);
            keep
        });
        Ok(())
    }
}

impl Drop for GraphChannel {
    fn drop(&mut self) {
        let context = self.context.clone();
        let Ok(_bound) = context.driver().bind_to_end() else {
            return;
        };
        let state = self.state.get_mut();
        // SAFETY: a graph waits for its last launch before it goes, and queues keep the channel until it has gone.
        unsafe {
            state.prints.close(&context, state.stream);
            state.faults.close(&context, state.stream);
        }
    }
}

/// The graphs that were launched on a queue.
#[derive(Default)]
pub(in crate::cuda) struct QueuedGraphs {
    /// True if there is any.
    any: AtomicBool,
    list: Mutex<Vec<Arc<GraphChannel>>>,
}

impl QueuedGraphs {
    /// Adds a graph, and forgets those that are gone.
    pub(super) fn add(&self, channel: &Arc<GraphChannel>) {
        let mut list = self.list.lock();
        if !list.iter().any(|known| Arc::ptr_eq(known, channel)) {
            list.retain(|known| !known.is_gone());
            list.push(channel.clone());
        }
        self.any.store(true, Ordering::Release);
    }

    fn each(&self) -> Vec<Arc<GraphChannel>> {
        match self.any.load(Ordering::Acquire) {
            true => self.list.lock().clone(),
            false => Vec::new(),
        }
    }

    /// True if one of them has reported a fault.
    #[inline]
    pub(in crate::cuda) fn is_faulted(&self) -> bool {
        self.any.load(Ordering::Acquire) && self.each().iter().any(|channel| channel.is_faulted())
    }

    /// True if nothing was reported or printed that was not taken.
    pub(in crate::cuda) fn is_quiet(&self) -> bool {
        self.each().iter().all(|channel| channel.is_quiet())
    }

    /// Appends the launches that have reported a fault. Waits for the graphs that have.
    pub(in crate::cuda) fn take_faults(&self, faulted: &mut Vec<FaultedLaunch>) -> Result<()> {
        for channel in self.each() {
            let mut state = channel.lock();
            if state.faults.is_written() {
                state.take(&channel.context, faulted)?;
            }
        }
        self.forget();
        Ok(())
    }

    /// Appends what they have printed.
    pub(in crate::cuda) fn take_printed(&self, out: &mut String) -> Result<()> {
        for channel in self.each() {
            let state = channel.lock();
            if state.prints.is_used() {
                state.refuse_captured(&channel.context)?;
                state.prints.take(&channel.context, state.stream, out)?;
                state.settle(&channel.context)?;
            }
        }
        self.forget();
        Ok(())
    }

    /// Forgets the graphs that are gone.
    fn forget(&self) {
        if self.any.load(Ordering::Acquire) {
            let mut list = self.list.lock();
            list.retain(|channel| !channel.is_gone());
            self.any.store(!list.is_empty(), Ordering::Release);
        }
    }
}
