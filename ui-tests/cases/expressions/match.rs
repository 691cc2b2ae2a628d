#[vyre::kernel]
fn fill(n: u32, y: &mut [f32]) {
    y[0] = match n {
        0 => 1.0,
        _ => 2.0,
    };
}

fn main() {}
