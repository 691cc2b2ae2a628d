static SCALE: f32 = 2.0;

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = SCALE * y[1];
}

fn main() {}
