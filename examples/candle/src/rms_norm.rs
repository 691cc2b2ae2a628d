//! Normalisation by the root mean square: an operation of two tensors that makes a third.

use candle_core::{CpuStorage, CustomOp2, Error, Layout, Result, Shape, Tensor, bail};
use vyre::{Device, Stream, View, ViewMut};

use crate::kernels::{self, THREADS};
use crate::{elements, host, values};

/// Divides the last dimension of `x` by its root mean square, and multiplies it by `weight`.
///
/// `epsilon` is added to the mean square. Both tensors have elements of type `f32`, in the order of their dimensions.
///
/// # Errors
/// candle's, for other types and layouts, and for a `weight` whose length is not that of the last dimension.
///
/// ```
/// use candle_core::{Device, Tensor};
///
/// # fn main() -> candle_core::Result<()> {
/// let x = Tensor::new(&[[3.0f32, 4.0], [6.0, 8.0]], &Device::Cpu)?;
/// let weight = Tensor::new(&[1.0f32, 10.0], &Device::Cpu)?;
/// let y = vyre_candle::rms_norm(&x, &weight, 0.0)?.to_vec2::<f32>()?;
/// assert_eq!(y[0], y[1]); // lengths are gone
/// assert!((y[0][1] / y[0][0] - 40.0 / 3.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub fn rms_norm(x: &Tensor, weight: &Tensor, epsilon: f32) -> Result<Tensor> {
    x.apply_op2_no_bwd(weight, &RmsNorm { epsilon })
}

struct RmsNorm {
    epsilon: f32,
}

const NAME: &str = "vyre-rms-norm";

impl RmsNorm {
    /// A block for each row.
    fn launch(
        &self,
        stream: &Stream,
        x: View<'_, f32>,
        weight: View<'_, f32>,
        y: ViewMut<'_, f32>,
    ) -> vyre::Result<()> {
        let threads = x.len() / weight.len().max(1) * THREADS;
        kernels::rms_norm(x, weight, self.epsilon, y)
            .over(threads)
            .on(stream)
            .launch(&stream.device())
    }
}

/// Refuses weights that are not as long as a row.
fn check(x: &Layout, weight: &Layout) -> Result<()> {
    let columns = x.dims().last().copied().unwrap_or(0);
    if weight.dims() != [columns] {
        bail!("{NAME}: weights of shape {:?} for rows of {columns}", weight.dims());
    }
    Ok(())
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        of_x: &Layout,
        weight: &CpuStorage,
        of_weight: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        check(of_x, of_weight)?;
        let x = &values(x)?[elements(of_x, NAME)?];
        let weight = &values(weight)?[elements(of_weight, NAME)?];
        let mut y = vec![0.0f32; x.len()];
        let stream = Device::cpu().default_stream();
        host::lend(x, |x| {
            host::lend(weight, |weight| {
                host::lend_mut(&mut y, |y| self.launch(&stream, x, weight, y))
            })
        })
        // The launch is over. What it reported stays with the stream until somebody waits.
        .and_then(|()| stream.synchronize())
        .map_err(Error::wrap)?;
        Ok((CpuStorage::F32(y), of_x.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &candle_core::CudaStorage,
        of_x: &Layout,
        weight: &candle_core::CudaStorage,
        of_weight: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        use candle_core::CudaStorage;
        use candle_core::backend::BackendStorage;

        check(of_x, of_weight)?;
        let stream = Stream::from_cudarc(x.device().cuda_stream()).map_err(Error::wrap)?;
        let device = stream.device();
        let (range, weight_range) = (elements(of_x, NAME)?, elements(of_weight, NAME)?);
        // SAFETY: the kernel writes each element.
        let mut y = unsafe { x.device().alloc::<f32>(range.len())? };
        let (x_slice, weight_slice) = (x.as_cuda_slice::<f32>()?, weight.as_cuda_slice::<f32>()?);
        let launched = || -> vyre::Result<()> {
            let (x, weight) = (device.lend(x_slice)?, device.lend(weight_slice)?);
            let mut y = device.lend_mut(&mut y)?;
            let x = x.as_view().slice(range)?;
            let weight = weight.as_view().slice(weight_range)?;
            self.launch(&stream, x, weight, y.as_view_mut())
        };
        launched().map_err(Error::wrap)?;
        Ok((
            CudaStorage::wrap_cuda_slice(y, x.device().clone()),
            of_x.shape().clone(),
        ))
    }
}
