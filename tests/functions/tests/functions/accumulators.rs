//! Tables of accumulators in nested arrays stay in registers, also where their lengths are parameters of functions and
//! kernels.

use vyre::Kernel as _;
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

/// Elements that a thread multiplies in a step: of the left factor, and of the right one.
const LEFT: usize = 8;
const RIGHT: usize = 16;
const DEPTH: usize = 5;

/// The products of two columns of four and four rows of four, 128 sums.
#[vyre::kernel(block = 2)]
fn nested(a: &[f32], b: &[f32], c: &mut [f32], depth: usize) {
    let t = thread::index();
    let mut sums = [[[[0.0f32; 4]; 4]; 4]; 2];
    for step in 0..depth {
        let (mut left, mut right) = ([[0.0f32; 4]; 2], [[0.0f32; 4]; 4]);
        for i in 0..2 {
            for j in 0..4 {
                left[i][j] = a[(t * depth + step) * 8 + i * 4 + j];
            }
        }
        for i in 0..4 {
            for j in 0..4 {
                right[i][j] = b[step * 16 + i * 4 + j];
            }
        }
        for p in 0..2 {
            for q in 0..4 {
                for i in 0..4 {
                    for j in 0..4 {
                        sums[p][q][i][j] += left[p][i] * right[q][j];
                    }
                }
            }
        }
    }
    for p in 0..2 {
        for q in 0..4 {
            for i in 0..4 {
                for j in 0..4 {
                    c[t * 128 + (p * 4 + i) * 16 + q * 4 + j] = sums[p][q][i][j];
                }
            }
        }
    }
}

#[vyre::device]
fn multiply<const P: usize, const Q: usize, const I: usize, const J: usize>(
    sums: &mut [[[[f32; J]; I]; Q]; P],
    left: &[[f32; I]; P],
    right: &[[f32; J]; Q],
) {
    for p in 0..P {
        for q in 0..Q {
            for i in 0..I {
                for j in 0..J {
                    sums[p][q][i][j] += left[p][i] * right[q][j];
                }
            }
        }
    }
}

/// The same with lengths that are parameters.
#[vyre::kernel(block = 2, P = [2], Q = [4], I = [4], J = [4])]
fn generic<const P: usize, const Q: usize, const I: usize, const J: usize>(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    depth: usize,
) {
    let t = thread::index();
    let mut sums = [[[[0.0f32; J]; I]; Q]; P];
    for step in 0..depth {
        let (mut left, mut right) = ([[0.0f32; I]; P], [[0.0f32; J]; Q]);
        for i in 0..P {
            for j in 0..I {
                left[i][j] = a[(t * depth + step) * P * I + i * I + j];
            }
        }
        for i in 0..Q {
            for j in 0..J {
                right[i][j] = b[step * Q * J + i * J + j];
            }
        }
        multiply(&mut sums, &left, &right);
    }
    for p in 0..P {
        for q in 0..Q {
            for i in 0..I {
                for j in 0..J {
                    c[t * P * Q * I * J + (p * I + i) * Q * J + q * J + j] = sums[p][q][i][j];
                }
            }
        }
    }
}

#[test]
fn a_hundred_and_twenty_eight_sums() {
    let number = |i: usize| (i * 7 % 11) as f32 - 5.0;
    let a: Vec<f32> = (0..2 * DEPTH * LEFT).map(number).collect();
    let b: Vec<f32> = (0..DEPTH * RIGHT).map(|i| number(i + 3)).collect();
    let sum = |t: usize, i: usize, j: usize| {
        let products = (0..DEPTH).map(|step| a[(t * DEPTH + step) * LEFT + i] * b[step * RIGHT + j]);
        products.fold(0.0, |sum, product| sum + product)
    };
    let all = (0..2 * LEFT * RIGHT).map(|at| sum(at / (LEFT * RIGHT), at / RIGHT % LEFT, at % RIGHT));
    let expected: Vec<f32> = all.collect();
    everywhere(|place| {
        let (a, b) = (place.device().upload(&a)?, place.device().upload(&b)?);
        let mut c = place.device().zeros(expected.len())?;
        place.over(nested(&a, &b, &mut c, DEPTH), 2)?;
        assert_eq!(c.download()?, expected, "nested arrays on {}", place.name());
        c.fill(0.0)?;
        place.over(generic::<2, 4, 4, 4>(&a, &b, &mut c, DEPTH), 2)?;
        assert_eq!(c.download()?, expected, "const generics on {}", place.name());
        Ok(())
    });
}

#[test]
fn they_are_in_registers() {
    let kernels = [Nested::info(), Generic::<2, 4, 4, 4>::info()];
    for kernel in kernels {
        assert!(!kernel.ptx.contains(".local"), "{}", kernel.ptx);
    }
    ptx::assembled(&kernels);
}
