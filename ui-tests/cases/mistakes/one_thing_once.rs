use vyre::prelude::*;

static mut TILE: [f32; 64] = [0.0; 64];

#[vyre::kernel(block = 64)]
fn shared_static(y: &mut [f32]) {
    let t = thread::idx().x;
    unsafe { TILE[t] = y[t] };
    block::sync();
    y[t] = unsafe { TILE[(t + 1) % 64] };
}

#[vyre::kernel]
fn set_size(y: &mut [u32]) {
    block::dim().x = 64;
    y[thread::index()] = 1;
}

#[vyre::kernel]
fn set_index(y: &mut [u32]) {
    thread::idx().x += 1;
    y[thread::index()] = 1;
}

#[vyre::kernel(block = 64)]
fn tile_of_a_value(x: &[u32], y: &mut [u32]) {
    let tile = warp::tile(8);
    y[thread::index()] = tile.sum(x[thread::index()]);
}

#[vyre::kernel(block = 256)]
fn scan_without_first(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    y[i] = block::exclusive_scan(x[i], |a, b| a.max(b));
}

#[vyre::kernel]
fn address(x: &[f32]) {
    println!("{:p}", x[thread::index()]);
}

#[vyre::kernel]
fn formatted(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    y[i] = x[i].checked_sub(1).expect(&format!("x[{i}] is zero"));
}

#[vyre::kernel]
fn fast_of_f64(#[each] x: &mut f64) {
    *x = fast::exp(*x);
}

#[vyre::kernel]
fn fast_arc(#[each] x: &mut f32) {
    *x = fast::atan(*x);
}

#[vyre::kernel]
fn root(#[each] x: &mut f32) {
    *x = x.rsqrt();
}

#[vyre::kernel]
fn atomic_operand(n: &[AtomicU32], y: &mut [u32]) {
    let i = thread::index();
    y[i] = n[i] + 1;
}

#[vyre::kernel(block = 32)]
fn product(a: &[i8], b: &[i8], c: &mut [i32]) {
    let left = mma::A::<i8, 16, 16>::load(a, 0, 16);
    let right = mma::B::<i8, 16, 8>::load(b, 0, 8);
    let sum = left * right;
    sum.store(c, 0, 8);
}

#[vyre::kernel]
fn wait() {
    pipeline::wait_prior(0);
}

#[vyre::kernel]
fn negative_distance(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    y[i] = warp::shuffle_up(x[i], -1);
}

#[vyre::kernel(block = 64)]
fn length_of_the_launch(y: &mut [f32]) {
    let scratch = [1.0f32; block::dim().x];
    y[thread::index()] = scratch[0];
}

fn main() {}
