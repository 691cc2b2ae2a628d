//! Sequences: steps that are recorded once and run many times, on the CPU, and on a GPU if there is one.

mod support;

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

use support::{BLOCK, Saxpy, Slowly, Wide, alone, count, devices, saxpy};
use vyre_runtime::{Device, DeviceBuffer, Error, FaultKind, Launch, LaunchLimit, Readback, Sequence};

mod kernels {
    use vyre::prelude::*;

    #[vyre::constant]
    pub(crate) static STEP: [u32; 1] = [1];

    /// Adds the constant.
    #[vyre::kernel]
    pub(crate) fn advance(#[each] x: &mut u32) {
        *x = x.wrapping_add(STEP[0]);
    }

    /// Halves what is not zero.
    #[vyre::kernel]
    pub(crate) fn halve(#[each] x: &mut u32, changed: &[AtomicU32]) {
        if *x > 0 {
            *x /= 2;
            changed[0].store(1, Ordering::Relaxed);
        }
    }

    /// Counts a vector down; a thread that finds a zero panics.
    #[vyre::kernel]
    pub(crate) fn count_down(#[each] x: &mut u32) {
        assert!(*x > 0, "nothing left");
        *x -= 1;
    }
}

use kernels::{advance, count_down, halve};

/// `times` steps of [`Slowly`] on the host.
fn stepped(x: u32, mut y: u32, factor: u32, times: u32) -> u32 {
    for _ in 0..times {
        y = y.wrapping_mul(factor).wrapping_add(x);
    }
    y
}

#[test]
fn steps_run_in_order_and_as_often_as_one_likes() {
    let _alone = alone();
    for device in devices("steps_run_in_order_and_as_often_as_one_likes") {
        let (mut x, mut y) = (device.zeros::<u32>(1000).unwrap(), device.zeros::<u32>(1000).unwrap());
        let mut z = device.zeros::<u32>(500).unwrap();
        let mut steps = Sequence::new(&device);
        let start: Vec<u32> = (0..1000).collect();
        steps.write(&mut x, &start).unwrap();
        steps.fill(&mut y, 3).unwrap();
        steps
            .repeat(3, |body| {
                body.launch(Slowly::new(0, 5, &x, &mut y))?;
                body.repeat(2, |inner| inner.launch(Slowly::new(0, 7, &x, &mut y)))
            })
            .unwrap();
        steps.copy(&mut z, y.slice(500..).unwrap()).unwrap();
        steps.write(y.slice_mut(..2).unwrap(), &[8, 9]).unwrap();
        let (first, last) = (steps.read(&y, ..3).unwrap(), steps.read(&z, 499..).unwrap());
        // No step has run.
        assert_eq!(
            (x.download().unwrap(), y.download().unwrap()),
            (vec![0; 1000], vec![0; 1000])
        );

        let expected = |x| (0..3).fold(3, |y, _| stepped(x, stepped(x, y, 5, 1), 7, 2));
        let mut values = Readback::new();
        for _ in 0..3 {
            steps.run_into(&mut values).unwrap();
            assert_eq!(values.get(&first), Some(&[8, 9, expected(2)][..]));
            assert_eq!(values.get(&last), Some(&[expected(999)][..]));
            let z = z.download().unwrap();
            assert!((500..1000).zip(z).all(|(x, z)| expected(x) == z));
            // Values that others write in between are overwritten by the next run.
            y.fill(77).unwrap();
            z_is_kept(&device, &mut x);
        }
    }
}

/// Writes something that a run overwrites.
fn z_is_kept(device: &Device, x: &mut DeviceBuffer<u32>) {
    let ones = device.upload(&vec![1u32; x.len()]).unwrap();
    Slowly::new(0, 3, &ones, x).launch(device).unwrap();
}

#[test]
fn a_sequence_keeps_its_memory() {
    let _alone = alone();
    for device in devices("a_sequence_keeps_its_memory") {
        let before = device.memory().unwrap().in_use;
        let mut steps = {
            let ones = device.upload(&[1u32; 300]).unwrap();
            let mut y = device.zeros(300).unwrap();
            let mut steps = Sequence::new(&device);
            steps.launch(Slowly::new(0, 2, &ones, &mut y)).unwrap();
            let place = steps.read(&y, ..1).unwrap();
            drop((ones, y));
            (steps, place)
        };
        // Others do not get it meanwhile.
        let others: Vec<_> = (0..20).map(|_| device.upload(&[7u32; 300]).unwrap()).collect();
        for turns in 1..=5 {
            let values = steps.0.run().unwrap();
            assert_eq!(values.get(&steps.1), Some(&[stepped(1, 0, 2, turns)][..]));
        }
        assert!(others.iter().all(|other| other.download().unwrap() == [7; 300]));
        drop((others, steps));
        assert_eq!(device.memory().unwrap().in_use, before);
    }
}

#[test]
fn runs_are_ordered_with_other_streams() {
    let _alone = alone();
    for device in devices("runs_are_ordered_with_other_streams") {
        let stream = device.stream().unwrap();
        let ones = device.upload(&[1u32; 500]).unwrap();
        let mut y = device.zeros::<u32>(500).unwrap();
        let mut steps = Sequence::new(&device).on(&device.stream().unwrap()).unwrap();
        steps.launch(Slowly::new(200_000, 3, &ones, &mut y)).unwrap();
        let mut expected = 0;
        for turn in 0..10 {
            let launch = Slowly::new(200_000, 5, &ones, &mut y);
            if turn % 2 == 0 { launch.on(&stream) } else { launch }
                .launch(&device)
                .unwrap();
            steps.run().unwrap();
            expected = stepped(1, stepped(1, expected, 5, 1), 3, 1);
        }
        assert_eq!(y.download().unwrap(), [expected; 500]);
    }
}

/// A run borrows nothing, so another thread may read the same buffer through an ordinary borrow. It sees the values from
/// before a run or from after it.
#[test]
fn other_threads_see_whole_runs() {
    let _alone = alone();
    for device in devices("other_threads_see_whole_runs") {
        const LENGTH: usize = 1 << 16;
        let mut x = device.zeros::<u32>(LENGTH).unwrap();
        let mut steps = Sequence::new(&device).on(&device.stream().unwrap()).unwrap();
        for value in 1..=4 {
            let (mut low, mut high) = x.split_at_mut(LENGTH / 2).unwrap();
            steps.fill(&mut high, value).unwrap();
            steps.write(&mut low, &vec![value; LENGTH / 2]).unwrap();
        }
        let readers = AtomicUsize::new(2);
        let check = |values: Vec<u32>| {
            let first = values[0];
            assert!(matches!(first, 0 | 4), "{first} is from within a run");
            assert!(values.iter().all(|&value| value == first), "a mixture");
        };
        let x = &x;
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _leaves = Leaves(&readers);
                    let stream = device.stream().unwrap();
                    let mut copy = device.zeros::<u32>(LENGTH).unwrap();
                    for _ in 0..40 {
                        check(x.download().unwrap());
                        copy.copy_from(x).unwrap();
                        check(copy.download().unwrap());
                        copy.fill(0).unwrap();
                        Slowly::new(0, 1, x, &mut copy).on(&stream).launch(&device).unwrap();
                        check(copy.download().unwrap());
                    }
                });
            }
            while readers.load(Ordering::Relaxed) > 0 {
                steps.run().unwrap();
            }
        });
    }
}

/// Counts a reader less, also if it panics.
struct Leaves<'r>(&'r AtomicUsize);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Two sequences that use the same buffers in the opposite order, on two threads, and a third that shares one with them.
#[test]
fn sequences_run_beside_each_other() {
    let _alone = alone();
    for device in devices("sequences_run_beside_each_other") {
        let (mut x, mut y) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(1).unwrap());
        let mut record = |swapped: bool| {
            let mut steps = Sequence::new(&device).on(&device.stream().unwrap()).unwrap();
            let (first, second) = if swapped { (&mut y, &mut x) } else { (&mut x, &mut y) };
            steps.launch(Launch::grid(count(first), [1, 1, 1])).unwrap();
            steps.launch(Launch::grid(count(second), [2, 1, 1])).unwrap();
            steps
        };
        let mut sequences = [record(false), record(true), record(false)];
        thread::scope(|scope| {
            for steps in &mut sequences {
                scope.spawn(|| (0..50).for_each(|_| drop(steps.run().unwrap())));
            }
        });
        assert_eq!(x.download().unwrap(), [50 * BLOCK * (1 + 2 + 1)]);
        assert_eq!(y.download().unwrap(), [50 * BLOCK * (2 + 1 + 2)]);
    }
}

#[test]
fn a_fault_ends_the_turns() {
    let _alone = alone();
    for device in devices("a_fault_ends_the_turns") {
        let mut x = device.upload(&[5u32; 100]).unwrap();
        let mut y = device.zeros::<u32>(1).unwrap();
        let mut steps = Sequence::new(&device);
        let before = steps.read(&x, ..).unwrap();
        steps
            .repeat(1_000_000, |body| {
                body.launch(count_down(&mut x).over(100))?;
                body.launch(Launch::grid(count(&mut y), [1, 1, 1]))
            })
            .unwrap();
        let after = steps.read(&x, ..).unwrap();
        let mut values = Readback::new();
        let error = steps.run_into(&mut values).unwrap_err();
        let Error::Fault(fault) = &error else { panic!("{error}") };
        assert_eq!(
            (fault.kind, &*fault.kernel, &*fault.message),
            (FaultKind::Assertion, "count_down", "nothing left")
        );
        assert_eq!((values.get(&before), values.get(&after)), (None, None));
        // It was told, and once.
        device.synchronize().unwrap();
        let turns = y.download().unwrap()[0] / BLOCK;
        match device.is_cuda() {
            true => assert!(turns < 1_000_000),
            // On the CPU the host sees it at once.
            false => assert_eq!(turns, 5),
        }
        // Its results are not there, until they are written again.
        assert_eq!(x.download().unwrap_err(), error);
        assert!(matches!(steps.run(), Err(Error::Fault(_))));
        x.write(&[3; 100]).unwrap();
        assert!(matches!(steps.run(), Err(Error::Fault(_))));
        x.write(&[3; 100]).unwrap();
        // Others are as before.
        let mut others = Sequence::new(&device);
        let place = others.read(&x, ..1).unwrap();
        assert_eq!(others.run().unwrap().get(&place), Some(&[3][..]));
    }
}

/// The host may see the fault while it queues the run.
#[test]
fn the_fault_of_a_run_that_nobody_waits_for_is_told() {
    let _alone = alone();
    for device in devices("the_fault_of_a_run_that_nobody_waits_for_is_told") {
        let stream = device.stream().unwrap();
        let (mut x, mut y) = (device.zeros::<u32>(100).unwrap(), device.zeros::<u32>(1).unwrap());
        let mut steps = Sequence::new(&device).on(&stream).unwrap();
        steps.launch(count_down(&mut x).over(100)).unwrap();
        steps.fill(&mut y, 1).unwrap();
        drop(steps.start().unwrap());
        assert!(matches!(stream.synchronize(), Err(Error::Fault(_))));
        stream.synchronize().unwrap();
    }
}

/// A fault of an earlier launch that nobody was told does not end a run, and what the run reads of it is that fault.
#[test]
fn faults_of_others_are_theirs() {
    let _alone = alone();
    for device in devices("faults_of_others_are_theirs") {
        let short = device.zeros(99).unwrap();
        let (mut bad, mut good) = (device.zeros(100).unwrap(), device.zeros::<u32>(100).unwrap());
        let ones = device.upload(&[1u32; 100]).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(Slowly::new(0, 1, &ones, &mut good)).unwrap();
        let place = steps.read(&good, ..).unwrap();
        saxpy(1.0, &short, &mut bad).over(100).launch(&device).unwrap();
        assert_eq!(steps.run().unwrap().get(&place), Some(&[1; 100][..]));
        assert!(matches!(device.synchronize(), Err(Error::Fault(_))));
        let mut reads = Sequence::new(&device);
        reads.read(&bad, ..).unwrap();
        assert!(matches!(reads.run(), Err(Error::Fault(_))));
        assert!(matches!(reads.run(), Err(Error::Fault(_))));
        bad.fill(0.0).unwrap();
        reads.run().unwrap();
    }
}

/// Data that a sequence has read is told to be from a fault, also if everything was overwritten before the wait.
#[test]
fn what_was_read_keeps_its_fault() {
    let _alone = alone();
    for device in devices("what_was_read_keeps_its_fault") {
        let mut y = device.zeros::<f32>(100).unwrap();
        let short = device.zeros(50).unwrap();
        saxpy(1.0, &short, &mut y).over(100).launch(&device).unwrap();
        let mut steps = Sequence::new(&device);
        let read = steps.read(&y, ..).unwrap();
        steps.fill(&mut y, 1.0).unwrap();
        let last = steps.read(&y, ..1).unwrap();
        let pending = steps.start().unwrap();
        assert!(matches!(device.synchronize(), Err(Error::Fault(_))));
        assert_eq!(y.download().unwrap(), [1.0; 100]);
        assert!(matches!(pending.wait(), Err(Error::Fault(_))));
        // The next run reads what is not from the fault.
        let values = steps.run().unwrap();
        assert_eq!(
            (values.get(&read).unwrap()[99], values.get(&last)),
            (1.0, Some(&[1.0][..]))
        );
    }
}

#[test]
fn bad_steps_are_refused_when_they_are_recorded() {
    let _alone = alone();
    for device in devices("bad_steps_are_refused_when_they_are_recorded") {
        let (mut x, mut y) = (device.upload(&[1.0f32; 10]).unwrap(), device.zeros::<f32>(11).unwrap());
        let mut steps = Sequence::new(&device);
        let lengths = |first: usize, second: usize| Error::LengthMismatch {
            first: "the source".into(),
            first_length: first,
            second: "the buffer".into(),
            second_length: second,
        };
        assert_eq!(steps.write(&mut x, &[0.0; 9]).unwrap_err(), lengths(9, 10));
        assert_eq!(steps.copy(&mut x, &y).unwrap_err(), lengths(11, 10));
        assert!(matches!(
            steps.read(&x, 9..12),
            Err(Error::RangeOutOfBounds {
                start: 9,
                end: 12,
                length: 10
            })
        ));
        let other = device.stream().unwrap();
        let error = steps.launch(saxpy(1.0, &x, &mut y).over(10).on(&other)).unwrap_err();
        assert_eq!(error, Error::StreamInSequence { kernel: "saxpy".into() });
        let error = steps.launch(saxpy(1.0, &x, &mut y).grid(0)).unwrap_err();
        assert!(matches!(error, Error::EmptyGrid { .. }));
        let error = steps
            .launch(saxpy(1.0, &x, &mut y).over(10).shared_bytes(1 << 30))
            .unwrap_err();
        assert!(
            matches!(
                error,
                Error::TooLarge {
                    what: LaunchLimit::SharedMemory { .. },
                    ..
                }
            ),
            "{error}"
        );
        let error = steps.launch(Launch::grid(Wide, [1, 1, 1])).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
        let long = device.zeros::<u32>(9).unwrap();
        let mut longer = device.zeros::<u32>(8).unwrap();
        let launch = Launch::<Slowly<'_>>::over(
            Slowly {
                nanoseconds: 0,
                factor: 1,
                x: long.as_view(),
                y: longer.as_view_mut(),
            },
            [8, 1, 1],
        );
        assert!(matches!(steps.launch(launch), Err(Error::LengthMismatch { .. })));
        // An error in a body takes the whole loop back.
        let error = steps.repeat(3, |body| {
            body.fill(&mut x, 9.0)?;
            body.write(&mut y, &[0.0])
        });
        assert_eq!(error.unwrap_err(), lengths(1, 11));
        // An empty domain, an empty buffer and no turns are no steps.
        steps.launch(saxpy(1.0, &x, &mut y).over(0)).unwrap();
        steps.fill(x.slice_mut(..0).unwrap(), 5.0).unwrap();
        steps.write(x.slice_mut(..0).unwrap(), &[]).unwrap();
        let nothing = steps.read(&x, 10..).unwrap();
        steps.repeat(0, |body| body.fill(&mut x, 4.0)).unwrap();
        let values = steps.run().unwrap();
        assert_eq!(values.get(&nothing), Some(&[][..]));
        assert_eq!(x.download().unwrap(), [1.0; 10]);
        assert_eq!(y.download().unwrap(), [0.0; 11]);
    }
}

#[test]
fn a_fixpoint_ends_when_nothing_changes() {
    let _alone = alone();
    for device in devices("a_fixpoint_ends_when_nothing_changes") {
        let mut x = device.zeros::<u32>(100).unwrap();
        let mut steps = Sequence::new(&device);
        let start: Vec<u32> = (0..100).collect();
        let mut places = Vec::new();
        for limit in [1000, 7, 6, 0] {
            steps.write(&mut x, &start).unwrap();
            let place = steps.fixpoint(limit, |body, changed| body.launch(halve(&mut x, changed).over(100)));
            places.push((place.unwrap(), limit));
        }
        // 99 becomes 0 in seven turns.
        for _ in 0..3 {
            let values = steps.run().unwrap();
            for (place, limit) in &places {
                assert_eq!(values.get(place), Some(&[7.min(*limit)][..]));
            }
        }
        // The last one had no turns.
        assert_eq!(x.download().unwrap(), start);

        // In a loop, the last turn counts; a fault ends it.
        let mut loops = Sequence::new(&device);
        let mut turns = None;
        loops
            .repeat(2, |body| {
                body.fill(&mut x, 1)?;
                turns = Some(body.fixpoint(10, |inner, changed| inner.launch(halve(&mut x, changed).over(100)))?);
                Ok(())
            })
            .unwrap();
        assert_eq!(loops.run().unwrap().get(&turns.unwrap()), Some(&[1][..]));
        // Two launches of a turn use the flag.
        let mut y = device.zeros::<u32>(100).unwrap();
        let mut both = Sequence::new(&device);
        both.write(&mut x, &[1; 100]).unwrap();
        both.write(&mut y, &start).unwrap();
        let turns = both.fixpoint(1000, |body, changed| {
            let changed = changed.as_atomics::<AtomicU32>();
            body.launch(halve(&mut x, changed).over(100))?;
            body.launch(halve(&mut y, changed).over(100))
        });
        assert_eq!(both.run().unwrap().get(&turns.unwrap()), Some(&[7][..]));
        let mut faults = Sequence::new(&device);
        faults
            .fixpoint(10, |body, _| body.launch(count_down(&mut x).over(100)))
            .unwrap();
        assert!(matches!(faults.run(), Err(Error::Fault(_))));
    }
}

/// A kernel all of whose slices are `#[each]` says by itself how many threads there are.
#[test]
fn a_launch_without_a_domain_is_recorded() {
    let _alone = alone();
    for device in devices("a_launch_without_a_domain_is_recorded") {
        let mut x = device.upload(&[5u32; 300]).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(count_down(&mut x)).unwrap();
        let node = steps.node(count_down(x.slice_mut(..100).unwrap())).unwrap();
        let mut nothing = device.zeros::<u32>(0).unwrap();
        steps.launch(count_down(&mut nothing)).unwrap();
        steps.run().unwrap();
        let expected = |first, rest| {
            (0..300)
                .map(|i| if i < 100 { first } else { rest })
                .collect::<Vec<u32>>()
        };
        assert_eq!(x.download().unwrap(), expected(3, 4));
        let mut graph = steps.into_graph().unwrap();
        graph.set(&node, count_down(x.slice_mut(100..).unwrap())).unwrap();
        graph.run().unwrap();
        assert_eq!(x.download().unwrap(), expected(2, 2));
    }
}

#[test]
fn constants_are_those_of_the_run() {
    let _alone = alone();
    for device in devices("constants_are_those_of_the_run") {
        let mut x = device.zeros::<u32>(10).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(advance(&mut x).over(10)).unwrap();
        let place = steps.read(&x, ..1).unwrap();
        let device = vyre::Device::open(&device.id()).unwrap();
        for (step, sum) in [(1, 1), (10, 11), (100, 111)] {
            kernels::STEP::set(&device, &[step]);
            assert_eq!(steps.run().unwrap().get(&place), Some(&[sum][..]));
        }
        kernels::STEP::set(&device, &[1]);
    }
}

#[test]
fn a_run_is_timed() {
    let _alone = alone();
    for device in devices("a_run_is_timed") {
        let mut x = device.zeros::<u32>(1000).unwrap();
        let ones = device.upload(&[1u32; 1000]).unwrap();
        let mut steps = Sequence::new(&device);
        steps
            .repeat(10, |body| body.launch(Slowly::new(20_000, 1, &ones, &mut x)))
            .unwrap();
        let place = steps.read(&x, ..1).unwrap();
        let (mut values, before) = (Readback::new(), device.stats());
        let timing = steps.run_timed(&mut values).unwrap();
        assert_eq!(timing.wall, timing.enqueue + timing.wait);
        let time = timing.device.unwrap();
        assert!(time <= timing.wall && !time.is_zero());
        if device.is_cuda() {
            assert!(time.as_micros() >= 200, "{time:?}");
        }
        assert_eq!(values.get(&place), Some(&[10][..]));
        let done = device.stats().since(&before);
        assert_eq!((done.launches, done.timed_launches, done.downloaded_bytes), (10, 1, 4));
    }
}

/// Turns without steps take no time.
#[test]
fn turns_of_nothing_are_none() {
    let mut steps = Sequence::new(&Device::cpu());
    steps.repeat(usize::MAX, |_| Ok(())).unwrap();
    steps
        .repeat(usize::MAX, |body| body.repeat(usize::MAX, |_| Ok(())))
        .unwrap();
    steps.run().unwrap();
}

#[test]
fn values_belong_to_their_sequence() {
    let _alone = alone();
    for device in devices("values_belong_to_their_sequence") {
        let (flags, numbers) = (device.upload(&[true]).unwrap(), device.upload(&[7u8]).unwrap());
        let (mut first, mut second) = (Sequence::new(&device), Sequence::new(&device));
        let flag = first.read(&flags, ..).unwrap();
        let number = second.read(&numbers, ..).unwrap();
        let mut values = second.run().unwrap();
        assert_eq!((values.get(&number), values.get(&flag)), (Some(&[7][..]), None));
        first.run_into(&mut values).unwrap();
        assert_eq!((values.get(&number), values.get(&flag)), (None, Some(&[true][..])));
        // One that was recorded after the run, and one whose turns did not come.
        let mut later = None;
        first
            .repeat(0, |body| {
                later = Some(body.read(&flags, ..)?);
                Ok(())
            })
            .unwrap();
        let later = later.unwrap();
        assert_eq!(values.get(&later), None);
        second.run().unwrap();
        first.run_into(&mut values).unwrap();
        assert_eq!(values.get(&later), Some(&[false][..]));
    }
}

#[test]
#[should_panic(expected = "exchanged the sequence")]
fn a_body_cannot_be_exchanged() {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(1).unwrap();
    let mut steps = Sequence::new(&device);
    let _ = steps.repeat(2, |body| {
        body.fill(&mut x, 1)?;
        *body = Sequence::new(&device);
        Ok(())
    });
}

/// Launchers keep their scalars, of any size and alignment.
#[test]
fn scalars_are_kept() {
    let _alone = alone();
    for device in devices("scalars_are_kept") {
        let (x, mut y) = (device.upload(&[1.0f32; 4]).unwrap(), device.zeros(4).unwrap());
        let mut steps = Sequence::new(&device);
        for a in [1.0, 10.0, 100.0] {
            let launcher = Box::new(saxpy(a, &x, &mut y));
            let launch: Launch<Saxpy<'_>> = launcher.over(4);
            steps.launch(launch).unwrap();
        }
        steps.run().unwrap();
        assert_eq!(y.download().unwrap(), [111.0; 4]);
    }
}
