use vyre::prelude::*;

mod library {
    #[vyre::device]
    pub const SCALE: f32 = 2.0;

    #[vyre::device]
    pub const TABLE: [u32; 40] = [1; 40];

    #[vyre::device]
    pub fn scaled(x: f32) -> f32 {
        x * SCALE
    }
}
use library::*;

const SCALE: f32 = 3.0;
const TABLE: [u32; 40] = [2; 40];

#[vyre::kernel]
fn scale(#[each] x: &mut f32) {
    *x = scaled(*x) + SCALE;
}

#[vyre::device]
fn looked_up<const N: usize>(x: u32) -> u32 {
    TABLE[(x as usize + N) % 40]
}

fn main() {}
