use vyre::prelude::*;

#[vyre::kernel]
fn buffers(x: &Array<f32>, y: &mut [f32]) {
    y[thread::index()] = x[0];
}

#[vyre::kernel]
fn shared_memory(y: &mut [f32]) {
    let mut tile = SharedMemory::<f32>::new(64);
    tile[0] = 1.0;
    y[0] = tile[0];
}

#[vyre::kernel(F = [f32, f64])]
fn numbers<F: Float>(#[each] x: &F, #[each] y: &mut F) {
    *y = *x * F::new(2.0);
}

#[vyre::kernel]
fn shuffles(x: &[f32], y: &mut [f32]) {
    y[0] = warp::shfl_down(x[0], 8);
}

#[vyre::kernel]
fn pointers(x: *const f32, y: *mut f32) {
    unsafe { *y = *x };
}

fn main() {}
