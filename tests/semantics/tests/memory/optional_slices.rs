//! Slices that a launch may leave out: `None` differs from an empty slice on every back end.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx;

#[vyre::kernel]
fn add_bias(x: &[f32], bias: Option<&[f32]>, y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[i]
            + match bias {
                Some(bias) => {
                    if bias.is_empty() {
                        100.0
                    } else {
                        bias[i % bias.len()]
                    }
                }
                None => 0.0,
            };
    }
}

#[test]
fn none_is_no_empty_slice() {
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&[1.0, 2.0, 3.0])?, device.zeros(3)?);
        let (some, empty) = (device.upload(&[0.5, 0.25])?, device.zeros(0)?);
        for (bias, expected) in [
            (None, [1.0, 2.0, 3.0]),
            (Some(&some), [1.5, 2.25, 3.5]),
            (Some(&empty), [101.0, 102.0, 103.0]),
        ] {
            place.over(add_bias(&x, bias, &mut y), 3)?;
            assert_eq!(y.download()?, expected, "on {}", place.name());
        }
        let mut launch = add_bias(&x, None, &mut y);
        launch.bias = Some(some.slice(1..)?);
        place.over(launch, 3)?;
        assert_eq!(y.download()?, [1.25, 2.25, 3.25], "on {}", place.name());
        Ok(())
    });
}

/// Written to, and by several forms.
#[vyre::kernel]
fn marked(x: &[u32], low: Option<&mut [u32]>, high: Option<&mut [u32]>) {
    let i = thread::index();
    if let Some(low) = low
        && i < low.len()
    {
        low[i] = x[i] & 0xff;
    }
    let Some(high) = high else { return };
    if let Some(slot) = high.get_mut(i) {
        *slot = x[i] >> 8;
    }
}

#[test]
fn slices_to_write() {
    let values = [0x0102, 0x0304, 0x0506];
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&values)?;
        let (mut low, mut high) = (device.zeros(3)?, device.zeros(3)?);
        place.over(marked(&x, None, None), 3)?;
        place.over(marked(&x, Some(&mut low), None), 3)?;
        assert_eq!((low.download()?, high.download()?), (vec![2, 4, 6], vec![0; 3]));
        place.over(marked(&x, None, Some(&mut high)), 3)?;
        assert_eq!(high.download()?, [1, 3, 5], "on {}", place.name());
        Ok(())
    });
}

/// Atomics and integers of 32 bits as indices.
#[vyre::kernel]
fn counted(x: &[u32], even: Option<&[AtomicU32]>, table: Option<&Slice<u32>>, known: &[AtomicU32]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    if x[i] & 1 == 0 {
        even.map(|even| even[0].fetch_add(1, Ordering::Relaxed));
    }
    let value = table.map_or(x[i], |table| table[x[i] % 4]);
    known[0].fetch_add(
        value + even.is_some() as u32 * 1000 + table.is_none() as u32 * 100,
        Ordering::Relaxed,
    );
}

#[test]
fn atomics_and_indices() {
    everywhere(|place| {
        let device = place.device();
        let (x, table) = (device.upload(&[1u32, 2, 3, 4])?, device.upload(&[7u32, 5, 3, 2])?);
        let (mut even, mut known) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
        place.over(counted(&x, None, None, &mut known), 4)?;
        place.over(counted(&x, Some(&mut even), Some(&table), &mut known), 4)?;
        assert_eq!(even.download()?, [2], "on {}", place.name());
        assert_eq!(known.download()?, [410 + 17 + 4000], "on {}", place.name());
        Ok(())
    });
}

/// With a loop whose checks go to the launch.
#[vyre::kernel]
fn strided(n: usize, x: Option<&[f32]>, y: &mut [f32]) {
    let (i, mut sum) = (thread::index(), 0.0);
    if let Some(x) = x {
        for k in 0..n {
            sum += x[k] * x[i % x.len()];
        }
    }
    if i < y.len() {
        y[i] = sum + 1.0;
    }
}

#[test]
fn loops() {
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&[1.0, 2.0, 3.0])?, device.zeros(3)?);
        place.over(strided(3, None, &mut y), 3)?;
        assert_eq!(y.download()?, [1.0; 3], "on {}", place.name());
        place.over(strided(3, Some(&x), &mut y), 3)?;
        assert_eq!(y.download()?, [7.0, 13.0, 19.0], "on {}", place.name());
        match place.over(strided(4, Some(&x), &mut y), 1) {
            Err(vyre::Error::Fault(fault)) => assert_eq!(fault.values, [3, 3], "on {}", place.name()),
            other => panic!("{other:?} on {}", place.name()),
        }
        Ok(())
    });
}

/// A generic kernel with an optional slice and an optional value.
#[vyre::kernel(T = [f32, f64])]
fn blended<T: Float>(x: &[T], weights: Option<&[T]>, most: Option<T>, y: Option<&mut [T]>) {
    let i = thread::index();
    let Some(y) = y else { return };
    if i < y.len() {
        let value = x[i] * weights.map_or(T::ONE, |weights| weights[i]);
        y[i] = most.map_or(value, |most| value.min(most));
    }
}

#[test]
fn generic_kernels() {
    everywhere(|place| {
        let device = place.device();
        let (x, weights) = (device.upload(&[1.0f64, 2.0])?, device.upload(&[3.0f64, 4.0])?);
        let mut y = device.zeros(2)?;
        place.over(blended(&x, None, None, Some(&mut y)), 2)?;
        assert_eq!(y.download()?, [1.0, 2.0], "on {}", place.name());
        place.over(blended(&x, Some(&weights), Some(5.0), Some(&mut y)), 2)?;
        assert_eq!(y.download()?, [3.0, 5.0], "on {}", place.name());
        place.over(blended(&x, Some(&weights), Some(1.0), None), 2)?;
        assert_eq!(y.download()?, [3.0, 5.0], "on {}", place.name());
        Ok(())
    });
    let mut y = [0.0f32];
    Blended::<f32>::dispatch(&Device::cpu(), 1, &[4.0], Some(&[0.5]), None, Some(&mut y)).unwrap();
    assert_eq!(y, [2.0]);
    Blended::<f32>::dispatch(&Device::cpu(), 1, &[4.0], None, None, None).unwrap();
}

#[test]
fn in_a_program() {
    assert_eq!(AddBias::info().parameters, ["x", "bias", "bias_is_some", "y"]);
    ptx::assembled(&[
        AddBias::info(),
        Marked::info(),
        Counted::info(),
        Strided::info(),
        BlendedF32::info(),
        BlendedF64::info(),
    ]);
}
