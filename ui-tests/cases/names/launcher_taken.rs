//! Two kernels of one launcher name.
#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(launcher = Fill)]
fn fill_twice(y: &mut [f32]) {
    y[0] = 2.0;
}

fn main() {}
