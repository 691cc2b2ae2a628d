#[vyre::kernel]
fn fill(x: &[u32], y: &mut [u32]) {
    let mut calls = 0;
    y[0] = x.iter().map(move |v| { calls += 1; v * 2 }).sum();
    y[1] = x.iter().fold(0, |a, v| { if *v > 3 { break; } a + v });
}

fn main() {}
