//! Atomics of two floats of 16 bits: in global and shared memory, by every scope and ordering, with the bits of
//! additions in `f16` and `bf16`, and one after the other where many threads add.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::ptx::{assemble_quickly, assembled};

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

            /// What that computes.
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
                let nasty = [
                    0.0, -0.0, 1.0, -1.5, 3.0e-8, -6.0e-8, 6.1e-5, 60000.0, -65504.0, 0.1, 1.0e-40, 3.0e38, 1000.5, -2049.0,
                ];
                let value = |i: usize| $half::from_f32(nasty[i % nasty.len()]);
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
