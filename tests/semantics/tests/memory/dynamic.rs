//! Dynamic shared memory: slices of every type, one after the other, passed to functions, and the
//! fault if there is too little.

use core::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use vyre::prelude::*;
use vyre::{Error, FaultKind, LaunchLimit};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::assemble_quickly;

vyre_semantics::kernels! { Several Large Shapes Tiles }

/// Reverses each block through slices of each type.
macro_rules! turns {
    ($($name:ident $launcher:ident $ty:ident;)*) => { $(
        #[test]
        fn $name() {
            #[vyre::kernel(launcher = $launcher, block = 64)]
            fn turn(values: &mut [$ty], lengths: &mut [usize]) {
                let tile = shared::dynamic::<$ty>();
                let (i, t) = (thread::index(), thread::idx().x);
                tile[t] = values[i];
                block::sync();
                values[i] = tile[63 - t];
                lengths[i] = tile.len();
            }

            everywhere(|place| {
                let values: Vec<$ty> = (0..128u8).map($ty::from).collect();
                let bytes = 64 * size_of::<$ty>() + 3;
                let (mut there, mut lengths) = (place.device().upload(&values)?, place.device().zeros::<usize>(128)?);
                place.over_sharing(turn(&mut there, &mut lengths), 128, bytes)?;
                let expected: Vec<$ty> = values.chunks(64).flat_map(|block| block.iter().rev().copied()).collect();
                assert_eq!(there.download()?, expected, "on {}", place.name());
                assert_eq!(lengths.download()?, [bytes / size_of::<$ty>(); 128], "on {}", place.name());
                Ok(())
            });
            assemble_quickly($launcher::info());
        }
    )* };
}

turns! {
    bytes TurnBytes u8;
    shorts TurnShorts i16;
    words TurnWords u32;
    longs TurnLongs i64;
    sizes TurnSizes usize;
    floats TurnFloats f32;
    doubles TurnDoubles f64;
}

/// Several slices, of lengths given by arguments, beside static shared memory.
#[vyre::kernel(block = [16, 4], allow(races))] // parts of dynamic memory
fn several(n: usize, values: &[u32], sums: &mut [f64], counts: &mut [u32]) {
    let own = shared::<[u8; 5]>();
    let small = shared::slice::<u8>(n);
    let keys: &mut [u32] = shared::slice(64);
    let cells = shared::slice::<AtomicU32>(n + 1);
    let totals = shared::slice::<AtomicI64>(1);
    let rest = shared::dynamic::<f64>();
    let (x, y) = (thread::idx().x, thread::idx().y);
    let t = y * 16 + x;
    let i = thread::index();
    if t == 0 {
        own[4] = 3;
        totals[0].store(0, Ordering::Relaxed);
    }
    if t < n {
        small[t] = (200 + t) as u8;
    }
    if t <= n {
        cells[t].store(0, Ordering::Relaxed);
    }
    keys[t] = values[i];
    block::sync();
    cells[keys[63 - t] as usize % (n + 1)].fetch_add(1, Ordering::Relaxed);
    totals[0].fetch_sub(keys[t] as i64, Ordering::Relaxed);
    rest[rest.len() - 1 - t] = small[t % n] as f64 + own[4] as f64;
    block::sync();
    sums[i] = rest[rest.len() - 64 + t] * 1000.0 + totals[0].load(Ordering::Relaxed) as f64;
    counts[i] = cells[t % (n + 1)].load(Ordering::Relaxed);
}

#[test]
fn slices_behind_each_other() {
    everywhere(|place| {
        for n in [1, 16, 29] {
            let values: Vec<u32> = (0..128).map(|i| i * i).collect();
            let (mut sums, mut counts) = (place.device().zeros::<f64>(128)?, place.device().zeros::<u32>(128)?);
            // Each begins at a multiple of 16.
            let ends = [n, 64 * 4, (n + 1) * 4, 8, 70 * 8];
            let bytes = ends.iter().fold(0usize, |end, size| end.next_multiple_of(16) + size);
            let there = place.device().upload(&values)?;
            place.over_sharing(several(n, &there, &mut sums, &mut counts), [16, 8], bytes)?;
            let (sums, counts) = (sums.download()?, counts.download()?);
            for i in 0..128 {
                let (block, t) = (&values[i / 64 * 64..][..64], i % 64);
                let total: u32 = block.iter().sum();
                let small = (200 + (63 - t) % n) as f64 + 3.0;
                assert_eq!(
                    sums[i],
                    small * 1000.0 - f64::from(total),
                    "{n}, {i} on {}",
                    place.name()
                );
                let count = block
                    .iter()
                    .filter(|&&key| key as usize % (n + 1) == t % (n + 1))
                    .count();
                assert_eq!(counts[i], count as u32, "{n}, {i} on {}", place.name());
            }
        }
        Ok(())
    });
}

#[test]
fn too_little_is_a_fault() {
    everywhere(|place| {
        let mut sums = place.device().zeros::<f64>(128)?;
        let mut counts = place.device().zeros::<u32>(128)?;
        let values = place.device().upload(&[0; 128])?;
        match place.over_sharing(several(20, &values, &mut sums, &mut counts), [16, 8], 100) {
            Err(Error::Fault(fault)) => {
                assert_eq!((fault.kind, fault.values), (FaultKind::SharedMemory, [288, 100]));
                let text = fault.to_string();
                assert!(
                    text.starts_with("288 bytes of dynamic shared memory are used, but the launch gives 100"),
                    "{text}"
                );
            }
            other => panic!("{other:?} on {}", place.name()),
        }
        Ok(())
    });
}

/// More than the 48 KiB of static shared memory, if the device has it.
#[vyre::kernel(block = 256)]
fn large(out: &mut [u32]) {
    let tile = shared::dynamic::<u32>();
    let (i, t) = (thread::index(), thread::idx().x);
    let mut k = t;
    while k < tile.len() {
        tile[k] = k as u32;
        k += 256;
    }
    block::sync();
    out[i] = tile[tile.len() - 1 - t] + tile.len() as u32;
}

#[test]
fn sixty_kilobytes_and_more_than_there_is() {
    everywhere(|place| {
        let mut out = place.device().zeros::<u32>(512)?;
        place.over_sharing(large(&mut out), 512, 60 << 10)?;
        let length = (60 << 10) / 4;
        let expected: Vec<u32> = (0..512).map(|i| 2 * length - 1 - i % 256).collect();
        assert_eq!(out.download()?, expected, "on {}", place.name());
        Ok(())
    });
    for device in vyre_semantics::places::devices() {
        for bytes in [300 << 10, usize::MAX] {
            let mut out = device.zeros::<u32>(512).expect("memory");
            let launched = large(&mut out).over(512).shared_bytes(bytes).launch(&device);
            match launched {
                Err(Error::TooLarge {
                    what: LaunchLimit::SharedMemory { own: 0, dynamic },
                    requested,
                    limit,
                    ..
                }) => {
                    assert_eq!((dynamic, requested), (bytes as u64, bytes as u64));
                    assert!(requested > limit && limit >= 48 << 10, "{requested} {limit}");
                }
                other => panic!("{other:?} on {device}"),
            }
        }
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
struct Cell {
    value: f64,
    next: [u16; 4],
}

/// Tiles, structs and tuples, after a slice whose length is an argument.
#[vyre::kernel(block = 32, allow(races))] // parts of dynamic memory
fn shapes(n: usize, x: &[u32], y: &mut [u32], z: &mut [f64]) {
    let odd = shared::slice::<u8>(n);
    let stages = shared::slice::<[[u32; 8]; 4]>(2);
    let cells = shared::slice::<Cell>(n);
    let pairs = shared::dynamic::<(u32, i16)>();
    let (i, t) = (thread::index(), thread::idx().x);
    if t < n {
        odd[t] = t as u8 * 3;
        cells[t] = Cell {
            value: t as f64 * 0.5,
            next: [t as u16; 4],
        };
    }
    stages[0][t / 8][t % 8] = x[i];
    stages[1][t % 4][t / 4] = x[i] * 2;
    pairs[t] = (x[i], -(t as i16));
    block::sync();
    let row = &stages[1][t / 8];
    y[i] = stages[0][3 - t / 8][t % 8] + row[t % 8] * 1000 + odd[t % n] as u32 + pairs[31 - t].0;
    cells[t % n].next[3] = 9;
    block::sync();
    z[i] = cells[t % n].value + cells[t % n].next[3] as f64 * 100.0 + pairs[t].1 as f64 + stages.len() as f64;
}

#[test]
fn elements_of_every_shape() {
    everywhere(|place| {
        for n in [1, 17, 30] {
            let values: Vec<u32> = (0..64).map(|i| i * 11 % 97).collect();
            let x = place.device().upload(&values)?;
            let (mut y, mut z) = (place.device().zeros::<u32>(64)?, place.device().zeros::<f64>(64)?);
            let ends = [n, 2 * 128, n * 16, 32 * 8];
            let bytes = ends.iter().fold(0usize, |end, size| end.next_multiple_of(16) + size);
            place.over_sharing(shapes(n, &x, &mut y, &mut z), 64, bytes)?;
            let (y, z) = (y.download()?, z.download()?);
            for i in 0..64 {
                let (block, t) = (&values[i / 32 * 32..][..32], i % 32);
                let first = block[(3 - t / 8) * 8 + t % 8];
                let second = block[t % 8 * 4 + t / 8] * 2;
                let expected = first + second * 1000 + (t % n) as u32 * 3 + block[31 - t];
                assert_eq!(y[i], expected, "{n}, {i} on {}", place.name());
                let expected = (t % n) as f64 * 0.5 + 900.0 - t as f64 + 2.0;
                assert_eq!(z[i], expected, "{n}, {i} on {}", place.name());
            }
        }
        Ok(())
    });
}

/// A tiled matrix product with asynchronous copies, one tile after a slice of any length.
#[vyre::kernel(block = 32, allow(races))] // parts of dynamic memory
fn tiles(n: usize, a: &[[i8; 32]], b: &[[i8; 32]], c: &mut [i32]) {
    let odd = shared::slice::<u8>(n);
    let left = shared::slice::<[[i8; 48]; 16]>(2);
    let right = shared::slice::<[i8; 48]>(8);
    let t = thread::idx().x;
    odd[0] = 1;
    pipeline::copy(
        &mut left[1][t / 2][t % 2 * 16..t % 2 * 16 + 16],
        &a[t / 2][t % 2 * 16..t % 2 * 16 + 16],
    );
    if t < 16 {
        pipeline::copy(
            &mut right[t / 2][t % 2 * 16..t % 2 * 16 + 16],
            &b[t / 2][t % 2 * 16..t % 2 * 16 + 16],
        );
    }
    pipeline::commit();
    pipeline::wait_prior::<0>();
    block::sync();
    let rows = mma::A::<i8, 16, 32>::load_tile(&left[1], 0, 0);
    let columns = mma::B::<i8, 32, 8>::load_tile_transposed(right, 0, 0);
    mma::multiply_add(rows, columns, mma::C::<i32, 16, 8>::zero()).store(c, 0, 8);
}

#[test]
fn tiles_are_aligned() {
    everywhere(|place| {
        let a: Vec<[i8; 32]> = (0..16)
            .map(|i| std::array::from_fn(|k| (i * 5 + k * 3) as i8))
            .collect();
        let b: Vec<[i8; 32]> = (0..8)
            .map(|j| std::array::from_fn(|k| (k * 7 % 19) as i8 - j))
            .collect();
        for n in [1usize, 16, 77] {
            let (on_a, on_b) = (place.device().upload(&a)?, place.device().upload(&b)?);
            let mut c = place.device().zeros::<i32>(128)?;
            let bytes = n.next_multiple_of(16) + 2 * 16 * 48 + 8 * 48;
            place.over_sharing(tiles(n, &on_a, &on_b, &mut c), 32, bytes)?;
            let element = |i: usize, j: usize| (0..32).map(|k| i32::from(a[i][k]) * i32::from(b[j][k])).sum::<i32>();
            let expected: Vec<i32> = (0..128).map(|at| element(at / 8, at % 8)).collect();
            assert_eq!(c.download()?, expected, "{n} on {}", place.name());
        }
        Ok(())
    });
    // Loaded by the hardware's instruction, not element by element.
    assert_eq!(
        vyre_semantics::ptx::checked(Tiles::info()).matches("ldmatrix").count(),
        2,
        "{}",
        Tiles::info().ptx
    );
    assert!(!Tiles::info().ptx.contains("shfl"), "{}", Tiles::info().ptx);
}
