use vyre::prelude::*;

#[vyre::kernel(T = [f32, f64])]
fn return_before_grid_sync<T: Number>(x: &mut [T]) {
    let i = thread::index();
    if i >= x.len() {
        return;
    }
    grid::sync();
    x[i] = T::ZERO;
}

#[vyre::kernel(T = [f32])]
fn grid_sync_of_each<T: Number>(#[each] x: &T, #[each] y: &mut T) {
    grid::sync();
    *y = *x;
}

#[vyre::kernel(T = [u32, u64])]
fn dynamic_in_branch<T: Number>(n: usize, out: &mut [T]) {
    if n > 3 {
        let tile = shared::slice::<T>(n);
        out[0] = tile[0];
    }
}

#[vyre::device]
fn dynamic_in_function<T: Number>(out: &mut [T]) {
    let tile = shared::dynamic::<T>();
    out[0] = tile[0];
}

fn main() {}
