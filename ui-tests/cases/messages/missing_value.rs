//! rustc's own error, once.
#[vyre::kernel]
fn show(y: &mut [f32]) {
    println!("{} {}", y[0]);
}

fn main() {}
