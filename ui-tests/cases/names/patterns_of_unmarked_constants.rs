//! vyre sees neither elements nor fields of a constant that is not marked, also where a pattern takes them apart.

const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
const RANGE: (f32, f32) = (0.0, 1.0);
const LIMIT: Option<f32> = Some(1.0);

#[vyre::kernel]
fn array(y: &mut [f32]) {
    let [a, b, c] = WEIGHTS;
    y[0] = a + b + c;
}

#[vyre::kernel]
fn rest(y: &mut [f32]) {
    if let [0.25, middle, ..] = WEIGHTS {
        y[0] = middle;
    }
}

#[vyre::kernel]
fn tuple(y: &mut [f32]) {
    let (low, high) = RANGE;
    y[0] = y[0].clamp(low, high);
}

#[vyre::kernel]
fn limited(y: &mut [f32]) {
    if let Some(limit) = LIMIT {
        y[0] = y[0].min(limit);
    }
}

fn main() {}
