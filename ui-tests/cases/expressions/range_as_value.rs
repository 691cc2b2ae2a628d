#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let all = 0..10;
}

fn main() {}
