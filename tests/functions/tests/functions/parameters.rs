//! Types with parameters of another crate, in buffers, parameters, shared memory and variables.

use vyre::prelude::*;
use vyre_functions::parameters::algebra::{self, Matrix, Measured, Vector as V};
use vyre_functions::parameters::{self, Either, Entry, Four, Pair, counted, entry};
use vyre_semantics::everywhere;

/// A struct of this crate around one of the other.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row<T, const N: usize> {
    of: V<T, N>,
    next: Pair<T>,
}

#[vyre::kernel]
fn pairs(scale: Pair<f32>, x: &[Pair<f32>], #[each] y: &mut Pair<f64>, #[each] four: &mut Four<u32>) {
    let i = thread::index();
    let Pair { a, b } = x[i];
    let wide = Pair { a: a as f64, b: 2.0 };
    *y = Pair::<f64> {
        b: (b * scale.b) as f64,
        ..wide
    };
    let n = i as u32;
    let inner = Pair { a: n, b: four.b.a };
    *four = Pair {
        a: inner,
        b: Pair {
            a: 7,
            b: (inner == Pair { a: n, b: 1 }) as u32,
        },
    };
}

#[test]
fn structs_in_buffers_and_parameters() {
    assert_eq!((size_of::<Pair<f64>>(), std::mem::offset_of!(Pair<f64>, b)), (16, 8));
    let x: Vec<Pair<f32>> = (0..100)
        .map(|i| Pair {
            a: i as f32,
            b: 0.5 * i as f32,
        })
        .collect();
    everywhere(|place| {
        let (there, mut y) = (place.device().upload(&x)?, place.device().zeros::<Pair<f64>>(100)?);
        let begin: Vec<Four<u32>> = (0..100)
            .map(|i| Pair {
                a: Pair { a: 0, b: 0 },
                b: Pair { a: i % 2, b: 5 },
            })
            .collect();
        let mut four = place.device().upload(&begin)?;
        let scale = Pair { a: 9.0, b: 4.0 };
        place.over(pairs(scale, &there, &mut y, &mut four), 100usize)?;
        for (i, (y, four)) in y.download()?.into_iter().zip(four.download()?).enumerate() {
            let wanted = Pair {
                a: i as f64,
                b: 2.0 * i as f64,
            };
            assert_eq!(y, wanted);
            let n = i as u32;
            let (a, b) = (Pair { a: n, b: n % 2 }, Pair { a: 7, b: n % 2 });
            assert_eq!(four, Pair { a, b });
        }
        Ok(())
    });
}

#[vyre::kernel(block = 32)]
fn entries(rows: &mut [Row<u32, 3>], sums: &mut [u32], chosen: &mut [i32]) {
    let tile = shared::<[Row<u32, 3>; 32]>();
    let (t, i) = (thread::idx().x, thread::index());
    tile[t] = rows[i];
    block::sync();
    let other = tile[31 - t];
    let first = entry(i as u32, [other.of.of[0]; 4]);
    let second: Entry<[u8; 4], _, 1> = entry([1, 2, 3, t as u8], [2.5f32]);
    rows[i].next = other.of.ends();
    rows[i].of = other.of + V::splat(1) * first.values[3];
    sums[i] = counted(&first) * 100 + counted(&second) + second.key[3] as u32 + second.values[0] as u32;
    let either = if t % 3 == 0 {
        Either::Left(i as i32)
    } else if t % 3 == 1 {
        Either::Right([1u8, t as u8])
    } else {
        Either::Neither
    };
    chosen[i] = match either {
        Either::Right([_, n]) if n > 20 => -(n as i32),
        other => parameters::left(other).unwrap_or(-1),
    };
}

#[test]
fn nested_in_shared_memory() {
    let row = |i: u32| Row {
        of: V { of: [i, 2 * i, 3] },
        next: Pair { a: 0, b: 0 },
    };
    let rows: Vec<Row<u32, 3>> = (0..64).map(row).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&rows)?;
        let (mut sums, mut chosen) = (place.device().zeros(64)?, place.device().zeros(64)?);
        place.over(entries(&mut there, &mut sums, &mut chosen), 64usize)?;
        let (there, sums, chosen) = (there.download()?, sums.download()?, chosen.download()?);
        for i in 0..64u32 {
            let (t, base) = (i % 32, i / 32 * 32);
            let other = rows[(base + 31 - t) as usize].of;
            let wanted = Row {
                of: other + V::splat(other.of[0]),
                next: Pair { a: other.of[0], b: 3 },
            };
            assert_eq!(there[i as usize], wanted);
            assert_eq!(sums[i as usize], 4100 + 11 + t + 2);
            let wanted = match t % 3 {
                0 => i as i32,
                1 if t > 20 => -(t as i32),
                _ => -1,
            };
            assert_eq!(chosen[i as usize], wanted);
        }
        Ok(())
    });
}

#[vyre::kernel(T = [f32, u32], N = [2, 3])]
fn multiply<T: Number, const N: usize>(#[each] m: &mut Matrix<T, N, 2>, by: Matrix<T, 2, 2>, lengths: &mut [usize]) {
    let doubled = *m * by;
    m.rows[0] = doubled.rows[N - 1] + V::ZERO;
    m.rows[1] = doubled.rows[0];
    let i = thread::index();
    if i < lengths.len() {
        lengths[i] = V::<T, N>::LENGTH;
    }
}

#[vyre::kernel]
fn measure(vectors: &[V<u32, 2>], #[each] y: &mut u32) {
    let v = vectors[thread::index()];
    let nested = V {
        of: [v, v + V { of: [1, 0] }],
    };
    *y = algebra::both(&nested, &nested.one()) + nested.one().one() + V::<u32, 2>::FACTOR;
}

#[test]
fn behaviour_of_instances() {
    let by = Matrix {
        rows: [V { of: [0, 1] }, V { of: [2, 3] }],
    };
    let matrices: Vec<Matrix<u32, 3, 2>> = (0..40)
        .map(|i| Matrix {
            rows: [V { of: [i, 1] }, V { of: [5, i] }, V { of: [1, 1] }],
        })
        .collect();
    let vectors: Vec<V<u32, 2>> = (0..40).map(|i| V { of: [i, 3] }).collect();
    everywhere(|place| {
        let mut there = place.device().upload(&matrices)?;
        let mut lengths = place.device().zeros(40)?;
        place.over(multiply(&mut there, by, &mut lengths), 40usize)?;
        assert_eq!(lengths.download()?, [3; 40]);
        for (there, here) in there.download()?.into_iter().zip(&matrices) {
            let product = *here * by;
            assert_eq!(there.rows, [product.rows[2], product.rows[0], here.rows[2]]);
        }
        let (there, mut y) = (place.device().upload(&vectors)?, place.device().zeros(40)?);
        place.over(measure(&there, &mut y), 40usize)?;
        for (v, y) in vectors.iter().zip(y.download()?) {
            let nested = V {
                of: [*v, *v + V { of: [1, 0] }],
            };
            assert_eq!(y, algebra::both(&nested, v) + v.of[0] + 3);
        }
        Ok(())
    });
}

#[vyre::device]
fn tripled(x: u32) -> u32 {
    3 * x
}

#[vyre::kernel]
fn map(#[each] v: &V<u32, 4>, #[each] halves: &mut V<f32, 4>, #[each] y: &mut u32) {
    *halves = v.map(|x| x as f32 * 0.5);
    let (mut sum, scale) = (0, v.of[3]);
    v.map(tripled).each(|i, x| sum += x * (i as u32 + scale));
    let [first, second] = v.first::<2>();
    *y = sum + first * 10 + second;
}

#[test]
fn closures_of_methods() {
    let vectors: Vec<V<u32, 4>> = (0..40).map(|i| V { of: [i, 3, 2 * i, 1] }).collect();
    everywhere(|place| {
        let there = place.device().upload(&vectors)?;
        let (mut halves, mut y) = (place.device().zeros(40)?, place.device().zeros(40)?);
        place.over(map(&there, &mut halves, &mut y), 40usize)?;
        for (v, (halves, y)) in vectors.iter().zip(halves.download()?.into_iter().zip(y.download()?)) {
            let [a, b, c, d] = v.of;
            assert_eq!(halves.of, [a, b, c, d].map(|x| x as f32 * 0.5));
            assert_eq!(y, 3 * (a + 2 * b + 3 * c + 4 * d) + 10 * a + b);
        }
        Ok(())
    });
}
