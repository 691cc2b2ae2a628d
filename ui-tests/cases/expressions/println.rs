#[vyre::kernel]
fn fill(y: &mut [f32]) {
    println!("{}", y[0]);
}

fn main() {}
