//! The first program of the README: `y += a*x` on the best available device.

use vyre::prelude::*;

/// y += a*x
#[vyre::kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = thread::index(); // this thread's index in the launch
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?; // the first CUDA device, else the CPU
    let x = device.upload(&[1.0f32; 4096])?; // stays on the device
    let mut y = device.upload(&[2.0f32; 4096])?;
    saxpy(3.0, &x, &mut y).over(4096).launch(&device)?;
    assert!(y.download()?.iter().all(|&v| v == 5.0)); // waits for the launch
    println!("5.0, 4096 times, computed on {}", device.name());
    Ok(())
}
