use vyre::prelude::*;

#[vyre::kernel(256)]
fn of_a_number(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

#[vyre::kernel([32, 8])]
fn of_extents(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

#[vyre::kernel(block = (16, 16))]
fn of_a_tuple(y: &mut [f32]) {
    y[thread::index()] = 1.0;
}

fn main() {}
