//! A bound on values, as some models have it before the softmax: an operation in place.

use candle_core::{CpuStorage, Error, InplaceOp1, Layout, Result, Tensor};
use vyre::{Device, Stream, ViewMut};

use crate::{elements, host, kernels};

/// Replaces each `x` by `cap * tanh(x / cap)`, in the tensor's own memory.
///
/// The elements are of type `f32`, in the order of the dimensions.
///
/// # Errors
/// candle's, for other types and layouts.
///
/// ```
/// use candle_core::{Device, Tensor};
///
/// # fn main() -> candle_core::Result<()> {
/// let x = Tensor::new(&[-1e6f32, 0.0, 15.0, 1e6], &Device::Cpu)?;
/// vyre_candle::soft_cap(&x, 30.0)?;
/// assert_eq!(x.to_vec1::<f32>()?, [-30.0, 0.0, 30.0 * 0.5f32.tanh(), 30.0]);
/// # Ok(())
/// # }
/// ```
pub fn soft_cap(x: &Tensor, cap: f32) -> Result<()> {
    x.inplace_op1(&SoftCap { cap })
}

struct SoftCap {
    cap: f32,
}

const NAME: &str = "vyre-soft-cap";

impl SoftCap {
    fn launch(&self, stream: &Stream, x: ViewMut<'_, f32>) -> vyre::Result<()> {
        let length = x.len();
        kernels::soft_cap(self.cap, x)
            .over(length)
            .on(stream)
            .launch(&stream.device())
    }
}

impl InplaceOp1 for SoftCap {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(&self, x: &mut CpuStorage, of_x: &Layout) -> Result<()> {
        let range = elements(of_x, NAME)?;
        let CpuStorage::F32(x) = x else {
            return Err(Error::UnsupportedDTypeForOp(candle_core::backend::BackendStorage::dtype(x), NAME).bt());
        };
        let stream = Device::cpu().default_stream();
        host::lend_mut(&mut x[range], |x| self.launch(&stream, x)).map_err(Error::wrap)
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &mut candle_core::CudaStorage, of_x: &Layout) -> Result<()> {
        use candle_core::backend::BackendStorage;

        let range = elements(of_x, NAME)?;
        let stream = Stream::from_cudarc(x.device().cuda_stream()).map_err(Error::wrap)?;
        let x = x.as_cuda_slice_mut::<f32>()?;
        let launched = || -> vyre::Result<()> {
            let mut x = stream.device().lend_mut(x)?;
            self.launch(&stream, x.as_view_mut().slice_mut(range)?)
        };
        launched().map_err(Error::wrap)
    }
}
