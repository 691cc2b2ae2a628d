//! Parameters of device functions that are patterns, two traits with functions of one name, and types called as items of
//! the prelude.

use vyre::Kernel as _;
use vyre::prelude::*;
use vyre_semantics::{everywhere, ptx};

#[vyre::device]
#[derive(Clone, Copy)]
struct Stream {
    rate: u32,
    ends: [u32; 2],
}

#[vyre::device]
fn taken(
    (a, b): (u32, u32),
    [c, .., d]: [u32; 3],
    Stream { rate, ends: [first, _] }: Stream,
    &e: &u32,
    _: u32,
    mut f: u32,
    (_, (g, h)): &(u32, (u32, u32)),
) -> u32 {
    f = f.rotate_left(3);
    (a ^ b.rotate_left(1)) ^ (c ^ d.rotate_left(2)) ^ (rate ^ first.rotate_left(4)) ^ e ^ f ^ (*g + *h)
}

#[vyre::device]
fn generic<T: Number, const N: usize>([first, second]: [T; 2], (many, x): ([T; N], T)) -> T {
    first * second + many[N - 1] * x
}

#[vyre::device]
mod shapes {
    #[derive(Clone, Copy)]
    pub(super) struct View {
        pub(super) side: u32,
    }

    pub(super) trait Area {
        fn size(&self) -> u32;
    }

    pub(super) trait Length {
        fn size(&self) -> u32;
        fn twice(&self) -> u32 {
            2 * self.size()
        }
    }

    impl Area for View {
        fn size(&self) -> u32 {
            self.side * self.side
        }
    }

    impl Length for View {
        fn size(&self) -> u32 {
            4 * self.side
        }
    }
}

use shapes::{Area, Length, View};

#[vyre::device]
fn sizes(side: u32) -> u32 {
    let view = View { side };
    Area::size(&view) + 1000 * Length::size(&view) + 100_000 * <View as Length>::size(&view) + view.twice()
}

#[vyre::device]
fn total_of(x: u32) -> u32 {
    let stream = Stream {
        rate: x,
        ends: [x + 1, 7],
    };
    taken((x, 5), [1, x, 3], stream, &(x / 2), 9, x, &(1, (x, 2)))
        ^ generic([x, 3], ([1, 2, x], 5))
        ^ generic([2.0f32, 3.0], ([0.5], 4.0)) as u32
        ^ sizes(x % 16)
}

#[vyre::kernel]
fn every(#[each] x: &u32, #[each] y: &mut u32) {
    *y = total_of(*x);
}

#[test]
fn patterns_traits_and_names() {
    everywhere(|place| {
        let x: Vec<u32> = (0..64).map(|i| i * 37).collect();
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros(64)?);
        place.over(every(&there, &mut y), 64)?;
        assert_eq!(
            y.download()?,
            x.iter().map(|&x| total_of(x)).collect::<Vec<u32>>(),
            "on {}",
            place.name()
        );
        Ok(())
    });
    ptx::assembled(&[Every::info()]);
}

/// Not the matrix of the prelude.
#[vyre::device]
#[derive(Clone, Copy)]
struct Slice2 {
    first: u32,
    second: u32,
}

#[vyre::kernel]
fn both(pair: Slice2, #[each] y: &mut u32) {
    *y += pair.first * 10 + pair.second;
}

#[test]
fn a_type_called_as_the_matrix() {
    everywhere(|place| {
        let mut y = place.device().upload(&[1u32, 2])?;
        place.over(both(Slice2 { first: 3, second: 4 }, &mut y), 2usize)?;
        assert_eq!(y.download()?, [35, 36], "on {}", place.name());
        Ok(())
    });
}
