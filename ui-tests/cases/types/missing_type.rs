//! A type that is not there looks to vyre like one that it does not know.
#[vyre::kernel]
fn fill(x: Matrix, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
