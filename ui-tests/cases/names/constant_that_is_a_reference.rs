const SCALE: &f32 = &2.0;

#[vyre::kernel]
fn double(y: &mut [f32]) {
    y[thread::index()] = y[thread::index()] * SCALE;
}

fn main() {}
