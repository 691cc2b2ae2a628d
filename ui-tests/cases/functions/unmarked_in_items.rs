//! Unmarked items that device items mention.

const FACTOR: f32 = 0.5;
const LENGTH: usize = 2;

#[derive(Clone, Copy)]
struct Plain {
    x: f32,
}

#[vyre::device]
fn half(x: f32) -> f32 {
    x * FACTOR
}

#[vyre::device]
const TWICE: usize = LENGTH * 2;

#[vyre::device]
fn first(p: Plain) -> f32 {
    p.x
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Marked {
    plain: Plain,
}

#[vyre::kernel]
fn all(marked: Marked, y: &mut [f32]) {
    y[0] = half(first(marked.plain)) * TWICE as f32;
}

fn main() {}
