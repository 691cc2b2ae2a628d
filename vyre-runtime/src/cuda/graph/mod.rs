//! CUDA graphs, of explicit nodes.
//!
//! - `nodes` has the parameters of nodes, as the driver takes them.
//! - `channel` is where launches of a graph report faults and print.
//! - `advance` is the kernel that numbers them anew at each launch.
//! - `loops` is the kernel that repeats nodes.

mod advance;
mod channel;
mod loops;
pub(super) mod nodes;

use std::ffi::{c_uint, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{CUgraph, CUgraphExec, CUgraphNode};
use vyre_abi::fault::FaultControl;

use self::advance::Advance;
pub(super) use self::channel::QueuedGraphs;
use self::channel::{GraphChannel, STRIDE, State};
use self::loops::{Counters, LoopKernel, Turns};
use self::nodes::{COOPERATIVE, ConditionalNode, LaunchAttribute, MemcpyNode, MemsetNode, Place};
use super::calls::{Calls, Flight};
use super::context::Context;
use super::driver::{KernelNode, OUT_OF_MEMORY};
use super::fill::unit;
use super::queue::CudaQueue;
use crate::backend::{AllocationId, DeviceGraph, GraphNode, LoopNode, NodeLaunch, Queue, Work, check_resident};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::sync::{Mutex, MutexGuard};

struct CudaGraph {
    channel: Arc<GraphChannel>,
    advance: Arc<Advance>,
    parts: Vec<Part>,
}

/// An executable graph of the driver.
struct Part {
    driver: &'static Calls,
    graph: CUgraph,
    executable: CUgraphExec,
    /// The node of the driver for each launch of a kernel, in order.
    kernel_nodes: Vec<CUgraphNode>,
    /// The kernels, for the error of a lost device.
    kernels: Vec<u64>,
    launches: u64,
    /// Those that describe the nodes.
    bytes: usize,
    /// True if the first node advances the numbers.
    is_numbered: bool,
    prints: bool,
    /// `None` without loops.
    counters: Option<Counters>,
}

// SAFETY: the driver accepts its handles from any thread, one at a time, and they are used through `&mut`.
unsafe impl Send for Part {}
// SAFETY: as above.
unsafe impl Sync for Part {}

/// A graph without parts, prepared on a queue of the context.
pub(super) fn open(context: &Arc<Context>, queue: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>> {
    let queue = CudaQueue::own(context, queue)?;
    let _bound = context.bind()?;
    Ok(Some(Box::new(CudaGraph {
        advance: context.graph_kernels.advance(context)?,
        channel: Arc::new(GraphChannel::open(context, queue.stream())?),
        parts: Vec::new(),
    })))
}

/// The kernels of the runtime that graphs launch, once there are any.
#[derive(Default)]
pub(super) struct GraphKernels {
    advance: Mutex<Option<Arc<Advance>>>,
    /// Within, `None` if the driver has no loops.
    loops: Mutex<Option<Option<Arc<LoopKernel>>>>,
}

impl GraphKernels {
    /// The kernel that numbers the launches of graphs. The context is current.
    fn advance(&self, context: &Context) -> Result<Arc<Advance>> {
        let mut advance = self.advance.lock();
        if let Some(known) = &*advance {
            return Ok(known.clone());
        }
        let new = Arc::new(Advance::load(context)?);
        Ok(advance.insert(new).clone())
    }

    /// The kernel that counts the turns of the loops of graphs; `None` if the driver has no such loops. The context is
    /// current.
    fn loops(&self, context: &Context) -> Result<Option<Arc<LoopKernel>>> {
        let mut loops = self.loops.lock();
        if let Some(known) = &*loops {
            return Ok(known.clone());
        }
        let new = LoopKernel::load(context)?.map(Arc::new);
        Ok(loops.insert(new).clone())
    }
}

/// Makes a call for which the driver takes memory, given the bytes that describe what it makes. Memory that was freed,
/// which the pool keeps, is given back for it. The context is current.
pub(super) fn taking_memory(
    context: &Context,
    bytes: usize,
    name: &'static str,
    mut make: impl FnMut() -> u32,
) -> Result<()> {
    let mut code = make();
    if code == OUT_OF_MEMORY && context.reclaim().is_ok() {
        code = make();
    }
    match code {
        OUT_OF_MEMORY => Err(context.out_of_memory(bytes)),
        code => context.driver().check(name, code),
    }
}

impl DeviceGraph for CudaGraph {
    fn has_loops(&self) -> Result<bool> {
        let context = self.channel.context();
        let _bound = context.bind()?;
        Ok(context.graph_kernels.loops(context)?.is_some())
    }

    unsafe fn add_part(&mut self, nodes: &mut [GraphNode<'_>]) -> Result<usize> {
        let context = self.channel.context().clone();
        let _bound = context.bind()?;
        let driver = context.driver();
        let mut state = self.channel.lock();
        let (mut is_numbered, mut loops, mut count) = (false, 0, 0);
        let mut note = |work: &Work<'_>| {
            count += 1;
            match work {
                Work::Launch(launch) => is_numbered |= reports(launch.kernel),
                // The kernel of a loop holds the last fault against the base of this round.
                Work::Loop(_) => (loops, is_numbered) = (loops + 1, true),
                _ => {}
            }
        };
        nodes.iter().for_each(|node| node.each(&mut note));
        let mut part = Part {
            driver,
            graph: ptr::null_mut(),
            executable: ptr::null_mut(),
            kernel_nodes: Vec::new(),
            kernels: Vec::new(),
            launches: 0,
            bytes: count * size_of::<KernelNode>(),
            is_numbered,
            prints: false,
            counters: None,
        };
        if loops != 0 {
            part.counters = Some(Counters::open(&context, loops, state.stream)?);
        }
        let loop_kernel = match loops {
            0 => None,
            _ => context.graph_kernels.loops(&context)?,
        };
        let bytes = part.bytes;
        // SAFETY: the context is current, and the pointers are valid for the calls; the rest is the contract.
        unsafe {
            taking_memory(&context, bytes, "cuGraphCreate", || {
                (driver.graphs.cuGraphCreate)(&mut part.graph, 0)
            })?;
            let mut writer = Writer {
                context: &context,
                state: &mut state,
                loop_kernel: loop_kernel.as_deref(),
                graph: part.graph,
                turns: 1,
                part: &mut part,
            };
            let first = writer.number(&self.advance)?;
            writer.all(first, nodes)?;
            taking_memory(&context, bytes, "cuGraphInstantiateWithFlags", || {
                (driver.graphs.cuGraphInstantiateWithFlags)(&mut part.executable, part.graph, 0)
            })?;
        }
        if part.prints || loops != 0 {
            // The memory for it may have been made in the order of this stream.
            state.settle(&context)?;
        }
        self.parts.push(part);
        Ok(self.parts.len() - 1)
    }

    unsafe fn set(&mut self, part: usize, number: usize, launch: NodeLaunch<'_>) -> Result<()> {
        let context = self.channel.context().clone();
        let _bound = context.bind()?;
        let state = self.channel.lock();
        let part = &self.parts[part];
        // SAFETY: the parameters are those of the kernel, by the contract.
        let mut kernel = unsafe { resolve(&context, &launch)? };
        let channel;
        if kernel.reports {
            channel = state.faults.channel(number as u64 + 1, kernel.number);
            launch.parameters.push(&raw const channel);
        }
        kernel.node.parameters = pointers(&launch);
        // SAFETY: the node is one of the graph that the executable one was made of, and the parameters are valid for the
        // call.
        unsafe {
            let set = context.driver().graphs.cuGraphExecKernelNodeSetParams;
            let code = set(part.executable, part.kernel_nodes[number], &kernel.node);
            context.driver().check("cuGraphExecKernelNodeSetParams", code)
        }
    }

    fn begin(&mut self, queue: &dyn Queue, number: u64, writes: &[AllocationId]) -> Result<()> {
        let context = self.channel.context().clone();
        let queue = CudaQueue::own(&context, queue)?;
        let _bound = context.bind()?;
        queue.graphs().add(&self.channel);
        let mut state = self.channel.lock();
        state.begin(&context, number, writes)?;
        state.stream = queue.stream();
        Ok(())
    }

    unsafe fn launch(&mut self, queue: &dyn Queue, part: usize) -> Result<()> {
        let context = self.channel.context();
        let queue = CudaQueue::own(context, queue)?;
        let part = &self.parts[part];
        let _bound = context.bind()?;
        let rounds = u64::from(part.is_numbered);
        let launched = queue.launch_graph((part.executable, part.bytes), &part.kernels, || {
            let state = self.channel.lock();
            if part.prints {
                let field = state.faults.prints();
                state.prints.open(context, queue.stream(), field)?;
            }
            Ok(state)
        });
        // Faults of it are taken after this.
        launched.map(|mut state| state.rounds += rounds)
    }

    fn launches(&self, part: usize) -> u64 {
        self.parts[part].launches
    }
}

/// The state of a channel, held while a part is queued.
pub(super) type Held<'a> = MutexGuard<'a, State>;

impl Drop for CudaGraph {
    fn drop(&mut self) {
        let context = self.channel.context().clone();
        let mut state = self.channel.lock();
        if let Ok(_bound) = context.driver().bind_to_end() {
            // SAFETY: streams stay with their device. An error is harmless: nothing of a lost device is used.
            unsafe { (context.driver().cuStreamSynchronize)(state.stream) };
        }
        state.is_over = true;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let Ok(_bound) = self.driver.bind_to_end() else { return };
        // SAFETY: the handles are live or null. A graph that runs is destroyed at its end. Errors are harmless.
        unsafe {
            if !self.executable.is_null() {
                (self.driver.graphs.cuGraphExecDestroy)(self.executable);
            }
            if !self.graph.is_null() {
                (self.driver.graphs.cuGraphDestroy)(self.graph);
            }
        }
    }
}

/// True for a kernel that takes a fault channel.
fn reports(kernel: &KernelDescription<'_>) -> bool {
    !kernel.sites.is_empty() || !kernel.prints.is_empty() || kernel.cooperative
}

/// A kernel that is loaded, as a node without parameters.
struct Resolved {
    node: KernelNode,
    number: u64,
    reports: bool,
}

/// Loads a kernel, and checks its launch.
///
/// # Safety
/// The parameters are those of the kernel.
unsafe fn resolve(context: &Context, launch: &NodeLaunch<'_>) -> Result<Resolved> {
    let kernel = launch.kernel;
    let (mut function, entry, number) = context.function(kernel, launch.entry)?;
    let grid = launch.extent.grid(kernel, entry.coarsening, context.limits())?;
    let pointers = launch.parameters.pointers();
    // SAFETY: by the contract.
    if let Some(assumed) = unsafe { context.assumed(kernel, entry, grid, launch.shared_bytes, pointers) } {
        function = assumed;
    }
    let shared_bytes = context.allow_shared(kernel, function, launch.shared_bytes)?;
    if kernel.cooperative {
        let blocks = context.resident_blocks(kernel, function, launch.shared_bytes)?;
        check_resident(kernel, grid, blocks)?;
    }
    let node = KernelNode {
        function: function.handle.cast(),
        grid,
        block: kernel.block,
        shared_bytes,
        parameters: ptr::null_mut(),
        extra: ptr::null_mut(),
    };
    Ok(Resolved {
        node,
        number,
        reports: reports(kernel),
    })
}

/// The pointers to the parameters, through which the driver reads and does not write.
fn pointers(launch: &NodeLaunch<'_>) -> *mut *mut c_void {
    launch.parameters.pointers().as_ptr().cast_mut().cast()
}

/// Adds nodes to a graph of the driver: to that of a part, or the body of a loop of it.
struct Writer<'w> {
    context: &'w Context,
    state: &'w mut State,
    part: &'w mut Part,
    /// The kernel that counts turns, in a part with loops.
    loop_kernel: Option<&'w LoopKernel>,
    graph: CUgraph,
    /// How often its nodes run in a launch of the part.
    turns: u64,
}

/// Adds a node of the driver by a function that takes this part, and leads to its handle.
macro_rules! node {
    ($writer:expr, $name:ident($after:expr, $parameters:expr $(, $more:expr)?)) => {{
        let mut added = ptr::null_mut();
        let (after, parameters) = ($after, $parameters);
        taking_memory($writer.context, size_of_val(&parameters), stringify!($name), || {
            ($writer.context.driver().graphs.$name)(
                &mut added, $writer.graph, after.as_ptr(), after.len(), &parameters $(, $more)?
            )
        })?;
        added
    }};
}

impl Writer<'_> {
    /// Adds the node that numbers the launches of the others, if any of them reports or there are loops.
    ///
    /// # Safety
    /// The context is current.
    unsafe fn number(&mut self, advance: &Advance) -> Result<Option<CUgraphNode>> {
        if !self.part.is_numbered {
            return Ok(None);
        }
        let (base, count) = (self.state.base(), STRIDE);
        let mut parameters: [*mut c_void; 2] = [
            (&raw const base).cast_mut().cast(),
            (&raw const count).cast_mut().cast(),
        ];
        let node = KernelNode::single(advance.function(), &mut parameters);
        let none: &[CUgraphNode] = &[];
        // SAFETY: the driver copies the parameters, which are those of the kernel.
        Ok(Some(unsafe { node!(self, cuGraphAddKernelNode(none, node)) }))
    }

    /// Adds nodes, all of them after the first one, and returns those that no other one comes after.
    ///
    /// # Safety
    /// As of [`DeviceGraph::add_part`]; the context is current.
    unsafe fn all(&mut self, first: Option<CUgraphNode>, nodes: &mut [GraphNode<'_>]) -> Result<Vec<CUgraphNode>> {
        // The last node of the driver for each node, and whether it is one of the ends.
        let mut added: Vec<(CUgraphNode, bool)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            for &earlier in node.after {
                added[earlier].1 = false;
            }
            let mut after: Vec<CUgraphNode> = node.after.iter().map(|&earlier| added[earlier].0).collect();
            if after.is_empty() {
                after.extend(first);
            }
            // SAFETY: the contract is the same.
            added.push((unsafe { self.add(after, &mut node.work)? }, true));
        }
        added.retain(|&(_, ends)| ends);
        Ok(added.into_iter().map(|(node, _)| node).collect())
    }

    /// Adds the nodes of the driver for a node, and returns the last of them.
    ///
    /// # Safety
    /// As of [`DeviceGraph::add_part`]; the context is current.
    unsafe fn add(&mut self, after: Vec<CUgraphNode>, work: &mut Work<'_>) -> Result<CUgraphNode> {
        // SAFETY: the contract is the same; copies have valid ranges.
        unsafe {
            match work {
                Work::Launch(launch) => self.launch(launch, after),
                Work::Write { to, source, bytes } => self.copy(after, Place::Device(*to), Place::Host(*source), *bytes),
                Work::Read { target, from, bytes } => {
                    self.copy(after, Place::Host(*target), Place::Device(*from), *bytes)
                }
                Work::ReadCounted(copy) => {
                    let copies = self.context.copies()?;
                    copies.counted(self.context, copy, |node| {
                        Ok(node!(self, cuGraphAddKernelNode(&after[..], node)))
                    })
                }
                Work::Copy { to, from, bytes } => self.copy(after, Place::Device(*to), Place::Device(*from), *bytes),
                Work::Fill {
                    address,
                    pattern,
                    count,
                } => self.fill(after, *address, pattern, *count),
                Work::Loop(own) => self.repeat(after, own),
            }
        }
    }

    /// Adds a loop: the kernel that sets its condition for the first turn, the node that repeats the body, and in the body
    /// the same kernel as the last node.
    ///
    /// # Safety
    /// As of [`DeviceGraph::add_part`]; the context is current.
    unsafe fn repeat(&mut self, after: Vec<CUgraphNode>, own: &mut LoopNode<'_>) -> Result<CUgraphNode> {
        let (driver, context) = (self.context.driver(), self.context.driver().raw());
        let (Some(kernel), Some(conditions), Some(counters)) =
            (self.loop_kernel, &driver.conditions, &mut self.part.counters)
        else {
            return Err(Error::unsupported("loops of CUDA graphs", &self.context.name()));
        };
        let mut turns = Turns {
            condition: 0,
            count: counters.take(),
            limit: own.turns,
            flag: own.flag.map_or(0, |flag| flag.address),
            control: self.state.faults.control(),
        };
        // SAFETY: the pointers are valid for the calls, and the driver copies the parameters, which are those of the
        // kernel; the counter is one word, read after the loop.
        unsafe {
            // The condition is one of the graph of the part, also for a loop within a loop.
            let (bytes, graph) = (size_of_val(&turns.condition), self.part.graph);
            taking_memory(self.context, bytes, "cuGraphConditionalHandleCreate", || {
                (conditions.cuGraphConditionalHandleCreate)(&mut turns.condition, graph, context, 0, 0)
            })?;
            let begin = turns.node(kernel, true, |node| {
                Ok(node!(self, cuGraphAddKernelNode(&after[..], node)))
            })?;
            let mut node = ConditionalNode::repeating(turns.condition, context);
            let mut added = ptr::null_mut();
            taking_memory(self.context, size_of_val(&node), "cuGraphAddNode", || {
                (conditions.cuGraphAddNode)(&mut added, self.graph, &begin, 1, &mut node)
            })?;
            let mut body = Writer {
                context: self.context,
                state: &mut *self.state,
                part: &mut *self.part,
                loop_kernel: self.loop_kernel,
                graph: node.body(),
                turns: match own.flag {
                    None => self.turns.saturating_mul(own.turns),
                    Some(_) => self.turns,
                },
            };
            let ends = body.all(None, &mut own.body)?;
            turns.node(kernel, false, |node| {
                Ok(node!(body, cuGraphAddKernelNode(&ends[..], node)))
            })?;
            match own.flag {
                None => Ok(added),
                Some(flag) => self.copy(
                    vec![added],
                    Place::Host(flag.turns_to),
                    Place::Device(turns.count),
                    size_of::<u32>(),
                ),
            }
        }
    }

    unsafe fn launch(&mut self, launch: &mut NodeLaunch<'_>, mut after: Vec<CUgraphNode>) -> Result<CUgraphNode> {
        let kernel = launch.kernel;
        let number = self.part.kernel_nodes.len();
        // SAFETY: the parameters are those of the kernel, by the contract.
        let mut resolved = unsafe { resolve(self.context, launch)? };
        let channel;
        if resolved.reports {
            // Within a round: parts are limited to fewer nodes.
            channel = self.state.faults.channel(number as u64 + 1, resolved.number);
            launch.parameters.push(&raw const channel);
        }
        if !kernel.prints.is_empty() {
            let field = self.state.faults.prints();
            self.state.prints.open(self.context, self.state.stream, field)?;
            self.part.prints = true;
        }
        if kernel.cooperative {
            let arrived = self.state.faults.control() + offset_of!(FaultControl, arrived) as u64;
            // In a loop each turn has the number of the one before, so what its blocks have noted goes, too.
            const { assert!(offset_of!(FaultControl, ended) == offset_of!(FaultControl, arrived) + 8) };
            // SAFETY: the fields are sixteen bytes of the control.
            after = vec![unsafe { self.set(&after, arrived, &[0; 4], 4)? }];
        }
        resolved.node.parameters = pointers(launch);
        // SAFETY: the function takes these parameters, by the contract, with the channel as the last if it reports, and
        // the driver copies them.
        let added = unsafe { node!(self, cuGraphAddKernelNode(&after, resolved.node)) };
        if kernel.cooperative {
            let yes = LaunchAttribute::number(1);
            // SAFETY: the node is one of a kernel.
            unsafe {
                let driver = self.context.driver();
                let code = (driver.graphs.cuGraphKernelNodeSetAttribute)(added, COOPERATIVE, &yes);
                driver.check("cuGraphKernelNodeSetAttribute", code)?
            };
        }
        self.part.kernel_nodes.push(added);
        self.part.launches = self.part.launches.saturating_add(self.turns);
        if !self.part.kernels.contains(&resolved.number) && self.part.kernels.len() < Flight::ROOM {
            self.part.kernels.push(resolved.number);
        }
        Ok(added)
    }

    unsafe fn copy(
        &mut self,
        after: Vec<CUgraphNode>,
        target: Place,
        source: Place,
        bytes: usize,
    ) -> Result<CUgraphNode> {
        let copy = MemcpyNode::new(target, source, bytes);
        // SAFETY: by the contract both ranges are valid.
        Ok(unsafe { node!(self, cuGraphAddMemcpyNode(&after, copy, self.context.driver().raw())) })
    }

    /// Sets copies of a unit of 1, 2 or 4 bytes.
    unsafe fn set(&mut self, after: &[CUgraphNode], address: u64, unit: &[u8], count: usize) -> Result<CUgraphNode> {
        let mut value = [0; 4];
        value[..unit.len()].copy_from_slice(unit);
        let set = MemsetNode {
            address,
            pitch: 0,
            value: u32::from_le_bytes(value),
            element_size: unit.len() as c_uint,
            width: count,
            height: 1,
        };
        // SAFETY: by the contract the memory is valid and aligned.
        Ok(unsafe { node!(self, cuGraphAddMemsetNode(after, set, self.context.driver().raw())) })
    }

    /// Writes copies of a pattern, as [`Queue::fill`].
    unsafe fn fill(
        &mut self,
        mut after: Vec<CUgraphNode>,
        address: u64,
        pattern: &[u8],
        count: usize,
    ) -> Result<CUgraphNode> {
        let (size, unit) = (pattern.len(), unit(pattern));
        // SAFETY: by the contract the memory is valid and aligned; sources end at the start of their targets.
        unsafe {
            if pattern.chunks(unit).all(|part| *part == pattern[..unit]) {
                return self.set(&after, address, &pattern[..unit], size / unit * count);
            }
            // The first copy piece by piece, then doubling by copies of the part that is done.
            let mut pieces = Vec::new();
            for (number, part) in pattern.chunks(unit).enumerate() {
                pieces.push(self.set(&after, address + (number * unit) as u64, part, 1)?);
            }
            after = pieces;
            let (mut done, all) = (size, size * count);
            if done == all {
                return self.join(after);
            }
            while done < all {
                let bytes = done.min(all - done);
                let (to, from) = (Place::Device(address + done as u64), Place::Device(address));
                after = vec![self.copy(after, to, from, bytes)?];
                done += bytes;
            }
            Ok(after[0])
        }
    }

    /// A node without work after others.
    unsafe fn join(&mut self, after: Vec<CUgraphNode>) -> Result<CUgraphNode> {
        let mut added = ptr::null_mut();
        // SAFETY: the pointers are valid for the call.
        taking_memory(self.context, size_of_val(&added), "cuGraphAddEmptyNode", || unsafe {
            (self.context.driver().graphs.cuGraphAddEmptyNode)(&mut added, self.graph, after.as_ptr(), after.len())
        })?;
        Ok(added)
    }
}
