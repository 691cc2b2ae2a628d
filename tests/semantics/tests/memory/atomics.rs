//! Every atomic operation on every atomic type, in global and in shared memory: on cells of one
//! thread for all pairs of edge values, and on one cell for many threads.

use core::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering,
};

use vyre::prelude::*;
use vyre::{AtomicF32, AtomicF64, DeviceBuffer, Result};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::{Place, everywhere};
use vyre_semantics::ptx::assemble_quickly;
use vyre_semantics::values::{Value, pairs, picks};

vyre_semantics::kernels! { Contend ContendInBlock }

/// Kernels that apply an operation to a cell for each thread, in global and in shared memory.
macro_rules! operations {
    ($module:ident $A:ident $T:ident |$old:ident, $v:ident| { $($name:ident: $method:ident($($argument:ident),*) => $new:expr;)* }) => {
        #[allow(unused_variables, reason = "not every operation has an operand")]
        mod $module {
            use super::*;

            $(
                #[test]
                fn $name() {
                    #[vyre::kernel(launcher = Global)]
                    fn $name(cells: &[$A], values: &[$T], before: &mut [$T]) {
                        let i = thread::index();
                        if i < before.len() {
                            let $v = values[i];
                            before[i] = cells[i].$method($($argument,)* Ordering::Relaxed);
                        }
                    }

                    #[vyre::kernel(launcher = Shared, block = 64)]
                    fn of_shared_memory(cells: &mut [$T], values: &[$T], before: &mut [$T]) {
                        let own = shared::<[$A; 64]>();
                        let (i, t) = (thread::index(), thread::idx().x);
                        if i >= before.len() {
                            return;
                        }
                        own[t].store(cells[i], Ordering::Relaxed);
                        block::sync();
                        let $v = values[i];
                        before[i] = own[t].$method($($argument,)* Ordering::Relaxed);
                        block::sync();
                        cells[i] = own[t].load(Ordering::Relaxed);
                    }

                    let (cells, values) = comparable::<$T>(stringify!($method));
                    let after: Vec<$T> = cells.iter().zip(&values).map(|(&$old, &$v)| $new).collect();
                    agree(Global::info().name, &cells, &values, &cells, &after, |place, cells, values, before| {
                        place.over($name(cells, values, before), after.len())
                    });
                    agree(Shared::info().name, &cells, &values, &cells, &after, |place, cells, values, before| {
                        place.over(of_shared_memory(cells, values, before), after.len())
                    });
                    assemble_quickly(Global::info());
                    assemble_quickly(Shared::info());
                }
            )*

            #[test]
            fn compare_exchange() {
                #[vyre::kernel(launcher = Global)]
                fn exchange(cells: &[$A], expected: &[$T], new: &[$T], succeeded: &mut [bool]) {
                    let i = thread::index();
                    if i < succeeded.len() {
                        succeeded[i] = cells[i].compare_exchange(expected[i], new[i], Ordering::AcqRel, Ordering::Relaxed).is_ok();
                    }
                }

                #[vyre::kernel(launcher = Matched)]
                fn matched(cells: &[$A], expected: &[$T], new: &[$T], seen: &mut [$T]) {
                    let i = thread::index();
                    if i < seen.len() {
                        seen[i] = match cells[i].compare_exchange(expected[i], new[i], Ordering::AcqRel, Ordering::Relaxed) {
                            Ok(_) => new[i],
                            Err(now) => now,
                        };
                    }
                }

                #[vyre::kernel(launcher = Shared, block = 64)]
                fn of_shared_memory(cells: &mut [$T], expected: &[$T], new: &[$T], succeeded: &mut [bool]) {
                    let own = shared::<[$A; 64]>();
                    let (i, t) = (thread::index(), thread::idx().x);
                    if i >= succeeded.len() {
                        return;
                    }
                    own[t].store(cells[i], Ordering::Relaxed);
                    block::sync();
                    let failed = own[t].compare_exchange(expected[i], new[i], Ordering::SeqCst, Ordering::SeqCst).is_err();
                    succeeded[i] = !failed;
                    block::sync();
                    cells[i] = own[t].load(Ordering::Relaxed);
                }

                let (cells, expected) = pairs::<$T, $T>();
                let new = picks::<$T>(cells.len());
                // Bits are compared, not values: the zeros differ, and NaNs are alike.
                let succeeded: Vec<bool> = cells.iter().zip(&expected).map(|(a, b)| a.bits() == b.bits()).collect();
                let after: Vec<$T> = (0..cells.len()).map(|k| if succeeded[k] { new[k] } else { cells[k] }).collect();
                agree(Global::info().name, &cells, &expected, &succeeded, &after, |place, cells, expected, succeeded| {
                    place.over(exchange(cells, expected, &place.device().upload(&new)?, succeeded), after.len())
                });
                agree(Shared::info().name, &cells, &expected, &succeeded, &after, |place, cells, expected, succeeded| {
                    place.over(of_shared_memory(cells, expected, &place.device().upload(&new)?, succeeded), after.len())
                });
                agree(Matched::info().name, &cells, &expected, &after, &after, |place, cells, expected, seen| {
                    place.over(matched(cells, expected, &place.device().upload(&new)?, seen), after.len())
                });
                assemble_quickly(Global::info());
                assemble_quickly(Shared::info());
                assemble_quickly(Matched::info());
            }

            #[test]
            fn stores_and_loads() {
                #[vyre::kernel(launcher = Global)]
                fn store(cells: &[$A], values: &[$T], seen: &mut [$T]) {
                    let i = thread::index();
                    if i < seen.len() {
                        seen[i] = cells[i].load(Ordering::Acquire);
                        cells[i].store(values[i], Ordering::Release);
                        cells[i].store(cells[i].load(Ordering::SeqCst), Ordering::SeqCst);
                    }
                }

                let (cells, values) = pairs::<$T, $T>();
                agree(Global::info().name, &cells, &values, &cells, &values, |place, there, values_there, seen| {
                    place.over(store(there, values_there, seen), cells.len())
                });
                assemble_quickly(Global::info());
            }
        }
    };
}

/// Pairs of values on which back ends agree: float sums exclude subnormal numbers, which GPUs flush
/// to zero in global memory.
fn comparable<T: Value>(method: &str) -> (Vec<T>, Vec<T>) {
    let (left, right) = pairs::<T, T>();
    if method != "fetch_add" && method != "fetch_sub" {
        return (left, right);
    }
    left.into_iter()
        .zip(right)
        .filter(|(a, b)| !a.is_small_float() && !b.is_small_float())
        .unzip()
}

/// Runs a kernel on cells and values, and compares what it returns and what the cells hold then.
fn agree<T: Value, R: Value>(
    name: &str,
    cells: &[T],
    values: &[T],
    results: &[R],
    after: &[T],
    run: impl Fn(&Place, &mut DeviceBuffer<T>, &DeviceBuffer<T>, &mut DeviceBuffer<R>) -> Result<()>,
) {
    everywhere(|place| {
        let (mut there, values_there) = (place.device().upload(cells)?, place.device().upload(values)?);
        let mut got = place.device().upload(&vec![R::ZERO; results.len()])?;
        run(place, &mut there, &values_there, &mut got)?;
        let (got, there) = (got.download()?, there.download()?);
        for k in 0..cells.len() {
            assert!(
                got[k].same(results[k]) && there[k].same(after[k]),
                "`{name}` on {} of {:?} and {:?} gives {:?} and leaves {:?}, not {:?} and {:?}",
                place.name(),
                cells[k],
                values[k],
                got[k],
                there[k],
                results[k],
                after[k],
            );
        }
        Ok(())
    });
}

macro_rules! integers {
    ($($module:ident $A:ident $T:ident;)*) => {$(
        operations! { $module $A $T |old, v| {
            swap: swap(v) => v;
            load: load() => old;
            fetch_add: fetch_add(v) => old.wrapping_add(v);
            fetch_sub: fetch_sub(v) => old.wrapping_sub(v);
            fetch_and: fetch_and(v) => old & v;
            fetch_or: fetch_or(v) => old | v;
            fetch_xor: fetch_xor(v) => old ^ v;
            fetch_nand: fetch_nand(v) => !(old & v);
            fetch_min: fetch_min(v) => old.min(v);
            fetch_max: fetch_max(v) => old.max(v);
        } }
    )*};
}

integers! {
    i8 AtomicI8 i8;
    u8 AtomicU8 u8;
    i16 AtomicI16 i16;
    u16 AtomicU16 u16;
    i32 AtomicI32 i32;
    u32 AtomicU32 u32;
    i64 AtomicI64 i64;
    u64 AtomicU64 u64;
    isize AtomicIsize isize;
    usize AtomicUsize usize;
}

macro_rules! floats {
    ($($module:ident $A:ident $T:ident;)*) => {$(
        operations! { $module $A $T |old, v| {
            swap: swap(v) => v;
            load: load() => old;
            fetch_add: fetch_add(v) => old + v;
            fetch_sub: fetch_sub(v) => old - v;
            fetch_min: fetch_min(v) => if old == v { if old.is_sign_negative() { old } else { v } } else { old.min(v) };
            fetch_max: fetch_max(v) => if old == v { if old.is_sign_negative() { v } else { old } } else { old.max(v) };
        } }
    )*};
}

floats! {
    f32 AtomicF32 f32;
    f64 AtomicF64 f64;
}

/// Many threads on one cell: each operation is atomic.
#[vyre::kernel]
fn contend(values: &[u32], cells: &[AtomicU32], signed: &[AtomicI64], seen: &mut [u32]) {
    let i = thread::index();
    if i < values.len() {
        seen[i] = cells[0].fetch_add(1, Ordering::Relaxed);
        cells[1].fetch_add(values[i], Ordering::Relaxed);
        cells[2].fetch_max(values[i], Ordering::Relaxed);
        cells[3].fetch_min(values[i], Ordering::Relaxed);
        cells[4].fetch_or(1 << (values[i] % 32), Ordering::Relaxed);
        cells[5].fetch_xor(values[i], Ordering::Relaxed);
        cells[6].fetch_and(values[i] | 0xff00, Ordering::Relaxed);
        signed[0].fetch_sub(values[i] as i64 - 1000, Ordering::Relaxed);
        signed[1].fetch_min(-(values[i] as i64), Ordering::Relaxed);
    }
}

#[test]
fn contention_in_global_memory() {
    everywhere(|place| {
        let values: Vec<u32> = (0..3000u32).map(|k| k.wrapping_mul(0x9e37_79b9) >> 8).collect();
        let mut cells = place.device().upload(&[0, 0, 0, u32::MAX, 0, 0, u32::MAX])?;
        let mut signed = place.device().zeros::<i64>(2)?;
        let mut seen = place.device().zeros::<u32>(values.len())?;
        place.over(
            contend(&place.device().upload(&values)?, &mut cells, &mut signed, &mut seen),
            values.len(),
        )?;
        let each = || values.iter().copied();
        assert_eq!(
            cells.download()?,
            [
                values.len() as u32,
                each().fold(0, u32::wrapping_add),
                each().max().unwrap(),
                each().min().unwrap(),
                each().fold(0, |bits, v| bits | 1 << (v % 32)),
                each().fold(0, |bits, v| bits ^ v),
                each().fold(!0, |bits, v| bits & (v | 0xff00)),
            ]
        );
        assert_eq!(
            signed.download()?,
            [
                -each().map(|v| i64::from(v) - 1000).sum::<i64>(),
                -i64::from(each().max().unwrap())
            ]
        );
        let mut seen = seen.download()?;
        seen.sort_unstable();
        assert_eq!(seen, (0..values.len() as u32).collect::<Vec<_>>());
        Ok(())
    });
}

/// The same on a cell in shared memory, one per block.
#[vyre::kernel(block = 128)]
fn contend_in_block(values: &[i32], sums: &mut [i32], seen: &mut [u32]) {
    let sum = shared::<[AtomicI32; 1]>();
    let count = shared::<[AtomicU32; 1]>();
    let (i, t) = (thread::index(), thread::idx().x);
    if t == 0 {
        sum[0].store(0, Ordering::Relaxed);
        count[0].store(0, Ordering::Relaxed);
    }
    block::sync();
    if i < values.len() {
        sum[0].fetch_add(values[i], Ordering::Relaxed);
        seen[i] = count[0].fetch_add(1, Ordering::Relaxed);
    }
    block::sync();
    if t == 0 {
        sums[block::idx().x] = sum[0].load(Ordering::Relaxed);
    }
}

#[test]
fn contention_in_shared_memory() {
    everywhere(|place| {
        let values: Vec<i32> = (0..1000).map(|k| k * 7 - 2000).collect();
        let mut sums = place.device().zeros::<i32>(8)?;
        let mut seen = place.device().zeros::<u32>(1000)?;
        place.over(
            contend_in_block(&place.device().upload(&values)?, &mut sums, &mut seen),
            1000,
        )?;
        assert_eq!(
            sums.download()?,
            values.chunks(128).map(|block| block.iter().sum()).collect::<Vec<i32>>()
        );
        for block in seen.download()?.chunks_mut(128) {
            block.sort_unstable();
            assert!(block.iter().copied().eq(0..block.len() as u32));
        }
        Ok(())
    });
}
