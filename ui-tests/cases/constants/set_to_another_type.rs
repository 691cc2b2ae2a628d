#[vyre::constant]
static FILTER: [f32; 3] = [0.0; 3];

#[vyre::kernel]
fn first(y: &mut [f32]) {
    y[0] = FILTER[0];
}

fn main() {
    FILTER::set(&vyre::Device::cpu(), &[1.0, 2.0]);
}
