//! Loops over constants carried to the kernel by macros.

use vyre::prelude::*;
use vyre_semantics::everywhere;

mod carried {
    #[vyre::device]
    pub(super) const ROWS: [[u32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
    #[vyre::device]
    pub(super) const FLAGS: [bool; 4] = [true, false, true, true];

    #[vyre::device]
    pub(super) fn twice<T: Copy>(row: &[T; 3], f: impl Fn(T) -> T) -> T {
        f(f(row[0]))
    }
}
use carried::{FLAGS, ROWS};

/// The type of a row's binding is known once the constant is resolved.
#[vyre::kernel]
fn visit(y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        for row in &ROWS {
            for v in row {
                y[i] += *v;
            }
            y[i] += carried::twice(row, |v| v + 10);
        }
        for [a, _, c] in ROWS {
            y[i] += a * c;
        }
        for (k, &flag) in FLAGS.iter().enumerate() {
            if flag {
                y[i] += 1000 << k;
            }
        }
    }
}

#[test]
fn rows_and_flags() {
    everywhere(|place| {
        let mut y = place.device().upload(&[0u32, 1])?;
        place.over(visit(&mut y), 2)?;
        let expected = 21 + 21 + 24 + 3 + 24 + 13_000;
        assert_eq!(y.download()?, [expected, expected + 1]);
        Ok(())
    });
}
