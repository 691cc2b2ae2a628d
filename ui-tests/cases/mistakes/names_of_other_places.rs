use vyre::prelude::*;

#[vyre::kernel]
fn shuffle(#[each] y: &mut f32) {
    *y = warp::shuffle_f32(*y, 3);
}

#[vyre::kernel]
fn slice(x: &[f32], #[each] y: &mut f32) {
    *y = x.as_slice()[0];
}

#[vyre::kernel]
fn conversion(x: u32, #[each] y: &mut u8) {
    *y = u8::try_from(x).unwrap_or(255);
}

fn main() {}
