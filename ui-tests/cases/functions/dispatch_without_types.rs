//! Nothing but the instance tells what the launcher of a generic kernel is.

use vyre::Device;

#[vyre::kernel(T = [f32, u32])]
fn duplicate<T: Copy>(#[each] x: &T, #[each] y: &mut T) {
    *y = *x;
}

fn main() -> vyre::Result<()> {
    let (x, mut y) = ([1.0f32], [0.0f32]);
    Duplicate::dispatch(&Device::cpu(), &x, &mut y)?;
    Duplicate::<f32>::dispatch(&Device::cpu(), &x, &mut y)
}
