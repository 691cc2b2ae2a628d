//! Generic kernels, whose launchers pick the instance by the types of their arguments.

use vyre::prelude::*;
use vyre_functions::polynomial;
use vyre_semantics::{everywhere, ptx};

/// y := a*x + y, for both types of floats.
#[vyre::kernel(T = [f32, f64], block = 64)]
pub fn saxpy<T: Float>(a: T, x: &[T], y: &mut [T]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = a.mul_add(x[i], y[i]);
    }
}

/// Polynomials of several lengths, each thread its own element.
#[vyre::kernel(T = [f32, f64], N = [2, 3], launcher = Horner)]
fn horner<T: Float, const N: usize>(first: T, #[each] x: &T, #[each] y: &mut T) {
    let mut coefficients = [T::ONE; N];
    coefficients[0] = first;
    *y = polynomial(&coefficients, *x);
}

/// One instance, with a length that is the block's.
#[vyre::kernel(WIDTH = [128], block = 128)]
fn turned<const WIDTH: usize>(values: &mut [u32], count: &[AtomicU32]) {
    let tile = shared::<[u32; WIDTH]>();
    let t = thread::idx().x;
    tile[t] = values[t];
    block::sync();
    values[t] = tile[WIDTH - 1 - t];
    count[0].fetch_add(1, Ordering::Relaxed);
}

#[test]
fn types_pick_instances() {
    everywhere(|place| {
        let x = place.device().upload(&[1.5f32; 100])?;
        let mut y = place.device().upload(&[2.0f32; 100])?;
        place.over(saxpy(3.0, &x, &mut y), 100)?;
        assert_eq!(y.download()?, [6.5; 100]);
        let x = place.device().upload(&[0.1f64; 100])?;
        let mut y = place.device().upload(&[0.2f64; 100])?;
        place.over(saxpy(3.0, &x, &mut y), 100)?;
        assert_eq!(y.download()?, [3.0f64.mul_add(0.1, 0.2); 100]);
        Ok(())
    });
}

#[test]
fn lengths_pick_instances() {
    everywhere(|place| {
        let x = place.device().upload(&[0.5f32; 10])?;
        let mut y = place.device().zeros::<f32>(10)?;
        place.over(horner::<f32, 3>(7.0, &x, &mut y), 10)?;
        assert_eq!(y.download()?, [7.75; 10]);
        let x = place.device().upload(&[0.5f64; 10])?;
        let mut y = place.device().zeros::<f64>(10)?;
        place.over(horner::<_, 2>(7.0, &x, &mut y), 10)?;
        assert_eq!(y.download()?, [7.5; 10]);
        let mut values = place.device().upload(&Vec::from_iter(0..128u32))?;
        let mut count = place.device().zeros::<u32>(1)?;
        place.grid(turned(&mut values, &mut count), [1, 1, 1])?;
        assert_eq!(values.download()?, Vec::from_iter((0..128).rev()));
        assert_eq!(count.download()?, [128]);
        Ok(())
    });
}

#[test]
fn launchers_have_names() -> vyre::Result<()> {
    let mut y = [1.0f32; 3];
    Saxpy::<f32>::dispatch(&Device::cpu(), 3, 2.0, &[1.0, 2.0, 3.0], &mut y)?;
    assert_eq!(y, [3.0, 5.0, 7.0]);
    let mut y = [0.0; 2];
    HornerF64N3::dispatch(&Device::cpu(), 1.0, &[1.0, 2.0], &mut y)?;
    assert_eq!(y, [3.0, 7.0]);
    Ok(())
}

#[test]
fn ptxas_accepts_it() {
    use vyre::Kernel as _;
    let kernels = [
        SaxpyF32::info(),
        SaxpyF64::info(),
        HornerF32N2::info(),
        HornerF32N3::info(),
        HornerF64N2::info(),
        HornerF64N3::info(),
        TurnedWidth128::info(),
    ];
    assert_eq!(kernels[2].name, "horner_f32_n2");
    ptx::assembled(&kernels);
}
