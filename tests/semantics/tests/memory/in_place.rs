//! Array parameters of kernels, indexed at run time: they are read from parameter memory unless the
//! kernel changes them.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { Filtered FirstOnes Picked Changed }

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Filter {
    weights: [f32; 5],
    shifts: [[i16; 3]; 2],
    scale: f64,
    steps: [u8; 4],
    signed: [i8; 4],
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    high: u64,
    low: u32,
    flags: u32,
}

#[vyre::device]
fn weighted(weights: &[f32], by: usize) -> f32 {
    let mut sum = 0.0;
    for i in 0..weights.len() {
        sum += weights[(i + by) % weights.len()] * i as f32;
    }
    sum
}

/// Elements of arrays of every width, by index, row and field, and by references.
#[vyre::kernel]
fn filtered(table: [u32; 7], filter: Filter, pairs: [Pair; 3], x: &[u32], y: &mut [f64]) {
    let i = thread::index();
    if i < y.len() {
        let k = x[i] as usize;
        let mut sum = table[k % 7] as f64 + filter.weights[k % 5] as f64 * 100.0;
        let row = &filter.shifts[k % 2];
        for j in 0..row.len() {
            sum += row[(j + k) % 3] as f64 * j as f64;
        }
        sum += (filter.steps[k % 4] as i32 + filter.signed[3 - k % 4] as i32) as f64 * filter.scale;
        sum += pairs[k % 3].high as f64 + pairs[2].low as f64;
        sum += weighted(&filter.weights, k) as f64 + table[6] as f64;
        let whole = pairs[(k + 1) % 3];
        y[i] = sum + whole.low as f64;
    }
}

#[test]
fn arrays_are_read_where_they_are() {
    let table = [3, 1, 4, 1, 5, 9, 2];
    let filter = Filter {
        weights: [0.5, -1.0, 2.0, 8.0, -0.25],
        shifts: [[-300, 7, 12_000], [1, -2, 3]],
        scale: 0.5,
        steps: [250, 1, 0, 9],
        signed: [-128, 5, 127, -1],
    };
    let pairs = [(65_535, 1 << 40), (2, 3), (9, 77)].map(|(low, high)| Pair { high, low, flags: 1 });
    let x: Vec<u32> = (0..200).map(|i| i * i).collect();
    everywhere(|place| {
        let (given, mut y) = (place.device().upload(&x)?, place.device().zeros::<f64>(200)?);
        place.over(filtered(table, filter, pairs, &given, &mut y), 200)?;
        for (&k, y) in x.iter().zip(y.download()?) {
            let k = k as usize;
            let row = filter.shifts[k % 2];
            let by_row: f64 = (0..3).map(|j| f64::from(row[(j + k) % 3]) * j as f64).sum();
            let small = i32::from(filter.steps[k % 4]) + i32::from(filter.signed[3 - k % 4]);
            let weights: f32 = (0..5).map(|i| filter.weights[(i + k) % 5] * i as f32).sum();
            let expected = f64::from(table[k % 7])
                + f64::from(filter.weights[k % 5]) * 100.0
                + by_row
                + f64::from(small) * filter.scale
                + pairs[k % 3].high as f64
                + 9.0
                + f64::from(weights)
                + 2.0
                + f64::from(pairs[(k + 1) % 3].low);
            assert_eq!(y, expected, "{k} on {}", place.name());
        }
        Ok(())
    });
    let ptx = Filtered::info().ptx;
    assert!(!ptx.contains(".local"), "{ptx}");
    assert!(
        ptx.lines()
            .any(|line| line.contains("ld.param.u32") && line.contains("[%r")),
        "{ptx}"
    );
}

/// Indices known from a loop are words of the parameter, those past the end fault.
#[vyre::kernel(block = 1)]
fn first_ones(table: [u32; 4], count: usize, y: &mut [u32]) {
    let mut sum = 0;
    for i in 0..5 {
        if i < count {
            sum = sum * 10 + table[i];
        }
    }
    y[thread::index()] = sum;
}

#[test]
fn the_end_of_an_array() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(1)?;
        place.over(first_ones([1, 2, 3, 4], 4, &mut y), 1)?;
        assert_eq!(y.download()?, [1234], "on {}", place.name());
        match place.over(first_ones([1, 2, 3, 4], 5, &mut y), 1) {
            Err(Error::Fault(fault)) => {
                assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [4, 4]));
            }
            other => panic!("{other:?} on {}", place.name()),
        }
        Ok(())
    });
}

#[vyre::kernel(block = 40)]
fn picked(table: [i64; 3], at: usize, y: &mut [i64]) {
    y[thread::index()] = table[at];
}

#[test]
fn an_index_past_the_end() {
    everywhere(|place| {
        let mut y = place.device().zeros::<i64>(40)?;
        place.over(picked([-1, 5, i64::MIN], 2, &mut y), 40)?;
        assert_eq!(y.download()?, [i64::MIN; 40], "on {}", place.name());
        for at in [3, usize::MAX, 1 << 32] {
            match place.over(picked([-1, 5, 6], at, &mut y), 40) {
                Err(Error::Fault(fault)) => {
                    assert_eq!(
                        (fault.kind, fault.values),
                        (FaultKind::IndexOutOfBounds, [at as u64, 3])
                    );
                }
                other => panic!("{other:?} on {}", place.name()),
            }
        }
        Ok(())
    });
}

#[vyre::device]
fn raise(table: &mut [u32; 4], at: usize) {
    table[at % 4] += 10;
}

/// Arrays that the kernel changes are local copies, changed in part or by a reference.
#[vyre::kernel(block = 20)]
fn changed(mut by_element: [u32; 4], mut by_reference: [u32; 4], mut whole: [u32; 4], x: &[usize], y: &mut [u32]) {
    let i = thread::index();
    let k = x[i];
    by_element[k % 4] += 1;
    raise(&mut by_reference, k + 1);
    if k > 2 {
        whole = [9; 4];
    }
    y[i] = by_element[(k + i) % 4] + by_reference[(k + i) % 4] * 100 + whole[k % 4] * 10_000;
}

#[test]
fn changes_are_the_threads_own() {
    everywhere(|place| {
        let x: Vec<usize> = (0..60).map(|i| i * 7 % 5).collect();
        let (given, mut y) = (place.device().upload(&x)?, place.device().zeros::<u32>(60)?);
        place.over(changed([1, 2, 3, 4], [0, 1, 2, 3], [5, 6, 7, 8], &given, &mut y), 60)?;
        for (i, (&k, y)) in x.iter().zip(y.download()?).enumerate() {
            let at = (k + i) % 4;
            let element = at as u32 + 1 + u32::from(at == k % 4);
            let reference = at as u32 + 10 * u32::from(at == (k + 1) % 4);
            let whole = if k > 2 { 9 } else { 5 + k as u32 % 4 };
            assert_eq!(y, element + reference * 100 + whole * 10_000, "{i} on {}", place.name());
        }
        Ok(())
    });
}
