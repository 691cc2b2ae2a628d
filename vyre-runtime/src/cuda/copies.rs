//! Copies by kernels of the runtime, where copies of the driver would need the host: their bytes depend on a counter of the
//! device, or they are many and small.
//!
//! The kernels access host memory of [`Backend::allocate_host`](crate::backend::Backend::allocate_host) by the host's
//! addresses. These are the device's, too: memory of `cuMemHostAlloc` is mapped wherever addressing is unified, which it is
//! for processes of 64 bits.

use std::ffi::{CStr, c_void};
use std::ptr;

use cudarc::driver::sys::{CUfunction, CUstream};

use super::context::Context;
use super::driver::{KernelNode, call};
use super::module::Module;
use crate::backend::CountedRead;
use crate::error::Result;

/// The kernels, which tests also run on the host.
const PTX: &CStr = match CStr::from_bytes_with_nul(concat!(include_str!("copies.ptx"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => panic!("the text has no zeros"),
};

/// The threads of a block of both kernels, as their text says.
const BLOCK: u32 = 256;

/// The blocks of a counted copy for each multiprocessor, which together hold all threads that it can.
const WAVE: u32 = 8;

/// The kernels, with their module.
pub(super) struct Copies {
    _module: Module,
    counted: CUfunction,
    scatter: CUfunction,
}

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for Copies {}
// SAFETY: as above.
unsafe impl Sync for Copies {}

impl Copies {
    pub(super) fn load(context: &Context) -> Result<Copies> {
        let (module, functions) = context.load_own(PTX, &["vyre_counted", "vyre_scatter"])?;
        Ok(Copies {
            _module: module,
            counted: functions[0],
            scatter: functions[1],
        })
    }

    /// Hands the launch of a counted copy to a function, as a node of a graph. The driver copies the parameters within.
    pub(super) fn counted<T>(
        &self,
        context: &Context,
        copy: &CountedRead,
        add: impl FnOnce(KernelNode) -> Result<T>,
    ) -> Result<T> {
        let wide = u32::from(copy.is_wide);
        let mut parameters: [*mut c_void; 7] = [
            (&raw const copy.from).cast_mut().cast(),
            (&raw const copy.target).cast_mut().cast(),
            (&raw const copy.counter).cast_mut().cast(),
            (&raw const copy.count_to).cast_mut().cast(),
            (&raw const copy.most).cast_mut().cast(),
            (&raw const copy.size).cast_mut().cast(),
            (&raw const wide).cast_mut().cast(),
        ];
        let wanted = (copy.most * copy.size).div_ceil(16 * u64::from(BLOCK));
        let blocks = wanted.clamp(1, u64::from(WAVE * context.multiprocessors().max(1)));
        add(KernelNode {
            grid: [blocks as u32, 1, 1],
            block: [BLOCK, 1, 1],
            ..KernelNode::single(self.counted, &mut parameters)
        })
    }

    /// Queues a counted copy.
    ///
    /// # Safety
    /// As of [`Queue::start_read_counted`](crate::backend::Queue::start_read_counted); the context is current, and the
    /// stream is of it.
    pub(super) unsafe fn start_counted(&self, context: &Context, stream: CUstream, copy: &CountedRead) -> Result<()> {
        // SAFETY: the parameters are those of the kernel; the rest is the contract.
        self.counted(context, copy, |node| unsafe { launch(context, stream, &node) })
    }

    /// Queues the copies of a table.
    ///
    /// # Safety
    /// As of [`Queue::scatter`](crate::backend::Queue::scatter); the context is current, and the stream is of it.
    pub(super) unsafe fn start_scatter(
        &self,
        context: &Context,
        stream: CUstream,
        memory: *const u8,
        parts: u32,
    ) -> Result<()> {
        let mut parameters: [*mut c_void; 2] = [
            (&raw const memory).cast_mut().cast(),
            (&raw const parts).cast_mut().cast(),
        ];
        let node = KernelNode {
            grid: [parts.div_ceil(BLOCK / 32), 1, 1],
            block: [BLOCK, 1, 1],
            ..KernelNode::single(self.scatter, &mut parameters)
        };
        // SAFETY: the parameters are those of the kernel; the rest is the contract.
        unsafe { launch(context, stream, &node) }
    }
}

/// Launches what a node describes.
///
/// # Safety
/// The function takes these parameters, and all that it uses is valid in the order of the stream. The context is current.
unsafe fn launch(context: &Context, stream: CUstream, node: &KernelNode) -> Result<()> {
    let ([x, y, z], [width, height, depth]) = (node.grid, node.block);
    // SAFETY: by the contract; the driver copies the parameters.
    unsafe {
        call!(
            context.driver(),
            cuLaunchKernel(
                node.function,
                x,
                y,
                z,
                width,
                height,
                depth,
                node.shared_bytes,
                stream,
                node.parameters,
                ptr::null_mut(),
            )
        )
    }
}
