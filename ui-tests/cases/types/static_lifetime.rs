#[vyre::kernel]
fn fill(y: &'static mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
