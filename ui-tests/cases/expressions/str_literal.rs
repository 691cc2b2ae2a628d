#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let _name = "kernel";
    y[0] = 1.0;
}

fn main() {}
