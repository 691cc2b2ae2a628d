use vyre::prelude::*;

#[vyre::kernel]
fn to_bool(x: &[u32], y: &mut [u32]) {
    y[0] = x[0].cast::<bool>() as u32;
}

#[vyre::kernel]
fn to_anything(x: &[u32], y: &mut [u32]) {
    let v = x[0].cast();
    y[0] = 1;
}

#[vyre::kernel]
fn of_128_bits(x: &[u128], y: &mut [u32]) {
    y[0] = x[0].cast();
}

#[vyre::device]
fn unbound<T: PartialOrd + Copy>(x: T) -> f32 {
    x.to_f32()
}

#[vyre::kernel]
fn of_no_number(x: &[f32], y: &mut [f32]) {
    y[0] = unbound(x[0]);
}

fn main() {}
