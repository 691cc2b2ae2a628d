#[vyre::kernel]
fn show(y: &mut [f32]) {
    println!(y[0]);
    assert!(y[0] > 0.0, concat!("a", "b"));
}

fn main() {}
