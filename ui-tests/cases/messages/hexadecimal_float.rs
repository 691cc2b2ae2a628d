//! rustc's own error, once.
#[vyre::kernel]
fn show(y: &mut [f32]) {
    println!("{:x}", y[0]);
}

fn main() {}
