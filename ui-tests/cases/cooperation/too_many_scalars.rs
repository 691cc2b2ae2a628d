use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn large(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    let a = warp::shuffle([x[i]; 100], 3);
    let b = block::reduce([x[i]; 65], |a, b| if a[0] < b[0] { a } else { b });
    y[i] = a[0] + b[0];
}

fn main() {}
