//! Loops of a graph: nodes of the kind `WHILE`, and the kernel that counts their turns and sets their conditions.

use std::ffi::{CStr, c_void};
use std::mem::offset_of;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUstream};
use vyre_abi::fault::FaultControl;
use vyre_abi::kernel::EntryInfo;

use crate::cuda::context::Context;
use crate::cuda::driver::KernelNode;
use crate::cuda::module::{Failure, Image, Module};
use crate::error::{Error, Result};

/// Runs before the first turn of a loop and after each turn, and decides whether there is another one: if `count`, the
/// turns that were taken, is less than `limit`, if the turn has set the flag, where there is one, and if no launch since
/// the last change of the base has faulted. The driver defines the function that sets the condition.
const PTX: &CStr = c"\
.version 6.4
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry vyre_loop(
	.param .u64 condition,
	.param .u64 count,
	.param .u64 limit,
	.param .u64 flag,
	.param .u64 control,
	.param .u32 begins
)
{
	.reg .b64 %d<10>;
	.reg .b32 %r<4>;
	.reg .pred %p<7>;
	ld.param.u64 %d0, [condition];
	ld.param.u64 %d1, [count];
	ld.param.u64 %d2, [limit];
	ld.param.u64 %d3, [flag];
	ld.param.u64 %d4, [control];
	ld.param.u32 %r0, [begins];
	setp.ne.u32 %p0, %r0, 0;
	setp.ne.u64 %p1, %d3, 0;
	cvta.to.global.u64 %d1, %d1;
	cvta.to.global.u64 %d3, %d3;
	cvta.to.global.u64 %d4, %d4;
	// The turns, and whether the last one has changed anything.
	mov.u32 %r1, 1;
	@%p1 ld.global.u32 %r1, [%d3];
	@%p0 mov.u32 %r1, 1;
	setp.ne.u32 %p2, %r1, 0;
	mov.u64 %d5, -1;
	@!%p0 ld.global.u64 %d5, [%d1];
	selp.u64 %d6, 1, 0, %p2;
	add.u64 %d5, %d5, %d6;
	st.global.u64 [%d1], %d5;
	setp.lt.and.u64 %p3, %d5, %d2, %p2;
	// The last fault.
	ld.global.u64 %d7, [%d4];
	ld.global.u64 %d8, [%d4+40];
	setp.le.and.u64 %p4, %d7, %d8, %p3;
	and.pred %p5, %p4, %p1;
	mov.u32 %r2, 0;
	@%p5 st.global.u32 [%d3], %r2;
	selp.u32 %r3, 1, 0, %p4;
	{
		.param .b64 handle;
		.param .b32 value;
		st.param.b64 [handle], %d0;
		st.param.b32 [value], %r3;
		call.uni cudaGraphSetConditional, (handle, value);
	}
	ret;
}
";

const _: () = assert!(offset_of!(FaultControl, launch) == 0 && offset_of!(FaultControl, base) == 40);

/// The kernel, with its module.
pub(super) struct LoopKernel {
    _module: Module,
    function: CUfunction,
}

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for LoopKernel {}
// SAFETY: as above.
unsafe impl Sync for LoopKernel {}

impl LoopKernel {
    /// Loads it; `None` if the driver does not have all that it takes.
    pub(super) fn load(context: &Context) -> Result<Option<LoopKernel>> {
        let entry = EntryInfo {
            symbol: "vyre_loop",
            coarsening: 1,
        };
        let driver = context.driver();
        if driver.conditions.is_none() {
            return Ok(None);
        }
        match Module::load(driver, Image::Ptx(PTX), &[entry]) {
            Ok((module, functions)) => Ok(Some(LoopKernel {
                _module: module,
                function: functions[0],
            })),
            Err(Failure::OutOfMemory) => Err(context.out_of_memory(PTX.count_bytes())),
            Err(Failure::NoEntry(_)) => Ok(None),
            // An error of the device must not pass for an old driver.
            Err(Failure::Call { call, code, .. }) => match driver.error(call, code) {
                Error::Driver { .. } => Ok(None),
                error => Err(error),
            },
        }
    }
}

/// The parameters of the kernel, but for the last one.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub(super) condition: u64,
    pub(super) count: CUdeviceptr,
    pub(super) limit: u64,
    /// 0 for none.
    pub(super) flag: CUdeviceptr,
    pub(super) control: CUdeviceptr,
}

impl Turns {
    /// Hands a node of the kernel to a function. The driver copies the parameters within.
    pub(super) fn node<T>(
        &self,
        kernel: &LoopKernel,
        begins: bool,
        add: impl FnOnce(KernelNode) -> Result<T>,
    ) -> Result<T> {
        let begins = u32::from(begins);
        let mut parameters: [*mut c_void; 6] = [
            (&raw const self.condition).cast_mut().cast(),
            (&raw const self.count).cast_mut().cast(),
            (&raw const self.limit).cast_mut().cast(),
            (&raw const self.flag).cast_mut().cast(),
            (&raw const self.control).cast_mut().cast(),
            (&raw const begins).cast_mut().cast(),
        ];
        add(KernelNode::single(kernel.function, &mut parameters))
    }
}

/// The counters of the loops of a part, one after another in device memory.
pub(super) struct Counters {
    context: Arc<Context>,
    stream: CUstream,
    next: CUdeviceptr,
    first: CUdeviceptr,
}

impl Counters {
    /// Counters for a number of loops, at least one, allocated in the order of a stream of the context.
    pub(super) fn open(context: &Arc<Context>, loops: usize, stream: CUstream) -> Result<Counters> {
        let first = context.allocate(loops * size_of::<u64>(), stream)?;
        Ok(Counters {
            context: context.clone(),
            stream,
            next: first,
            first,
        })
    }

    /// The next counter. The caller asks for no more than there are.
    pub(super) fn take(&mut self) -> CUdeviceptr {
        let own = self.next;
        self.next += size_of::<u64>() as u64;
        own
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        let Ok(_bound) = self.context.driver().bind_to_end() else {
            return;
        };
        // SAFETY: a graph waits for its last launch before its parts go. An error is harmless.
        let _ = unsafe { self.context.release(self.first, self.stream) };
    }
}
