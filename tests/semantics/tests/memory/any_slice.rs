//! `Slice<T>`: integers of every type as indices, with the values of plain host Rust; its methods are those of slices.

#![allow(
    clippy::eq_op,
    clippy::redundant_closure_call,
    clippy::redundant_slicing,
    reason = "they are forms that kernels may have"
)]

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;

vyre_semantics::kernels! { CountsIn32 Converted Unsuffixed Parts OfTile OfLocals Histogram AsSlices OfDevice Compared }

/// The bodies of kernels as functions of the host.
mod host {
    use vyre::Slice;

    pub(super) fn counts_in_32(t: u32, n: u32, x: &Slice<f32>, y: &mut Slice<f32>) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += x[(t + k) % n] * x[k];
        }
        if t > 0 {
            sum -= x[t - 1];
        }
        y[t] = sum;
    }
}

#[vyre::kernel]
fn counts_in_32(n: u32, x: &Slice<f32>, y: &mut Slice<f32>) {
    let t = thread::index() as u32;
    if t >= n {
        return;
    }
    let mut sum = 0.0;
    for k in 0..n {
        sum += x[(t + k) % n] * x[k];
    }
    if t > 0 {
        sum -= x[t - 1];
    }
    y[t] = sum;
}

/// The same with conversions.
#[vyre::kernel]
fn converted(n: u32, x: &[f32], y: &mut [f32]) {
    let t = thread::index() as u32;
    if t >= n {
        return;
    }
    let mut sum = 0.0;
    for k in 0..n {
        sum += x[((t + k) % n) as usize] * x[k as usize];
    }
    if t > 0 {
        sum -= x[(t - 1) as usize];
    }
    y[t as usize] = sum;
}

/// An index of 32 bits costs what its conversion does.
#[test]
fn the_same_instructions() {
    let body = |info: &vyre::KernelInfo| {
        let names = vyre_semantics::ptx::checked(info).replace("converted", "counts_in_32");
        let lines = names.lines().filter(|line| !line.trim_start().starts_with(".loc "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let [one, other] = [CountsIn32::info(), Converted::info()].map(body);
    assert_eq!(one, other);
}

#[test]
fn counting_in_32_bits() {
    let values: Vec<f32> = (0..50).map(|i| (i as f32 * 0.37).sin()).collect();
    let mut expected = vec![0.0; 50];
    for t in 0..50 {
        host::counts_in_32(t, 50, Slice::of(&values), Slice::of_mut(&mut expected));
    }
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&values)?, device.zeros(50)?);
        place.over(counts_in_32(50, &x, &mut y), 50)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Integers without a type are `i32`.
#[vyre::kernel]
fn unsuffixed(x: &Slice<i64>, y: &mut Slice<i64>) {
    let i = thread::index();
    if i < y.len() {
        let k = 3;
        let mut all = x[0] + x[k] + x[k - 1];
        for j in 1..3 {
            // `j` and `k` are `i32`, and wrap as such.
            all += x[j] * (j << 31) as i64 + (k - 4) as i64;
        }
        y[i] = all;
    }
}

#[test]
fn integers_without_a_type() {
    let values = [5, 7, 11, 13];
    let x = Slice::of(&values);
    let k = 3;
    let mut all: i64 = x[0] + x[k] + x[k - 1];
    for j in 1..3 {
        all += x[j] * (j << 31) as i64 + (k - 4) as i64;
    }
    let of_k: i32 = k;
    assert_eq!((of_k, all), (3, 29 + 7 * i64::from(i32::MIN) - 2));
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&values)?, device.zeros(2)?);
        place.over(unsuffixed(&x, &mut y), 2)?;
        assert_eq!(y.download()?, [all; 2], "on {}", place.name());
        Ok(())
    });
}
/// An index of each type, and faults of those that are out of bounds.
macro_rules! indices {
    ($($name:ident $launcher:ident $integer:ty, $far:expr;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher)]
            fn pick(x: &Slice<u32>, at: $integer, y: &mut Slice<u32>) {
                if thread::index() == 0 {
                    y[at - at] = x[at];
                }
            }

            everywhere(|place| {
                let device = place.device();
                let (x, mut y) = (device.upload(&[3u32, 4, 5, 6])?, device.zeros(1)?);
                place.over(pick(&x, 2, &mut y), 1)?;
                assert_eq!(y.download()?, [5], "on {}", place.name());
                let far: $integer = $far;
                for at in [4, far] {
                    match place.over(pick(&x, at, &mut y), 1) {
                        Err(Error::Fault(fault)) => {
                            assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "on {}", place.name());
                            assert_eq!(fault.values, [at as u64, 4], "on {}", place.name());
                        }
                        other => panic!("{other:?} on {}", place.name()),
                    }
                }
                Ok(())
            });
        }
    )* };
}

indices! {
    of_u8 PickU8 u8, u8::MAX;
    of_u16 PickU16 u16, u16::MAX;
    of_u32 PickU32 u32, u32::MAX;
    of_u64 PickU64 u64, u64::MAX;
    of_usize PickUsize usize, 1 << 32;
    of_i8 PickI8 i8, -1;
    of_i16 PickI16 i16, i16::MIN;
    of_i32 PickI32 i32, -4;
    of_i64 PickI64 i64, i64::MIN;
    of_isize PickIsize isize, -1;
}

/// Parts by ranges of any integers, which are such slices again, methods, loops and `Slice::of`.
#[vyre::kernel]
fn parts(n: u32, x: &Slice<i32>, y: &mut Slice<i32>) {
    if thread::index() > 0 {
        return;
    }
    let (one, all) = (&x[1..], &x[..]);
    let inner: &[i32] = &x[n - 2..=n];
    y[0] = one[0u8] + all[n] + inner[1];
    // SAFETY: the test passes 14 elements.
    unsafe { *y.get_unchecked_mut(1) = x[..n].len() as i32 };
    let rest = &mut y[2u8..];
    rest[n - n] = x.iter().sum::<i32>();
    let mut total = 0;
    for v in x {
        total += *v;
    }
    for v in &x[n..] {
        total += 100 * v;
    }
    rest[1] = total;
    for v in &mut rest[2..4] {
        *v += 7;
    }
    let (low, high) = x.split_at(2);
    rest[4] = low[1] + high[0];
    rest[5] = match x.get(n as usize) {
        Some(v) => *v,
        None => -1,
    };
    let again = Slice::of(inner);
    rest[6] = again[1i8] + Slice::of(low)[1u16] + (&**x)[2];
    let turn = |i: u32| x[i] * 2;
    rest[7] = turn(n);
    rest[8] += x.len() as i32;
    rest[9u64] |= x[1] << 4;
    rest.swap(10, 9);
    let count = x.chunks(2).map(|pair| pair[0]).max().unwrap_or(0);
    rest[11] = count;
}

#[test]
fn parts_and_methods() {
    let values = [10, 20, 30, 40, 50];
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&values)?, device.zeros(14)?);
        place.over(parts(3, &x, &mut y), 1)?;
        let expected = [
            20 + 40 + 30,
            3,
            150,
            150 + 9000,
            7,
            7,
            20 + 30,
            40,
            30 + 20 + 30,
            80,
            5,
            0,
            320,
            50,
        ];
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Memory of the block as such a slice: as a whole, with its `let`, and as an argument.
#[vyre::kernel(block = 64)]
fn of_tile(x: &Slice<f32>, y: &mut Slice<f32>) {
    let tile = Slice::of_mut(shared::<[f32; 64]>());
    let other = shared::<[f32; 64]>();
    let (t, i) = (thread::idx().x as u32, thread::index() as u32);
    tile[t] = x[i];
    other[t as usize] = 1.0;
    block::sync();
    let read = Slice::of(other);
    y[i] = tile[63 - t] + read[(t + 1) % 64] + last(Slice::of(tile), 2);
}

#[vyre::device]
fn last(x: &Slice<f32>, back: u32) -> f32 {
    x[x.len() as u32 - back]
}

#[test]
fn tiles() {
    let values: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..128)
        .map(|i| (i / 64 * 64 + 63 - i % 64) as f32 + 1.0 + (i / 64 * 64 + 62) as f32)
        .collect();
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&values)?, device.zeros(128)?);
        place.over(of_tile(&x, &mut y), 128)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Arrays of the thread and constants as such slices.
#[vyre::kernel]
fn of_locals(y: &mut Slice<u32>) {
    const TABLE: [u32; 4] = [2, 3, 5, 7];
    let i = thread::index() as u32;
    let mut own = [0u32; 8];
    let places = Slice::of_mut(&mut own);
    for k in 0..8u32 {
        places[(k + i) % 8] = k;
    }
    let table = Slice::of(&TABLE);
    if i < y.len() as u32 {
        y[i] = own[0] + 10 * table[i % 4];
    }
}

#[test]
fn arrays_and_constants() {
    everywhere(|place| {
        let mut y = place.device().zeros(6)?;
        place.over(of_locals(&mut y), 6)?;
        assert_eq!(y.download()?, [20, 37, 56, 75, 24, 33], "on {}", place.name());
        Ok(())
    });
}

#[vyre::kernel]
fn histogram(x: &Slice<u8>, counts: &Slice<AtomicU32>) {
    let i = thread::index() as u32;
    if i < x.len() as u32 {
        counts[x[i]].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn atomics() {
    let values: Vec<u8> = (0..200).map(|i| (i * i % 7) as u8).collect();
    let mut expected = [0; 8];
    values.iter().for_each(|&v| expected[usize::from(v)] += 1);
    everywhere(|place| {
        let device = place.device();
        let (x, mut counts) = (device.upload(&values)?, device.zeros(8)?);
        place.over(histogram(&x, &mut counts), 200)?;
        assert_eq!(counts.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

/// Where functions take slices, and where they take such slices.
#[vyre::kernel]
fn as_slices(x: &Slice<f32>, z: &[f32], y: &mut Slice<f32>) {
    if thread::index() == 0 {
        y[0] = first(x) + first(&x[1..]) + first(z);
        put(y, 1, 4.0);
        put(&mut y[2u32..], 0, nth(x, 2u8) + nth(Slice::of(z), 1i64));
        set(&mut *y, 3, generic(x, 1));
        let part = &mut y[4..];
        set(part, 0, 9.0);
        put(part, 1, 8.0);
    }
}

#[vyre::device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

#[vyre::device]
fn put(y: &mut [f32], at: usize, value: f32) {
    y[at] = value;
}

#[vyre::device]
fn set(y: &mut Slice<f32>, at: u32, value: f32) {
    y[at] = value;
}

#[vyre::device]
fn generic<T: Copy>(x: &Slice<T>, at: i16) -> T {
    x[at]
}

#[vyre::device]
mod picks {
    use vyre::Slice;

    pub(super) trait Place: Copy {
        fn of(self, x: &Slice<f32>) -> f32;
    }
    impl Place for u8 {
        fn of(self, x: &Slice<f32>) -> f32 {
            x[self]
        }
    }
    impl Place for i64 {
        fn of(self, x: &Slice<f32>) -> f32 {
            x[self]
        }
    }

    pub(super) fn nth<P: Place>(x: &Slice<f32>, at: P) -> f32 {
        at.of(x)
    }

    #[derive(Clone, Copy)]
    pub struct Stencil {
        pub reach: i32,
    }

    impl Stencil {
        pub fn sum(&self, x: &Slice<f32>, at: i32) -> f32 {
            let mut sum = 0.0;
            for k in -self.reach..=self.reach {
                sum += x[at + k];
            }
            sum
        }
    }
}
use picks::{Stencil, nth};

#[test]
fn functions() {
    everywhere(|place| {
        let device = place.device();
        let (x, z, mut y) = (
            device.upload(&[1.0, 2.0, 3.0])?,
            device.upload(&[4.0, 5.0])?,
            device.zeros(6)?,
        );
        place.over(as_slices(&x, &z, &mut y), 1)?;
        assert_eq!(y.download()?, [7.0, 4.0, 8.0, 2.0, 9.0, 8.0], "on {}", place.name());
        Ok(())
    });
}

#[vyre::kernel]
fn of_device(x: &Slice<f32>, y: &mut Slice<f32>) {
    let (i, stencil) = (thread::index() as i32, Stencil { reach: 1 });
    if i > 0 && i < x.len() as i32 - 1 {
        y[i] = stencil.sum(x, i);
    }
}

#[test]
fn methods_of_types() {
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.upload(&[1.0, 2.0, 4.0, 8.0])?, device.zeros(4)?);
        place.over(of_device(&x, &mut y), 4)?;
        assert_eq!(y.download()?, [0.0, 7.0, 14.0, 0.0], "on {}", place.name());
        Ok(())
    });
}

#[vyre::kernel(block = 1)]
fn compared(n: u32, x: &Slice<u32>, y: &[u32], z: &mut [u32]) {
    z[0] = (x == y) as u32;
    z[1] = (x[..n] == y[..n as usize]) as u32;
    z[2] = (x[n..] != y[n as usize..]) as u32;
    z[3] = (x[..2u8] == [1, 2]) as u32;
    z[4] = ([1, 2] == x[1..=2]) as u32;
}

#[test]
fn comparisons() {
    everywhere(|place| {
        let device = place.device();
        let (x, y) = (device.upload(&[1u32, 2, 3])?, device.upload(&[1u32, 2, 4])?);
        let mut z = device.zeros(5)?;
        place.over(compared(2, &x, &y, &mut z), 1)?;
        assert_eq!(z.download()?, [0, 1, 1, 1, 0], "on {}", place.name());
        Ok(())
    });
}
