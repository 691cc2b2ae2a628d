use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn factors_differ(x: &[i8], y: &mut [i32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<i8, 32, 8>::load(x, 0, 8);
    mma::multiply_add(a, b, mma::C::<i32, 16, 8>::zero()).store(y, 0, 8);
}

#[vyre::kernel]
fn index_by_one(a: Slice2<'_, f32>, y: &mut [f32]) {
    y[0] = a[0];
}

#[vyre::kernel(block = 32)]
fn no_such_product(x: &[i8], y: &mut [f32]) {
    let a = mma::A::<i8, 16, 16>::load(x, 0, 16);
    let b = mma::B::<i8, 16, 8>::load(x, 0, 8);
    let sum = mma::multiply_add(a, b, mma::C::<f32, 16, 8>::zero());
    sum.store(y, 0, 8);
}

mod own_type_of_the_name {
    pub struct Slice2<'a, T>(&'a [T]);

    impl<T> Slice2<'_, T> {
        fn rows(&self) -> usize {
            self.0.len()
        }
    }

    #[vyre::kernel]
    fn count(a: Slice2<'_, f32>, y: &mut [usize]) {
        y[0] = a.rows();
    }
}

#[vyre::kernel(block = 32)]
fn tile_of_other_elements(y: &mut [f32]) {
    let tile = shared::<[[u32; 8]; 16]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    y[a.row(0)] = 1.0;
}

#[vyre::kernel(block = 32)]
fn tile_without_rows(y: &mut [f32]) {
    let tile = shared::<[f32; 128]>();
    let a = mma::A::<mma::Tf32, 16, 8>::load_tile(tile, 0, 0);
    let b = mma::B::<mma::Tf32, 8, 8>::load(tile, 0, 8);
    mma::multiply_add(a, b, mma::C::<f32, 16, 8>::zero()).store(y, 0, 8);
}

fn main() {}
