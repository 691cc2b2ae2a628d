//! Kernels that mention a generic parameter of what is around them.
use vyre::prelude::*;

fn cleared<T: Float>(device: &Device, x: &mut vyre::DeviceBuffer<T>) -> vyre::Result<()> {
    #[vyre::kernel]
    fn clear(#[each] x: &mut T) {
        *x = T::ZERO;
    }
    clear(x).launch(device)
}

struct Numbers<T>(T);

impl<T: Float> Numbers<T> {
    fn fill<const N: usize>(device: &Device, x: &mut vyre::DeviceBuffer<f32>) -> vyre::Result<()> {
        #[vyre::kernel]
        fn fill(#[each] x: &mut f32) {
            *x = N as f32;
        }
        fill(x).launch(device)
    }
}

fn main() {}
