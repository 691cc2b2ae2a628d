//! Types with behaviour of another crate and of other modules, under other names and by globs.

use vyre::prelude::*;
use vyre_functions::geometry::{Sized2, Vec3 as V, middle as centre};
use vyre_functions::{Point, geometry};
use vyre_semantics::everywhere;

/// The same name as a type of the other crate, with methods of the same names.
#[vyre::device]
mod flat {
    use vyre_functions::geometry::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Flat {
        pub(super) of: Vec3,
        pub(super) by: f32,
    }

    impl Flat {
        pub(super) fn dot(&self, other: Vec3) -> f32 {
            self.by * self.of.dot(other)
        }

        pub(super) fn grow(&mut self, by: f32) -> f32 {
            let before = self.by;
            self.by += by;
            self.of.scale(by);
            before
        }
    }

    impl Sized2 for Flat {
        const WEIGHT: f32 = 4.0;

        fn size(&self) -> f32 {
            self.of.size() + self.by
        }
    }

    /// Trait methods of several types, called by generic functions.
    pub(super) fn both<T: Sized2, U: Sized2>(a: T, b: &U) -> f32 {
        a.weighed() + T::WEIGHT * b.weighed()
    }
}

/// Uses all of it.
#[vyre::kernel]
fn measure(vectors: &[V], #[each] flat: &mut flat::Flat, #[each] seen: &mut Point, #[each] sizes: &mut f32) {
    let v = vectors[thread::index()];
    let mut sum = geometry::Vec3::ZERO;
    for other in vectors.iter() {
        sum += *other - centre(v, *other);
    }
    *seen = (2.0 * sum).seen();
    let before = flat.grow(0.5);
    flat.of += V::new(before, flat.dot(v), flat.by);
    *sizes = flat::both(v, flat) + flat::both(before, &flat.of) + v.weighed() + Sized2::size(&before);
}

fn measured(vectors: &[V], flat: &mut flat::Flat, i: usize) -> (Point, f32) {
    let v = vectors[i];
    let mut sum = V::ZERO;
    for other in vectors {
        sum += *other - centre(v, *other);
    }
    let before = flat.grow(0.5);
    flat.of += V::new(before, flat.dot(v), flat.by);
    let sizes = flat::both(v, flat) + flat::both(before, &flat.of) + v.weighed() + before.size();
    ((2.0 * sum).seen(), sizes)
}

#[test]
fn types_of_other_crates_do_what_they_do_there() {
    let vectors: Vec<V> = (0..40)
        .map(|i| V::new(i as f32, 0.25 * i as f32, 7.5 - i as f32))
        .collect();
    let flats: Vec<flat::Flat> = vectors.iter().map(|&of| flat::Flat { of, by: 0.1 }).collect();
    everywhere(|place| {
        let there = place.device().upload(&vectors)?;
        let mut on_device = place.device().upload(&flats)?;
        let (mut seen, mut sizes) = (place.device().zeros::<Point>(40)?, place.device().zeros::<f32>(40)?);
        place.over(measure(&there, &mut on_device, &mut seen, &mut sizes), 40usize)?;
        let (found, seen, sizes) = (on_device.download()?, seen.download()?, sizes.download()?);
        for i in 0..40 {
            let mut flat = flats[i];
            let expected = measured(&vectors, &mut flat, i);
            assert_eq!((seen[i], sizes[i], found[i]), (expected.0, expected.1, flat), "{i}");
        }
        Ok(())
    });
}

/// A module in a function body, by a kernel in the module itself.
#[test]
fn kernels_inside_of_the_module() {
    #[vyre::device]
    mod counters {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) struct Counter(u32);

        impl Counter {
            pub(super) const START: Self = Counter(5);

            fn next(&mut self) -> u32 {
                self.0 += 1;
                self.0
            }

            pub(super) fn value(self) -> u32 {
                self.0
            }
        }

        #[vyre::kernel]
        pub(super) fn count(#[each] counter: &mut Counter, #[each] y: &mut u32) {
            *y = counter.next() * 10 + counter.next();
        }
    }
    everywhere(|place| {
        let mut counters = place.device().upload(&[counters::Counter::START; 3])?;
        let mut y = place.device().zeros::<u32>(3)?;
        place.over(counters::count(&mut counters, &mut y), 3usize)?;
        assert_eq!(y.download()?, [67; 3]);
        assert_eq!(counters.download()?[2].value(), 7);
        Ok(())
    });
}
