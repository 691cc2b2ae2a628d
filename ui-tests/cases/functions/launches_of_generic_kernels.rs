use vyre::prelude::*;

#[vyre::kernel(T = [f32, f64])]
fn fill<T: Number>(y: &mut [T], x: &[T]) {
    y[0] = x[0];
}

#[vyre::kernel(N = [2, 4])]
fn copy<const N: usize>(a: Slice2<'_, f32>, mut b: SliceMut2<'_, f32>) {
    b[[0, 0]] = a[[0, N]];
}

fn launch(device: &Device, mut x: DeviceBuffer<f32>, mut y: DeviceBuffer<f32>) -> vyre::Result<()> {
    fill(&y, &x).over(1).launch(device)?;
    fill(&mut y, &vec![1.0f32]).over(1).launch(device)?;
    copy::<2>(&x, &mut y).over(1).launch(device)?;
    fill(&mut x, &y).over(1).launch(device)
}

fn main() {}
