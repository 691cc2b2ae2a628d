#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let name = "kernel";
    y[0] = 1.0;
}

fn main() {}
