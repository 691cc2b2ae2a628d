// Instances of a parameter that the kernel does not have.
#[vyre::kernel(U = [f32])]
fn misspelt_parameter<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

#[vyre::kernel(blocks = 64)]
fn unknown(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
