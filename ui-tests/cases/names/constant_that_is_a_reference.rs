const SCALE: &f32 = &2.0;

#[vyre::kernel]
fn double(y: &mut [f32]) {
    y[0] = y[0] * SCALE;
}

fn main() {}
