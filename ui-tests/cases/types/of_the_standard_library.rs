//! Types of the standard library, by their paths and imported.
use std::cell::Cell;
use std::sync::Mutex;

#[vyre::kernel]
fn not_zero(w: &[std::num::NonZeroU32], #[each] y: &mut u32) {
    *y = w[0].get();
}

#[vyre::kernel]
fn lasting(w: std::time::Duration, #[each] y: &mut f32) {
    *y = w.as_secs_f32();
}

#[vyre::kernel]
fn locked(n: &[Mutex<u32>]) {
    *n[0].lock().unwrap() += 1;
}

#[vyre::kernel]
fn shared_cell(x: &[Cell<f32>]) {
    x[0].set(1.0);
}

#[vyre::kernel]
fn between(r: core::ops::Range<usize>, y: &mut [f32]) {
    y[r.start] = 0.0;
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Timed {
    time: std::time::Duration,
}

#[vyre::device]
fn ends(r: std::ops::RangeInclusive<u32>) -> u32 {
    *r.end()
}

fn main() {}
