#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let _name = String::new();
    y[0] = 1.0;
}

fn main() {}
