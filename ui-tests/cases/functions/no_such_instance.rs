//! A generic kernel with other types and lengths than it names.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, u32], N = [2, 4])]
fn fill<T: Number, const N: usize>(with: T, y: &mut [T]) {
    let values = [with; N];
    y[thread::index()] = values[0];
}

fn main() {
    let device = Device::cpu();
    let mut y = device.zeros::<f64>(1).unwrap();
    fill::<f64, 2>(1.0, &mut y).over(1).launch(&device).unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    fill::<_, 3>(1.0, &mut y).over(1).launch(&device).unwrap();
}
