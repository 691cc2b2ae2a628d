#[vyre::constant]
static SIZES: [usize; 1] = [4];

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let tile = [0.0f32; SIZES[0]];
    y[0] = tile[1];
}

fn main() {}
