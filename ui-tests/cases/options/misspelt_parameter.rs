//! Instances of a parameter that the kernel does not have.
#[vyre::kernel(U = [f32])]
fn copy<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn main() {}
