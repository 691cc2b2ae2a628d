#[vyre::kernel]
fn fill(x: &[f32], y: &mut [f32]) {
    let all = x.iter().map(|v| v * 2.0);
    y[0] = all.sum();
    let _each = x.iter();
    y[1] = x.iter().rposition(|v| *v > 1.0).unwrap() as f32;
    y[2] = x.iter().rev().try_fold(0.0, |s, v| Some(s + v)).unwrap();
}

fn main() {}
