//! Methods, types, macros and functions that have another name in vyre.
use vyre::prelude::*;

#[vyre::kernel]
fn index_as_a_number(x: &[f32], y: &mut [f32]) {
    let i = thread::idx();
    if i < 32 {
        y[0] = x[0];
    }
}

#[vyre::kernel]
fn scope(n: &[AtomicU32]) {
    n[0].in_warp().fetch_add(1, Ordering::Relaxed);
}

#[vyre::kernel(block = 64)]
fn function_of_floats(x: &[f32], y: &mut [f32]) {
    y[thread::index()] = warp::reduce(x[thread::index()], max);
}

#[vyre::kernel]
fn half_precision(#[each] x: &mut half) {
    *x = *x + *x;
}

#[vyre::kernel]
fn brain_float(#[each] x: &bfloat16, #[each] y: &mut f32) {
    *y = 1.0;
}

#[vyre::kernel]
fn half_atomic(n: &[AtomicF16]) {
    n[0].load(Ordering::Relaxed);
}

#[vyre::kernel]
fn size(mut c: SliceMut2<'_, f32>) {
    let (col, row) = thread::index_2d();
    if row < c.rows() && col < c.width() {
        c[[row, col]] = 1.0;
    }
}

#[vyre::kernel]
fn cast(#[each] x: &f32, #[each] y: &mut f64) {
    *y = x.to_f64();
}

#[vyre::kernel(block = 64)]
fn shared_by_a_macro(y: &mut [f32]) {
    let tile = shared_array![f32; 64];
    y[thread::idx().x] = 1.0;
}

#[vyre::kernel]
fn volatile(flags: &[u32], #[each] x: &mut u32) {
    *x = unsafe { std::ptr::read_volatile(&flags[0]) };
}

#[vyre::kernel]
fn fence(x: &mut [u32]) {
    x[thread::index()] = 1;
    std::sync::atomic::fence(Ordering::SeqCst);
}

fn main() {}
