#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let none = [0.0f32; 0];
}

fn main() {}
