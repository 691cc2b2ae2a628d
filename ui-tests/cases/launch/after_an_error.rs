//! A kernel with an error keeps its signature, so that its callers are not at fault too.
use vyre::prelude::*;

#[vyre::kernel]
fn scale(a: f32, x: &mut [f32]) {
    let _name = "scale";
    x[0] *= a;
}

fn main() -> vyre::Result<()> {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32; 16])?;
    scale(2.0, &mut x).over(16).launch(&device)?;
    let launcher: Scale<'_> = scale(2.0, &mut x);
    launcher.grid(1).launch(&device)
}
