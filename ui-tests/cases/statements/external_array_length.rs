//! A length must be known when the macro runs, and a constant from elsewhere is not.
const SIZE: usize = 8;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let a = [0.0f32; SIZE];
    y[0] = a[0];
}

fn main() {}
