//! The order of reads and writes of memory.

use vyre::prelude::*;
use vyre_semantics::everywhere;

super::kernels! { ReadBeforeWrite Aliased IndexAfterValue ShortCircuit Repeated InPlace }

#[allow(
    clippy::assign_op_pattern,
    reason = "reading and writing in one statement is the point"
)]
/// A statement reads memory before it writes; the next one sees what it wrote.
#[vyre::kernel]
fn read_before_write(x: &mut [u32]) {
    let i = thread::index() * 4;
    if i + 3 < x.len() {
        x[i] = x[i] + x[i + 1];
        x[i + 1] = x[i] - x[i + 1];
        x[i] = x[i] - x[i + 1];
        x[i + 2] += x[i + 3] * {
            x[i + 3] += 1;
            2
        } + x[i + 3];
    }
}

#[test]
fn reads_come_before_writes() {
    everywhere(|place| {
        let x: Vec<u32> = (0..64).map(|k| k * k + 7).collect();
        let mut y = place.device().upload(&x)?;
        place.over(read_before_write(&mut y), 16)?;
        let expected: Vec<u32> = x
            .chunks(4)
            .flat_map(|part| {
                let mut part = [part[0], part[1], part[2], part[3]];
                part.swap(0, 1);
                let product = part[3] * 2;
                part[3] += 1;
                part[2] += product + part[3];
                part
            })
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// Two indices that may be the same element: a load after a store is not the load before it.
#[vyre::kernel]
fn aliased(x: &mut [u32], same: u32) {
    let i = thread::index() * 2;
    if i + 1 < x.len() {
        let other = i + 1 - same as usize % 2;
        let before = x[other];
        x[i] = 5;
        let after = x[other];
        x[i + 1] = before * 100 + after;
    }
}

#[test]
fn stores_are_seen_through_other_indices() {
    everywhere(|place| {
        for same in [0, 1] {
            let mut y = place.device().upload(&[2u32, 3, 4, 6])?;
            place.over(aliased(&mut y, same), 2)?;
            let expected = if same == 1 { [5, 205, 5, 405] } else { [5, 303, 5, 606] };
            assert_eq!(y.download()?, expected);
        }
        Ok(())
    });
}

/// The value of an assignment is evaluated before the index on its left.
#[vyre::kernel]
fn index_after_value(x: &mut [u32]) {
    let i = thread::index() * 4;
    if i + 3 < x.len() {
        let mut k = i;
        x[k] = {
            k += 1;
            10
        };
        x[{
            k += 1;
            k
        }] = k as u32;
        x[k] += {
            k = i + 3;
            1
        };
    }
}

#[test]
fn values_come_before_places() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(8)?;
        place.over(index_after_value(&mut y), 2)?;
        let expected: Vec<u32> = [0usize, 4]
            .into_iter()
            .flat_map(|i| {
                let mut x = [0u32; 8];
                let mut k = i;
                x[k] = {
                    k += 1;
                    10
                };
                x[{
                    k += 1;
                    k
                }] = k as u32;
                x[k] += {
                    k = i + 3;
                    1
                };
                x[i..i + 4].to_vec()
            })
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// The right side of `&&` is not evaluated if it would fault.
#[vyre::kernel]
fn short_circuit(x: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < x.len() && x[i] != 0 && 100 / x[i] > 3 || i == 0 {
        y[i] = 1;
    }
    if i >= y.len() || y[i] == 1 {
        return;
    }
    y[i] = if i < x.len() { x[i] } else { 9 };
}

#[test]
fn short_circuits_guard_accesses() {
    everywhere(|place| {
        let x = [0u32, 0, 5, 50, 1, 33, 34];
        let mut y = place.device().zeros::<u32>(10)?;
        place.over(short_circuit(&place.device().upload(&x)?, &mut y), 300)?;
        assert_eq!(y.download()?, [1, 0, 1, 50, 1, 33, 34, 9, 9, 9]);
        Ok(())
    });
}

/// A value read in a loop changes with the loop.
#[vyre::kernel]
fn repeated(x: &mut [u32], rounds: u32) {
    let i = thread::index();
    if i < x.len() {
        for _ in 0..rounds {
            x[i] = x[i].rotate_left(x[i] & 7) ^ 0x55;
        }
    }
}

#[test]
fn loops_read_again() {
    everywhere(|place| {
        let x: Vec<u32> = (0..70).map(|k| k * 0x0101_0101).collect();
        let mut y = place.device().upload(&x)?;
        place.over(repeated(&mut y, 9), 70)?;
        let expected: Vec<u32> = x
            .iter()
            .map(|&v| (0..9).fold(v, |v, _| v.rotate_left(v & 7) ^ 0x55))
            .collect();
        assert_eq!(y.download()?, expected);
        Ok(())
    });
}

/// Each thread owns two elements at either end and exchanges them.
#[vyre::kernel(allow(races))] // the halves meet in the middle
fn in_place(x: &mut [i16]) {
    let i = thread::index();
    let n = x.len();
    if i < n / 2 {
        let t = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = t;
    }
}

#[test]
fn reverses_in_place() {
    everywhere(|place| {
        for count in [1i16, 2, 9, 600] {
            let x: Vec<i16> = (0..count).collect();
            let mut y = place.device().upload(&x)?;
            place.over(in_place(&mut y), x.len())?;
            assert_eq!(y.download()?, x.into_iter().rev().collect::<Vec<_>>());
        }
        Ok(())
    });
}
