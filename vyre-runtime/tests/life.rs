//! The end of devices: shut down, lost, forked; on a driver that is played on the host, and on the CPU.
#![cfg(target_os = "linux")]

#[path = "played/kernels.rs"]
mod played;
mod support;

use std::thread;
use std::time::{Duration, Instant};

use played::{Entry, on_driver};
use support::saxpy;
use vyre_runtime::{Device, Error, Launch, Result, Sequence};
use vyre_test_driver::{Driver, Stage};

/// The code of an access outside of memory.
const ILLEGAL_ADDRESS: u32 = 700;
/// The code of a context that another library has reset.
const DESTROYED: u32 = 709;

/// Runs the body in a process on a driver of two GPUs.
fn on_two(test: &str, body: impl FnOnce(&Driver)) {
    if let Some(driver) = Driver::of(test) {
        body(&driver);
    } else if let Some(mut stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), test) {
        stage.env("PLAYED_DRIVER_DEVICES", "2").run();
    }
}

/// All kinds of handles of a device, used once each: the results.
fn used(device: &Device) -> impl FnMut() -> Vec<Result<()>> {
    let (stream, first) = (device.stream().unwrap(), device.clone());
    let (start, end) = (stream.record().unwrap(), stream.record().unwrap());
    let x = device.upload(&[1.0f32; 100]).unwrap();
    let mut y = device.zeros::<f32>(100).unwrap();
    saxpy(2.0, &x, &mut y).over(100).launch(device).unwrap();
    move || {
        let device = &first;
        vec![
            x.download().map(drop),
            y.write(&[0.0; 100]),
            y.fill(1.0),
            y.copy_from(&x),
            x.try_clone().map(drop),
            saxpy(2.0, &x, &mut y).over(100).launch(device),
            saxpy(2.0, &x, &mut y).over(100).on(&stream).launch(device),
            device.upload(&[1]).map(drop),
            device.zeros::<u8>(10).map(drop),
            device.stream().map(drop),
            device.synchronize(),
            device.prepare(),
            device.flush(),
            device.memory().map(drop),
            device.keep_memory(1),
            device.trim_memory(),
            device.resident_blocks(&saxpy(2.0, &x, &mut y), 0).map(drop),
            stream.synchronize(),
            stream.record().map(drop),
            stream.wait(&end),
            end.wait(),
            end.is_done().map(drop),
            end.since(&start).map(drop),
        ]
    }
}

fn all(results: &[Result<()>], expected: impl Fn(&Error) -> bool) {
    for (number, result) in results.iter().enumerate() {
        let Err(error) = result else {
            panic!("handle {number} still works");
        };
        assert!(expected(error), "{number}: {error}");
    }
}

/// Every handle of a device that was shut down says so, and what is dropped is freed.
#[test]
fn a_closed_device_refuses_all() {
    on_two("a_closed_device_refuses_all", |driver| {
        for device in [Device::cuda(0).unwrap(), Device::cpu()] {
            let other = Device::cuda(1).unwrap().upload(&[1, 2, 3]).unwrap();
            let mut handles = used(&device);
            assert!(handles().iter().all(Result::is_ok));
            let waits = driver.calls("cuStreamSynchronize");
            device.shutdown().unwrap();
            if device.is_cuda() {
                assert!(driver.calls("cuStreamSynchronize") > waits);
            }
            all(&handles(), |error| {
                *error
                    == Error::Closed {
                        device: device.to_string(),
                    }
            });
            // Once more is no error, and a closed device is not a lost one.
            device.shutdown().unwrap();
            assert!(!device.is_lost());
            // Its memory goes as ever.
            let live = driver.allocations();
            drop(handles);
            if device.is_cuda() {
                assert_eq!(driver.allocations(), live - 2);
            }
            assert_eq!(device.stats().allocations - device.stats().frees, 0);
            // The next one is new: buffers of the old one are foreign to it.
            let next = device.recover().unwrap();
            assert_ne!(next, device);
            assert_eq!(next.id(), device.id());
            assert_eq!(Device::open(&device.id()).unwrap(), next);
            assert_eq!(next.recover().unwrap(), next);
            assert!(used(&next)().iter().all(Result::is_ok));
            assert_eq!(other.download().unwrap(), [1, 2, 3]);
        }
    });
}

/// Handles of a device that was closed are none of the one that was opened in its place: nothing of it is touched.
#[test]
fn handles_of_another_generation_are_refused() {
    on_driver("handles_of_another_generation_are_refused", |driver| {
        for device in [Device::cuda(0).unwrap(), Device::cpu()] {
            let old = device.upload(&[1.0f32; 100]).unwrap();
            let (stream, handles) = (device.stream().unwrap(), device.handles());
            let (event, number) = (stream.record().unwrap(), handles.allocate(4).unwrap());
            device.shutdown().unwrap();
            let next = device.recover().unwrap();
            let mut new = next.upload(&[2.0f32; 100]).unwrap();
            let (next_stream, others) = (next.stream().unwrap(), next.handles());
            let mut steps = Sequence::new(&next);
            let launches = (next.stats().launches, driver.calls("cuLaunchKernel"));
            let results = [
                saxpy(1.0, &old, &mut new).over(100).launch(&next),
                saxpy(1.0, &old, &mut new).over(100).launch(&device),
                saxpy(1.0, &new.try_clone().unwrap(), &mut new)
                    .over(100)
                    .on(&stream)
                    .launch(&next),
                new.copy_from(&old),
                next_stream.wait(&event),
                steps.launch(saxpy(1.0, &old, &mut new).over(100)),
                steps.read(&old, ..).map(drop),
                others.write(&[(number, 0, &[1])]),
                others.free(&[number]),
                handles.read_whole(number).map(drop),
            ];
            all(&results, |error| {
                matches!(
                    error,
                    Error::WrongDevice { .. } | Error::Closed { .. } | Error::Handle { .. }
                )
            });
            assert_eq!((next.stats().launches, driver.calls("cuLaunchKernel")), launches);
            assert_eq!(new.download().unwrap(), [2.0; 100]);
        }
    });
}

/// Waits for a closed device, and the memory of the host that its copies have used, goes with it.
#[test]
fn a_closed_device_keeps_nothing_of_the_host() {
    let threads = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
        names.filter(|name| name.trim() == "vyre-wakes").count()
    };
    // A thread names itself after it has started.
    let wait_for_threads = |count: usize| {
        let began = Instant::now();
        while threads() != count {
            assert!(
                began.elapsed() < Duration::from_secs(10),
                "{} threads in place of {count}",
                threads()
            );
            thread::sleep(Duration::from_millis(1));
        }
    };
    on_driver("a_closed_device_keeps_nothing_of_the_host", |driver| {
        let live = |device: &Device| {
            let x = device.upload(&[1u32; 100]).unwrap();
            let mut steps = Sequence::new(device);
            steps.read(&x, ..).unwrap();
            driver.hold();
            let mut pending = steps.start().unwrap();
            assert!(!pending.wait_for(Duration::from_millis(1)).unwrap());
            driver.resume();
            drop(pending.wait().unwrap());
            wait_for_threads(1);
            (x.read_into(device.pinned(100).unwrap()).unwrap(), x, steps)
        };
        let mut left = Vec::new();
        for _ in 0..3 {
            let device = Device::cuda(0).unwrap();
            let held = live(&device);
            device.shutdown().unwrap();
            drop(held);
            wait_for_threads(0);
            left.push(driver.calls("cuMemHostAlloc") - driver.calls("cuMemFreeHost"));
        }
        // Each device keeps the records of the faults of its streams.
        assert_eq!(left[2] - left[1], left[1] - left[0]);
        assert_eq!(left[0], 2, "{left:?}");
    });
}

/// A kernel that the closed device had loaded is loaded anew, and its faults are understood.
#[test]
fn kernels_come_back_with_their_device() {
    on_driver("kernels_come_back_with_their_device", |driver| {
        let first = Device::cuda(0).unwrap();
        Entry::<{ played::FAULTS }>.launch(&first).unwrap();
        // The fault is told, and the device is closed all the same.
        let fault = first.shutdown().unwrap_err();
        assert!(matches!(&fault, Error::Fault(fault) if fault.kernel == "faults"));
        assert!(matches!(Entry::<0>.launch(&first).unwrap_err(), Error::Closed { .. }));
        let second = first.recover().unwrap();
        Entry::<{ played::FAULTS }>.launch(&second).unwrap();
        assert_eq!(second.synchronize().unwrap_err(), fault);
        assert_eq!(driver.calls("cuLibraryLoadData"), 2);
        let text = first.synchronize().unwrap_err().to_string();
        assert!(text.starts_with("Played GPU (cuda:0) was shut down"), "{text}");
    });
}

/// After the code of a wild access every handle answers the same, with the kernels that were in flight.
#[test]
fn a_lost_device_answers_with_its_kernels() {
    on_driver("a_lost_device_answers_with_its_kernels", |driver| {
        let device = Device::cuda(0).unwrap();
        let mut handles = used(&device);
        Entry::<0>.launch(&device).unwrap();
        device.synchronize().unwrap();
        assert!(!device.is_lost());
        let stream = device.stream().unwrap();
        driver.lose(4, ILLEGAL_ADDRESS);
        Entry::<1>.launch(&device).unwrap();
        Entry::<2>.launch(&device).unwrap();
        Entry::<1>.launch(&device).unwrap();
        let y = device.upload(&[1, 2, 3]).unwrap();
        saxpy(1.0, &device.zeros(10).unwrap(), &mut device.zeros(10).unwrap())
            .over(10)
            .on(&stream)
            .launch(&device)
            .unwrap();
        // The code is an answer to whatever is called next.
        let error = y.download().unwrap_err();
        let Error::DeviceLost(lost) = &error else {
            panic!("{error}")
        };
        assert_eq!((lost.code, &*lost.name), (700, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        assert_eq!(lost.device, "Played GPU (cuda:0)");
        // Each once, the last first; what was waited for is over.
        assert_eq!(lost.kernels, ["plain1", "plain2", "saxpy"]);
        assert!(device.is_lost());
        all(&handles(), |other| *other == error);
        assert_eq!(Device::cuda(0).unwrap().synchronize().unwrap_err(), error);
        let text = error.to_string();
        assert!(text.contains("these may have run: plain1, plain2, saxpy"), "{text}");

        // Drops call nothing.
        let functions = [
            "cuMemFreeAsync",
            "cuStreamSynchronize",
            "cuCtxGetCurrent",
            "cuCtxSetCurrent",
        ];
        let calls = || functions.map(|name| driver.calls(name));
        let before = calls();
        drop((handles, y, stream));
        assert_eq!(calls(), before);

        // Only another process helps; the CPU goes on.
        let needed = device.recover().unwrap_err();
        assert_eq!(
            needed,
            Error::RestartNeeded {
                device: "Played GPU (cuda:0)".into(),
                code: 700
            }
        );
        assert!(needed.to_string().contains("start the program again"), "{needed}");
        assert!(device.shutdown().is_err());
        assert!(used(&Device::cpu())().iter().all(Result::is_ok));
    });
}

/// A context that another library has destroyed is made again.
#[test]
fn a_destroyed_context_is_made_again() {
    on_driver("a_destroyed_context_is_made_again", |driver| {
        let device = Device::cuda(0).unwrap();
        let mut handles = used(&device);
        driver.lose(0, DESTROYED);
        all(
            &handles(),
            |error| matches!(error, Error::DeviceLost(lost) if lost.code == DESTROYED),
        );
        let next = device.recover().unwrap();
        assert_ne!(next, device);
        assert_eq!(Device::cuda(0).unwrap(), next);
        // Asked for by another user of the old one.
        assert_eq!(device.recover().unwrap(), next);
        assert!(used(&next)().iter().all(Result::is_ok));
        // Old handles do not reach the new context.
        all(&handles(), |error| matches!(error, Error::DeviceLost(_)));
        let freed = driver.calls("cuMemFreeAsync");
        drop(handles);
        assert_eq!(driver.calls("cuMemFreeAsync"), freed);
    });
}

/// Many threads see the loss at about the same time: each has the error, and none hangs.
#[test]
fn threads_see_the_loss() {
    on_driver("threads_see_the_loss", |driver| {
        let device = Device::cuda(0).unwrap();
        driver.lose(5000, ILLEGAL_ADDRESS);
        let work = || -> Result<()> {
            let stream = device.stream()?;
            let x = device.upload(&[1.0f32; 10])?;
            let mut y = device.zeros::<f32>(10)?;
            loop {
                saxpy(1.0, &x, &mut y).over(10).on(&stream).launch(&device)?;
                y.download()?;
            }
        };
        let errors: Vec<Error> = thread::scope(|scope| {
            let threads: Vec<_> = (0..64).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap().unwrap_err())
                .collect()
        });
        assert!(matches!(&errors[0], Error::DeviceLost(lost) if lost.kernels.contains(&"saxpy".to_owned())));
        assert!(errors.iter().all(|error| *error == errors[0]));
    });
}

/// A GPU that cannot be opened for want of memory can be opened later.
#[test]
fn opening_is_tried_again() {
    on_driver("opening_is_tried_again", |driver| {
        driver.fail_allocations(0, 100);
        Device::cuda(0).unwrap_err();
        driver.fail_allocations(0, 0);
        assert!(used(&Device::cuda(0).unwrap())().iter().all(Result::is_ok));
    });
}

/// The context of a thread is the one that it had, after each call; where it had none, vyre's own stays.
#[test]
fn the_context_of_a_thread_is_restored() {
    on_two("the_context_of_a_thread_is_restored", |driver| {
        const FOREIGN: usize = 0xf0;
        let [first, second] = [0, 1].map(|index| Device::cuda(index).unwrap());
        let own = driver.context();
        assert_ne!(own, 0);
        driver.set_context(FOREIGN);
        let mut handles = used(&first);
        assert!(handles().iter().all(Result::is_ok));
        assert_eq!(driver.context(), FOREIGN);
        assert!(used(&second)().iter().all(Result::is_ok));
        Device::cpu().prepare().unwrap();
        assert_eq!(driver.context(), FOREIGN);
        // After an error, too, and after a drop.
        assert!(first.zeros::<u8>(1 << 40).is_err());
        drop(handles);
        assert_eq!(driver.context(), FOREIGN);
        // No call sets the context while it is the right one.
        driver.set_context(own);
        let set = driver.calls("cuCtxSetCurrent");
        assert!(used(&first)().iter().all(Result::is_ok));
        assert_eq!((driver.context(), driver.calls("cuCtxSetCurrent")), (own, set));
        thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(driver.context(), 0);
                second.synchronize().unwrap();
                let own = driver.context();
                assert_ne!(own, 0);
                first.synchronize().unwrap();
                assert_eq!(driver.context(), own);
            });
        });
    });
}

/// While the context of another device is the current one, each call of a device is made in its own.
#[test]
fn work_is_queued_in_its_own_context() {
    on_two("work_is_queued_in_its_own_context", |driver| {
        let [first, second] = [0, 1].map(|index| Device::cuda(index).unwrap());
        let other = first.raw_context().addr();
        driver.set_context(other);
        let x = second.zeros::<u32>(100).unwrap();
        assert_eq!(x.download().unwrap(), [0; 100]);
        let timing = Launch::grid(Entry::<0>, [1, 1, 1]).launch_timed(&second).unwrap();
        assert!(timing.device.is_some());
        Launch::grid(Entry::<{ played::PRINTS }>, [1, 1, 1])
            .launch(&second)
            .unwrap();
        second.synchronize().unwrap();
        assert_eq!(driver.context(), other);
    });
}

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

/// The child of a fork is told, and the parent goes on.
#[test]
fn a_fork_is_told() {
    on_driver("a_fork_is_told", |_| {
        let device = Device::cuda(0).unwrap();
        let mut handles = used(&device);
        // SAFETY: no other thread of this process holds a lock that the child takes.
        let child = unsafe { fork() };
        if child == 0 {
            let forked = handles().iter().filter(|result| **result == Err(Error::Forked)).count();
            let is_told = forked == handles().len() && !device.is_lost();
            let cpu = used(&Device::cpu())().iter().all(Result::is_ok);
            // SAFETY: ends the child, without the test harness, which is the parent's.
            unsafe { _exit(i32::from(!(is_told && cpu))) };
        }
        let mut status = -1;
        // SAFETY: the child is this process's own, and the pointer is valid for the call.
        assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "the child was not told");
        assert!(handles().iter().all(Result::is_ok));
    });
}
