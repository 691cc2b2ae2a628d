//! Memory that others see has elements with bytes.

use vyre::prelude::*;

#[vyre::kernel]
fn elements(x: &[[f32; 0]], #[each] y: &mut f32) {
    *y = x.len() as f32;
}

#[vyre::kernel]
fn by_value(x: [f32; 0], #[each] y: &mut f32) {
    *y = x.len() as f32;
}

#[vyre::kernel]
fn shared_by_a_block(#[each] y: &mut f32) {
    let tile = shared::<[f32; 0]>();
    *y = tile.len() as f32;
}

#[vyre::kernel]
fn nested(#[each] y: &mut f32) {
    let rows = [[0.0f32; 0]; 4];
    *y = rows.len() as f32;
}

fn main() {}
