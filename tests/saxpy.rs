//! The first kernel that anyone writes.

use vyre::prelude::*;

/// y := a*x + y
#[vyre::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

#[test]
fn saxpy_works() -> vyre::Result<()> {
    let device = Device::cpu();
    let x = device.upload(&[1.0f32; 4096])?;
    let mut y = device.upload(&[2.0f32; 4096])?;
    saxpy(3.0, &x, &mut y).over(4096).launch(&device)?;
    assert!(y.download()?.iter().all(|&v| v == 5.0));
    Ok(())
}
