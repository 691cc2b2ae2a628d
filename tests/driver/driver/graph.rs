//! Graphs. The nodes run when the graph is launched, of those that may run next the one that was added last.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
enum Work {
    Nothing,
    /// A function, with the bytes of its channel if it faults, or of its two parameters if it advances.
    Kernel(usize, Vec<u64>),
    Copy(usize, usize, usize),
    /// An address, the bytes of an element, and the number of elements.
    Set(usize, Vec<u8>, usize),
}

impl Work {
    /// A launch, whose parameters are read now.
    unsafe fn kernel(node: &KernelNode) -> Work {
        // SAFETY: functions live as long as the process, and there is a pointer for each parameter: words, or the channel.
        unsafe {
            let function = &*node.function.cast::<Function>();
            let words = |number: usize, count: usize| {
                let start = (*node.parameters.add(number)).cast::<u64>();
                (0..count).map(move |word| start.add(word).read())
            };
            let read = match (function.advances, function.faults) {
                (true, _) => words(0, 1).chain(words(1, 1)).collect(),
                (_, true) => words(function.parameters - 1, 3).collect(),
                _ => Vec::new(),
            };
            Work::Kernel(node.function.expose_provenance(), read)
        }
    }

    unsafe fn run(&self) -> u32 {
        let at = ptr::with_exposed_provenance_mut::<u8>;
        // SAFETY: by the contract of the node, its memory is valid.
        unsafe {
            match self {
                Work::Nothing => SUCCESS,
                Work::Kernel(function, words) => {
                    let function: *mut c_void = ptr::with_exposed_provenance_mut(*function);
                    let Function {
                        parameters, advances, ..
                    } = *function.cast::<Function>();
                    if advances {
                        let base = at(words[0] as usize).cast::<u64>();
                        base.write(base.read() + words[1]);
                        return SUCCESS;
                    }
                    let mut pointers = vec![words.as_ptr().cast_mut().cast(); parameters];
                    launch(function, pointers.as_mut_ptr())
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
            }
        }
    }
}

/// A node: its work, and the nodes before it, by their handles.
struct Node {
    handle: usize,
    work: Work,
    after: Vec<usize>,
}

/// A graph, or one that can be launched.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    is_executable: bool,
}

/// The addresses of the graphs.
static LIVE: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

fn all<T>(change: impl FnOnce(&mut HashSet<usize>) -> T) -> T {
    change(
        LIVE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_default(),
    )
}

/// The number of graphs.
pub(crate) fn live() -> u64 {
    all(|graphs| graphs.len() as u64)
}

fn new(graph: Graph) -> *mut c_void {
    let new = Box::into_raw(Box::new(graph));
    all(|graphs| graphs.insert(new.expose_provenance()));
    new.cast()
}

/// A live graph of a kind.
unsafe fn graph<'g>(handle: *mut c_void, is_executable: bool) -> Option<&'g mut Graph> {
    if !all(|graphs| graphs.contains(&handle.addr())) {
        return None;
    }
    // SAFETY: it is live, and the test uses it on one thread.
    let graph = unsafe { &mut *handle.cast::<Graph>() };
    (graph.is_executable == is_executable).then_some(graph)
}

unsafe fn destroy(handle: *mut c_void, is_executable: bool) -> u32 {
    // SAFETY: it is not used after it was removed.
    unsafe {
        if graph(handle, is_executable).is_none() {
            return INVALID_HANDLE;
        }
        all(|graphs| graphs.remove(&handle.addr()));
        drop(Box::from_raw(handle.cast::<Graph>()));
    }
    SUCCESS
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
        let (Some(graph), Some(work)) = (graph(handle, false), work) else {
            return INVALID_VALUE;
        };
        let after: Vec<usize> = (0..count).map(|number| (*after.add(number)).addr()).collect();
        let is_known = |wanted: &usize| graph.nodes.iter().any(|node| node.handle == *wanted);
        // Like the driver, it refuses an edge that is given twice.
        if !after.iter().all(is_known) || after.iter().collect::<HashSet<_>>().len() != count {
            return INVALID_VALUE;
        }
        // Unique among all graphs.
        static LAST: AtomicUsize = AtomicUsize::new(0);
        let node = LAST.fetch_add(1, Ordering::Relaxed) + 1;
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
        *place = new(Graph::default());
        SUCCESS
    }

    fn cuGraphDestroy(handle: *mut c_void) {
        destroy(handle, false)
    }

    fn cuGraphExecDestroy(handle: *mut c_void) {
        destroy(handle, true)
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
        let Some(source) = graph(handle, false) else { return INVALID_HANDLE };
        if flags != 0 {
            return INVALID_VALUE;
        }
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        let copy = |node: &Node| Node { handle: node.handle, work: node.work.clone(), after: node.after.clone() };
        *place = new(Graph { nodes: source.nodes.iter().map(copy).collect(), is_executable: true });
        SUCCESS
    }

    fn cuGraphExecKernelNodeSetParams(handle: *mut c_void, node: *mut c_void, parameters: *const KernelNode) {
        let Some(graph) = graph(handle, true) else { return INVALID_HANDLE };
        let Some(found) = graph.nodes.iter_mut().find(|known| known.handle == node.addr()) else {
            return INVALID_HANDLE;
        };
        found.work = Work::kernel(&*parameters);
        SUCCESS
    }

    fn cuGraphLaunch(handle: *mut c_void, stream: *mut c_void) {
        let Some(graph) = graph(handle, true) else { return INVALID_HANDLE };
        // The driver may have to load the graph.
        if fails_allocation() {
            return OUT_OF_MEMORY;
        }
        if !order::work(stream) {
            return INVALID_CONTEXT;
        }
        let mut done = HashSet::new();
        while done.len() < graph.nodes.len() {
            let may_run = |node: &&Node| {
                !done.contains(&node.handle) && node.after.iter().all(|before| done.contains(before))
            };
            // Nodes come after earlier ones, so there is one.
            let Some(next) = graph.nodes.iter().rev().find(may_run) else { return UNKNOWN };
            let code = next.work.run();
            if code != SUCCESS {
                return code;
            }
            done.insert(next.handle);
        }
        SUCCESS
    }
}
