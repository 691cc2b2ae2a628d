//! Rust has no defaults of parameters, and its parser says so.

use vyre::prelude::*;

#[vyre::device]
fn power(x: f32, n: i32 = 2) -> f32 {
    x.powi(n)
}

#[vyre::kernel]
fn powers(n: i32 = 3, #[each] y: &mut f32) {
    *y = power(*y, n);
}

fn main() -> vyre::Result<()> {
    let device = Device::best()?;
    let mut y = device.upload(&[0.0f32; 4])?;
    powers(4, &mut y).launch(&device)
}

/// The device function is refused at itself.
#[vyre::kernel]
fn squares(#[each] y: &mut f32) {
    *y = power(*y, 2);
}
