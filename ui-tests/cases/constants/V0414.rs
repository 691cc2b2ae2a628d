mod number {
    #[vyre::constant]
    static SCALE: f32 = 2.0;

    #[vyre::kernel]
    fn scale(y: &mut [f32]) {
        y[0] *= SCALE;
    }

    fn main() {
        SCALE::set(&vyre::Device::cpu(), &3.0);
    }
}

#[vyre::constant]
static RANGE: [(f32, f32); 2] = [(0.0, 1.0), (2.0, 3.0)];

#[vyre::kernel]
fn clamp(y: &mut [f32]) {
    y[0] = y[0].clamp(RANGE[0].0, RANGE[0].1);
}

fn main() {}
