use vyre::prelude::*;

const TWO: u32 = 2;

#[vyre::kernel(min_blocks = 0)]
fn none(#[each] y: &mut u32) {
    *y = 1;
}

#[vyre::kernel(block = 32, min_blocks = 33)]
fn many(#[each] y: &mut u32) {
    *y = 1;
}

#[vyre::kernel(min_blocks = 9)]
fn crowded(#[each] y: &mut u32) {
    *y = 1;
}

#[vyre::kernel(min_blocks = TWO)]
fn constant(#[each] y: &mut u32) {
    *y = 1;
}

#[vyre::kernel(min_blocks)]
fn unsaid(#[each] y: &mut u32) {
    *y = 1;
}

#[vyre::kernel(min_block = 2)]
fn misspelt(#[each] y: &mut u32) {
    *y = 1;
}

fn main() {}
