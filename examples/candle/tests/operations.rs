//! The operations beside candle's own and beside double precision, on the CPU and, with the feature `cuda`, on a GPU.

use candle_core::{D, DType, Device, Result, Tensor};

/// The CPU, and a GPU if there is one. Its stream is one that all threads share.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::Cpu];
    if cfg!(feature = "cuda") {
        match Device::new_cuda_with_stream(0) {
            Ok(device) => devices.push(device),
            Err(error) => println!("SKIP-GPU: {error}"),
        }
    }
    devices
}

/// Random values of a normal distribution, the same on each kind of device.
fn random(mean: f32, deviation: f32, shape: impl Into<candle_core::Shape>, device: &Device) -> Result<Tensor> {
    Tensor::randn(mean, deviation, shape, &Device::Cpu)?.to_device(device)
}

/// The greatest difference, relative to `scale`. A NaN is no small difference.
fn difference(a: &Tensor, b: &Tensor, scale: f64) -> Result<f64> {
    let (a, b) = (a.to_dtype(DType::F64)?, b.to_dtype(DType::F64)?);
    let (a, b) = (a.flatten_all()?.to_vec1::<f64>()?, b.flatten_all()?.to_vec1::<f64>()?);
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs() / scale);
    Ok(differences.fold(0.0, |most, next| if next <= most { most } else { next }))
}

/// The same by candle's operations on whole tensors, in double precision.
fn in_double(x: &Tensor, weight: &Tensor, epsilon: f64) -> Result<Tensor> {
    let (x, weight) = (x.to_dtype(DType::F64)?, weight.to_dtype(DType::F64)?);
    let scale = (x.sqr()?.mean_keepdim(D::Minus1)? + epsilon)?.sqrt()?;
    x.broadcast_div(&scale)?.broadcast_mul(&weight)
}

#[test]
fn rows_are_normalised_as_by_candle() -> Result<()> {
    for device in devices() {
        for shape in [&[1, 1][..], &[3, 7], &[2, 5, 64], &[4, 1000], &[1, 4097]] {
            let x = random(0.5f32, 2.0, shape, &device)?;
            let weight = random(1.0f32, 0.1, *shape.last().unwrap(), &device)?;
            let y = vyre_candle::rms_norm(&x, &weight, 1e-5)?;
            assert_eq!(y.dims(), shape);
            let candles = candle_nn::ops::rms_norm(&x.contiguous()?, &weight, 1e-5)?;
            let exact = in_double(&x, &weight, 1e-5)?;
            let (ours, theirs) = (difference(&y, &exact, 1.0)?, difference(&candles, &exact, 1.0)?);
            // Values are below 8 or so, and each is rounded a few times.
            assert!(ours < 4e-6, "{shape:?} on {device:?}: {ours}");
            assert!(theirs < 2e-5, "{shape:?} on {device:?}: candle's {theirs}");
        }
    }
    Ok(())
}

#[test]
fn parts_of_tensors_are_normalised() -> Result<()> {
    for device in devices() {
        let all = random(0f32, 1.0, (10, 33), &device)?;
        let weights = random(0f32, 1.0, (2, 33), &device)?;
        let (x, weight) = (all.narrow(0, 4, 3)?, weights.get(1)?);
        let y = vyre_candle::rms_norm(&x, &weight, 1e-6)?;
        assert!(difference(&y, &in_double(&x, &weight, 1e-6)?, 1.0)? < 4e-6);
        let nothing = vyre_candle::rms_norm(&all.narrow(0, 4, 0)?, &weight, 1e-6)?;
        assert_eq!(nothing.dims(), [0, 33]);
    }
    Ok(())
}

#[test]
fn values_are_capped_in_place() -> Result<()> {
    for device in devices() {
        let x = random(0f32, 40.0, (50, 41), &device)?;
        let part = x.narrow(0, 10, 20)?;
        let (before, expected) = (x.copy()?, ((part.copy()? / 30.0)?.tanh()? * 30.0)?);
        vyre_candle::soft_cap(&part, 30.0)?;
        assert!(difference(&part, &expected, 30.0)? < 1e-6, "on {device:?}");
        for rows in [(0, 10), (30, 20)] {
            let (now, then) = (x.narrow(0, rows.0, rows.1)?, before.narrow(0, rows.0, rows.1)?);
            assert_eq!(difference(&now, &then, 1.0)?, 0.0);
        }
    }
    Ok(())
}

/// candle's work before and after ours is ordered with it.
#[test]
fn operations_follow_one_another() -> Result<()> {
    for device in devices() {
        let mut x = Tensor::ones((64, 4096), DType::F32, &device)?;
        let weight = Tensor::ones(4096, DType::F32, &device)?;
        for _ in 0..100 {
            x = vyre_candle::rms_norm(&(x * 3.0)?, &weight, 0.0)?;
        }
        let ones = x.ones_like()?;
        assert!(difference(&x, &ones, 1.0)? < 1e-6, "on {device:?}");
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    for device in devices() {
        let x = Tensor::zeros((4, 6), DType::F32, &device)?;
        let weight = Tensor::zeros(6, DType::F32, &device)?;
        let failure = |x: &Tensor, weight: &Tensor| vyre_candle::rms_norm(x, weight, 0.0).unwrap_err().to_string();
        assert!(failure(&x, &x).contains("weights of shape [4, 6] for rows of 6"));
        assert!(failure(&x.t()?, &weight.narrow(0, 0, 4)?).contains("contiguous"));
        assert!(failure(&x.to_dtype(DType::F64)?, &weight).contains("dtype"));
        assert!(
            vyre_candle::soft_cap(&x.t()?, 1.0)
                .unwrap_err()
                .to_string()
                .contains("contiguous")
        );
        assert!(vyre_candle::soft_cap(&x.to_dtype(DType::U32)?, 1.0).is_err());
    }
    Ok(())
}
