//! Names of CUDA, CubeCL and others.
use vyre::prelude::*;
use vyre::vector::Vec3;

#[vyre::kernel]
fn kaio(y: &mut [u32]) {
    y[thread_idx_x()] = block_dim_y();
}

#[vyre::kernel]
fn cubecl(y: &mut [f32]) {
    y[ABSOLUTE_POS] = 2.0;
}

#[vyre::kernel]
fn texture(image: Slice2<'_, f32>, #[each] y: &mut f32) {
    *y = tex2D(image, 0.5, 0.5);
}

#[vyre::kernel]
fn trap(x: &[u32]) {
    if x[thread::index()] == 0 {
        __trap();
    }
}

#[vyre::kernel(block = 64)]
fn groups(x: &mut [f32]) {
    let group = this_thread_block();
    x[thread::index()] = 1.0;
}

#[vyre::kernel]
fn product(#[each] v: &Vec3, #[each] y: &mut f32) {
    *y = dot(*v, *v);
}

#[vyre::kernel]
fn printed(x: &[f32]) {
    printf("%f\n", x[thread::index()]);
}

fn main() {}
