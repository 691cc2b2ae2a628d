//! The order of stores, and of what reads them.

use vyre::prelude::*;

/// An exchange reads the element that its thread has stored.
#[vyre::kernel(block = 64)]
fn sums_of_stored(x: &[u32], y: &mut [u32], z: &mut [u32]) {
    let i = thread::index();
    y[i] = x[i] * 3;
    let sum = warp::sum(y[i]);
    z[i] = sum;
}

/// The same of shared memory.
#[vyre::kernel(block = 64)]
fn sums_of_cells(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let t = thread::idx().x;
    cells[t] = x[thread::index()];
    block::sync();
    cells[t] += 1;
    let sum = warp::sum(cells[t]);
    y[thread::index()] = sum;
}

/// Stores of two types in each branch.
#[vyre::kernel(block = 64)]
fn two_types(x: &[u32], n: u32, y: &mut [i32], z: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for k in 0..3 {
        sum += x[i + k];
    }
    if n > 3 {
        y[i] = sum as i32;
        z[i] = 1;
    } else {
        y[i] = -(sum as i32);
        z[i] = 2;
    }
}

/// Stores to elements of one's own, and between them one to that of a neighbour.
#[vyre::kernel(block = 64)]
fn stores_between(x: &[u32], n: u32, y: &mut [u32], z: &mut [u32]) {
    let i = thread::index();
    let mut sum = 0;
    for k in 0..3 {
        sum += x[i + k];
    }
    y[i] = sum;
    z[i + 1] = sum;
    if n > 3 {
        y[i] = sum + 1;
    }
}

/// An array of each lane, which is assigned once.
#[vyre::kernel(block = 8)]
fn own_array(x: &[u32], y: &mut [u32]) {
    let (i, t) = (thread::index(), thread::idx().x);
    let mut sum = 0;
    for k in 0..3 {
        let all = [x[i + k]; 8];
        sum += all[t];
    }
    y[i] = sum;
}

/// Shared memory without a barrier.
#[vyre::kernel(block = 64)]
fn without_barrier(x: &[u32], y: &mut [u32]) {
    let cells = shared::<[u32; 64]>();
    let i = thread::index();
    let mut sum = 0;
    for k in 0..3 {
        sum += x[i + k];
    }
    cells[thread::idx().x] = sum;
    y[i] = sum;
}

pub(crate) fn results(device: &Device) {
    let words: Vec<u32> = (0..72u32).map(|i| i.wrapping_mul(0x9e37_79b1) >> 25).collect();
    let x = device.upload(&words).expect("memory");
    let sums = |each: fn(u32) -> u32| -> Vec<u32> {
        let warps = words[..64].chunks(32).map(|warp| warp.iter().map(|&x| each(x)).sum());
        warps.flat_map(|sum: u32| [sum; 32]).collect()
    };
    let three = |i: usize| words[i] + words[i + 1] + words[i + 2];
    let zeros = |count: usize| device.zeros::<u32>(count).expect("memory");
    let (mut y, mut z) = (zeros(64), zeros(64));

    sums_of_stored(&x, &mut y, &mut z)
        .over(64)
        .launch(device)
        .expect("a launch");
    assert_eq!(z.download().expect("results"), sums(|x| x * 3));
    sums_of_cells(&x, &mut z).over(64).launch(device).expect("a launch");
    assert_eq!(z.download().expect("results"), sums(|x| x + 1));

    let mut signed = device.zeros::<i32>(64).expect("memory");
    for (n, sign, kind) in [(3, -1, 2), (4, 1, 1)] {
        two_types(&x, n, &mut signed, &mut z)
            .over(64)
            .launch(device)
            .expect("a launch");
        let expected: Vec<i32> = (0..64).map(|i| sign * three(i) as i32).collect();
        assert_eq!(signed.download().expect("results"), expected);
        assert_eq!(z.download().expect("results"), [kind; 64]);
    }

    let mut beside = zeros(65);
    stores_between(&x, 4, &mut y, &mut beside)
        .over(64)
        .launch(device)
        .expect("a launch");
    assert_eq!(
        y.download().expect("results"),
        (0..64).map(|i| three(i) + 1).collect::<Vec<_>>()
    );
    assert_eq!(
        beside.download().expect("results")[1..],
        (0..64).map(three).collect::<Vec<_>>()
    );

    own_array(&x, &mut y).over(64).launch(device).expect("a launch");
    assert_eq!(y.download().expect("results"), (0..64).map(three).collect::<Vec<_>>());
    without_barrier(&x, &mut z).over(64).launch(device).expect("a launch");
    assert_eq!(z.download().expect("results"), (0..64).map(three).collect::<Vec<_>>());
}
