use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn methods(out: &mut [u32]) {
    let both = block::barrier::<1, 64>();
    both.wait();
    out[thread::index()] = both.sum(1u32);
}

fn main() {}
