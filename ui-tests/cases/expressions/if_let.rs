#[vyre::kernel]
fn fill(n: u32, x: &[[f32; 2]], y: &mut [f32]) {
    let first = &x[0];
    if n > 1 && let [a, _] = first {
        y[0] = *a;
    }
}

fn main() {}
