//! Matrix products and loads of a warp (tensor cores).

use super::half::{BF16, F16, Half};
use crate::ops::WARP_SIZE;
use crate::ops::mma::{Factor, MatrixLoad, Product, Role, Shape};
use crate::scalar::Scalar;

/// The fragments of a lane: the bits of its registers, as many as the shape has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragments {
    /// The left factor, or the words of a row to load.
    pub a: [u64; 8],
    /// The right factor.
    pub b: [u64; 4],
    /// The accumulator, then the result.
    pub c: [u64; 4],
}

impl Fragments {
    fn of(&self, role: Role) -> &[u64] {
        match role {
            Role::A => &self.a,
            Role::B => &self.b,
            Role::C => &self.c,
        }
    }
}

/// A matrix operation of a whole warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOp {
    /// A multiply-add.
    MultiplyAdd(Product),
    /// A load.
    Load(MatrixLoad),
}

/// Executes a matrix operation. The fragments of inactive lanes are zero.
pub fn matrix_op(op: MatrixOp, lanes: &mut [Fragments]) {
    match op {
        MatrixOp::MultiplyAdd(product) => multiply_add(product, lanes),
        MatrixOp::Load(load) => load_matrices(load, lanes),
    }
}

/// Distributes the words of each matrix to the lanes.
fn load_matrices(load: MatrixLoad, lanes: &mut [Fragments]) {
    let rows: Vec<[u64; 8]> = lanes.iter().map(|lane| lane.a).collect();
    let row = |number: usize| rows.get(number).copied().unwrap_or_default();
    for (lane, fragments) in lanes.iter_mut().enumerate() {
        let (group, rest) = (lane / 4, lane % 4);
        for matrix in 0..load.count() as usize {
            fragments.c[matrix] = if load.is_transposed() {
                let element = |row: [u64; 8]| row[group / 2] >> (group % 2 * 16) & 0xffff;
                let first = matrix * 8 + 2 * rest;
                element(row(first)) | element(row(first + 1)) << 16
            } else {
                row(matrix * 8 + group)[rest]
            };
        }
    }
}

/// Adds the product to the accumulator.
fn multiply_add(product: Product, lanes: &mut [Fragments]) {
    let shape = product.shape();
    match shape.left {
        Factor::I8 | Factor::U8 => apply(shape, lanes, [shape.left, shape.right].map(byte), integers, |c: i32| {
            c as u32 as u64
        }),
        Factor::F16 => floats(shape, lanes, |bits| F16::from_bits(bits as u16).widen().into()),
        Factor::BF16 => floats(shape, lanes, |bits| BF16::from_bits(bits as u16).widen().into()),
        Factor::Tf32 => floats(shape, lanes, |bits| f32::from_bits(bits as u32 & !0x1fff).into()),
        Factor::F64 => apply(shape, lanes, [f64::from_bits; 2], f64::mul_add, f64::to_bits),
    }
}

/// The function that decodes a factor of 8 bits.
fn byte(factor: Factor) -> fn(u64) -> i32 {
    match factor {
        Factor::I8 => |bits| bits as u8 as i8 as i32,
        _ => |bits| bits as u8 as i32,
    }
}

/// Accumulators of `f32` and `f16`: the products are exact in `f64`, and the sum is rounded once
/// more.
fn floats(shape: Shape, lanes: &mut [Fragments], factor: fn(u64) -> f64) {
    apply(
        shape,
        lanes,
        [factor; 2],
        |a, b, c: f64| c + a * b,
        |c| match shape.sum {
            Scalar::F16 => F16::narrow_wide(c).to_bits().into(),
            _ => (c as f32).to_bits().into(),
        },
    );
}

fn integers(a: i32, b: i32, c: i32) -> i32 {
    c.wrapping_add(a * b)
}

trait Sum: Copy {
    fn of(scalar: Scalar, bits: u64) -> Self;
}

impl Sum for i32 {
    fn of(_: Scalar, bits: u64) -> Self {
        bits as i32
    }
}

impl Sum for f64 {
    fn of(scalar: Scalar, bits: u64) -> Self {
        match scalar {
            Scalar::F32 => f32::from_bits(bits as u32).into(),
            Scalar::F16 => F16::from_bits(bits as u16).widen().into(),
            _ => f64::from_bits(bits),
        }
    }
}

fn apply<T: Sum>(
    shape: Shape,
    lanes: &mut [Fragments],
    [left, right]: [fn(u64) -> T; 2],
    add: impl Fn(T, T, T) -> T,
    bits: impl Fn(T) -> u64,
) {
    let (a, b, c) = (
        matrix(shape, Role::A, lanes),
        matrix(shape, Role::B, lanes),
        matrix(shape, Role::C, lanes),
    );
    let (a, b): (Vec<T>, Vec<T>) = (a.into_iter().map(left).collect(), b.into_iter().map(right).collect());
    for (lane, fragments) in lanes.iter_mut().enumerate() {
        for element in 0..shape.elements(Role::C) {
            let (row, column) = shape.place(Role::C, lane as u32, element);
            let mut sum = T::of(shape.sum, c[(row * shape.n + column) as usize]);
            for k in 0..shape.k {
                sum = add(a[(row * shape.k + k) as usize], b[(k * shape.n + column) as usize], sum);
            }
            fragments.c[element as usize] = bits(sum);
        }
    }
}

/// The bits of a matrix in row-major order.
fn matrix(shape: Shape, role: Role, lanes: &[Fragments]) -> Vec<u64> {
    let (rows, columns) = shape.extent(role);
    let mut matrix = vec![0; (rows * columns) as usize];
    let packed = shape.packed(role);
    for (lane, fragments) in (0..WARP_SIZE).zip(lanes) {
        for element in 0..shape.elements(role) {
            let (row, column) = shape.place(role, lane, element);
            let register = fragments.of(role)[(element / packed) as usize];
            matrix[(row * columns + column) as usize] = register >> (element % packed * (32 / packed));
        }
    }
    matrix
}
