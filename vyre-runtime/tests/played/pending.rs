//! Work that is started and waited for later, on a driver that is played on the host and that can hold work back.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::kernels::{Entry, FAULTS, on_driver};
use vyre_runtime::{Device, Error, Launch, Readback, Sequence};

/// Wakes a thread, and counts.
struct Counting {
    thread: Thread,
    wakes: AtomicUsize,
}

impl Counting {
    fn new() -> Arc<Counting> {
        Arc::new(Counting {
            thread: thread::current(),
            wakes: AtomicUsize::new(0),
        })
    }
}

impl Wake for Counting {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// An executor: polls when it is woken, and says how many times it has polled.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let counting = Counting::new();
    let waker = Waker::from(Arc::clone(&counting));
    for polls in 1.. {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (output, polls);
        }
        while counting.wakes.load(Ordering::SeqCst) < polls {
            thread::park_timeout(Duration::from_secs(10));
        }
    }
    unreachable!("it is woken for ever")
}

/// A sequence that fills a buffer, with the place of an element of it.
fn filling(gpu: &Device, value: u32) -> (Sequence, vyre_runtime::Place<u32>) {
    let mut x = gpu.zeros::<u32>(100).unwrap();
    let mut steps = Sequence::new(gpu);
    steps.write(&mut x, &[value; 100]).unwrap();
    let place = steps.read(&x, 99..).unwrap();
    (steps, place)
}

#[test]
fn a_task_is_woken_when_the_work_is_over() {
    on_driver("pending::a_task_is_woken_when_the_work_is_over", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (mut steps, place) = filling(&gpu, 5);
        // Work that is over at the first poll starts no thread.
        let (values, polls) = block_on(steps.start().unwrap());
        assert_eq!((values.unwrap().get(&place), polls), (Some(&[5][..]), 1));
        let asked = driver.calls("cuEventQuery");
        thread::sleep(Duration::from_millis(10));
        assert_eq!(driver.calls("cuEventQuery"), asked);

        for executor in [
            (|pending| block_on(pending).0) as fn(vyre_runtime::Pending<Readback>) -> vyre_runtime::Result<Readback>,
            |pending| pollster::block_on(pending),
        ] {
            driver.hold();
            let pending = steps.start().unwrap();
            assert!(!pending.is_ready().unwrap());
            let values = thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(30));
                    driver.resume();
                });
                executor(pending)
            });
            assert_eq!(values.unwrap().get(&place), Some(&[5][..]));
        }
    });
}

#[test]
fn tasks_are_woken_once_and_by_their_last_waker() {
    on_driver("pending::tasks_are_woken_once_and_by_their_last_waker", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (mut steps, place) = filling(&gpu, 6);
        driver.hold();
        let mut pending: Vec<_> = (0..10).map(|_| Box::pin(steps.start().unwrap())).collect();
        let (early, late) = (Counting::new(), Counting::new());
        for waker in [&early, &late] {
            let waker = Waker::from(Arc::clone(waker));
            for each in &mut pending {
                assert!(each.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
        }
        thread::sleep(Duration::from_millis(30));
        assert_eq!(late.wakes.load(Ordering::SeqCst), 0);
        driver.resume();
        let began = Instant::now();
        while late.wakes.load(Ordering::SeqCst) < 10 {
            assert!(began.elapsed() < Duration::from_secs(10));
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(early.wakes.load(Ordering::SeqCst), 0);
        for each in pending {
            let (values, polls) = block_on(each);
            assert_eq!((values.unwrap().get(&place), polls), (Some(&[6][..]), 1));
        }
        assert_eq!(late.wakes.load(Ordering::SeqCst), 10);
    });
}

/// The thread that wakes asks the driver while somebody waits, the longer the work takes the less often, and else sleeps.
#[test]
fn the_driver_is_asked_while_somebody_waits() {
    on_driver("pending::the_driver_is_asked_while_somebody_waits", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (mut steps, place) = filling(&gpu, 8);
        let asked = |time| {
            let before = driver.calls("cuEventQuery");
            thread::sleep(time);
            driver.calls("cuEventQuery") - before
        };
        // The second time the thread sleeps until there is something to wait for.
        for _ in 0..2 {
            driver.hold();
            let values = thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(300));
                    // Every 5 ms at first, and not more often than every 2 ms.
                    let late = asked(Duration::from_millis(200));
                    assert!((10..=200).contains(&late), "asked {late} times in 200 ms");
                    driver.resume();
                });
                let began = Instant::now();
                let (values, polls) = block_on(steps.start().unwrap());
                assert_eq!(polls, 2);
                assert!(began.elapsed() < Duration::from_secs(5));
                values
            });
            assert_eq!(values.unwrap().get(&place), Some(&[8][..]));
            assert_eq!(asked(Duration::from_millis(50)), 0);
        }
        // A dropped `Pending` is no longer watched.
        driver.hold();
        let mut pending = Box::pin(steps.start().unwrap());
        assert!(
            pending
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_pending()
        );
        drop(pending);
        thread::sleep(Duration::from_millis(50));
        assert_eq!(asked(Duration::from_millis(50)), 0);
        driver.resume();
    });
}

/// A device that is lost ends the wait.
#[test]
fn a_task_is_woken_when_the_device_is_lost() {
    on_driver("pending::a_task_is_woken_when_the_device_is_lost", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (mut steps, _) = filling(&gpu, 8);
        driver.hold();
        let pending = steps.start().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                driver.lose(0, 700);
                // The launch that finds it.
                Entry::<0>.launch(&gpu).ok();
            });
            assert!(matches!(block_on(pending).0, Err(Error::DeviceLost { .. })));
        });
    });
}

/// Dropping cancels nothing and leaves nothing behind, also if a task was waiting.
#[test]
fn pending_work_may_be_dropped() {
    on_driver("pending::pending_work_may_be_dropped", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut x = gpu.zeros::<u32>(100).unwrap();
        let mut rounds = |value: u32| {
            let mut steps = Sequence::new(&gpu);
            steps.write(&mut x, &[value; 100]).unwrap();
            steps.read(&x, ..).unwrap();
            driver.hold();
            for polled in [false, true] {
                let mut pending = Box::pin(steps.start().unwrap());
                if polled {
                    let mut context = Context::from_waker(Waker::noop());
                    assert!(pending.as_mut().poll(&mut context).is_pending());
                }
                drop(pending);
            }
            drop(steps);
            driver.resume();
            assert_eq!(x.download().unwrap(), [value; 100]);
            driver.allocations()
        };
        // Lent memory is used again.
        let live = rounds(1);
        assert!((2..30).all(|value| rounds(value) <= live));
        // A fault of such work is told by the next wait.
        let mut steps = Sequence::new(&gpu);
        steps.launch(Launch::grid(Entry::<FAULTS>, [1, 1, 1])).unwrap();
        drop(steps.start().unwrap());
        assert!(matches!(gpu.synchronize(), Err(Error::Fault(_))));
        gpu.synchronize().unwrap();
    });
}

#[test]
fn a_wait_may_have_a_limit() {
    on_driver("pending::a_wait_may_have_a_limit", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (mut steps, place) = filling(&gpu, 7);
        driver.hold();
        let mut pending = steps.start().unwrap();
        let began = Instant::now();
        assert!(!pending.wait_for(Duration::from_millis(40)).unwrap());
        assert!(began.elapsed() >= Duration::from_millis(40));
        assert!(!pending.wait_for(Duration::ZERO).unwrap());
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                driver.resume();
            });
            assert!(pending.wait_for(Duration::from_secs(10)).unwrap());
        });
        assert_eq!(pending.wait().unwrap().get(&place), Some(&[7][..]));
    });
}
