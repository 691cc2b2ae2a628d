//! A value that is there under a condition.

#[vyre::device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    let p = Point {
        #[cfg(debug_assertions)]
        x: 1.0,
        #[cfg(not(debug_assertions))]
        x: 2.0,
    };
    y[0] = p.x;
}

fn main() {}
