//! Graphs: work whose order is given once, and which a device then starts as a whole.

use super::{AllocationId, CountedRead, Extent, Parameters, Queue};
use crate::error::Result;
use crate::load::kernel::KernelDescription;

/// A node of a graph: work, and the nodes that it comes after.
pub(crate) struct GraphNode<'a> {
    pub(crate) work: Work<'a>,
    /// The numbers of earlier nodes of the same part.
    pub(crate) after: &'a [usize],
}

/// The work of a node. Addresses are of the device's memory.
pub(crate) enum Work<'a> {
    Launch(NodeLaunch<'a>),
    /// Copies from host memory of [`Backend::allocate_host`](super::Backend::allocate_host).
    Write {
        to: u64,
        source: *const u8,
        bytes: usize,
    },
    /// Copies to such memory.
    Read {
        target: *mut u8,
        from: u64,
        bytes: usize,
    },
    /// Copies as many elements to such memory as a counter says.
    ReadCounted(CountedRead),
    Copy {
        to: u64,
        from: u64,
        bytes: usize,
    },
    /// Writes copies of a pattern, at least one.
    Fill {
        address: u64,
        pattern: &'a [u8],
        count: usize,
    },
    Loop(LoopNode<'a>),
}

/// Nodes that the device repeats. A fault of any launch of the graph ends the loop after the turn in progress.
pub(crate) struct LoopNode<'a> {
    /// The number of turns, or the most of them, if there is a flag.
    pub(crate) turns: u64,
    pub(crate) flag: Option<LoopFlag>,
    /// At least one node. Each comes after nodes before it in this list.
    pub(crate) body: Vec<GraphNode<'a>>,
}

/// The flag of a loop that ends after a turn that has left it zero.
#[derive(Clone, Copy)]
pub(crate) struct LoopFlag {
    /// The address of a word, which is zero when a turn begins.
    pub(crate) address: u64,
    /// The number of turns that have set the flag is written here, as 32 bits, to host memory of
    /// [`Backend::allocate_host`](super::Backend::allocate_host).
    pub(crate) turns_to: *mut u8,
}

impl GraphNode<'_> {
    /// The work of this node and of those in its loops, each loop before its body.
    pub(crate) fn each(&self, found: &mut impl FnMut(&Work<'_>)) {
        found(&self.work);
        if let Work::Loop(own) = &self.work {
            own.body.iter().for_each(|node| node.each(found));
        }
    }
}

/// A launch as a node.
pub(crate) struct NodeLaunch<'a> {
    pub(crate) kernel: &'a KernelDescription<'a>,
    /// The entry whose predicate holds for the parameters.
    pub(crate) entry: usize,
    pub(crate) extent: Extent,
    /// Bytes of dynamic shared memory per block.
    pub(crate) shared_bytes: u64,
    /// They are read by the call.
    pub(crate) parameters: &'a mut Parameters,
}

/// A graph of a device, in parts. What its launches report and print is told by the queues on which it was launched.
///
/// Dropping it waits for its last launch.
pub(crate) trait DeviceGraph: Send + Sync {
    /// True if nodes may be loops.
    fn has_loops(&self) -> Result<bool>;

    /// Makes a part of nodes, each after nodes before it, and returns its number.
    ///
    /// # Safety
    /// The parameters are from a launcher of the kernel, the predicate of the entry holds for them, and what the nodes
    /// use lives as long as the graph. There are loops only if the graph [has](DeviceGraph::has_loops) them.
    unsafe fn add_part(&mut self, nodes: &mut [GraphNode<'_>]) -> Result<usize>;

    /// Exchanges the arguments of a launch of the same kernel, for later launches of the part. Launches are numbered in
    /// the order in which [`each`](GraphNode::each) finds them.
    ///
    /// # Safety
    /// As of [`add_part`](DeviceGraph::add_part).
    unsafe fn set(&mut self, part: usize, number: usize, launch: NodeLaunch<'_>) -> Result<()>;

    /// Begins a launch of the graph. Faults that its parts report are those of the launch of this number, which may have
    /// written these allocations. The queue is of the same device.
    fn begin(&mut self, queue: &dyn Queue, number: u64, writes: &[AllocationId]) -> Result<()>;

    /// Queues a part, after all parts that were queued before.
    ///
    /// # Safety
    /// The queue is that of the last [`begin`](DeviceGraph::begin), and follows all conflicting work on what the nodes use.
    unsafe fn launch(&mut self, queue: &dyn Queue, part: usize) -> Result<()>;

    /// The launches of kernels by a part. Those of a loop with a flag count once, since its turns are not known.
    fn launches(&self, part: usize) -> u64;
}
