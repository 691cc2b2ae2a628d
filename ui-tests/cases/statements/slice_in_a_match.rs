#[vyre::device]
fn last(x: &[f32]) -> f32 {
    match x {
        [_, b] => *b,
        _ => 0.0,
    }
}

#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    y[0] = last(x);
    let [a, _] = x else { return };
    y[1] = *a;
}

fn main() {}
