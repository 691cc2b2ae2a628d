//! Arrays of no elements mean what they mean in Rust: their loops run not once, and each index is out of bounds.

use core::array;

use vyre::Kernel as _;
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
const NONE: [f32; 0] = [];

#[vyre::device]
#[derive(Clone, Copy)]
struct Held {
    one: u32,
    none: [u64; 0],
    other: u32,
}

#[vyre::device]
fn total<const N: usize>(x: [f32; N]) -> f32 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += x[k];
    }
    for v in x {
        sum += v;
    }
    for v in &x {
        sum += *v;
    }
    sum + x.iter().sum::<f32>() + x.iter().copied().fold(4.0, f32::max)
}

#[vyre::device]
fn at<const N: usize>(x: &[f32; N], i: usize) -> f32 {
    x[i]
}

#[vyre::device]
fn lengths(x: &[f32]) -> u32 {
    let mut count = x.len() as u32;
    for _ in x {
        count += 100;
    }
    count
}

#[vyre::device]
fn raised<const N: usize>(mut x: [u32; N], by: u32) -> [u32; N] {
    for v in &mut x {
        *v += by;
    }
    x.map(|v| v + 1)
}

#[vyre::device]
fn counts<const N: usize>(seed: u32) -> u32 {
    let mut made = 0;
    let x: [u32; N] = array::from_fn(|i| {
        made += 1;
        i as u32 + seed
    });
    let raised = raised(x, seed);
    let all = raised.iter().all(|&v| v == 0);
    let any = raised.iter().any(|&v| v != 0);
    let first = raised.first().copied().unwrap_or(7);
    let last = raised.last().copied().unwrap_or(9);
    made + first + 10 * last + 1000 * all as u32 + 10000 * any as u32 + 100000 * (raised == x) as u32
}

#[vyre::device]
fn none_of_all(seed: u32) -> u32 {
    let none = [0.0f32; 0];
    let pairs: [(f32, u32); 0] = [];
    let nested: [[u32; 3]; 0] = [];
    let mut count = 0;
    for (_, b) in pairs {
        count += b;
    }
    for row in nested {
        count += row[0];
    }
    for v in NONE {
        count += v as u32;
    }
    let [] = none;
    let held = Held {
        one: seed,
        none: [],
        other: 2,
    };
    let copy = held;
    count + copy.one + copy.none.len() as u32 + copy.other + lengths(&none) + lengths(&NONE) + lengths(&none[..])
}

#[vyre::kernel]
fn every(#[each] x: &u32, #[each] y: &mut f32, #[each] z: &mut u32) {
    *y = total([0.0; 0]) + total(NONE) + total([*x as f32, 1.0]);
    *z = none_of_all(*x) + counts::<0>(*x) + counts::<3>(*x);
}

#[vyre::kernel(N = [0, 2])]
fn instances<const N: usize>(#[each] x: &u32, #[each] y: &mut f32) {
    let mut values = [0.0f32; N];
    for k in 0..N {
        values[k] = (*x as usize + k) as f32;
    }
    *y = total(values);
}

#[vyre::kernel]
fn beyond(i: usize, #[each] y: &mut f32) {
    let none = [0.0f32; 0];
    *y = at(&none, i);
}

#[test]
fn arrays_of_no_elements() {
    everywhere(|place| {
        let x: Vec<u32> = (0..40).collect();
        let there = place.device().upload(&x)?;
        let (mut y, mut z) = (place.device().zeros(40)?, place.device().zeros(40)?);
        place.over(every(&there, &mut y, &mut z), 40)?;
        let of = |x: &u32| total([0.0; 0]) + total(NONE) + total([*x as f32, 1.0]);
        assert_eq!(
            y.download()?,
            x.iter().map(of).collect::<Vec<f32>>(),
            "on {}",
            place.name()
        );
        let of = |x: &u32| none_of_all(*x) + counts::<0>(*x) + counts::<3>(*x);
        assert_eq!(
            z.download()?,
            x.iter().map(of).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        place.over(instances::<0>(&there, &mut y), 40)?;
        assert_eq!(y.download()?, [4.0; 40], "on {}", place.name());
        place.over(instances::<2>(&there, &mut y), 40)?;
        let of = |x: &u32| total([*x as f32, *x as f32 + 1.0]);
        assert_eq!(
            y.download()?,
            x.iter().map(of).collect::<Vec<f32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
    ptx::assembled(&[Every::info(), InstancesN0::info(), InstancesN2::info(), Beyond::info()]);
}

#[test]
fn each_index_is_out_of_bounds() {
    for device in Device::all() {
        let fault = Beyond::dispatch(&device, 3, &mut [0.0; 2]).expect_err("an index");
        assert!(
            fault
                .to_string()
                .contains("index 3 of `x` is out of bounds of length 0"),
            "{fault}"
        );
    }
}
