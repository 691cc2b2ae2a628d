use vyre::prelude::*;

#[vyre::kernel]
fn of_a_block(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 4096]>();
    let other = shared::<[f64; 8192]>();
    let i = thread::index();
    tile[i] = x[i];
    other[i] = 1.0;
    block::sync();
    y[i] = tile[0] + other[0] as f32;
}

#[vyre::kernel]
fn of_a_thread(n: usize, y: &mut [f32]) {
    let mut a = [0.0f32; 100_000];
    let mut b = [0.0f64; 60_000];
    a[n] = 1.0;
    b[n] = 1.0;
    y[0] = a[n + 1] + b[n + 3] as f32;
}

fn main() {}
