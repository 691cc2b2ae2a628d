#[vyre::kernel]
fn first(y: &mut [f32]) {
    vyre::store::streaming(&mut y[0], 1u32);
}

fn main() {}
