//! Constants set by the host: launches use the values at their time, per device, for constants and
//! uses in any module and crate.

use vyre::prelude::*;
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::{Place, everywhere};

vyre_semantics::kernels! { Filtered Everything Picks Weighs Waits }

#[vyre::constant]
static FILTER: [f32; 3] = [0.0, 1.0, 0.0];

#[vyre::kernel]
fn filtered(x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..FILTER.len() {
            sum += FILTER[k] * x[i + k];
        }
        y[i] = sum;
    }
}

fn filter_on(place: &Place) -> vyre::Result<Vec<f32>> {
    let (x, mut y) = (place.device().upload(&[1.0, 2.0, 4.0, 8.0])?, place.device().zeros(2)?);
    place.over(filtered(&x, &mut y), 2)?;
    y.download()
}

#[test]
fn launches_take_the_values_of_their_time() {
    everywhere(|place| {
        FILTER::set(place.device(), &FILTER);
        assert_eq!(filter_on(place)?, [2.0, 4.0], "on {}", place.name());
        FILTER::set(place.device(), &[0.25, 0.5, 0.25]);
        assert_eq!(FILTER::get(place.device()), [0.25, 0.5, 0.25]);
        assert_eq!(filter_on(place)?, [2.25, 4.5], "on {}", place.name());
        FILTER::set(place.device(), &[1.0, -1.0, f32::INFINITY]);
        assert_eq!(filter_on(place)?, [f32::INFINITY; 2], "on {}", place.name());
        // The static is unchanged.
        assert_eq!(FILTER, [0.0, 1.0, 0.0]);
        Ok(())
    });
}

#[test]
fn loads_are_of_parameters() {
    let ptx = Filtered::info().ptx;
    assert!(ptx.contains(".param .align 4 .b8 table0_FILTER[12],"), "{ptx}");
    assert!(ptx.contains("ld.param.f32 "), "{ptx}");
    assert!(!ptx.contains(".const") && !ptx.contains(".local"), "{ptx}");
}

/// A launch before a constant is set keeps its value, also on other streams.
#[test]
fn launches_in_flight_keep_theirs() {
    #[vyre::constant]
    static NUMBER: [u32; 1] = [7];

    #[vyre::kernel(block = 32)]
    fn numbered(rounds: u32, y: &mut [u32]) {
        let i = thread::index();
        let mut value = 1u32;
        for round in 0..rounds {
            value = value.wrapping_mul(3) ^ round;
        }
        y[i] = NUMBER[i % NUMBER.len()] + (value == 0) as u32;
    }

    for device in vyre_semantics::places::devices() {
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let mut buffers: Vec<_> = (0..20).map(|_| device.zeros::<u32>(32).unwrap()).collect();
        for (number, buffer) in buffers.iter_mut().enumerate() {
            NUMBER::set(&device, &[number as u32 + 100]);
            let launch = numbered(100_000, buffer).over(32).on(&streams[number % 2]);
            launch.launch(&device).unwrap();
        }
        NUMBER::set(&device, &[0]);
        for (number, buffer) in buffers.iter().enumerate() {
            assert_eq!(buffer.download().unwrap(), [number as u32 + 100; 32], "on {device}");
        }
    }
}

mod elsewhere {
    pub(crate) mod deep {
        use vyre::device as on_device;

        #[on_device]
        pub(crate) const LENGTH: usize = 2;

        /// Constants of every type, nested, and with an imported length.
        #[vyre::constant]
        pub(crate) static TABLE: [[i16; LENGTH]; 3] = [[1, 2], [3, 4], [-5, i16::MAX]];
        #[vyre::constant]
        pub(crate) static FLAGS: [bool; 3] = [true, false, true];
        #[vyre::constant]
        pub(crate) static WIDE: [u64; 2] = [u64::MAX; 2];
        #[vyre::constant]
        static HIDDEN: [f64; 2] = [0.5, -0.0];

        pub(crate) fn hide(device: &vyre::Device, values: [f64; 2]) {
            HIDDEN::set(device, &values);
        }

        #[vyre::device]
        pub(crate) fn hidden(i: usize) -> f64 {
            HIDDEN[i]
        }

        #[vyre::device]
        fn sum_of(values: &[f64]) -> f64 {
            let mut sum = 0.0;
            for v in values {
                sum += v;
            }
            sum
        }

        #[vyre::device]
        pub(crate) fn all_hidden() -> f64 {
            sum_of(&HIDDEN) + hidden(0)
        }
    }
}

use elsewhere::deep::{self, TABLE as RENAMED, all_hidden};

#[vyre::kernel]
fn everything(i: usize, integers: &mut [i64], floats: &mut [f64]) {
    use elsewhere::deep::FLAGS;
    let t = thread::index();
    if t == 0 {
        let row = RENAMED[i];
        let place = &RENAMED[2][1];
        integers[0] = row[i % 2] as i64 + *place as i64;
        integers[1] = deep::WIDE[i % 2] as i64;
        integers[2] = if FLAGS[i] { RENAMED.len() as i64 } else { -1 };
        let all = deep::TABLE;
        for row in 0..3 {
            for value in &all[row] {
                integers[3] += *value as i64;
            }
        }
        for (k, flag) in FLAGS.iter().enumerate() {
            let bit = if *flag { 1 << k } else { 0 };
            integers[4] += bit;
        }
        floats[0] = all_hidden();
        floats[1] = deep::hidden(i % 2);
    }
}

fn everything_on(place: &Place, i: usize) -> vyre::Result<(Vec<i64>, Vec<u64>)> {
    let (mut integers, mut floats) = (place.device().zeros(5)?, place.device().zeros(2)?);
    place.over(everything(i, &mut integers, &mut floats), 1)?;
    let floats = floats.download()?.into_iter().map(f64::to_bits).collect();
    Ok((integers.download()?, floats))
}

#[test]
fn by_every_path_and_of_every_type() {
    everywhere(|place| {
        let device = place.device();
        deep::TABLE::set(device, &RENAMED);
        deep::FLAGS::set(device, &deep::FLAGS);
        deep::WIDE::set(device, &deep::WIDE);
        deep::hide(device, [0.5, -0.0]);
        let (integers, floats) = everything_on(place, 1)?;
        assert_eq!(
            integers,
            [4 + 32767, -1, -1, 1 + 2 + 3 + 4 - 5 + 32767, 5],
            "on {}",
            place.name()
        );
        assert_eq!(floats, [1.0f64, -0.0].map(f64::to_bits), "on {}", place.name());

        RENAMED::set(device, &[[10, 20], [30, 40], [50, 60]]);
        deep::FLAGS::set(device, &[false, true, true]);
        deep::WIDE::set(device, &[5, 6]);
        deep::hide(device, [2.0, 3.0]);
        let (integers, floats) = everything_on(place, 1)?;
        assert_eq!(integers, [100, 6, 3, 210, 6], "on {}", place.name());
        assert_eq!(floats, [7.0f64, 3.0].map(f64::to_bits), "on {}", place.name());
        Ok(())
    });
}

/// An index past the end is a fault.
#[vyre::kernel(block = 1)]
fn beyond(i: usize, y: &mut [f32]) {
    y[0] = FILTER[i];
}

#[test]
fn indices_are_checked() {
    everywhere(|place| {
        let mut y = place.device().zeros(1)?;
        let error = place.over(beyond(3, &mut y), 1).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("index 3 of `FILTER` is out of bounds of length 3"),
            "{error}"
        );
        Ok(())
    });
}

/// Constants written several times by a macro are distinct.
macro_rules! twice {
    ($($name:ident)*) => { $(
        mod $name {
            use vyre::prelude::*;

            #[vyre::constant]
            pub(crate) static SAME: [u32; 2] = [1, 2];

            #[vyre::kernel(launcher = Reads)]
            pub(crate) fn reads(y: &mut [u32]) {
                let i = thread::index();
                if i < y.len() {
                    y[i] = SAME[i];
                }
            }
        }
    )* };
}
twice! { one another }

#[test]
fn constants_of_macros_are_their_own() {
    everywhere(|place| {
        one::SAME::set(place.device(), &[3, 4]);
        another::SAME::set(place.device(), &[5, 6]);
        let (mut x, mut y) = (place.device().zeros(2)?, place.device().zeros(2)?);
        place.over(one::reads(&mut x), 2)?;
        place.over(another::reads(&mut y), 2)?;
        assert_eq!(
            (x.download()?, y.download()?),
            (vec![3, 4], vec![5, 6]),
            "on {}",
            place.name()
        );
        Ok(())
    });
}

/// More than the parameter limit of older PTX.
#[vyre::constant]
static LARGE: [u32; 5000] = [1; 5000];

#[vyre::kernel]
fn picks(places: &[u32], y: &mut [u32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = LARGE[places[i] as usize];
    }
}

#[test]
fn a_large_one() {
    everywhere(|place| {
        let values: Vec<u32> = (0..5000).map(|i| i * i).collect();
        LARGE::set(place.device(), values.first_chunk().unwrap());
        let places = place.device().upload(&[0, 1, 4999, 77])?;
        let mut y = place.device().zeros(4)?;
        place.over(picks(&places, &mut y), 4)?;
        assert_eq!(y.download()?, [0, 1, 4999 * 4999, 77 * 77], "on {}", place.name());
        Ok(())
    });
    assert!(Picks::info().ptx.starts_with(".version 8.1\n.target sm_70\n"));
}

#[vyre::constant]
static WEIGHTS: [f32; 3] = [0.0; 3];

/// One function called with a constant and with a variable.
#[vyre::device]
fn weighted(weights: &[f32; 3], x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..3 {
        sum += weights[i] * x[i];
    }
    sum
}

#[vyre::kernel(block = 1)]
fn weighs(x: &[f32], y: &mut [f32]) {
    let own = [x[0], x[1], x[2]];
    y[0] = weighted(&WEIGHTS, x);
    y[1] = weighted(&own, &WEIGHTS);
}

#[test]
fn references_to_constants() {
    everywhere(|place| {
        WEIGHTS::set(place.device(), &[-1.0, -2.0, -3.0]);
        let (x, mut y) = (place.device().upload(&[1.0, 2.0, 4.0])?, place.device().zeros(2)?);
        place.over(weighs(&x, &mut y), 1)?;
        assert_eq!(y.download()?, [-17.0; 2], "on {}", place.name());
        Ok(())
    });
}

#[vyre::constant]
static WEIGHT: [u8; 2] = [3, 4];

#[vyre::device]
fn weight(t: usize) -> f32 {
    10.0 * WEIGHT[t % 2] as f32
}

/// A kernel whose threads wait for each other.
#[vyre::kernel(block = 64)]
fn waits(y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    let t = thread::idx().x;
    tile[t] = WEIGHT[t % 2] as f32;
    block::sync();
    y[thread::index()] = tile[63 - t] + weight(t);
}

#[test]
fn with_barriers() {
    everywhere(|place| {
        let mut y = place.device().zeros(64)?;
        place.over(waits(&mut y), 64)?;
        let y = y.download()?;
        assert!(
            (0..64).all(|t| y[t] == [34.0, 43.0][t % 2]),
            "on {}: {y:?}",
            place.name()
        );
        Ok(())
    });
}
