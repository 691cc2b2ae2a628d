//! `x * sigmoid(beta * x)` as a custom operation of candle, in one kernel in place of three, with its gradient: on the CPU and,
//! with the feature `cuda`, on a GPU, where kernel and tensors share memory, streams and context.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use vyre::prelude::*;

/// y := x * sigmoid(beta * x)
#[vyre::kernel]
fn forward(beta: f32, #[each] x: &f32, #[each] y: &mut f32) {
    *y = *x / (1.0 + (-beta * *x).exp());
}

/// dx := dy * (s + beta * x * s * (1 - s)), s being sigmoid(beta * x)
#[vyre::kernel]
fn backward(beta: f32, #[each] x: &f32, #[each] dy: &f32, #[each] dx: &mut f32) {
    let s = 1.0 / (1.0 + (-beta * *x).exp());
    *dx = *dy * (s + beta * *x * s * (1.0 - s));
}

/// The operation: `tensor.apply_op1(Swish { beta: 1.0 })`, for contiguous tensors of `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Swish {
    /// The factor in the sigmoid.
    pub beta: f32,
}

impl CustomOp1 for Swish {
    fn name(&self) -> &'static str {
        "swish"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = on_host(storage, layout)?;
        let mut y = vec![0.0; x.len()];
        Forward::dispatch(&Device::cpu(), self.beta, x, &mut y).map_err(candle_core::Error::wrap)?;
        Ok((CpuStorage::F32(y), layout.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        storage: &candle_core::CudaStorage,
        layout: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        cuda::run(&[(storage, layout)], |device, views, y| {
            let [x] = views else { return Ok(()) };
            forward(self.beta, *x, y).launch(device)
        })
    }

    fn bwd(&self, x: &Tensor, _: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        let gradient = Gradient { beta: self.beta };
        x.contiguous()?.apply_op2_no_bwd(&dy.contiguous()?, &gradient).map(Some)
    }
}

/// The gradient of [`Swish`].
struct Gradient {
    beta: f32,
}

impl candle_core::CustomOp2 for Gradient {
    fn name(&self) -> &'static str {
        "swish-gradient"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, dy: &CpuStorage, ldy: &Layout) -> Result<(CpuStorage, Shape)> {
        let (x, dy) = (on_host(x, lx)?, on_host(dy, ldy)?);
        let mut dx = vec![0.0; x.len()];
        Backward::dispatch(&Device::cpu(), self.beta, x, dy, &mut dx).map_err(candle_core::Error::wrap)?;
        Ok((CpuStorage::F32(dx), lx.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        x: &candle_core::CudaStorage,
        lx: &Layout,
        dy: &candle_core::CudaStorage,
        ldy: &Layout,
    ) -> Result<(candle_core::CudaStorage, Shape)> {
        cuda::run(&[(x, lx), (dy, ldy)], |device, views, dx| {
            let [x, dy] = views else { return Ok(()) };
            backward(self.beta, *x, *dy, dx).launch(device)
        })
    }
}

/// The elements of a tensor on the host.
fn on_host<'s>(storage: &'s CpuStorage, layout: &Layout) -> Result<&'s [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => candle_core::bail!("swish takes contiguous tensors; call `.contiguous()?` first"),
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use candle_core::backend::BackendStorage;
    use candle_core::{CudaStorage, Error, Layout, Result, Shape};
    use vyre::{Device, View, ViewMut};

    /// Runs a kernel that reads tensors and writes one of the first one's shape. It comes after candle's work on them, and
    /// candle's later work after it.
    pub(super) fn run(
        inputs: &[(&CudaStorage, &Layout)],
        launch: impl FnOnce(&Device, &[View<'_, f32>], ViewMut<'_, f32>) -> vyre::Result<()>,
    ) -> Result<(CudaStorage, Shape)> {
        let [(first, layout), ..] = inputs else {
            candle_core::bail!("there is no input")
        };
        let theirs = first.device().clone();
        let device = Device::from_cudarc(theirs.cuda_stream().context()).map_err(Error::wrap)?;
        let mut lent = Vec::new();
        for (storage, layout) in inputs {
            let Some(range) = layout.contiguous_offsets() else {
                candle_core::bail!("swish takes contiguous tensors; call `.contiguous()?` first")
            };
            let slice = storage.as_cuda_slice::<f32>()?;
            lent.push((device.lend(slice).map_err(Error::wrap)?, range));
        }
        let views = lent.iter().map(|(lent, (start, end))| lent.as_view().slice(*start..*end));
        let views = views.collect::<vyre::Result<Vec<_>>>().map_err(Error::wrap)?;
        // SAFETY: the kernel writes all elements.
        let mut y = unsafe { theirs.alloc::<f32>(layout.shape().elem_count())? };
        let mut out = device.lend_mut(&mut y).map_err(Error::wrap)?;
        launch(&device, &views, out.as_view_mut()).map_err(Error::wrap)?;
        drop(out);
        Ok((CudaStorage::wrap_cuda_slice(y, theirs), layout.shape().clone()))
    }
}
