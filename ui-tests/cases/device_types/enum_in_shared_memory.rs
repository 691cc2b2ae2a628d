use vyre::prelude::*;

#[vyre::device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Side {
    Left,
    Right,
}

#[vyre::kernel(block = 32)]
fn fill(y: &mut [u32]) {
    let sides = shared::<[Side; 32]>();
    sides[thread::idx().x] = Side::Right;
    y[0] = sides[0] as u32;
}

fn main() {}
