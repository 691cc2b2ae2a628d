//! The order of work on several streams, and memory that goes while work on it is under way.

mod support;

use support::*;
use vyre_runtime::{Device, DeviceBuffer};

/// Long enough for the host to queue many launches.
const WHILE: u64 = 2_000_000;

#[test]
fn two_streams_take_turns_on_one_buffer() {
    let _alone = alone();
    for device in devices("two_streams_take_turns_on_one_buffer") {
        let streams = [
            device.stream().unwrap(),
            device.stream().unwrap(),
            device.default_stream(),
        ];
        let mut y = device.zeros(1000).unwrap();
        let mut expected = 0u32;
        for step in 0..60u32 {
            let x = device.upload(&[step; 1000]).unwrap();
            // The steps do not commute, so every wrong order shows.
            Slowly::new(WHILE / 10, 3, &x, &mut y)
                .on(&streams[(step * 7 % 3) as usize])
                .launch(&device)
                .unwrap();
            expected = expected.wrapping_mul(3).wrapping_add(step);
        }
        assert_eq!(y.download().unwrap(), vec![expected; 1000]);
    }
}

#[test]
fn readers_follow_the_writer_and_the_next_writer_follows_them() {
    let _alone = alone();
    for device in devices("readers_follow_the_writer_and_the_next_writer_follows_them") {
        let [writer, first, second] = [(); 3].map(|()| device.stream().unwrap());
        let ones = device.upload(&[1u32; 100]).unwrap();
        let mut shared = device.zeros(100).unwrap();
        let mut outputs = [device.zeros(100).unwrap(), device.zeros(100).unwrap()];
        let mut expected = [0u32; 2];
        for round in 1..=20u32 {
            Slowly::new(WHILE / 10, 1, &ones, &mut shared)
                .on(&writer)
                .launch(&device)
                .unwrap();
            for (i, stream) in [&first, &second].into_iter().enumerate() {
                Slowly::new(WHILE / 10, 5, &shared, &mut outputs[i])
                    .on(stream)
                    .launch(&device)
                    .unwrap();
                expected[i] = expected[i].wrapping_mul(5).wrapping_add(round);
            }
        }
        for (output, expected) in outputs.iter().zip(expected) {
            assert_eq!(output.download().unwrap(), [expected; 100]);
        }
        assert_eq!(shared.download().unwrap(), [20; 100]);
    }
}

#[test]
fn halves_are_written_on_two_streams_by_two_threads() {
    let _alone = alone();
    for device in devices("halves_are_written_on_two_streams_by_two_threads") {
        let ones = device.upload(&[1u32; 500]).unwrap();
        let mut y = device.zeros(1000).unwrap();
        for round in 1..=20 {
            let (low, high) = y.split_at_mut(500).unwrap();
            std::thread::scope(|scope| {
                for half in [low, high] {
                    let (device, ones) = (&device, &ones);
                    scope.spawn(move || {
                        let stream = device.stream().unwrap();
                        Slowly::new(WHILE / 10, 1, ones, half)
                            .on(&stream)
                            .launch(device)
                            .unwrap();
                    });
                }
            });
            if round % 2 == 0 {
                assert_eq!(y.download().unwrap(), [round; 1000]);
            }
        }
    }
}

#[test]
fn host_copies_follow_all_streams() {
    let _alone = alone();
    for device in devices("host_copies_follow_all_streams") {
        let stream = device.stream().unwrap();
        let ones = device.upload(&[1u32; 10]).unwrap();
        let mut y = device.zeros(10).unwrap();
        for round in 0..10u32 {
            Slowly::new(WHILE, 1, &ones, &mut y)
                .on(&stream)
                .launch(&device)
                .unwrap();
            Slowly::new(WHILE, 1, &ones, &mut y).launch(&device).unwrap();
            assert_eq!(y.download().unwrap(), [round + 2; 10]);
            Slowly::new(WHILE, 1, &ones, &mut y)
                .on(&stream)
                .launch(&device)
                .unwrap();
            y.write(&[round + 1; 10]).unwrap();
            assert_eq!(y.download().unwrap(), [round + 1; 10]);
        }
    }
}

#[test]
fn copies_between_buffers_are_ordered() {
    let _alone = alone();
    for device in devices("copies_between_buffers_are_ordered") {
        let stream = device.stream().unwrap();
        let ones = device.upload(&[1u32; 10]).unwrap();
        let (mut a, mut b) = (device.zeros(10).unwrap(), device.zeros(10).unwrap());
        for round in 1..=10 {
            Slowly::new(WHILE, 1, &ones, &mut a)
                .on(&stream)
                .launch(&device)
                .unwrap();
            b.copy_from(&a).unwrap();
            let clone = a.try_clone().unwrap();
            a.copy_from(&b).unwrap();
            assert_eq!(clone.download().unwrap(), [round; 10]);
        }
        assert_eq!(b.download().unwrap(), [10; 10]);
    }
}

#[test]
fn buffers_may_go_while_they_are_in_use() {
    let _alone = alone();
    for device in devices("buffers_may_go_while_they_are_in_use") {
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let ones = device.upload(&[1u32; 4096]).unwrap();
        let mut kept: Vec<(u32, DeviceBuffer<u32>)> = Vec::new();
        for round in 0..40u32 {
            let mut gone = device.zeros(4096).unwrap();
            Slowly::new(WHILE / 4, 1, &ones, &mut gone)
                .on(&streams[0])
                .launch(&device)
                .unwrap();
            let mut output = device.zeros(4096).unwrap();
            Slowly::new(WHILE / 4, 1, &gone, &mut output)
                .on(&streams[1])
                .launch(&device)
                .unwrap();
            // A late write of the kernel to `gone` would show in what gets its memory.
            drop(gone);
            kept.push((round, device.upload(&[round; 4096]).unwrap()));
            drop(output);
            kept.push((0, device.zeros(4096).unwrap()));
        }
        device.synchronize().unwrap();
        for (value, buffer) in &kept {
            assert_eq!(buffer.download().unwrap(), [*value; 4096]);
        }
    }
}

#[test]
fn streams_may_go_while_they_work() {
    let _alone = alone();
    for device in devices("streams_may_go_while_they_work") {
        let ones = device.upload(&[1u32; 10]).unwrap();
        let mut y = device.zeros(10).unwrap();
        for _ in 0..30 {
            let stream = device.stream().unwrap();
            Slowly::new(WHILE / 4, 1, &ones, &mut y)
                .on(&stream)
                .launch(&device)
                .unwrap();
        }
        assert_eq!(y.download().unwrap(), [30; 10]);
    }
}

#[test]
fn launches_do_not_wait_for_a_gpu() {
    let _alone = alone();
    let Some(device) = cuda("launches_do_not_wait_for_a_gpu") else {
        return;
    };
    let ones = device.upload(&[1u32; 10]).unwrap();
    let mut y = device.zeros(10).unwrap();
    Slowly::new(0, 1, &ones, &mut y).launch(&device).unwrap();
    device.synchronize().unwrap();
    let start = std::time::Instant::now();
    Slowly::new(300_000_000, 1, &ones, &mut y).launch(&device).unwrap();
    let uploaded = device.upload(&[4u32; 10]).unwrap();
    let queued = start.elapsed();
    assert_eq!(y.download().unwrap(), [2; 10]);
    let done = start.elapsed();
    assert!(
        queued.as_millis() < 100 && done.as_millis() >= 290,
        "queued after {queued:?}, done after {done:?}"
    );
    assert_eq!(uploaded.download().unwrap(), [4; 10]);
}

#[test]
fn streams_run_beside_each_other() {
    let _alone = alone();
    let Some(device) = cuda("streams_run_beside_each_other") else {
        return;
    };
    let run = |device: &Device| {
        let ones = device.upload(&[1u32; 10]).unwrap();
        let mut outputs: Vec<_> = (0..4).map(|_| device.zeros(10).unwrap()).collect();
        let streams: Vec<_> = (0..4).map(|_| device.stream().unwrap()).collect();
        device.synchronize().unwrap();
        let start = std::time::Instant::now();
        for (output, stream) in outputs.iter_mut().zip(&streams) {
            // All read `ones`, which must not hold them up.
            Slowly::new(100_000_000, 1, &ones, output)
                .on(stream)
                .launch(device)
                .unwrap();
        }
        device.synchronize().unwrap();
        start.elapsed()
    };
    run(&device);
    let elapsed = run(&device);
    assert!(elapsed.as_millis() < 250, "four waits of 100 ms took {elapsed:?}");
}
