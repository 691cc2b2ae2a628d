//! Mistakes of which rustc and vyre would both say something.

#[vyre::device]
fn half(x: f32) -> f32 {
    x / 2.0
}

#[vyre::kernel]
fn collected(x: &[f32], y: &mut [f32]) {
    let twice: [f32; 4] = x.iter().map(|v| v * 2.0).collect();
    y[0] = twice[0];
}

#[vyre::kernel]
fn text(y: &mut [f32]) {
    const NAME: &str = "half";
    y[0] = 1.0;
}

#[vyre::kernel]
fn nothing(y: &mut [f32]) {
    let none = [[]];
    y[0] = 1.0;
}

#[vyre::kernel]
fn called_twice(y: &mut [f32]) {
    y[0] = half(1.0)(2.0);
}

fn main() {}
