//! Attributes of vyre's that do not stand together, and one of a parameter.

#[vyre::kernel]
#[vyre::kernel(block = 64)]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel]
#[vyre::device]
fn clear(y: &mut [f32]) {
    y[0] = 0.0;
}

#[vyre::kernel]
fn double(#[deprecated] count: &mut [u32], y: &mut [f32]) {
    y[0] *= 2.0;
}

#[vyre::device]
#[vyre::kernel]
fn triple(#[each] y: &mut f32) {
    *y *= 3.0;
}

#[vyre::kernel]
fn halve(#[eahc] y: &mut f32) {
    *y *= 0.5;
}

#[vyre::kernel]
fn negate(#[each] #[each] y: &mut f32) {
    *y = -*y;
}

fn run(device: &vyre::Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    triple(&mut *y).launch(device)?;
    halve(&mut *y).launch(device)?;
    negate(y).launch(device)
}

fn main() {}
