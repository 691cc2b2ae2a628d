//! rustc refuses the form, once.

#[vyre::kernel = 256]
fn one(#[each] y: &mut f32) {
    *y = 1.0;
}

fn run(device: &vyre::Device, y: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
    one(y).launch(device)
}

fn main() {}
