use vyre::prelude::*;

#[vyre::device]
fn meet() {
    block::barrier::<2, 32>().sync();
}

#[vyre::kernel(block = 64)]
fn threads(out: &mut [u32]) {
    block::barrier::<1, 96>().sync();
    meet();
    block::barrier::<2, 64>().sync();
    out[thread::index()] = 1;
}

fn main() {}
