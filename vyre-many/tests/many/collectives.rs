//! The results of operations.

use vyre::prelude::*;
use vyre_many::{Communicator, Reducible, Reduction};

use crate::{LONG, within};

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }
}

/// A type of elements with its operations in plain Rust.
pub(crate) trait Plain: Reducible + Send + std::fmt::Debug {
    fn of(number: u64) -> Self;
    fn bits(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! plain {
    ($($type:ident $add:expr, $multiply:expr, $bits:expr;)*) => { $(
        impl Plain for $type {
            fn of(number: u64) -> $type {
                // Of both signs, not whole, and of sizes whose sums are rounded.
                (number as i64 % 100_000) as $type / 7 as $type
            }
            fn bits(self) -> u64 {
                $bits(self)
            }
            fn plus(self, other: $type) -> $type {
                $add(self, other)
            }
            fn times(self, other: $type) -> $type {
                $multiply(self, other)
            }
        }
    )* };
}

plain! {
    i32 i32::wrapping_add, i32::wrapping_mul, |x| x as u32 as u64;
    u32 u32::wrapping_add, u32::wrapping_mul, |x| x as u64;
    i64 i64::wrapping_add, i64::wrapping_mul, |x| x as u64;
    u64 u64::wrapping_add, u64::wrapping_mul, |x| x;
    f32 |a, b| a + b, |a, b| a * b, |x: f32| x.to_bits() as u64;
    f64 |a, b| a + b, |a, b| a * b, |x: f64| x.to_bits();
}

/// The elements of all ranks.
pub(crate) fn values<T: Plain>(ranks: usize, length: usize, seed: u64) -> Vec<Vec<T>> {
    let mut numbers = Numbers(seed);
    let mut rank = || (0..length).map(|_| T::of(numbers.next())).collect();
    (0..ranks).map(|_| rank()).collect()
}

pub(crate) fn reduced<T: Plain>(values: &[Vec<T>], reduction: Reduction) -> Vec<u64> {
    let combine = |a: T, b: T| match reduction {
        Reduction::Sum => a.plus(b),
        Reduction::Product => a.times(b),
        Reduction::Min if b < a => b,
        Reduction::Max if b > a => b,
        _ => a,
    };
    let element = |i: usize| values.iter().map(|rank| rank[i]).reduce(combine).unwrap();
    (0..values[0].len()).map(|i| element(i).bits()).collect()
}

pub(crate) fn bits<T: Plain>(values: Vec<T>) -> Vec<u64> {
    values.into_iter().map(T::bits).collect()
}

pub(crate) const REDUCTIONS: [Reduction; 4] = [Reduction::Sum, Reduction::Product, Reduction::Min, Reduction::Max];

/// All reductions, in the order of the ranks.
pub(crate) fn reduces<T: Plain>(devices: &[Device], length: usize) {
    let ranks = devices.len();
    let all = values::<T>(ranks, length * ranks, 7 + ranks as u64);
    // One communicator for all: NCCL takes long to make one.
    let found = vyre_many::on_each(devices, |own| {
        let (own, source) = (own.deterministic(), &all[own.rank()]);
        let reduces = |reduction| {
            let mut x = own.device().upload(source)?;
            own.all_reduce(&mut x, reduction)?;
            let y = own.device().upload(source)?;
            let mut part = own.device().zeros(length)?;
            own.reduce_scatter(&y, &mut part, reduction)?;
            assert!(bits(y.download()?) == bits(source.clone()), "the source is as before");
            Ok((bits(x.download()?), bits(part.download()?)))
        };
        REDUCTIONS.into_iter().map(reduces).collect::<vyre::Result<Vec<_>>>()
    });
    let found = found.unwrap();
    for (at, reduction) in REDUCTIONS.into_iter().enumerate() {
        let expected = reduced(&all, reduction);
        for (rank, (sum, part)) in found.iter().map(|found| &found[at]).enumerate() {
            assert_eq!(*sum, expected, "{reduction:?} of {ranks} ranks");
            assert_eq!(
                *part,
                expected[rank * length..(rank + 1) * length],
                "{reduction:?} of {ranks} ranks"
            );
        }
    }
}

#[test]
fn reductions_are_those_of_plain_rust() {
    within(LONG, || {
        for ranks in 1..=5 {
            for length in [0, 1, 700] {
                reduces::<f32>(&Device::cpus(ranks), length);
            }
        }
        let devices = Device::cpus(4);
        reduces::<i32>(&devices[..3], 10);
        reduces::<u32>(&devices[..3], 10);
        reduces::<i64>(&devices[..3], 10);
        reduces::<u64>(&devices[..3], 10);
        reduces::<f64>(&devices, 10);
    });
}

#[test]
fn a_nan_gives_way_to_a_number() {
    within(LONG, || {
        let parts = [[f32::NAN, 1.0, f32::NAN], [2.0, f32::NAN, f32::NAN]];
        let found = vyre_many::on_each(&Device::cpus(2), |own| {
            let (mut least, mut most) = (
                own.device().upload(&parts[own.rank()])?,
                own.device().upload(&parts[own.rank()])?,
            );
            own.all_reduce(&mut least, Reduction::Min)?;
            own.all_reduce(&mut most, Reduction::Max)?;
            Ok([least.download()?, most.download()?])
        });
        for result in found.unwrap().into_iter().flatten() {
            assert_eq!(result[..2], [2.0, 1.0]);
            assert!(result[2].is_nan());
        }
    });
}

/// All operations that move elements.
pub(crate) fn moves(own: &Communicator, all: &[Vec<u32>]) -> vyre::Result<()> {
    let (rank, ranks, device) = (own.rank(), own.ranks(), own.device());
    let length = all[0].len();
    let x = device.upload(&all[rank])?;

    let mut gathered = device.zeros(length * ranks)?;
    own.all_gather(&x, &mut gathered)?;
    assert_eq!(gathered.download()?, all.concat());

    for (root, expected) in all.iter().enumerate() {
        let mut y = x.try_clone()?;
        own.broadcast(&mut y, root)?;
        assert_eq!(&y.download()?, expected);
    }

    let part = length / ranks;
    let mut turned = device.zeros(part * ranks)?;
    own.all_to_all(x.slice(..part * ranks)?, &mut turned)?;
    let parts = all.iter().flat_map(|other| &other[rank * part..(rank + 1) * part]);
    assert!(turned.download()?.iter().eq(parts));

    // A ring, whose ranks all receive first.
    let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
    let mut from_left = device.zeros::<u32>(length)?;
    own.group().receive(&mut from_left, left).send(&x, right).run()?;
    assert_eq!(from_left.download()?, all[left]);

    // Messages between two ranks keep their order.
    let mut halves = device.zeros::<u32>(length)?;
    let middle = length / 2;
    let (first, second) = halves.split_at_mut(middle)?;
    own.group()
        .send(x.slice(..middle)?, right)
        .receive(first, left)
        .send(x.slice(middle..)?, right)
        .receive(second, left)
        .run()?;
    assert_eq!(halves.download()?, all[left]);
    Ok(())
}

#[test]
fn elements_go_where_they_belong() {
    within(LONG, || {
        for ranks in 1..=5 {
            let all: Vec<Vec<u32>> = values(ranks, 33, 1);
            vyre_many::on_each(&Device::cpus(ranks), |own| moves(own, &all)).unwrap();
        }
    });
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    place: [f32; 3],
    mass: f32,
}

#[test]
fn any_elements_are_moved() {
    within(LONG, || {
        let body = |rank: usize| Body {
            place: [rank as f32, 0.5, -1.0],
            mass: 2.0,
        };
        let found = vyre_many::on_each(&Device::cpus(3), |own| {
            let mut bodies = own.device().zeros(3)?;
            own.all_gather(&own.device().upload(&[body(own.rank())])?, &mut bodies)?;
            bodies.download()
        });
        assert_eq!(found.unwrap(), vec![[0, 1, 2].map(body); 3]);
    });
}

#[vyre::kernel]
fn scale(by: f32, #[each] x: &mut f32) {
    *x *= by;
}

/// Launches before and after an operation, on other streams than its own.
pub(crate) fn orders(devices: &[Device], length: usize) {
    let found = vyre_many::on_each(devices, |own| {
        let streams = [own.device().stream()?, own.device().stream()?, own.device().stream()?];
        let own = own.on(&streams[1])?;
        let mut x = own.device().upload(&vec![1.0f32; length])?;
        for _ in 0..4 {
            scale(2.0, &mut x).over(length).on(&streams[0]).launch(own.device())?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            scale(0.5, &mut x).over(length).on(&streams[2]).launch(own.device())?;
        }
        x.download()
    });
    let expected = vec![(devices.len() as f32).powi(4); length];
    assert!(found.unwrap().iter().all(|x| *x == expected));
}

#[test]
fn operations_are_ordered_with_launches() {
    within(LONG, || orders(&Device::cpus(3), 100));
}

/// One rank needs no library, on any device.
#[test]
fn one_rank_may_be_a_gpu() {
    within(LONG, || {
        let devices = Device::all();
        if !devices.iter().any(Device::is_cuda) {
            eprintln!("SKIP-GPU one_rank_may_be_a_gpu: no CUDA device");
        }
        for device in devices {
            let all: Vec<Vec<u32>> = values(1, 33, 1);
            vyre_many::on_each(&[device], |own| {
                moves(own, &all)?;
                let mut x = own.device().upload(&[1.5f32])?;
                own.all_reduce(&mut x, Reduction::Sum)?;
                own.deterministic().all_reduce(&mut x, Reduction::Sum)?;
                assert_eq!(x.download()?, [1.5]);
                Ok(())
            })
            .unwrap();
        }
    });
}

/// The kernel that gives GPUs the bits of the CPU, on all devices there are.
#[test]
fn parts_are_combined_alike_on_all_devices() {
    within(LONG, || {
        let parts = values::<f32>(7, 1000, 3);
        let expected = reduced(&parts, Reduction::Sum);
        for device in Device::all() {
            let (x, mut y) = (device.upload(&parts.concat()).unwrap(), device.zeros(1000).unwrap());
            vyre_many::kernels::combine(0, &x, &mut y)
                .over(1000)
                .launch(&device)
                .unwrap();
            assert_eq!(bits(y.download().unwrap()), expected, "on {device}");
        }
    });
}
