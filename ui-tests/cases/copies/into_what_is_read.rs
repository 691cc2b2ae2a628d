use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn fetch(x: &[u32], y: &mut [u32]) {
    let first = 2 * thread::idx().x;
    pipeline::copy(&mut x[first..first + 2], &x[first..first + 2]);
    pipeline::copy(&mut x[first], &x[first + 1]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    y[first / 2] = x[first];
}

fn main() {}
