//! Kernels do not launch kernels.

#[vyre::kernel]
fn fill(y: &mut [u32]) {
    y[0] = 1;
}

#[vyre::kernel]
fn fill_twice(y: &mut [u32]) {
    fill(y);
}

fn main() {}
