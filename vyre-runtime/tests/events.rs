//! Events: their order, their times, and what waits for them.

mod support;

use std::time::{Duration, Instant};

use support::*;
use vyre_runtime::kernel::wait_apart;
use vyre_runtime::{Device, Error, Event};

/// A kernel on a GPU takes this long.
const WHILE: u64 = 20_000_000;

#[test]
fn an_event_comes_after_the_work_before_it() {
    let _alone = alone();
    for device in devices("an_event_comes_after_the_work_before_it") {
        let stream = device.stream().unwrap();
        let (x, mut y) = (device.upload(&[1u32; 100]).unwrap(), device.zeros(100).unwrap());
        // Loads the kernel, which would be part of the time.
        Slowly::new(0, 1, &x, &mut y).on(&stream).launch(&device).unwrap();
        stream.synchronize().unwrap();
        let began = Instant::now();
        let start = stream.record().unwrap();
        Slowly::new(WHILE, 1, &x, &mut y).on(&stream).launch(&device).unwrap();
        let end = stream.record().unwrap();
        // The CPU is done when the launch returns.
        assert_eq!(end.is_done().unwrap(), !device.is_cuda());
        end.wait().unwrap();
        let waited = began.elapsed();
        assert!(start.is_done().unwrap() && end.is_done().unwrap());
        let took = end.since(&start).unwrap();
        assert!(took <= waited + Duration::from_millis(1), "{took:?} of {waited:?}");
        if device.is_cuda() {
            assert!(took >= Duration::from_nanos(WHILE), "{took:?}");
        }
        // The other way round nothing is left.
        assert_eq!(start.since(&end).unwrap(), Duration::ZERO);
        assert_eq!(end.since(&end).unwrap(), Duration::ZERO);
        assert_eq!(end.device(), device);
    }
}

/// Without a buffer in common, only the event orders the streams.
#[test]
fn a_stream_waits_for_an_event_of_another() {
    let _alone = alone();
    for device in devices("a_stream_waits_for_an_event_of_another") {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let x = device.upload(&[1u32; 100]).unwrap();
        let (mut y, mut z) = (device.zeros(100).unwrap(), device.zeros(100).unwrap());
        for stream in [&first, &second] {
            Slowly::new(0, 1, &x, &mut y).on(stream).launch(&device).unwrap();
            Slowly::new(0, 1, &x, &mut z).on(stream).launch(&device).unwrap();
        }
        device.synchronize().unwrap();
        Slowly::new(WHILE, 1, &x, &mut y).on(&first).launch(&device).unwrap();
        let ready = first.record().unwrap();
        second.wait(&ready).unwrap();
        Slowly::new(0, 1, &x, &mut z).on(&second).launch(&device).unwrap();
        let after = second.record().unwrap();
        assert!(after.since(&ready).unwrap() > Duration::ZERO);
        after.wait().unwrap();
        assert!(ready.is_done().unwrap());
        // A stream may wait for its own event, and for one that is dropped at once.
        second.wait(&after).unwrap();
        second.wait(&first.record().unwrap()).unwrap();
        drop((ready, after));
        assert_eq!(
            (y.download().unwrap(), z.download().unwrap()),
            (vec![3; 100], vec![3; 100])
        );
        device.synchronize().unwrap();
    }
}

/// A wait for an event leaves a fault to be told; a stream that follows an event tells those of the event's stream.
#[test]
fn events_lose_no_fault() {
    let _alone = alone();
    for device in devices("events_lose_no_fault") {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (device.zeros(1).unwrap(), device.zeros(10).unwrap());
        saxpy(1.0, &x, &mut y).over(10).on(&first).launch(&device).unwrap();
        let event = first.record().unwrap();
        event.wait().unwrap();
        assert!(event.is_done().unwrap());
        second.wait(&event).unwrap();
        assert!(matches!(second.synchronize(), Err(Error::Fault(_))));
        first.synchronize().unwrap();
        assert!(matches!(y.download(), Err(Error::Fault(_))));
    }
}

/// A fault of a launch behind the event, and one that a stream follows for its order alone, are no faults of that stream.
#[test]
fn a_stream_tells_the_faults_of_what_it_follows_alone() {
    let _alone = alone();
    for device in devices("a_stream_tells_the_faults_of_what_it_follows_alone") {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (device.zeros(1).unwrap(), device.zeros(10).unwrap());
        let mut fault = || {
            saxpy(1.0, &x, &mut y).over(10).on(&first).launch(&device).unwrap();
            first.record().unwrap()
        };
        second.wait(&first.record().unwrap()).unwrap();
        fault().wait().unwrap();
        second.synchronize().unwrap();
        assert!(matches!(first.synchronize(), Err(Error::Fault(_))));

        let event = fault();
        wait_apart(&second, &event).unwrap();
        event.wait().unwrap();
        second.synchronize().unwrap();
        assert!(matches!(first.synchronize(), Err(Error::Fault(_))));
    }
}

/// A stream that is dropped leaves the faults of those that it has followed to them, and not to the next user of its queue.
#[test]
fn a_new_stream_has_no_faults() {
    let _alone = alone();
    for device in devices("a_new_stream_has_no_faults") {
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (device.zeros(1).unwrap(), device.zeros(10).unwrap());
        saxpy(1.0, &x, &mut y).over(10).on(&first).launch(&device).unwrap();
        let event = first.record().unwrap();
        second.wait(&event).unwrap();
        let end = second.record().unwrap();
        drop(second);
        end.wait().unwrap();
        let news = [(); 3].map(|()| device.stream().unwrap());
        news.iter().try_for_each(vyre_runtime::Stream::synchronize).unwrap();
        assert!(matches!(first.synchronize(), Err(Error::Fault(_))));
    }
}

#[test]
fn events_of_other_devices_are_refused() {
    let _alone = alone();
    let Some(gpu) = cuda("events_of_other_devices_are_refused") else {
        return;
    };
    let cpu = Device::cpu();
    let [here, there] = [&gpu, &cpu].map(|device| device.default_stream().record().unwrap());
    let message = "the event belongs to CPU and was used on ";
    for error in [
        gpu.default_stream().wait(&there).unwrap_err(),
        there.since(&here).unwrap_err(),
    ] {
        assert!(error.to_string().starts_with(message), "{error}");
    }
    let error = cpu.default_stream().wait(&here).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
}

/// Events go to other threads, and many are in flight at a time.
#[test]
fn many_threads_record_and_wait() {
    let _alone = alone();
    for device in devices("many_threads_record_and_wait") {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let stream = device.stream().unwrap();
                    let mut events: Vec<Event> = Vec::new();
                    for _ in 0..100 {
                        events.push(stream.record().unwrap());
                        device.default_stream().wait(&events[events.len() / 2]).unwrap();
                    }
                    let last = events.last().unwrap().clone();
                    last.wait().unwrap();
                    for pair in events.windows(2) {
                        assert!(pair[1].since(&pair[0]).unwrap() < Duration::from_secs(60));
                    }
                });
            }
        });
        device.synchronize().unwrap();
    }
}

#[test]
fn a_launch_is_timed() {
    let _alone = alone();
    for device in devices("a_launch_is_timed") {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let (x, mut y) = (device.upload(&[1u32; 100]).unwrap(), device.zeros(100).unwrap());
        device.reset_stats();
        // It waits for the other stream first, which is no time of its own.
        Slowly::new(3 * WHILE, 1, &x, &mut y)
            .on(&other)
            .launch(&device)
            .unwrap();
        let timing = Slowly::new(WHILE, 1, &x, &mut y)
            .on(&stream)
            .launch_timed(&device)
            .unwrap();
        let took = timing.device.unwrap();
        assert_eq!(timing.wall, timing.enqueue + timing.wait);
        assert!(took <= timing.wall, "{timing:?}");
        if device.is_cuda() {
            let while_ = Duration::from_nanos(WHILE);
            assert!(
                took >= while_ && took < 2 * while_ && timing.wait >= while_,
                "{timing:?}"
            );
        }
        let stats = device.stats();
        assert_eq!(
            (stats.launches, stats.timed_launches, stats.timed_without_device),
            (2, 1, 0)
        );
        assert_eq!(u128::from(stats.timed_device_ns), took.as_nanos());
        assert_eq!(stats.timed_device_max_ns, stats.timed_device_ns);
        assert_eq!(stats.timed_wall_ns, stats.timed_enqueue_ns + stats.timed_wait_ns);
        // A run without a device time is counted as such, and the longest stays.
        let empty = saxpy(1.0, &device.zeros(1).unwrap(), &mut device.zeros(1).unwrap())
            .over(0)
            .launch_timed(&device);
        assert_eq!(empty.unwrap().device, None);
        let stats = device.stats();
        assert_eq!(
            (stats.launches, stats.timed_launches, stats.timed_without_device),
            (2, 2, 1)
        );
        assert_eq!(u128::from(stats.timed_device_max_ns), took.as_nanos());
        y.download().unwrap();
    }
}

/// A timed launch tells its own fault, and leaves those of others.
#[test]
fn a_timed_launch_tells_its_fault() {
    let _alone = alone();
    for device in devices("a_timed_launch_tells_its_fault") {
        let (x, mut y, mut z) = (
            device.zeros(1).unwrap(),
            device.zeros(10).unwrap(),
            device.zeros(20).unwrap(),
        );
        saxpy(1.0, &x, &mut y).over(10).launch(&device).unwrap();
        let Err(Error::Fault(fault)) = saxpy(1.0, &x, &mut z).over(20).launch_timed(&device) else {
            panic!("{device} told no fault")
        };
        assert_eq!(fault.kernel, "saxpy");
        saxpy(1.0, &x, z.slice_mut(..1).unwrap())
            .over(1)
            .launch_timed(&device)
            .unwrap();
        assert!(matches!(device.synchronize(), Err(Error::Fault(_))));
        device.synchronize().unwrap();
    }
}

/// Priorities change the order, and no result.
#[test]
fn streams_of_all_priorities_work() {
    let _alone = alone();
    for device in devices("streams_of_all_priorities_work") {
        let most = device.max_stream_priority();
        assert_eq!(most > 0, device.is_cuda());
        let x = device.upload(&[1u32; 100]).unwrap();
        let mut y = device.zeros(100).unwrap();
        for priority in 0..=most + 1 {
            let stream = device.stream_with_priority(priority).unwrap();
            assert_eq!(stream.priority(), priority.min(most));
            Slowly::new(0, 1, &x, &mut y).on(&stream).launch(&device).unwrap();
        }
        assert_eq!(y.download().unwrap(), vec![most + 2; 100]);
    }
}
