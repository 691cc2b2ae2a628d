#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let all = 0..10;
}

#[vyre::kernel]
fn part(x: &[f32], y: &mut [f32]) {
    if let Some(first) = x.get(..2) {
        y[0] = first[0] + first[1];
    }
    if let Some(last) = y.get_mut(2..4) {
        last[0] = 0.0;
    }
}

fn main() {}
