//! The faults of a signature do not hide those of the body.
use vyre::prelude::*;

#[vyre::kernel]
fn both(name: String, [a, b]: [f32; 2], y: &mut [f32]) -> f32 {
    let v = vec![1.0f32];
    y[thread::index()] = a + b + y[0].sqroot() + name.len() as f32;
    eprintln!("{}", v[0]);
}

#[vyre::kernel(T = [f32, u64])]
#[vyre::device]
fn marked_twice<T: Number>(limit: T, #[each] x: &mut T) {
    if *x >= limit {
        return;
    }
    *x += *x;
}

fn main() {}
