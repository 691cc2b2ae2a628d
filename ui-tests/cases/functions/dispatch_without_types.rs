//! Nothing but the instance tells what the launcher of a generic kernel is.

use vyre::prelude::*;

#[vyre::kernel(T = [f32, u32])]
fn duplicate<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
    *y = *x;
}

#[vyre::kernel(N = [1, 2])]
fn fill<const N: usize>(y: &mut [usize]) {
    y[thread::index()] = N;
}

fn main() -> vyre::Result<()> {
    let (x, mut y) = ([1.0f32], [0.0f32]);
    Duplicate::dispatch(&Device::cpu(), &x, &mut y)?;
    Fill::dispatch(&Device::cpu(), 1, &mut [0])?;
    Duplicate::<f32>::dispatch(&Device::cpu(), &x, &mut y)
}
