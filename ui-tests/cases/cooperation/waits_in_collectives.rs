use vyre::prelude::*;

#[vyre::device]
fn total(n: f32) -> f32 {
    warp::sum(n)
}

#[vyre::device]
fn later(a: f32, b: f32) -> f32 {
    warp::sync();
    a.max(b)
}

#[vyre::device]
fn combined(v: f32, f: impl Fn(f32, f32) -> f32 + Copy) -> f32 {
    block::reduce(v, f)
}

#[vyre::kernel(block = 64)]
fn wait(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    y[i] = block::reduce(x[i], |a, b| {
        block::sync();
        a.max(b)
    });
    y[i] = warp::reduce(x[i], |a, b| {
        warp::sync();
        a.max(b)
    });
    y[i] = block::inclusive_scan(x[i], |a, b| a + total(b));
    y[i] = block::exclusive_scan(x[i], 0.0, |a, b| a + warp::shuffle(b, 0));
    y[i] = block::reduce(x[i], later);
    y[i] = warp::tile::<8>().reduce(x[i], |a, b| a + warp::max(b));
    y[i] = combined(x[i], |a, b| a + warp::min(b));
    // This one may.
    let all = |v: f32| block::sum(warp::max(v));
    y[i] = all(x[i]);
}

fn main() {}
