#[vyre::kernel]
fn iterate_slice(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for v in x.rchunks(2) {
        sum += v[0];
    }
    y[0] = sum;
}

#[vyre::kernel]
fn open_range(y: &mut [f32]) {
    for i in 0.. {
        y[i] = 1.0;
    }
}

fn main() {}
