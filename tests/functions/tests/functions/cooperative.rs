//! Generic kernels that use what belongs to a kernel: dynamic shared memory, grid barriers, `#[each]`.

use vyre::prelude::*;
use vyre::{Error, FaultKind, Kernel as _};
use vyre_semantics::{everywhere, ptx};

/// Sums of the blocks, by slices of dynamic shared memory of the kernel's type.
#[vyre::kernel(T = [f32, f64, u32], N = [2, 4], block = 32)]
fn fold<T: Number, const N: usize>(x: &[T], y: &mut [T], lengths: &mut [usize]) {
    let first = shared::slice::<T>(32);
    let rest = shared::dynamic::<[T; N]>();
    let (i, t) = (thread::index(), thread::idx().x);
    first[t] = x[i];
    for k in 0..N {
        rest[t][k] = x[i] + x[i];
    }
    block::sync();
    if t == 0 {
        let mut sum = T::ZERO;
        for k in 0..32 {
            sum += first[k] + rest[31 - k][N - 1];
        }
        y[block::idx().x] = sum;
        lengths[block::idx().x] = rest.len();
    }
}

/// Each block adds what the next one has written before the barrier.
#[vyre::kernel(T = [f64, i32], block = 32)]
fn passed_on<T: Number>(x: &mut [T], y: &mut [T], rounds: u32) {
    let i = thread::index();
    for _ in 0..rounds {
        y[i] = x[(i + 32) % y.len()];
        grid::sync();
        x[i] += y[i];
        grid::sync();
    }
}

/// Threads without an element leave, and the others go on.
#[vyre::kernel(T = [f32, u64])]
fn halves<T: Number>(limit: T, #[each] x: &T, #[each] y: &mut T) {
    if *x >= limit {
        return;
    }
    *y = *x + *x;
}

/// Faults are located in the body.
#[vyre::kernel(T = [u32], allow(races))] // it faults, and no result counts
fn beyond<T: Integer>(x: &[T], y: &mut [T]) {
    let tile = shared::dynamic::<T>();
    tile[thread::idx().x] = x[0];
    y[0] = tile[0];
}

/// A bound of Rust's own is enough for shared memory.
#[vyre::kernel(T = [f32, u64], block = 32)]
fn reversed<T: Copy>(x: &[T], y: &mut [T]) {
    let tile = shared::dynamic::<T>();
    tile[thread::idx().x] = x[thread::index()];
    block::sync();
    y[thread::index()] = tile[31 - thread::idx().x];
}

fn fold_of<T: Copy + std::ops::Add<Output = T>>(x: &[T], zero: T) -> Vec<T> {
    let sum = |block: &[T]| block.iter().fold(zero, |sum, &v| sum + (v + (v + v)));
    x.chunks(32).map(sum).collect()
}

#[test]
fn dynamic_shared_memory_of_what_is_copied() {
    everywhere(|place| {
        let x: Vec<u64> = (0..32).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(32)?);
        place.over_sharing(reversed(&there, &mut y), 32, 32 * 8)?;
        assert_eq!(
            y.download()?,
            x.into_iter().rev().collect::<Vec<u64>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
}

#[test]
fn dynamic_shared_memory() {
    everywhere(|place| {
        let values: Vec<u8> = (0..64).collect();
        let x: Vec<f32> = values.iter().map(|&v| f32::from(v)).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(2)?);
        let mut lengths = place.device().zeros(2)?;
        place.over_sharing(fold::<_, 2>(&there, &mut y, &mut lengths), 64, 32 * 4 + 32 * 8 + 4)?;
        assert_eq!(y.download()?, fold_of(&x, 0.0), "on {}", place.name());
        assert_eq!(lengths.download()?, [32, 32]);
        let x: Vec<u32> = values.iter().map(|&v| u32::from(v)).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(2)?);
        place.over_sharing(fold::<_, 4>(&there, &mut y, &mut lengths), 64, 32 * 4 + 40 * 16)?;
        assert_eq!(y.download()?, fold_of(&x, 0), "on {}", place.name());
        assert_eq!(lengths.download()?, [40, 40]);
        Ok(())
    });
}

#[test]
fn grid_barriers() {
    everywhere(|place| {
        let x: Vec<i32> = (0..128).collect();
        let (mut there, mut y) = (place.device().upload(&x)?, place.device().zeros(128)?);
        place.grid(passed_on(&mut there, &mut y, 3), [4, 1, 1])?;
        let mut expected = x;
        for _ in 0..3 {
            expected = (0..128).map(|i| expected[i] + expected[(i + 32) % 128]).collect();
        }
        assert_eq!(there.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn elements_and_early_returns() {
    everywhere(|place| {
        let x = place.device().upload(&Vec::from_iter(0..100u64))?;
        let mut y = place.device().upload(&[7; 100])?;
        place.over(halves(40, &x, &mut y), 100)?;
        let expected = (0..100).map(|v| if v < 40 { 2 * v } else { 7 });
        assert_eq!(y.download()?, Vec::from_iter(expected));
        Ok(())
    });
}

#[test]
fn faults_name_the_kernel_and_the_line() -> vyre::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.upload(&[1u32])?, device.zeros(1)?);
    let run = beyond(&x, &mut y).over(40).shared_bytes(8).launch(&device);
    match run.and_then(|()| device.synchronize()) {
        Err(Error::Fault(fault)) => {
            let text = fault.to_string();
            assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "{text}");
            assert!(text.contains("beyond_u32"), "{text}");
            assert!(text.contains("cooperative.rs:53:"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[test]
fn instances_are_assembled() {
    ptx::assembled(&[
        FoldF32N2::info(),
        FoldF64N4::info(),
        PassedOnF64::info(),
        HalvesU64::info(),
        BeyondU32::info(),
    ]);
}
