//! Matrix product of `f32` in five optimisation steps, from one element per thread to eight by
//! eight elements in registers. Matrices are row-major.
//!
//! Every step adds the products of an element in the same order, so all results are bit-identical.

use vyre::prelude::*;
use vyre_algorithms::{Random, bits};
use vyre_semantics::everywhere;

super::kernels! { Naive Coalesced Tiled Column Square }

/// One element per thread, uncoalesced: neighbouring threads have neighbouring rows.
#[vyre::kernel(block = [16, 16])]
fn naive(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    let (row, column) = thread::index_2d();
    if row < rows && column < columns {
        let mut sum = 0.0;
        for k in 0..depth {
            sum = a[row * depth + k].mul_add(b[k * columns + column], sum);
        }
        c[row * columns + column] = sum;
    }
}

/// The same with neighbouring threads in neighbouring columns, coalesced.
#[vyre::kernel(block = [16, 16])]
fn coalesced(a: Slice2<'_, f32>, b: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>) {
    let (column, row) = thread::index_2d();
    if row < c.rows() && column < c.cols() {
        let mut sum = 0.0;
        for k in 0..a.cols() {
            sum = a[[row, k]].mul_add(b[[k, column]], sum);
        }
        c[[row, column]] = sum;
    }
}

/// Tiles of both matrices in shared memory, where each value is read 16 times. Elements past the
/// matrices count as 0.
#[vyre::kernel(block = [16, 16])]
fn tiled(a: Slice2<'_, f32>, b: Slice2<'_, f32>, mut c: SliceMut2<'_, f32>) {
    const SIDE: usize = 16;
    let left = shared::<[[f32; SIDE]; SIDE]>();
    let right = shared::<[[f32; SIDE]; SIDE]>();
    let (column, row) = thread::index_2d();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let mut sum = 0.0;
    for first in (0..a.cols()).step_by(SIDE) {
        left[y][x] = if row < a.rows() && first + x < a.cols() {
            a[[row, first + x]]
        } else {
            0.0
        };
        right[y][x] = if first + y < b.rows() && column < b.cols() {
            b[[first + y, column]]
        } else {
            0.0
        };
        block::sync();
        for k in 0..SIDE {
            sum = left[y][k].mul_add(right[k][x], sum);
        }
        block::sync();
    }
    if row < c.rows() && column < c.cols() {
        c[[row, column]] = sum;
    }
}

/// Each thread computes eight elements of a column in registers: a value of `b` loaded from shared
/// memory serves eight products.
#[vyre::kernel(block = [512, 1])]
fn column(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    const SIDE: usize = 64;
    const STEP: usize = 8;
    const EACH: usize = 8;
    let left = shared::<[[f32; SIDE]; STEP]>();
    let right = shared::<[[f32; SIDE]; STEP]>();
    let (top, first_column) = (block::idx().y * SIDE, block::idx().x * SIDE);
    let t = thread::idx().x;
    let (x, y) = (t % SIDE, t / SIDE * EACH);
    let (a_row, a_k) = (t / STEP, t % STEP);
    let (b_k, b_column) = (t / SIDE, t % SIDE);
    let mut sums = [0.0; EACH];
    for first in (0..depth).step_by(STEP) {
        left[a_k][a_row] = if top + a_row < rows && first + a_k < depth {
            a[(top + a_row) * depth + first + a_k]
        } else {
            0.0
        };
        right[b_k][b_column] = if first + b_k < depth && first_column + b_column < columns {
            b[(first + b_k) * columns + first_column + b_column]
        } else {
            0.0
        };
        block::sync();
        for k in 0..STEP {
            let factor = right[k][x];
            for i in 0..EACH {
                sums[i] = left[k][y + i].mul_add(factor, sums[i]);
            }
        }
        block::sync();
    }
    for i in 0..EACH {
        if top + y + i < rows && first_column + x < columns {
            c[(top + y + i) * columns + first_column + x] = sums[i];
        }
    }
}

/// Each thread computes eight by eight elements in registers: sixteen values loaded from shared
/// memory serve 64 products.
#[vyre::kernel(block = [256, 1])]
fn square(a: &[f32], b: &[f32], c: &mut [f32], rows: usize, columns: usize, depth: usize) {
    const SIDE: usize = 128;
    const STEP: usize = 8;
    const EACH: usize = 8;
    let left = shared::<[[f32; SIDE]; STEP]>();
    let right = shared::<[[f32; SIDE]; STEP]>();
    let (top, first_column) = (block::idx().y * SIDE, block::idx().x * SIDE);
    let t = thread::idx().x;
    let (x, y) = (t % 16 * EACH, t / 16 * EACH);
    let mut sums = [[0.0; EACH]; EACH];
    for first in (0..depth).step_by(STEP) {
        // Four values of each tile per thread.
        for round in 0..4 {
            let (row, k) = (round * 32 + t / STEP, t % STEP);
            left[k][row] = if top + row < rows && first + k < depth {
                a[(top + row) * depth + first + k]
            } else {
                0.0
            };
            let (k, column) = (round * 2 + t / SIDE, t % SIDE);
            right[k][column] = if first + k < depth && first_column + column < columns {
                b[(first + k) * columns + first_column + column]
            } else {
                0.0
            };
        }
        block::sync();
        for k in 0..STEP {
            let mut of_a = [0.0; EACH];
            let mut of_b = [0.0; EACH];
            for i in 0..EACH {
                of_a[i] = left[k][y + i];
                of_b[i] = right[k][x + i];
            }
            for i in 0..EACH {
                for j in 0..EACH {
                    sums[i][j] = of_a[i].mul_add(of_b[j], sums[i][j]);
                }
            }
        }
        block::sync();
    }
    for i in 0..EACH {
        for j in 0..EACH {
            if top + y + i < rows && first_column + x + j < columns {
                c[(top + y + i) * columns + first_column + x + j] = sums[i][j];
            }
        }
    }
}

/// Two matrices and their product.
pub(super) struct Example {
    rows: usize,
    columns: usize,
    depth: usize,
    pub(super) a: Vec<f32>,
    pub(super) b: Vec<f32>,
    pub(super) product: Vec<f32>,
}

impl Example {
    pub(super) fn new(rows: usize, columns: usize, depth: usize) -> Example {
        let mut random = Random::new(rows as u64);
        let a = random.floats(rows * depth, -1.0, 1.0);
        let b = random.floats(depth * columns, -1.0, 1.0);
        let mut product = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let factors = (0..depth).map(|k| (a[row * depth + k], b[k * columns + column]));
                product.push(factors.fold(0.0f32, |sum, (a, b)| a.mul_add(b, sum)));
            }
        }
        Example {
            rows,
            columns,
            depth,
            a,
            b,
            product,
        }
    }
}

/// Matrices of one element, without depth, narrow and wide ones, and one row and column more than a
/// tile.
fn examples() -> Vec<Example> {
    let shapes = [
        (1, 1, 1),
        (3, 5, 0),
        (1, 40, 9),
        (40, 1, 17),
        (16, 16, 16),
        (33, 65, 12),
    ];
    shapes
        .map(|(rows, columns, depth)| Example::new(rows, columns, depth))
        .into()
}

/// Tests a kernel on the blocks needed for these rows and columns.
macro_rules! product_by {
    ($kernel:ident, $examples:expr, $blocks:expr) => {
        product_by!(@with $examples, $blocks, |a, b, c, [rows, columns, depth]| {
            Ok($kernel(a, b, c, rows, columns, depth))
        })
    };
    // A kernel that takes matrices.
    (matrices $kernel:ident, $examples:expr, $blocks:expr) => {
        product_by!(@with $examples, $blocks, |a, b, c, [rows, columns, depth]| {
            Ok($kernel(a.view2(rows, depth)?, b.view2(depth, columns)?, c.view2_mut(rows, columns)?))
        })
    };
    (@with $examples:expr, $blocks:expr, |$a:ident, $b:ident, $c:ident, $shape:tt| $launcher:block) => {{
        type Floats = DeviceBuffer<f32>;
        let examples = $examples;
        let blocks: fn(usize, usize) -> [usize; 2] = $blocks;
        everywhere(|place| {
            for example in &examples {
                let (rows, columns, depth) = (example.rows, example.columns, example.depth);
                let (a, b) = (place.device().upload(&example.a)?, place.device().upload(&example.b)?);
                let mut c = place.device().upload(&vec![f32::NAN; rows * columns])?;
                let [x, y] = blocks(rows, columns);
                let ($a, $b, $c): (&Floats, &Floats, &mut Floats) = (&a, &b, &mut c);
                let $shape = [rows, columns, depth];
                let launcher: vyre::Result<_> = $launcher;
                place.grid(launcher?, [x as u32, y as u32, 1])?;
                assert_eq!(
                    bits(&c.download()?),
                    bits(&example.product),
                    "{rows} x {depth} x {columns}"
                );
            }
            Ok(())
        })
    }};
}

#[test]
fn by_elements() {
    product_by!(naive, examples(), |rows, columns| [
        rows.div_ceil(16),
        columns.div_ceil(16)
    ]);
    product_by!(matrices coalesced, examples(), |rows, columns| [
        columns.div_ceil(16),
        rows.div_ceil(16)
    ]);
}

#[test]
fn by_tiles_in_shared_memory() {
    product_by!(matrices tiled, examples(), |rows, columns| [
        columns.div_ceil(16),
        rows.div_ceil(16)
    ]);
}

#[test]
fn by_columns_in_registers() {
    product_by!(column, examples(), |rows, columns| [
        columns.div_ceil(64),
        rows.div_ceil(64)
    ]);
}

#[test]
fn by_squares_in_registers() {
    let examples = [(3, 5, 0), (33, 65, 12), (129, 7, 9)];
    let examples = examples.map(|(rows, columns, depth)| Example::new(rows, columns, depth));
    product_by!(square, examples, |rows, columns| [
        columns.div_ceil(128),
        rows.div_ceil(128)
    ]);
}
