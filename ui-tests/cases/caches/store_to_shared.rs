#[vyre::kernel]
fn first(x: &[f32]) {
    vyre::store::volatile(&mut x[0], 1.0);
}

fn main() {}
