//! Generic kernels over traits of the user, with types of this and another crate as instances.

use vyre::prelude::*;
use vyre_functions::geometry::{Sized2, Vec3};
use vyre_functions::parameters::algebra::{Measured, Vector};
use vyre_functions::parameters::{Entry, Pair, entry};
use vyre_semantics::everywhere;

#[vyre::device]
mod shapes {
    use core::ops::AddAssign;

    /// Values that kernels fold.
    pub(super) trait Fold: Copy + AddAssign {
        const FIRST: Self;
        type Key;

        fn key(&self) -> Self::Key;
        fn weigh(self, by: f32) -> Self;
        fn number(key: Self::Key) -> u32;

        fn twice(self) -> Self {
            self.weigh(2.0)
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Disc {
        pub(super) radius: f32,
    }

    impl AddAssign for Disc {
        fn add_assign(&mut self, other: Self) {
            self.radius = self.radius.max(other.radius);
        }
    }

    impl Fold for Disc {
        const FIRST: Self = Disc { radius: 0.25 };
        type Key = u32;

        fn key(&self) -> u32 {
            self.radius as u32
        }

        fn weigh(self, by: f32) -> Self {
            Disc {
                radius: by * self.radius,
            }
        }

        fn number(key: u32) -> u32 {
            key + 100
        }
    }

    impl Fold for f32 {
        const FIRST: Self = 1.0;
        type Key = (u32, bool);

        fn key(&self) -> (u32, bool) {
            (*self as u32, *self > 2.0)
        }

        fn weigh(self, by: f32) -> Self {
            self - by
        }

        fn number(key: (u32, bool)) -> u32 {
            let (key, large) = key;
            if large { key } else { 1000 }
        }
    }
}

use shapes::{Disc, Fold};

#[vyre::kernel(T = [shapes::Disc, f32], N = [1, 3])]
fn gather<T: Fold, const N: usize>(x: &[T], #[each] y: &mut T, #[each] keys: &mut u32, factor: T) {
    let i = thread::index();
    let mut sum = T::FIRST;
    for k in 0..N {
        sum += x[(i + k) % x.len()].weigh(0.5);
    }
    sum += factor.twice();
    *keys = T::number(sum.key()) + <T as Fold>::number(Fold::key(y));
    *y = sum;
}

fn folded<T: Fold>(x: &[T], y: &T, i: usize, n: usize, factor: T) -> (T, u32) {
    let mut sum = T::FIRST;
    for k in 0..n {
        sum += x[(i + k) % x.len()].weigh(0.5);
    }
    sum += factor.twice();
    (sum, T::number(sum.key()) + T::number(y.key()))
}

#[test]
fn types_and_numbers() {
    let discs: Vec<Disc> = (0..50)
        .map(|i| Disc {
            radius: (i * 7 % 11) as f32,
        })
        .collect();
    let floats: Vec<f32> = discs.iter().map(|disc| disc.radius).collect();
    everywhere(|place| {
        let (there, mut y, mut keys) = (
            place.device().upload(&discs)?,
            place.device().upload(&discs)?,
            place.device().zeros(50)?,
        );
        let factor = Disc { radius: 1.5 };
        place.over(gather::<_, 3>(&there, &mut y, &mut keys, factor), 50usize)?;
        for (i, (y, key)) in y.download()?.into_iter().zip(keys.download()?).enumerate() {
            assert_eq!((y, key), folded(&discs, &discs[i], i, 3, factor));
        }
        let (there, mut y, mut keys) = (
            place.device().upload(&floats)?,
            place.device().upload(&floats)?,
            place.device().zeros(50)?,
        );
        place.over(gather::<f32, 1>(&there, &mut y, &mut keys, 4.5), 50usize)?;
        for (i, (y, key)) in y.download()?.into_iter().zip(keys.download()?).enumerate() {
            assert_eq!((y, key), folded(&floats, &floats[i], i, 1, 4.5));
        }
        Ok(())
    });
}

/// Types of another crate: generic ones, and a trait whose methods are those of their elements.
#[vyre::kernel(T = [Vector::<u32, 2>, Vector::<Vector<u32, 2>, 3>, u32])]
fn measure<T: Measured + Copy>(#[each] x: &T, both: &[Pair<T>], #[each] y: &mut u32) {
    let Pair { a, b } = both[thread::index() % both.len()];
    *y = x.scaled() + a.measure() * T::FACTOR + b.scaled();
}

#[vyre::kernel(T = [Vec3, f32])]
fn sizes<T>(#[each] x: &T, #[each] y: &mut f32)
where
    T: Sized2,
{
    *y = x.weighed() + T::WEIGHT;
}

#[test]
fn of_another_crate() {
    let nested = |i: u32| Vector {
        of: [Vector { of: [i, 1] }, Vector { of: [2, i] }, Vector { of: [3, 3] }],
    };
    let x: Vec<Vector<Vector<u32, 2>, 3>> = (0..30).map(nested).collect();
    let both: Vec<Pair<Vector<Vector<u32, 2>, 3>>> = (0..3)
        .map(|i| Pair {
            a: nested(i),
            b: nested(9),
        })
        .collect();
    everywhere(|place| {
        let (there, pairs, mut y) = (
            place.device().upload(&x)?,
            place.device().upload(&both)?,
            place.device().zeros(30)?,
        );
        place.over(measure(&there, &pairs, &mut y), 30usize)?;
        for (i, y) in y.download()?.into_iter().enumerate() {
            let Pair { a, b } = both[i % 3];
            assert_eq!(
                y,
                x[i].scaled() + a.measure() * Vector::<Vector<u32, 2>, 3>::FACTOR + b.scaled()
            );
        }
        let numbers: Vec<u32> = (0..30).collect();
        let (there, mut y) = (place.device().upload(&numbers)?, place.device().zeros(30)?);
        let pairs = place.device().upload(&[Pair { a: 5, b: 6 }])?;
        place.over(measure(&there, &pairs, &mut y), 30usize)?;
        assert!(y.download()?.into_iter().eq(numbers.iter().map(|n| 2 * n + 10 + 12)));
        let floats: Vec<f32> = (0..30).map(|i| i as f32).collect();
        let (there, mut y) = (place.device().upload(&floats)?, place.device().zeros(30)?);
        place.over(sizes(&there, &mut y), 30usize)?;
        assert!(
            y.download()?
                .into_iter()
                .eq(floats.iter().map(|x| x.weighed() + f32::WEIGHT))
        );
        Ok(())
    });
}

/// A parameter whose type has bounds of its own.
#[vyre::kernel(T = [u32, f32])]
fn keys<T>(#[each] x: &Entry<u32, T, 3>, #[each] y: &mut T)
where
    T: Number,
{
    *y = if x.key > 3 {
        x.values[1] * x.values[2]
    } else {
        x.values[0]
    };
}

#[test]
fn types_with_bounds() {
    let entries: Vec<Entry<u32, f32, 3>> = (0..8).map(|i| entry(i, [i as f32, 2.0, 1.5])).collect();
    everywhere(|place| {
        let (there, mut y) = (place.device().upload(&entries)?, place.device().zeros(8)?);
        place.over(keys(&there, &mut y), 8usize)?;
        assert_eq!(y.download()?, [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
        Ok(())
    });
}

#[vyre::device]
mod counters {
    pub(super) trait Counter: Copy {
        fn count(&mut self) -> u32;

        fn is_even(&mut self) -> bool {
            self.count().is_multiple_of(2)
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Up {
        pub(super) at: u32,
    }

    impl Counter for Up {
        fn count(&mut self) -> u32 {
            self.at += 1;
            self.at
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Down {
        pub(super) at: [u32; 3],
    }

    impl Counter for Down {
        fn count(&mut self) -> u32 {
            self.at[2] -= 1;
            self.at[2]
        }
    }
}
use counters::{Counter, Down, Up};

/// The array of the other counter is read after the literal, whose type is determined only by the
/// result.
#[vyre::device]
fn evens<C: Counter>(counter: &mut C, among: u32) -> u32 {
    let mut found = 0;
    for _ in 0..among {
        if counter.is_even() {
            found += 1;
        }
    }
    found
}

#[vyre::kernel(C = [Up, Down])]
fn count_evens<C: Counter>(among: u32, #[each] counter: &mut C, #[each] found: &mut u32) {
    *found = evens(counter, among);
}

#[test]
fn literals_wait_for_what_tells_their_types() {
    everywhere(|place| {
        let device = place.device();
        let mut found = device.zeros(1)?;
        let mut counters = device.upload(&[Up { at: 3 }])?;
        place.over(count_evens(5, &mut counters, &mut found), 1usize)?;
        assert_eq!((found.download()?, counters.download()?), (vec![3], vec![Up { at: 8 }]));
        let mut counters = device.upload(&[Down { at: [1, 2, 10] }])?;
        place.over(count_evens(5, &mut counters, &mut found), 1usize)?;
        assert_eq!(
            (found.download()?, counters.download()?),
            (vec![2], vec![Down { at: [1, 2, 5] }])
        );
        Ok(())
    });
}
