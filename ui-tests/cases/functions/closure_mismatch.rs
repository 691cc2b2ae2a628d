#[vyre::device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[vyre::kernel]
fn takes(y: &mut [f32]) {
    y[0] = apply(|x: u32| x as f32, 1.0);
}

#[vyre::kernel]
fn yields(y: &mut [f32]) {
    y[0] = apply(|x| x > 1.0, 1.0);
}

#[vyre::kernel]
fn borrows(y: &mut [f32]) {
    let mut n = 1.0;
    let read = |x: f32| x * n;
    n = 2.0;
    y[0] = read(1.0);
}

fn main() {}
