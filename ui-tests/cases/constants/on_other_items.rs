#[vyre::constant]
const SCALE: [f32; 2] = [2.0; 2];

#[vyre::constant]
static mut COUNT: [u32; 1] = [0];

#[vyre::constant]
fn scale(x: f32) -> f32 {
    2.0 * x
}

#[vyre::constant(3)]
static THREE: [f32; 1] = [3.0];

#[vyre::kernel]
fn count(x: &mut [u32]) {
    x[0] = COUNT[0];
}

fn main() {
    let _ = scale(SCALE[0]);
}
