//! Reads of as many elements as a counter on the device says.

mod support;

use std::fmt::Debug;

use support::{alone, count, devices, saxpy};
use vyre_runtime::kernel::reinterpret;
use vyre_runtime::{Device, Element, Error, Launch, Readback, Sequence, View};

/// Reads by a sequence, a graph, a sequence that is started, and directly.
fn read<T: Element + Clone>(device: &Device, x: View<'_, T>, count: &[u64]) -> vyre_runtime::Result<[Vec<T>; 4]> {
    let (wide, narrow) = (
        device.upload(count)?,
        device.upload(&count.iter().map(|&n| n as u32).collect::<Vec<_>>())?,
    );
    let mut steps = Sequence::new(device);
    let place = steps.read_counted(x, &narrow)?;
    let run = steps.run()?.get(&place).unwrap().to_vec();
    let mut again = Sequence::new(device);
    let other = again.read_counted(x, &wide)?;
    let started = again.start()?.wait()?.get(&other).unwrap().to_vec();
    let in_graph = steps.into_graph()?.run()?.get(&place).unwrap().to_vec();
    Ok([run, started, in_graph, x.download_counted(&wide)?])
}

fn check<T: Element + Clone + PartialEq + Debug>(device: &Device, values: &[T]) {
    let buffer = device.upload(values).unwrap();
    for start in [0, 1, 2, 5] {
        let x = buffer.slice(start..).unwrap();
        for n in [0, 1, 2, 3, 15, 16, 17, 31, 64, values.len() - start] {
            for found in read(device, x, &[n as u64]).unwrap() {
                assert_eq!(found, values[start..start + n], "{n} from {start} on, of {device}");
            }
        }
    }
}

#[test]
fn as_many_come_back_as_the_counter_says() {
    let _alone = alone();
    for device in devices("as_many_come_back_as_the_counter_says") {
        check(&device, &(0..250).map(|n| n as u8).collect::<Vec<_>>());
        check(&device, &(0..1000).map(|n| n as u16).collect::<Vec<_>>());
        check(&device, &(0..1000).map(|n| n as f32).collect::<Vec<_>>());
        check(&device, &(0..1000).map(|n| u128::from(n as u64)).collect::<Vec<_>>());
        check(&device, &(0..100).map(|n| [n, n + 1, n + 2]).collect::<Vec<[u32; 3]>>());
        check(&device, &(0..100).map(|n| [n as u8; 7]).collect::<Vec<[u8; 7]>>());
        check(&device, &(0..100).map(|n| n % 3 == 0).collect::<Vec<bool>>());
        // More than the threads of a wave of blocks copy at once, and more than come back with the count.
        let large: Vec<u32> = (0..5 << 20).collect();
        let x = device.upload(&large).unwrap();
        for n in [3_000_001, large.len()] {
            for found in read(&device, x.as_view(), &[n as u64]).unwrap() {
                assert!(found == large[..n]);
            }
        }
    }
}

#[test]
fn counts_that_do_not_fit_are_refused() {
    let _alone = alone();
    for device in devices("counts_that_do_not_fit_are_refused") {
        let x = device.upload(&[1u32, 2, 3]).unwrap();
        let mut n = device.upload(&[4u32]).unwrap();
        let refused = |error: Error, count: u64, length: usize| {
            assert_eq!(error, Error::CountOutOfBounds { count, length });
        };
        let mut steps = Sequence::new(&device);
        let all = steps.read(&x, ..).unwrap();
        let place = steps.read_counted(&x, &n).unwrap();
        refused(steps.run().unwrap_err(), 4, 3);
        refused(x.download_counted(&n).unwrap_err(), 4, 3);
        // The buffer keeps its data, and the next run is not affected.
        assert_eq!(x.download().unwrap(), [1, 2, 3]);
        n.write(&[2]).unwrap();
        let values = steps.run().unwrap();
        assert_eq!(
            (values.get(&place), values.get(&all)),
            (Some(&[1, 2][..]), Some(&[1, 2, 3][..]))
        );
        let mut graph = steps.into_graph().unwrap();
        n.write(&[u32::MAX]).unwrap();
        refused(graph.run().unwrap_err(), u64::from(u32::MAX), 3);
        n.write(&[0]).unwrap();
        assert_eq!(graph.run().unwrap().get(&place), Some(&[][..]));
        let huge = device.upload(&[u64::MAX]).unwrap();
        refused(x.download_counted(&huge).unwrap_err(), u64::MAX, 3);
        // An empty buffer.
        let none = device.zeros::<f64>(0).unwrap();
        for found in read(&device, none.as_view(), &[0]).unwrap() {
            assert_eq!(found, []);
        }
        refused(read(&device, none.as_view(), &[1]).unwrap_err(), 1, 0);
        refused(
            none.download_counted(&device.upload(&[1u32]).unwrap()).unwrap_err(),
            1,
            0,
        );
        let text = Error::CountOutOfBounds { count: 4, length: 3 }.to_string();
        assert!(
            text.starts_with("the counter says 4 elements, and the buffer has 3; make"),
            "{text}"
        );
    }
}

#[test]
fn counters_are_one_number_of_the_device() {
    let _alone = alone();
    for device in devices("counters_are_one_number_of_the_device") {
        let x = device.upload(&[1u32, 2, 3]).unwrap();
        let two = device.upload(&[1u32, 1]).unwrap();
        let mut steps = Sequence::new(&device);
        let lengths = |error: Error| {
            let Error::LengthMismatch {
                first_length: given,
                second_length: 1,
                ..
            } = error
            else {
                panic!("{error}")
            };
            given
        };
        assert_eq!(lengths(steps.read_counted(&x, &two).unwrap_err()), 2);
        assert_eq!(lengths(steps.read_counted(&x, two.slice(..0).unwrap()).unwrap_err()), 0);
        assert_eq!(lengths(x.download_counted(&two).unwrap_err()), 2);
        assert_eq!(format!("{steps:?}"), format!("Sequence of 0 steps on {device}"));
        if device.is_cuda() {
            let elsewhere = Device::cpu().upload(&[2u32]).unwrap();
            let refused = steps.read_counted(&x, &elsewhere).unwrap_err();
            assert!(
                matches!(&refused, Error::WrongDevice { what, .. } if what == "the counter"),
                "{refused}"
            );
            // A download goes through the host.
            assert_eq!(x.download_counted(&elsewhere).unwrap(), [1, 2]);
        }
    }
}

#[test]
fn elements_are_checked() {
    let _alone = alone();
    for device in devices("elements_are_checked") {
        let bytes = device.upload(&[1u8, 0, 1, 200]).unwrap();
        // SAFETY: sizes and alignments are the same. That the last element is no value is what is tested.
        let view = unsafe { reinterpret::<u8, bool>(bytes.as_view()) };
        for found in read(&device, view, &[3]).unwrap() {
            assert_eq!(found, [true, false, true]);
        }
        let invalid = Error::InvalidElement {
            index: 3,
            element: "bool",
        };
        assert_eq!(read(&device, view, &[4]).unwrap_err(), invalid);
        let four = device.upload(&[4u32]).unwrap();
        assert_eq!(view.download_counted(&four).unwrap_err(), invalid);
    }
}

/// Each run, and each turn, reads what the steps before have written and counted.
#[test]
fn reads_are_ordered_with_other_steps() {
    let _alone = alone();
    for device in devices("reads_are_ordered_with_other_steps") {
        let (mut x, mut n) = (device.zeros::<u32>(1000).unwrap(), device.zeros::<u32>(1).unwrap());
        let mut steps = Sequence::new(&device);
        steps.fill(&mut n, 0).unwrap();
        steps.fill(&mut x, 1).unwrap();
        let before = steps.read_counted(&x, &n).unwrap();
        let mut turn = None;
        steps
            .repeat(3, |body| {
                body.launch(Launch::over(count(n.as_atomics()), [256, 1, 1]))?;
                turn = Some(body.read_counted(&x, &n)?);
                Ok(())
            })
            .unwrap();
        let mut never = None;
        steps
            .repeat(0, |body| {
                never = Some(body.read_counted(&x, &n)?);
                Ok(())
            })
            .unwrap();
        steps.fill(&mut x, 2).unwrap();
        let after = steps.read_counted(&x, &n).unwrap();
        let (turn, never) = (turn.unwrap(), never.unwrap());
        let check = |values: vyre_runtime::Readback| {
            assert_eq!(values.get(&before), Some(&[][..]));
            assert_eq!(values.get(&turn), Some(&[1; 768][..]));
            assert_eq!(values.get(&never), Some(&[][..]));
            assert_eq!(values.get(&after), Some(&[2; 768][..]));
        };
        check(steps.run().unwrap());
        check(steps.run().unwrap());
        let mut graph = steps.into_graph().unwrap();
        check(graph.run().unwrap());
        check(graph.run().unwrap());
    }
}

/// Values have no places that were recorded after their run, and no values of the run before.
#[test]
fn places_are_those_of_the_run() {
    let _alone = alone();
    for device in devices("places_are_those_of_the_run") {
        let bytes = device.upload(&[200u8; 500]).unwrap();
        let mut n = device.upload(&[500u32]).unwrap();
        let mut steps = Sequence::new(&device);
        let first = steps.read(&bytes, ..3).unwrap();
        let all = steps.read_counted(&bytes, &n).unwrap();
        let mut values = Readback::new();
        steps.run_into(&mut values).unwrap();
        let later = steps.read(&device.upload(&[true; 64]).unwrap(), ..).unwrap();
        let some = steps.read_counted(&bytes, &n).unwrap();
        assert_eq!((values.get(&later), values.get(&some)), (None, None));
        assert_eq!(
            (values.get(&first), values.get(&all)),
            (Some(&[200; 3][..]), Some(&[200; 500][..]))
        );
        n.write(&[2]).unwrap();
        steps.run_into(&mut values).unwrap();
        assert_eq!(values.get(&later), Some(&[true; 64][..]));
        for place in [all, some] {
            assert_eq!(values.get(&place), Some(&[200; 2][..]));
        }
        n.write(&[501]).unwrap();
        assert!(steps.run_into(&mut values).is_err());
        assert_eq!((values.get(&first), values.get(&all)), (None, None));
        assert_eq!(format!("{all:?} {first:?}"), "Place<u8>[..500] Place<u8>[3]");
    }
}

/// A fault of a launch that may have written what is read, or the counter, is told.
#[test]
fn faults_come_first() {
    let _alone = alone();
    for device in devices("faults_come_first") {
        let short = device.zeros::<f32>(10).unwrap();
        let mut y = device.zeros::<f32>(100).unwrap();
        let n = device.upload(&[3u32]).unwrap();
        for _ in 0..2 {
            saxpy(1.0, &short, &mut y).over(100).launch(&device).unwrap();
            assert!(matches!(y.download_counted(&n), Err(Error::Fault(_))));
            assert!(
                matches!(y.download_counted(&n), Err(Error::Fault(_))),
                "until it is overwritten"
            );
            let mut steps = Sequence::new(&device);
            let place = steps.read_counted(&y, &n).unwrap();
            assert!(matches!(steps.run(), Err(Error::Fault(_))));
            y.fill(2.0).unwrap();
            assert_eq!(steps.run().unwrap().get(&place), Some(&[2.0; 3][..]));
            assert_eq!(y.download_counted(&n).unwrap(), [2.0; 3]);
        }
    }
}
