use vyre::prelude::*;

#[vyre::kernel(block = 64)]
fn exchanged(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    let t = thread::idx().x;
    pipeline::copy(&x[thread::index()], &mut tile[t]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    y[thread::index()] = tile[t];
}

#[vyre::kernel(block = 64)]
fn as_many_as_given(x: &[f32], y: &mut [f32], n: usize) {
    let tile = shared::<[f32; 256]>();
    if thread::idx().x == 0 {
        pipeline::copy(&mut tile[0..n], &x[0..n]);
    }
    block::sync();
    y[thread::index()] = tile[thread::idx().x];
}

#[vyre::kernel(block = 64)]
fn of_cuda(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    pipeline::memcpy_async(&mut tile[thread::idx().x], &x[thread::index()]);
    y[thread::index()] = tile[thread::idx().x];
}

#[vyre::kernel(block = 64, cluster = 2)]
fn mapped(y: &mut [u32]) {
    let tile = [0u32; 64];
    cluster::sync();
    y[thread::index()] = cluster::map_shared(tile, 1 - cluster::block_rank())[thread::idx().x];
}

#[vyre::kernel]
fn by_rows(a: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>) {
    let (col, row) = thread::index_2d();
    c[[row, col]] = a[row][col];
}

#[vyre::kernel]
fn in_space(mut c: SliceMut3<'_, f32>) {
    let (x, y, z) = thread::index_3d();
    c[[z, y, x]] = 1.0;
}

#[vyre::kernel(block = 32)]
fn unsized_sum(y: &mut [i32]) {
    let c = mma::C::zero();
    c.store(y, 0, 8);
}

#[vyre::kernel(block = 48)]
fn part_of_a_warp(a: &[i8], b: &[i8], c: &mut [i32]) {
    let left = mma::A::<i8, 16, 16>::load(a, 0, 16);
    let right = mma::B::<i8, 16, 8>::load(b, 0, 8);
    mma::multiply_add(left, right, mma::C::<i32, 16, 8>::zero()).store(c, 0, 8);
}

#[vyre::kernel(block = 32)]
fn shapes_of_wmma(a: &[i8], b: &[i8], c: &mut [i32]) {
    let left = mma::A::<i8, 16, 16>::load(a, 0, 16);
    let right = mma::B::<i8, 16, 16>::load(b, 0, 16);
    let sum = mma::multiply_add(left, right, mma::C::<i32, 16, 16>::zero());
    sum.store(c, 0, 16);
}

#[vyre::kernel(block = 32)]
fn sum_of_integers(a: &[f32], b: &[f32], c: &mut [i32]) {
    let left = mma::A::<mma::Tf32, 16, 8>::load(a, 0, 8);
    let right = mma::B::<mma::Tf32, 8, 8>::load(b, 0, 8);
    let sum = mma::multiply_add(left, right, mma::C::<i32, 16, 8>::zero());
    sum.store(c, 0, 8);
}

fn main() {}
