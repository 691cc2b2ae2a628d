//! The kernel of the first node of a graph, which gives the launches of a replay new numbers.

use std::ffi::CStr;

use cudarc::driver::sys::CUfunction;

use crate::cuda::context::Context;
use crate::cuda::module::Module;
use crate::error::Result;

/// Adds a number to the 64-bit word at an address.
const PTX: &CStr = c"\
.version 6.4
.target sm_70
.address_size 64
.visible .entry vyre_advance(.param .u64 base, .param .u64 count)
{
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [base];
	ld.param.u64 %d1, [count];
	cvta.to.global.u64 %d0, %d0;
	ld.global.u64 %d2, [%d0];
	add.s64 %d2, %d2, %d1;
	st.global.u64 [%d0], %d2;
	ret;
}
";

/// The kernel, with its module.
pub(super) struct Advance {
    _module: Module,
    function: CUfunction,
}

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for Advance {}
// SAFETY: as above.
unsafe impl Sync for Advance {}

impl Advance {
    pub(super) fn load(context: &Context) -> Result<Advance> {
        let (module, functions) = context.load_own(PTX, &["vyre_advance"])?;
        Ok(Advance {
            _module: module,
            function: functions[0],
        })
    }

    pub(super) fn function(&self) -> CUfunction {
        self.function
    }
}
