//! Asynchronous copies: every size and alignment, from every memory, with the values of plain
//! assignments; their instructions; and faults.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::{Kernel, KernelInfo};
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Stages OtherMemories Vectors }

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wide {
    a: u32,
    b: f32,
    c: i32,
    d: u32,
}

#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Uneven {
    a: u16,
    b: u8,
    c: u8,
    d: f32,
    e: [i32; 3],
}

#[vyre::device]
type Quad = [f32; 4];
#[vyre::device]
type Pair = [f64; 2];
#[vyre::device]
type Bytes = [u8; 4];
#[vyre::device]
type Triple = [i32; 3];
#[vyre::device]
type Row = [[u32; 4]; 3];

/// Each value through shared memory, as seen by another thread.
macro_rules! values {
    ($($name:ident $launcher:ident $ty:ident, $count:literal, $make:expr;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 64)]
            fn turn(x: &[$ty], y: &mut [$ty]) {
                let tile = shared::<[$ty; 64]>();
                let (i, t) = (thread::index(), thread::idx().x);
                pipeline::copy(&mut tile[t], &x[i]);
                pipeline::commit();
                pipeline::wait_prior::<0>();
                block::sync();
                y[i] = tile[63 - t];
            }

            everywhere(|place| {
                let make: fn(u32) -> $ty = $make;
                let values: Vec<$ty> = (0..128).map(make).collect();
                let device = place.device();
                let (x, mut y) = (device.upload(&values)?, device.upload(&values)?);
                place.over(turn(&x, &mut y), 128)?;
                let turned: Vec<$ty> = values.chunks(64).flat_map(|part| part.iter().rev().copied()).collect();
                assert_eq!(y.download()?, turned, "on {}", place.name());
                Ok(())
            });
            assert_eq!(copies($launcher::info()), $count, "{}", $launcher::info().ptx);
            assemble_quickly($launcher::info());
        }
    )* };
}

values! {
    floats TurnFloats f32, 1, |i| i as f32 + 0.5;
    words TurnWords u32, 1, |i| i * 3;
    longs TurnLongs u64, 1, |i| u64::from(i) << 40 | 7;
    doubles TurnDoubles f64, 1, |i| f64::from(i) / 3.0;
    sizes TurnSizes usize, 1, |i| i as usize;
    structs TurnStructs Wide, 5, |i| Wide { a: i, b: i as f32, c: -(i as i32), d: !i };
    uneven TurnUneven Uneven, 5, |i| Uneven { a: i as u16, b: 1, c: i as u8, d: 0.25, e: [i as i32; 3] };
    quads TurnQuads Quad, 5, |i| [i as f32, 1.0, -2.0, 0.5];
    pairs TurnPairs Pair, 3, |i| [f64::from(i), -1.0];
    bytes TurnBytes Bytes, 1, |i| [i as u8, 1, 2, 255];
    triples TurnTriples Triple, 3, |i| [i as i32, -1, 7];
    rows TurnRows Row, 15, |i| [[i; 4], [1, 2, 3, i], [0; 4]];
}

/// The number of copies in the PTX of a kernel.
fn copies(info: &KernelInfo) -> usize {
    vyre_semantics::ptx::checked(info).matches("shared.global ").count()
}

/// Consecutive elements at any alignment.
macro_rules! parts {
    ($($name:ident $launcher:ident $ty:ident, $length:literal, $make:expr;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 32)]
            fn part(x: &[$ty], first: usize, to: usize, y: &mut [$ty]) {
                let tile = shared::<[$ty; 33 * $length]>();
                let t = thread::idx().x;
                let (begin, from) = (to + $length * t, first + $length * t);
                pipeline::copy(&mut tile[begin..begin + $length], &x[from..$length + from]);
                pipeline::commit();
                pipeline::wait_prior::<0>();
                block::sync();
                for k in 0..$length {
                    y[$length * t + k] = tile[to + $length * (31 - t) + k];
                }
            }

            everywhere(|place| {
                let make: fn(u32) -> $ty = $make;
                let values: Vec<$ty> = (0..34 * $length).map(make).collect();
                let device = place.device();
                let x = device.upload(&values)?;
                for (first, to) in [(0, 0), (0, 1), (1, 0), ($length / 2, $length / 2), (3, 2), ($length, $length)] {
                    let mut y = device.upload(&[values[0]; 32 * $length])?;
                    place.over(part(&x, first, to, &mut y), 32)?;
                    let parts = values[first..first + 32 * $length].chunks($length).rev();
                    let turned: Vec<$ty> = parts.flatten().copied().collect();
                    assert_eq!(y.download()?, turned, "from {first} to {to} on {}", place.name());
                }
                Ok(())
            });
            assemble_quickly($launcher::info());
        }
    )* };
}

parts! {
    parts_of_floats PartFloats f32, 4, |i| i as f32;
    parts_of_words PartWords u32, 2, |i| i;
    parts_of_longs PartLongs i64, 2, |i| -i64::from(i);
    parts_of_shorts PartShorts i16, 8, |i| i as i16;
    parts_of_bytes PartBytes u8, 16, |i| i as u8;
    pairs_of_shorts PairShorts u16, 2, |i| i as u16;
    long_parts LongParts f32, 24, |i| i as f32;
    very_long_parts VeryLongParts u32, 96, |i| i;
}

/// Works on one row while the next ones are in flight.
#[vyre::kernel(block = 64)]
fn stages(rows: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared::<[[f32; 64]; 4]>();
    let t = thread::idx().x;
    for stage in 0..3 {
        if stage < rows {
            pipeline::copy(&mut tile[stage][t], &x[stage * 64 + t]);
        }
        pipeline::commit();
    }
    let mut sum = 0.0;
    for row in 0..rows {
        let next = row + 3;
        pipeline::wait_prior::<2>();
        block::sync();
        if next < rows {
            pipeline::copy(&mut tile[next % 4][t], &x[next * 64 + t]);
        }
        pipeline::commit();
        let current = &mut tile[row % 4];
        sum = sum * 0.5 + current[63 - t];
        y[row * 64 + t] = sum;
    }
}

#[test]
fn rounds_overlap() {
    everywhere(|place| {
        for rows in [0, 1, 2, 3, 9] {
            let values: Vec<f32> = (0..rows * 64).map(|i| (i * 7 % 64) as f32).collect();
            let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<f32>(rows * 64)?);
            place.over(stages(rows, &x, &mut y), 64)?;
            let y = y.download()?;
            let mut sums = [0.0; 64];
            for row in 0..rows {
                for (t, sum) in sums.iter_mut().enumerate() {
                    *sum = *sum * 0.5 + values[row * 64 + 63 - t];
                    assert_eq!(y[row * 64 + t], *sum, "row {row} on {}", place.name());
                }
            }
        }
        Ok(())
    });
}

#[vyre::device]
fn fetch_row<const COUNT: usize>(to: &mut [[f32; 12]; 32], x: &[f32]) {
    let t = thread::idx().x;
    pipeline::copy(&mut to[t][0..COUNT], &x[COUNT * t..COUNT * t + COUNT]);
    pipeline::copy(&mut to[31 - t][8..8 + HALF], &x[HALF * t..HALF * t + HALF]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
}

#[vyre::device]
const HALF: usize = 4;

#[vyre::kernel(COUNT = [4, 6, 8], block = 32)]
fn fetch_rows<const COUNT: usize>(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[[f32; 12]; 32]>();
    let t = thread::idx().x;
    fetch_row::<COUNT>(tile, x);
    block::sync();
    let mut sum = 0.0;
    for k in 0..COUNT {
        sum = sum * 2.0 + tile[31 - t][k];
    }
    for k in 0..HALF {
        sum = sum * 2.0 + tile[t][8 + k];
    }
    y[t] = sum;
}

#[test]
fn lengths_may_be_parameters_and_constants() {
    everywhere(|place| {
        let values: Vec<f32> = (0..32 * 8).map(|i| (i % 5) as f32).collect();
        let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<f32>(32)?);
        for count in [4, 6, 8] {
            match count {
                4 => place.over(fetch_rows::<4>(&x, &mut y), 32)?,
                6 => place.over(fetch_rows::<6>(&x, &mut y), 32)?,
                _ => place.over(fetch_rows::<8>(&x, &mut y), 32)?,
            }
            let expected = (0..32).map(|t| {
                let first = values[count * (31 - t)..][..count].iter();
                let rows = first.chain(&values[4 * (31 - t)..][..4]);
                rows.fold(0.0, |sum: f32, value| sum * 2.0 + value)
            });
            assert_eq!(
                y.download()?,
                expected.collect::<Vec<_>>(),
                "{count} on {}",
                place.name()
            );
        }
        Ok(())
    });
}

#[vyre::device]
fn fetch<T: Number, const LEFT: usize>(to: &mut [T], from: &[T], at: usize) {
    let t = thread::idx().x;
    pipeline::copy(&mut to[t], &from[at + t]);
    pipeline::commit();
    pipeline::wait_prior::<LEFT>();
}

/// From functions, into dynamic shared memory, of matrices.
macro_rules! instances {
    ($($name:ident $launcher:ident $ty:ident;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 32)]
            fn places(a: Slice2<'_, $ty>, x: &[$ty], y: &mut [$ty]) {
                let whole = shared::slice::<$ty>(64);
                let rest = shared::dynamic::<$ty>();
                let t = thread::idx().x;
                fetch::<$ty, 1>(whole, x, 0);
                pipeline::copy(&mut whole[32 + t], &a[[t / 8, t % 8]]);
                pipeline::commit();
                if t < 4 {
                    let row = a.row(t);
                    pipeline::copy(&mut rest[8 * t..8 * t + 4], &row[4..8]);
                    let from = 2 * (t % 2);
                    pipeline::copy(&mut rest[8 * t + 4..8 * t + 4 + 2], &a.row(3)[from..from + 2]);
                    pipeline::copy(&mut rest[8 * t + 6], &x[t]);
                    pipeline::copy(&mut rest[8 * t + 7], &x[t + 1]);
                }
                pipeline::commit();
                pipeline::wait_prior::<0>();
                block::sync();
                y[t] = whole[31 - t];
                y[32 + t] = whole[63 - t];
                y[64 + t] = rest[t];
            }

            everywhere(|place| {
                let values: Vec<$ty> = (0..32u8).map($ty::from).collect();
                let matrix: Vec<$ty> = (100..132u8).map($ty::from).collect();
                let device = place.device();
                let (a, x) = (device.upload(&matrix)?, device.upload(&values)?);
                let mut y = device.zeros::<$ty>(96)?;
                let kernel = places(a.view2(4, 8)?, &x, &mut y);
                place.over_sharing(kernel, 32, 96 * size_of::<$ty>())?;
                let mut expected: Vec<$ty> = values.iter().rev().chain(matrix.iter().rev()).copied().collect();
                for t in 0..4 {
                    expected.extend(&matrix[8 * t + 4..8 * t + 8]);
                    expected.extend(&matrix[24 + 2 * (t % 2)..][..2]);
                    expected.extend(&values[t..t + 2]);
                }
                assert_eq!(y.download()?, expected, "on {}", place.name());
                Ok(())
            });
        }
    )* };
}

instances! {
    matrices_functions_and_dynamic_shared_memory FloatPlaces f32;
    of_wider_numbers LongPlaces i64;
}

/// Memory spaces that the hardware does not support for this.
#[vyre::kernel(block = 32)]
fn other_memories(x: &[u32], y: &mut [u32]) {
    const TABLE: [u32; 4] = [9, 8, 7, 6];
    let tile = shared::<[u32; 64]>();
    let other = shared::<[u32; 64]>();
    let t = thread::idx().x;
    let own = [x[t], 1, 2, 3];
    pipeline::copy(&mut tile[2 * t..2 * t + 2], &own[0..2]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    pipeline::copy(&mut other[t], &tile[62 - 2 * t]);
    pipeline::copy(&mut other[32 + t], &TABLE[t % 4]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    let mut kept = [0u32; 2];
    pipeline::copy(&mut kept[1], &other[t]);
    pipeline::copy(&mut y[32 + t], &other[32 + t]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    y[t] = kept[0] + kept[1];
}

#[test]
fn between_other_memories_it_is_an_assignment() {
    everywhere(|place| {
        let values: Vec<u32> = (100..132).collect();
        let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<u32>(64)?);
        place.over(other_memories(&x, &mut y), 32)?;
        let mut expected: Vec<u32> = values.iter().rev().copied().collect();
        expected.extend((0..32).map(|t| [9, 8, 7, 6][t % 4]));
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
    assert_eq!(copies(OtherMemories::info()), 0);
}

/// Without a wait the element has its old value or the new one; after the wait, the new one.
#[vyre::kernel(block = 32)]
fn overwrites(x: &[u32], y: &mut [u32]) {
    let tile = shared::<[u32; 32]>();
    let t = thread::idx().x;
    tile[t] = 7;
    pipeline::copy(&mut tile[t], &x[t]);
    pipeline::commit();
    let before = tile[t];
    pipeline::wait_prior::<0>();
    y[t] = tile[t];
    y[32 + t] = u32::from(before == 7 || before == x[t]);
}

#[test]
fn before_the_wait_the_old_or_the_new_value_is_there() {
    everywhere(|place| {
        let values: Vec<u32> = (100..132).collect();
        let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<u32>(64)?);
        place.over(overwrites(&x, &mut y), 32)?;
        let y = y.download()?;
        assert_eq!((&y[..32], &y[32..]), (&values[..], &[1; 32][..]), "on {}", place.name());
        Ok(())
    });
}

#[vyre::kernel(block = 32)]
fn element_outside(x: &[f32], to: usize, from: usize, y: &mut [f32]) {
    let tile = shared::<[[f32; 8]; 4]>();
    let t = thread::idx().x;
    pipeline::copy(&mut tile[to + t / 8][t % 8], &x[from + t]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    y[t] = tile[t / 8][t % 8];
}

#[vyre::kernel(block = 32)]
fn part_outside(x: &[f32], to: usize, from: usize, y: &mut [f32]) {
    let tile = shared::<[f32; 128]>();
    let t = thread::idx().x;
    let (first, begin) = (from.wrapping_add(4 * t), to.wrapping_add(4 * t));
    pipeline::copy(&mut tile[begin..begin + 4], &x[first..first + 4]);
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    y[t] = tile[4 * t];
}

#[test]
fn both_ends_are_compared() {
    let line = |text: &str| {
        let source = include_str!("copies.rs");
        source
            .lines()
            .position(|line| line.contains(text))
            .map(|line| line as u32 + 1)
    };
    everywhere(|place| {
        let device = place.device();
        let (x, mut y) = (device.zeros::<f32>(128)?, device.zeros::<f32>(32)?);
        let fault = |result: vyre::Result<()>| match result {
            Err(Error::Fault(fault)) => fault,
            other => panic!("{other:?} on {}", place.name()),
        };
        place.over(element_outside(&x, 0, 96, &mut y), 32)?;
        for (to, from) in [(1, 0), (0, 97), (usize::MAX, 0)] {
            let fault = fault(place.over(element_outside(&x, to, from, &mut y), 32));
            assert_eq!(fault.kind, FaultKind::IndexOutOfBounds, "on {}", place.name());
            assert_eq!(Some(fault.line), line("tile[to + t / 8]"), "on {}", place.name());
        }
        place.over(part_outside(&x, 0, 0, &mut y), 32)?;
        for (to, from) in [
            (1, 0),
            (0, 1),
            (0, usize::MAX - 127),
            (usize::MAX - 125, 0),
            (0, 1 << 40),
        ] {
            let fault = fault(place.over(part_outside(&x, to, from, &mut y), 32));
            assert_eq!(
                fault.kind,
                FaultKind::RangeOutOfBounds,
                "{to} {from} on {}",
                place.name()
            );
            assert_eq!(
                Some(fault.line),
                line("&mut tile[begin..begin + 4], &x[first"),
                "on {}",
                place.name()
            );
        }
        Ok(())
    });
}

/// Four floats, at a multiple of 16 bytes.
#[vyre::device]
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vector {
    at: [f32; 4],
}

#[vyre::kernel(block = 32)]
fn vectors(x: &[Vector], y: &mut [Vector]) {
    let tile = shared::<[Vector; 32]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if i < x.len() {
        pipeline::copy(&mut tile[t], &x[i]);
    }
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    if i < x.len() {
        y[i] = tile[t / 32 * 32 + 31 - t % 32];
    }
}

#[test]
fn copies_of_aligned_elements() {
    let x: Vec<Vector> = (0..64)
        .map(|i| Vector {
            at: [i as f32, 0.5, -1.0, i as f32 * 2.0],
        })
        .collect();
    let expected: Vec<Vector> = x.chunks(32).flat_map(|part| part.iter().rev().copied()).collect();
    everywhere(|place| {
        let device = place.device();
        let x = device.upload(&x)?;
        let mut y = device.upload(&vec![Vector { at: [0.0; 4] }; 64])?;
        place.over(vectors(&x, &mut y), 64)?;
        assert_eq!(y.download()?, expected, "on {}", place.name());
        Ok(())
    });
}

#[test]
fn ptx_has_what_they_need_and_no_more() {
    let ptx = PartOutside::info().ptx;
    assert!(ptx.starts_with(".version 7.0\n.target sm_80\n"), "{ptx}");
    assert!(
        ptx.contains("cp.async.cg.shared.global") && ptx.contains(", 16;"),
        "{ptx}"
    );
    assert!(
        ptx.contains("cp.async.ca.shared.global") && ptx.contains(", 4;"),
        "{ptx}"
    );
    assert!(
        ptx.contains("cp.async.commit_group;") && ptx.contains("cp.async.wait_group 0;"),
        "{ptx}"
    );
    // No run-time check for elements aligned by their type.
    let ptx = Vectors::info().ptx;
    assert!(
        !ptx.contains("COPIED") && ptx.contains("cp.async.cg.shared.global") && ptx.contains(", 16;"),
        "{ptx}"
    );
    let ptx = Stages::info().ptx;
    assert!(
        !ptx.contains("COPIED") && ptx.contains("cp.async.ca.shared.global"),
        "{ptx}"
    );
}
