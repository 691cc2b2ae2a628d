use vyre::prelude::*;

#[vyre::kernel]
fn tiles(n: usize, out: &mut [f32]) {
    if n > 3 {
        let tile = shared::slice::<f32>(n);
        out[0] = tile[0];
    }
}

fn main() {}
