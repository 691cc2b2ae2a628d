#[vyre::kernel]
fn generic_const<const N: usize>(x: &mut [f32]) {
    x[N] *= 2.0;
}

#[vyre::kernel]
fn generic_type<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn main() {}
