//! Atomic pairs of floats of 16 bits: in global and shared memory, with every scope and ordering,
//! with the bits of additions in `f16` and `bf16`, and with contention.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::{assemble_quickly, assembled};
use vyre_semantics::values::Value;

macro_rules! pairs {
    ($($module:ident $half:ident $atomic:ident;)*) => { $(
        mod $module {
            use super::*;

            /// Each thread its own cell.
            #[vyre::kernel(block = 64)]
            fn each(x: &[$half], cells: &[$atomic], old: &mut [$half]) {
                let own = shared::<[$atomic; 64]>();
                let rest = shared::slice::<$atomic>(64);
                let (i, t) = (thread::index(), thread::idx().x);
                let (a, b) = (x[2 * i], x[2 * i + 1]);
                own[t].store([a, b], Ordering::Relaxed);
                rest[t].in_block().store([b, a], Ordering::Release);
                let first = own[t].fetch_add([b, a], Ordering::AcqRel);
                let second = rest[t].swap(own[t].load(Ordering::SeqCst), Ordering::SeqCst);
                rest[t].in_system().fetch_sub(first, Ordering::Acquire);
                let third = cells[i].fetch_add([a, a], Ordering::Relaxed);
                let fourth = cells[i].in_system().fetch_sub(second, Ordering::SeqCst);
                cells[i].in_block().fetch_sub([a, b], Ordering::Release);
                cells[i].in_device().fetch_add(rest[t].load(Ordering::Acquire), Ordering::Acquire);
                old[2 * i] = third[0] + fourth[0];
                old[2 * i + 1] = third[1] + fourth[1];
            }

            /// The expected result.
            fn expected([a, b]: [$half; 2], cell: [$half; 2]) -> ([$half; 2], [$half; 2]) {
                let each = |one: &dyn Fn(usize) -> $half| [one(0), one(1)];
                let given = [a, b];
                let own = each(&|k| given[k] + given[1 - k]);
                let rest = each(&|k| own[k] - given[k]);
                let fourth = each(&|k| cell[k] + a);
                let after = each(&|k| fourth[k] - given[1 - k] - given[k] + rest[k]);
                (each(&|k| cell[k] + fourth[k]), after)
            }

            #[test]
            fn every_access() {
                let edges = [
                    0.0, -0.0, 1.0, -1.5, 3.0e-8, -6.0e-8, 6.1e-5, 60000.0, -65504.0, 0.1, 1.0e-40, 3.0e38, 1000.5, -2049.0,
                ];
                let value = |i: usize| $half::from_f32(edges[i % edges.len()]);
                let x: Vec<$half> = (0..128).map(|i| value(i * i / 3 + i)).collect();
                let cells: Vec<[$half; 2]> = (0..64).map(|i| [value(i + 3), value(5 * i)]).collect();
                everywhere(|place| {
                    let device = place.device();
                    let (x_on, mut old) = (device.upload(&x)?, device.zeros::<$half>(128)?);
                    let mut cells_on = device.upload(&cells)?;
                    place.over_sharing(each(&x_on, &mut cells_on, &mut old), 64, 64 * 4)?;
                    let (cells_on, old) = (cells_on.download()?, old.download()?);
                    // A NaN is a NaN.
                    let bits = |values: [$half; 2]| values.map(|v| if v.is_nan() { u16::MAX } else { v.to_bits() });
                    for i in 0..64 {
                        let (sums, after) = expected([x[2 * i], x[2 * i + 1]], cells[i]);
                        assert_eq!(bits(cells_on[i]), bits(after), "{i} on {}", place.name());
                        assert_eq!(bits([old[2 * i], old[2 * i + 1]]), bits(sums), "{i} on {}", place.name());
                    }
                    Ok(())
                });
                assembled(&[Each::info()]);
            }

            /// Exchanges, minima and maxima in global, shared and distributed shared memory.
            /// Successes are counted.
            #[vyre::kernel(block = 64, cluster = 2)]
            fn exchange(x: &[[$half; 2]], cells: &[$atomic], out: &mut [[[$half; 2]; 3]], done: &mut [u32]) {
                let own = shared::<[$atomic; 64]>();
                let (i, t) = (thread::index(), thread::idx().x);
                let given = x[i];
                own[t].store(cells[i].load(Ordering::Relaxed), Ordering::Relaxed);
                cluster::sync();
                let other = cluster::map_shared(own, 1 - cluster::block_rank());
                other[t].fetch_max(given, Ordering::AcqRel);
                cluster::sync();
                let least = own[t].in_block().fetch_min([given[1], given[0]], Ordering::Relaxed);
                let most = cells[i].in_system().fetch_max(given, Ordering::SeqCst);
                let mut count = 0;
                // Compared by bits, so a zero of the other sign is another value, and so is a pair
                // with one equal half.
                if cells[i].compare_exchange([given[0], -given[1]], given, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                    count += 1;
                }
                let now = match cells[i].compare_exchange_weak([given[0], given[1]], [given[1], given[0]], Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(before) => {
                        count += 2;
                        before
                    }
                    Err(now) => now,
                };
                let updated = own[t].fetch_update(Ordering::Release, Ordering::Relaxed, |[a, b]| {
                    if a < b { Some([b, a + given[0]]) } else { None }
                });
                count += if updated.is_ok() { 4 } else { 0 };
                out[i] = [least, most, now];
                done[i] = count;
                cells[i].in_device().fetch_min(own[t].load(Ordering::Relaxed), Ordering::Release);
            }

            #[test]
            fn exchanges() {
                let edges = [
                    0.0, -0.0, 1.0, -1.5, 3.0e-8, -6.0e-8, 6.1e-5, 60000.0, -65504.0, f32::INFINITY, f32::NEG_INFINITY, -2049.0,
                    f32::NAN, 7.0,
                ];
                let value = |i: usize| $half::from_f32(edges[i % edges.len()]);
                let x: Vec<[$half; 2]> = (0..384).map(|i| [value(i), value(i / 14)]).collect();
                let cells: Vec<[$half; 2]> = (0..384).map(|i| [value(i * 3 + i / 5), value(i / 3)]).collect();
                let bits = |values: [$half; 2]| values.map(|v| if v.is_nan() { u16::MAX } else { v.to_bits() });
                let least = |a: $half, b: $half| match (a.is_nan(), b.is_nan()) {
                    (true, _) => b,
                    (_, true) => a,
                    _ if a == b => if a.is_sign_negative() { a } else { b },
                    _ => if a < b { a } else { b },
                };
                let most = |a: $half, b: $half| -least(-a, -b);
                let each = |f: &dyn Fn($half, $half) -> $half, a: [$half; 2], b: [$half; 2]| [f(a[0], b[0]), f(a[1], b[1])];
                everywhere(|place| {
                    let device = place.device();
                    let (x_on, mut cells_on) = (device.upload(&x)?, device.upload(&cells)?);
                    let (mut out, mut done) = (device.zeros::<[[$half; 2]; 3]>(384)?, device.zeros::<u32>(384)?);
                    place.over(exchange(&x_on, &mut cells_on, &mut out, &mut done), 384)?;
                    let (cells_on, out, done) = (cells_on.download()?, out.download()?, done.download()?);
                    for i in 0..384 {
                        let given = x[i];
                        let mut own = each(&most, cells[i], x[i ^ 64]);
                        let mut cell = each(&most, cells[i], given);
                        let mut wanted = [own, cells[i], cell];
                        own = each(&least, own, [given[1], given[0]]);
                        let mut count = 0;
                        if bits(cell) == bits([given[0], -given[1]]) {
                            (cell, count) = (given, 1);
                        }
                        wanted[2] = cell;
                        if bits(cell) == bits(given) {
                            (cell, count) = ([given[1], given[0]], count + 2);
                        }
                        if own[0] < own[1] {
                            (own, count) = ([own[1], own[0] + given[0]], count + 4);
                        }
                        cell = each(&least, cell, own);
                        let what = format!("{i} on {}: {:?} and {:?}", place.name(), cells[i], given);
                        assert_eq!(done[i], count, "{what}");
                        assert_eq!(bits(cells_on[i]), bits(cell), "{what}");
                        assert_eq!(out[i].map(bits), wanted.map(bits), "{what}");
                        assert_eq!(bits(out[i][0]), bits(wanted[0]), "{what}");
                        assert_eq!(bits(out[i][1]), bits(wanted[1]), "{what}");
                    }
                    Ok(())
                });
                assemble_quickly(Exchange::info());
            }

            #[vyre::kernel(block = 32)]
            fn same(expected: &[[$half; 2]], cells: &[$atomic], exchanged: &mut [u32]) {
                let i = thread::index();
                if i < exchanged.len() {
                    let one = [$half::ONE; 2];
                    let done = cells[i].compare_exchange(expected[i], one, Ordering::Relaxed, Ordering::Relaxed);
                    exchanged[i] = done.is_ok() as u32;
                }
            }

            /// A NaN equals every other.
            #[test]
            fn not_a_number() {
                let nan = $half::NAN;
                let other = $half::from_bits(nan.to_bits() | 0x8001);
                let values = [[nan, nan], [nan, other], [other, nan], [other, other], [nan, $half::ONE]];
                everywhere(|place| {
                    let device = place.device();
                    for expected in values {
                        let expected_on = device.upload(&[expected; 5])?;
                        let (mut cells, mut exchanged) = (device.upload(&values)?, device.zeros::<u32>(5)?);
                        place.over(same(&expected_on, &mut cells, &mut exchanged), 5)?;
                        let (cells, exchanged) = (cells.download()?, exchanged.download()?);
                        for (i, before) in values.into_iter().enumerate() {
                            let is_same = before.map(Value::bits) == expected.map(Value::bits);
                            let after = if is_same { [$half::ONE; 2] } else { before };
                            let found = (exchanged[i], cells[i].map($half::to_bits));
                            let wanted = (u32::from(is_same), after.map($half::to_bits));
                            assert_eq!(found, wanted, "{before:?} and {expected:?} on {}", place.name());
                        }
                    }
                    Ok(())
                });
            }

            /// A device function, and cells that many threads change.
            #[vyre::device]
            fn count(cell: &$atomic, up: $half) {
                cell.fetch_add([up, -up], Ordering::Relaxed);
            }

            #[vyre::kernel(block = 64)]
            fn counts(sums: &[$atomic]) {
                let own = shared::<[$atomic; 2]>();
                let t = thread::idx().x;
                if t < 2 {
                    own[t].store([$half::ZERO; 2], Ordering::Relaxed);
                }
                block::sync();
                count(&own[t % 2], $half::ONE);
                count(&sums[2], $half::ONE);
                block::sync();
                if t < 2 {
                    sums[t].fetch_sub(own[t].load(Ordering::Relaxed), Ordering::Relaxed);
                }
            }

            #[test]
            fn all_of_many() {
                everywhere(|place| {
                    let device = place.device();
                    let mut sums = device.zeros::<[$half; 2]>(3)?;
                    place.over(counts(&mut sums), 128)?;
                    let sums = sums.download()?.concat();
                    let wanted = [-64.0, 64.0, -64.0, 64.0, 128.0, -128.0];
                    assert_eq!(sums, wanted.map($half::from_f32), "on {}", place.name());
                    Ok(())
                });
                let ptx = Counts::info().ptx;
                let name = stringify!($half);
                assert!(ptx.contains(&format!("red.relaxed.gpu.global.add.noftz.{name}x2")), "{ptx}");
                assert!(ptx.contains(&format!("red.relaxed.gpu.shared.add.noftz.{name}x2")), "{ptx}");
                assemble_quickly(Counts::info());
            }

            #[test]
            fn slices_of_the_host() {
                let mut sums = [[$half::ONE; 2]; 3];
                Counts::dispatch(&Device::cpu(), 64, &mut sums).unwrap();
                assert_eq!(sums[2], [65.0, -63.0].map($half::from_f32));
            }
        }
    )* };
}

pairs! {
    f16s f16 AtomicF16x2;
    bf16s bf16 AtomicBF16x2;
}
