use vyre::prelude::*;

#[vyre::kernel]
fn count(values: &[u32], out: &mut [u32]) {
    let i = thread::index();
    if warp::inclusive_sum(values[i] > 3) {
        out[i] = 1;
    }
}

fn main() {}
