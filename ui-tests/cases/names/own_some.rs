//! A function of the name of a variant of core's is none of core's.
use core::option::Option;

#[allow(non_snake_case, reason = "the name is what is tested")]
fn Some<T>(value: T) -> Option<T> {
    Option::Some(value)
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let value = Some(1.0f32);
    y[0] = value.unwrap_or(2.0);
}

fn main() {}
