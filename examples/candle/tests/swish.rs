//! The operation against candle's own, on the CPU and, with the feature `cuda`, on a GPU.

use candle_core::{Device, Result, Tensor, Var};
use candle_swish::Swish;

fn devices() -> Vec<Device> {
    let mut devices = vec![Device::Cpu];
    if cfg!(feature = "cuda") {
        devices.push(Device::new_cuda(0).expect("the feature `cuda` is for machines with a GPU"));
    }
    devices
}

fn greatest_difference(a: &Tensor, b: &Tensor) -> Result<f32> {
    a.sub(b)?.abs()?.flatten_all()?.max(0)?.to_scalar()
}

#[test]
fn it_is_as_three_operations() -> Result<()> {
    for device in devices() {
        let x = Tensor::randn(0f32, 3.0, (37, 65), &device)?;
        let beta = 1.5;
        let expected = x.div(&x.affine(-beta, 0.0)?.exp()?.affine(1.0, 1.0)?)?;
        let found = x.apply_op1_no_bwd(&Swish { beta: 1.5 })?;
        assert_eq!(found.dims(), [37, 65]);
        assert!(greatest_difference(&found, &expected)? < 1e-5);
        // A part of a tensor, from an offset on.
        let rows = x.narrow(0, 5, 7)?;
        let found = rows.apply_op1_no_bwd(&Swish { beta: 1.5 })?;
        assert!(greatest_difference(&found, &expected.narrow(0, 5, 7)?)? < 1e-5);
        assert!(x.t()?.apply_op1_no_bwd(&Swish { beta: 1.5 }).is_err());
        x.t()?.contiguous()?.apply_op1_no_bwd(&Swish { beta: 1.5 })?;
    }
    Ok(())
}

#[test]
fn its_gradient_is_that_of_candle() -> Result<()> {
    for device in devices() {
        let x = Var::randn(0f32, 2.0, 1000, &device)?;
        let own = x.apply_op1(Swish { beta: 1.0 })?.sqr()?.backward()?;
        let theirs = x.silu()?.sqr()?.backward()?;
        let [own, theirs] = [own, theirs].map(|gradients| gradients.get(&x).cloned().expect("a gradient"));
        assert!(greatest_difference(&own, &theirs)? < 1e-4);
    }
    Ok(())
}
