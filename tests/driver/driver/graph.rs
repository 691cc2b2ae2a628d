//! Graphs. The nodes run when the graph is launched, of those that may run next the one that was added last.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::capture;
use crate::control::fails_allocation;
use crate::launch::launch;
use crate::module::Function;
use crate::order;
use crate::result::*;

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
struct KernelNode {
    function: *mut c_void,
    extents: [u32; 7],
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS_v1`.
#[repr(C)]
struct MemsetNode {
    address: u64,
    pitch: usize,
    value: u32,
    element_size: u32,
    width: usize,
    height: usize,
}

/// One side of `CUDA_MEMCPY3D_v2`.
#[repr(C)]
struct Side {
    place: [usize; 4],
    memory_type: u32,
    host: *mut u8,
    device: u64,
    rest: [usize; 4],
}

#[repr(C)]
struct MemcpyNode {
    source: Side,
    target: Side,
    extents: [usize; 3],
}

/// `CUgraphNodeParams` of a node with a condition.
#[repr(C)]
struct ConditionalNode {
    kind: u32,
    reserved: [u32; 3],
    condition: u64,
    loops: u32,
    size: u32,
    bodies: *const *mut c_void,
    context: *mut c_void,
    rest: [u64; 26],
}

impl Side {
    /// The address; `None` for memory that a node may not name so.
    fn address(&self) -> Option<*mut u8> {
        match self.memory_type {
            1 if self.device == 0 => Some(self.host),
            2 if self.host.is_null() => Some(ptr::with_exposed_provenance_mut(self.device as usize)),
            _ => None,
        }
    }
}

/// The work of a node, as plain data.
#[derive(Clone)]
pub(crate) enum Work {
    Nothing,
    /// A function, its dynamic shared memory, and the words of its channel if it faults, or of its parameters if it is one of the runtime's own.
    Kernel(usize, u32, Vec<u64>),
    Copy(usize, usize, usize),
    /// An address, the bytes of an element, and the number of elements.
    Set(usize, Vec<u8>, usize),
    /// A condition, and the graph that is repeated while it is not zero.
    While(u64, usize),
    /// The same in a graph that can be launched.
    Loop(u64, Vec<Node>),
}

/// The values of conditions, by their handles.
static CONDITIONS: Mutex<Option<HashMap<u64, u32>>> = Mutex::new(None);

fn conditions<T>(change: impl FnOnce(&mut HashMap<u64, u32>) -> T) -> T {
    change(
        CONDITIONS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

/// Sets the value of a condition.
pub(crate) fn set_condition(condition: u64, value: u32) {
    conditions(|all| all.insert(condition, value));
}

impl Work {
    /// A launch on a stream.
    pub(crate) unsafe fn of_launch(function: *mut c_void, extents: [u32; 7], parameters: *mut *mut c_void) -> Work {
        let extra = ptr::null_mut();
        // SAFETY: the contract of the driver's functions is the same.
        unsafe {
            Work::kernel(&KernelNode {
                function,
                extents,
                parameters,
                extra,
            })
        }
    }

    /// A launch, whose parameters are read now.
    unsafe fn kernel(node: &KernelNode) -> Work {
        // SAFETY: functions live as long as the process, and there is a pointer for each parameter: words, or the channel.
        unsafe {
            let function = &*node.function.cast::<Function>();
            let read = match (function.own, function.faults) {
                (Some(own), _) => own.parameters(node.parameters),
                (None, true) => {
                    let channel = (*node.parameters.add(function.parameters - 1)).cast::<u64>();
                    (0..3).map(|word| channel.add(word).read()).collect()
                }
                (None, false) => Vec::new(),
            };
            Work::Kernel(node.function.expose_provenance(), node.extents[6], read)
        }
    }

    pub(crate) unsafe fn run(&self) -> u32 {
        let at = ptr::with_exposed_provenance_mut::<u8>;
        // SAFETY: by the contract of the node, its memory is valid.
        unsafe {
            match self {
                Work::Nothing => SUCCESS,
                Work::Kernel(function, shared, words) => {
                    let function: *mut c_void = ptr::with_exposed_provenance_mut(*function);
                    let Function { parameters, own, .. } = *function.cast::<Function>();
                    if let Some(own) = own {
                        own.run(words);
                        return SUCCESS;
                    }
                    let mut pointers = vec![words.as_ptr().cast_mut().cast(); parameters];
                    launch(function, *shared, pointers.as_mut_ptr())
                }
                Work::Copy(to, from, bytes) => {
                    ptr::copy(at(*from), at(*to), *bytes);
                    SUCCESS
                }
                Work::Set(to, element, count) => {
                    for number in 0..*count {
                        ptr::copy_nonoverlapping(element.as_ptr(), at(to + number * element.len()), element.len());
                    }
                    SUCCESS
                }
                Work::Loop(condition, nodes) => {
                    while conditions(|all| all.get(condition).copied().unwrap_or(0)) != 0 {
                        let code = run(nodes);
                        if code != SUCCESS {
                            return code;
                        }
                    }
                    SUCCESS
                }
                Work::While(..) => UNKNOWN,
            }
        }
    }
}

/// Runs nodes in their order.
unsafe fn run(nodes: &[Node]) -> u32 {
    // SAFETY: by the contract of the nodes.
    let mut codes = nodes.iter().map(|node| unsafe { node.work.run() });
    codes.find(|&code| code != SUCCESS).unwrap_or(SUCCESS)
}

/// Nodes in the order in which they run: of those that may run next the one that was added last.
fn ordered(nodes: Vec<Node>) -> Vec<Node> {
    let places: HashMap<usize, usize> = nodes
        .iter()
        .enumerate()
        .map(|(place, node)| (node.handle, place))
        .collect();
    let mut missing: Vec<usize> = nodes.iter().map(|node| node.after.len()).collect();
    let mut later = vec![Vec::new(); nodes.len()];
    for (place, node) in nodes.iter().enumerate() {
        node.after.iter().for_each(|before| later[places[before]].push(place));
    }
    let mut ready: BinaryHeap<usize> = (0..nodes.len()).filter(|&place| missing[place] == 0).collect();
    let mut order = Vec::new();
    while let Some(place) = ready.pop() {
        order.push(nodes[place].clone());
        for &next in &later[place] {
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(next);
            }
        }
    }
    order
}

/// A node: its work, and the nodes before it, by their handles.
#[derive(Clone)]
pub(crate) struct Node {
    handle: usize,
    work: Work,
    after: Vec<usize>,
}

/// Nodes, of a graph of this kind.
struct Graph {
    nodes: Vec<Node>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// The body of a loop, which belongs to the graph around it.
    Body,
    Executable,
}

/// The addresses of the graphs.
static LIVE: Mutex<Option<HashMap<usize, Kind>>> = Mutex::new(None);

fn all<T>(change: impl FnOnce(&mut HashMap<usize, Kind>) -> T) -> T {
    change(
        LIVE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

/// The number of graphs, without bodies.
pub(crate) fn live() -> u64 {
    all(|graphs| graphs.values().filter(|&&kind| kind != Kind::Body).count() as u64)
}

fn new(graph: Graph) -> *mut c_void {
    let kind = graph.kind;
    let new = Box::into_raw(Box::new(graph));
    all(|graphs| graphs.insert(new.expose_provenance(), kind));
    new.cast()
}

/// A live graph of one of two kinds.
unsafe fn graph<'g>(handle: *mut c_void, kinds: [Kind; 2]) -> Option<&'g mut Graph> {
    let kind = all(|graphs| graphs.get(&handle.addr()).copied())?;
    // SAFETY: it is live, and the test uses it on one thread.
    kinds.contains(&kind).then(|| unsafe { &mut *handle.cast::<Graph>() })
}

/// A graph to which nodes are added.
const OPEN: [Kind; 2] = [Kind::Plain, Kind::Body];

unsafe fn destroy(handle: *mut c_void, kind: Kind) -> u32 {
    // SAFETY: it is not used after it was removed.
    unsafe {
        let Some(found) = graph(handle, [kind; 2]) else {
            return INVALID_HANDLE;
        };
        for node in &found.nodes {
            if let Work::While(_, body) = node.work {
                destroy(ptr::with_exposed_provenance_mut(body), Kind::Body);
            }
        }
        all(|graphs| graphs.remove(&handle.addr()));
        drop(Box::from_raw(handle.cast::<Graph>()));
    }
    SUCCESS
}

/// The nodes of a graph in the order in which they run, with those of its loops within them; `None` if a body has no nodes.
unsafe fn whole(nodes: &[Node]) -> Option<Vec<Node>> {
    let mut copies = ordered(nodes.to_vec());
    for copy in &mut copies {
        if let Work::While(condition, body) = copy.work {
            // SAFETY: bodies live as long as the graph around them.
            let body = unsafe { graph(ptr::with_exposed_provenance_mut(body), [Kind::Body; 2]) }?;
            // SAFETY: as above.
            let nodes = unsafe { whole(&body.nodes) }.filter(|nodes| !nodes.is_empty())?;
            copy.work = Work::Loop(condition, nodes);
        }
    }
    Some(copies)
}

/// The node of a handle, also within loops.
fn find(nodes: &mut [Node], handle: usize) -> Option<&mut Node> {
    for node in nodes {
        if node.handle == handle {
            return Some(node);
        }
        if let Work::Loop(_, body) = &mut node.work
            && let Some(found) = find(body, handle)
        {
            return Some(found);
        }
    }
    None
}

/// A graph of works, one after the other.
pub(crate) fn of_works(works: Vec<Work>) -> *mut c_void {
    let mut nodes: Vec<Node> = Vec::new();
    for work in works {
        let after = nodes.last().map(|node| node.handle).into_iter().collect();
        let handle = next_handle();
        nodes.push(Node { handle, work, after });
    }
    new(Graph {
        nodes,
        kind: Kind::Plain,
    })
}

/// A handle that no other node has.
fn next_handle() -> usize {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Adds a node to a graph.
unsafe fn add(
    place: *mut *mut c_void,
    handle: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    work: Option<Work>,
) -> u32 {
    // SAFETY: by the contract of the driver's functions.
    unsafe {
        let (Some(graph), Some(work)) = (graph(handle, OPEN), work) else {
            return INVALID_VALUE;
        };
        let after: Vec<usize> = (0..count).map(|number| (*after.add(number)).addr()).collect();
        let is_known = |wanted: &usize| graph.nodes.iter().any(|node| node.handle == *wanted);
        // Like the driver, it refuses an edge that is given twice.
        if !after.iter().all(is_known) || after.iter().collect::<HashSet<_>>().len() != count {
            return INVALID_VALUE;
        }
        let node = next_handle();
        graph.nodes.push(Node {
            handle: node,
            work,
            after,
        });
        *place = ptr::without_provenance_mut(node);
    }
    SUCCESS
}

functions! {
    fn cuGraphCreate(place: *mut *mut c_void, flags: u32) {
        if flags != 0 {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        *place = new(Graph { nodes: Vec::new(), kind: Kind::Plain });
        SUCCESS
    }

    fn cuGraphDestroy(handle: *mut c_void) {
        destroy(handle, Kind::Plain)
    }

    fn cuGraphExecDestroy(handle: *mut c_void) {
        destroy(handle, Kind::Executable)
    }

    fn cuGraphAddEmptyNode(
        place: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize,
    ) {
        add(place, graph, after, count, Some(Work::Nothing))
    }

    fn cuGraphAddKernelNode(
        place: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, node: *const KernelNode,
    ) {
        add(place, graph, after, count, Some(Work::kernel(&*node)))
    }

    fn cuGraphAddMemcpyNode(
        place: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, node: *const MemcpyNode,
        _context: *mut c_void,
    ) {
        let MemcpyNode { source, target, extents: [bytes, 1, 1] } = &*node else { return INVALID_VALUE };
        let sides = target.address().zip(source.address());
        let work = sides.map(|(to, from)| Work::Copy(to.expose_provenance(), from.expose_provenance(), *bytes));
        add(place, graph, after, count, work)
    }

    fn cuGraphAddMemsetNode(
        place: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, node: *const MemsetNode,
        _context: *mut c_void,
    ) {
        let node = &*node;
        let size = node.element_size as usize;
        let fits = matches!(size, 1 | 2 | 4) && node.height == 1 && node.address.is_multiple_of(size as u64);
        let work = fits.then(|| Work::Set(node.address as usize, node.value.to_le_bytes()[..size].to_vec(), node.width));
        add(place, graph, after, count, work)
    }

    fn cuGraphKernelNodeSetAttribute(_node: *mut c_void, attribute: u32, value: *const u32) {
        // A cooperative launch.
        if attribute == 2 && *value == 1 { SUCCESS } else { INVALID_VALUE }
    }

    fn cuGraphInstantiateWithFlags(place: *mut *mut c_void, handle: *mut c_void, flags: u64) {
        let Some(source) = graph(handle, [Kind::Plain; 2]) else { return INVALID_HANDLE };
        // Some callers ask that it frees what it allocates.
        if flags > 1 {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        let Some(nodes) = whole(&source.nodes) else { return INVALID_VALUE };
        *place = new(Graph { nodes, kind: Kind::Executable });
        SUCCESS
    }

    fn cuGraphExecKernelNodeSetParams(handle: *mut c_void, node: *mut c_void, parameters: *const KernelNode) {
        let Some(graph) = graph(handle, [Kind::Executable; 2]) else { return INVALID_HANDLE };
        let Some(found) = find(&mut graph.nodes, node.addr()) else { return INVALID_HANDLE };
        found.work = Work::kernel(&*parameters);
        SUCCESS
    }

    fn cuGraphLaunch(handle: *mut c_void, stream: *mut c_void) {
        let Some(graph) = graph(handle, [Kind::Executable; 2]) else { return INVALID_HANDLE };
        // The driver may have to load the graph.
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        if !order::work(stream) {
            return INVALID_CONTEXT;
        }
        if let Some(code) = capture::breaks(stream) {
            return code;
        }
        run(&graph.nodes)
    }

    fn cuGraphConditionalHandleCreate(
        place: *mut u64, handle: *mut c_void, context: *mut c_void, value: u32, flags: u32,
    ) {
        if graph(handle, OPEN).is_none() || context.is_null() || value != 0 || flags != 0 {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        *place = conditions(|all| {
            let number = all.len() as u64 + 1;
            all.insert(number, 0);
            number
        });
        SUCCESS
    }

    // Nodes with a condition alone.
    fn cuGraphAddNode(
        place: *mut *mut c_void, handle: *mut c_void, after: *const *mut c_void, count: usize,
        node: *mut ConditionalNode,
    ) {
        let node = &mut *node;
        let is_known = conditions(|all| all.contains_key(&node.condition));
        if node.kind != 13 || node.loops != 1 || node.size != 1 || node.context.is_null() || !is_known {
            return INVALID_VALUE;
        }
        if node.reserved != [0; 3] || node.rest != [0; 26] {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        let body = new(Graph { nodes: Vec::new(), kind: Kind::Body });
        let code = add(place, handle, after, count, Some(Work::While(node.condition, body.expose_provenance())));
        match code {
            // As long as the process.
            SUCCESS => node.bodies = Box::leak(Box::new(body)),
            _ => {
                destroy(body, Kind::Body);
            }
        }
        code
    }
}
