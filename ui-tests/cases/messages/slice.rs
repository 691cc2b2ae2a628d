//! A slice has no length that the compiler knows.
#[vyre::kernel]
fn show(x: &[f32]) {
    println!("{:?}", x);
}

fn main() {}
