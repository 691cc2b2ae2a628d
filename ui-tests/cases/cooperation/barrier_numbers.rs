use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn numbers(out: &mut [u32]) {
    block::barrier::<0, 64>().sync();
    block::barrier::<16, 64>().sync();
    block::barrier::<1, 48>().arrive();
    block::barrier::<1, 0>().arrive();
    out[thread::index()] = 1;
}

fn main() {}
