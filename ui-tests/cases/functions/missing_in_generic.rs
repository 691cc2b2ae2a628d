//! Functions that are not there, in functions with parameters.

#[vyre::kernel(T = [f32, u32])]
fn duplicate<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = same(x[0]);
}

#[vyre::device]
fn first<T: Copy>(x: &[T]) -> T {
    other(x[0])
}

#[vyre::device]
fn least<T: Ordered>(x: T) -> T {
    x
}

fn main() {}
