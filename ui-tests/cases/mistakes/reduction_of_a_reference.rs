use vyre::prelude::*;

#[vyre::kernel]
fn largest(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    y[i] = *block::reduce(&x[i], |a, b| if *a > *b { a } else { b });
}

fn main() {}
