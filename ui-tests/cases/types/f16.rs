//! An unknown name may be anything; the front end names the types that it knows.
#[vyre::kernel]
fn fill(x: half::f16, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
