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

#[vyre::kernel]
fn optional(#[each] x: &vyre::Maybe<f32>, #[each] y: &mut f32) {
    *y = Option::from(*x).unwrap_or(0.0);
}

#[vyre::kernel]
fn bytes(x: &[u8], y: &mut [u32]) {
    y[0] = u32::from_le_bytes(x[..4].try_into().unwrap());
}

fn main() {}
