#[vyre::device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[vyre::device]
fn pointed(f: &dyn Fn(f32) -> f32) -> f32 {
    f(1.0)
}

#[vyre::device]
fn made(by: f32) -> impl Fn(f32) -> f32 {
    move |x| x * by
}

#[vyre::kernel]
fn kept(y: &mut [f32]) {
    let f = |x| x * 2.0;
    y[0] = apply(f, 1.0);
}

#[vyre::kernel]
fn in_a_tuple(y: &mut [f32]) {
    let both = (|x: f32| x, 1.0);
    y[0] = (both.0)(both.1);
}

#[vyre::kernel]
fn copied(y: &mut [f32]) {
    let mut n = 0.0;
    let mut count = move || {
        n += 1.0;
        n
    };
    y[0] = count() + count() + n;
}

fn main() {}
