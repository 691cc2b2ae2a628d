#[vyre::kernel]
fn show(y: &mut [f32]) {
    println!("{} {}", "value", y[0]);
}

fn main() {}
