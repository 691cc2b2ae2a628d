#[vyre::constant]
static SCALE: f32 = 2.0;

#[vyre::kernel]
fn scale(y: &mut [f32]) {
    y[0] *= SCALE;
}

fn main() {
    SCALE::set(&vyre::Device::cpu(), &3.0);
}
