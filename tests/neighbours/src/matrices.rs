//! Matrices of ndarray.

use ndarray::{Array2, ArrayView2};
use vyre::prelude::*;

/// c := a * b
#[vyre::kernel(block = [16, 16])]
fn multiply(a: Slice2<'_, f32>, b: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>) {
    let (col, row) = thread::index_2d();
    if row < c.rows() && col < c.cols() {
        let mut sum = 0.0;
        for k in 0..a.cols() {
            sum += a[[row, k]] * b[[k, col]];
        }
        c[[row, col]] = sum;
    }
}

/// A matrix in the memory of a device. Rows lie one after the other there; a view that is transposed or a part of
/// another is copied on the host first.
fn upload(device: &Device, matrix: ArrayView2<'_, f32>) -> vyre::Result<DeviceBuffer<f32>> {
    let rows = matrix.as_standard_layout();
    device.upload(rows.as_slice().expect("rows are in order"))
}

/// The product of two matrices.
///
/// # Panics
/// If `a` has another number of columns than `b` has rows.
pub fn product(device: &Device, a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> vyre::Result<Array2<f32>> {
    assert_eq!(a.ncols(), b.nrows(), "the matrices have no product");
    let (rows, cols) = (a.nrows(), b.ncols());
    let (on_device, other) = (upload(device, a)?, upload(device, b)?);
    let mut c = device.zeros(rows * cols)?;
    multiply(
        on_device.view2(rows, a.ncols())?,
        other.view2(b.nrows(), cols)?,
        c.view2_mut(rows, cols)?,
    )
    .over([cols, rows])
    .launch(device)?;
    Ok(Array2::from_shape_vec((rows, cols), c.download()?).expect("as many elements as the shape has"))
}
