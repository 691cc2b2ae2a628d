//! A function that is generic as its kernel, without the bound that there is an instance.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, f64])]
fn scale<T: Float>(factor: T, #[each] x: &mut T) {
    *x *= factor;
}

fn twice<T: Float + vyre::Element>(x: &mut DeviceBuffer<T>) {
    scale(T::from_f32(2.0), x);
}

fn main() {
    let mut x = Device::cpu().upload(&[1.0f32]).unwrap();
    twice(&mut x);
}
