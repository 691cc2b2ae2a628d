use vyre::prelude::*;

#[vyre::kernel]
fn first(a: Slice2<'_, f32>, y: &mut [f32]) {
    y[0] = a[[0, 0]];
}

#[vyre::kernel]
fn clear(mut a: SliceMut2<'_, f32>) {
    a[[0, 0]] = 0.0;
}

fn launch(device: &Device, a: &DeviceBuffer<f32>, y: &mut DeviceBuffer<f32>) -> vyre::Result<()> {
    first(a, &mut *y).over(1).launch(device)?;
    clear(y).over(1).launch(device)
}

fn main() {}
