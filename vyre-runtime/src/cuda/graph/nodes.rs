//! The parameters of nodes, as CUDA 12.0 declares them: cudarc's names of the versions of a type differ between releases.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::{CUcontext, CUdeviceptr, CUgraph};

/// `CUDA_MEMSET_NODE_PARAMS_v1`.
#[repr(C)]
pub(in crate::cuda) struct MemsetNode {
    pub(super) address: CUdeviceptr,
    /// Ignored with a height of 1.
    pub(super) pitch: usize,
    pub(super) value: c_uint,
    /// In bytes: 1, 2 or 4.
    pub(super) element_size: c_uint,
    /// In elements.
    pub(super) width: usize,
    pub(super) height: usize,
}

/// `CUDA_MEMCPY3D_v2`.
#[repr(C)]
pub(in crate::cuda) struct MemcpyNode {
    source: Side,
    target: Side,
    width: usize,
    height: usize,
    depth: usize,
}

/// One side of a copy.
#[repr(C)]
struct Side {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    memory_type: c_uint,
    host: *const c_void,
    device: CUdeviceptr,
    array: *mut c_void,
    reserved: *mut c_void,
    pitch: usize,
    height: usize,
}

/// A place in memory, as a copy takes it.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Host(*const u8),
    Device(CUdeviceptr),
}

impl Side {
    fn of(place: Place, bytes: usize) -> Side {
        // `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_DEVICE`.
        let (memory_type, host, device) = match place {
            Place::Host(address) => (1, address, 0),
            Place::Device(address) => (2, ptr::null(), address),
        };
        Side {
            x: 0,
            y: 0,
            z: 0,
            level: 0,
            memory_type,
            host: host.cast(),
            device,
            array: ptr::null_mut(),
            reserved: ptr::null_mut(),
            pitch: bytes,
            height: 1,
        }
    }
}

impl MemcpyNode {
    pub(super) fn new(target: Place, source: Place, bytes: usize) -> MemcpyNode {
        MemcpyNode {
            source: Side::of(source, bytes),
            target: Side::of(target, bytes),
            width: bytes,
            height: 1,
            depth: 1,
        }
    }
}

/// `CUlaunchAttributeValue`.
#[repr(C, align(8))]
pub(in crate::cuda) struct LaunchAttribute([u8; 64]);

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
pub(super) const COOPERATIVE: u32 = 2;

impl LaunchAttribute {
    /// A number of 32 bits.
    pub(super) fn number(value: u32) -> LaunchAttribute {
        let mut bytes = [0; 64];
        bytes[..4].copy_from_slice(&value.to_ne_bytes());
        LaunchAttribute(bytes)
    }
}

/// `CUgraphNodeParams` as of CUDA 12.3, of a node of the type `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
#[repr(C)]
pub(in crate::cuda) struct ConditionalNode {
    kind: c_uint,
    reserved: [c_int; 3],
    condition: u64,
    loops: c_uint,
    size: c_uint,
    /// The driver's, with one graph, once the node was added.
    bodies: *const CUgraph,
    context: CUcontext,
    rest: [u64; 26],
}

impl ConditionalNode {
    /// A loop whose body is repeated while the condition is not zero.
    pub(super) fn repeating(condition: u64, context: CUcontext) -> ConditionalNode {
        ConditionalNode {
            kind: 13,
            reserved: [0; 3],
            condition,
            // `CU_GRAPH_COND_TYPE_WHILE`.
            loops: 1,
            size: 1,
            bodies: ptr::null(),
            context,
            rest: [0; 26],
        }
    }

    /// The graph of the body, which belongs to the node.
    ///
    /// # Safety
    /// The node was added to a graph, which lives.
    pub(super) unsafe fn body(&self) -> CUgraph {
        // SAFETY: the driver has set the address of as many graphs as `size` says.
        unsafe { *self.bodies }
    }
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<ConditionalNode>() == 256);
    use cudarc::driver::sys::{CUDA_MEMCPY3D_st, CUDA_MEMSET_NODE_PARAMS_st};
    assert!(size_of::<MemsetNode>() == size_of::<CUDA_MEMSET_NODE_PARAMS_st>());
    assert!(size_of::<MemcpyNode>() == size_of::<CUDA_MEMCPY3D_st>());
};
