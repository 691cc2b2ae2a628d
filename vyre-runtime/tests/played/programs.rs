//! Programs that are made at run time, on a driver that is played on the host.

use std::future::Future;
use std::thread;
use std::time::{Duration, Instant};

use crate::kernels::{Entry, FAULTS, PRINTS, on_both_drivers};
use vyre_core::build::{self, atomics, slice_mut};
use vyre_core::ir::Program;
use vyre_core::text;
use vyre_runtime::{Config, Device, DeviceBuffer, Error, Sequence};

/// A program of a kernel that may fault.
fn program(name: &str) -> Program {
    let mut program = Program::default();
    build::kernel(&mut program, name, &[32], (slice_mut::<u32>("y"),), |k, (y,)| {
        y.set(k.linear_index(), 1);
    });
    program
}

/// A program of a kernel whose launches hold the device.
fn holding() -> Program {
    let mut program = Program::default();
    build::kernel(&mut program, "holds", &[32], atomics::<u32>("y"), |k, y| {
        k.while_(|| y.load(0u64).eq(0u32), || {});
    });
    program
}

/// Eight threads that make, prepare and call one program have it compiled and loaded once; its module goes with the
/// last user.
#[test]
fn programs_are_loaded_once_and_unloaded() {
    on_both_drivers(
        "programs::programs_are_loaded_once_and_unloaded",
        |driver, [load, unload]| {
            let gpu = Device::cuda(0).unwrap();
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let pipeline = gpu.compile(program("made")).unwrap();
                        pipeline.prepare().unwrap();
                        pipeline.call().zeroed(32).over(32).run().unwrap();
                    });
                }
            });
            assert_eq!((driver.calls(load), driver.calls("cuLaunchKernel")), (1, 8));
            assert_eq!((gpu.pipeline_cache().misses, gpu.pipeline_cache().hits), (1, 7));
            // The cache keeps it.
            assert_eq!((driver.modules(), driver.calls(unload)), (1, 0));
            let pipeline = gpu.compile(program("made")).unwrap();
            gpu.keep_pipelines(0);
            assert_eq!(driver.modules(), 1);
            pipeline.call().zeroed(32).over(32).run().unwrap();
            drop(pipeline);
            assert_eq!((driver.modules(), driver.calls(unload)), (0, 1));
            // Nothing of it is left: a program of the same name is another kernel.
            gpu.keep_pipelines(1);
            for name in ["first", "second", "third"] {
                gpu.compile(program(name)).unwrap().prepare().unwrap();
            }
            assert_eq!((driver.modules(), gpu.pipeline_cache().entries), (1, 1));
        },
    );
}

/// A call that runs out of memory gives back what it has, and nothing has run.
#[test]
fn a_call_out_of_memory_leaks_nothing() {
    on_both_drivers("programs::a_call_out_of_memory_leaks_nothing", |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        let mut program = Program::default();
        let parameters = (slice_mut::<u32>("a"), slice_mut::<u32>("b"), slice_mut::<u32>("c"));
        build::kernel(&mut program, "three", &[32], parameters, |k, (a, b, c)| {
            a.set(k.linear_index(), b.at(0u64) + c.at(0u64));
        });
        let pipeline = gpu.compile(&program).unwrap();
        let input = [0; 128];
        let mut call = pipeline.call().zeroed(32).bytes(&input).zeroed(32).over(32);
        call.run().unwrap();
        let (allocations, launches) = (driver.allocations(), driver.calls("cuLaunchKernel"));
        for working in 0..3 {
            // The second try, after the pool has given back what it holds, fails too.
            driver.fail_allocations(working, 2);
            let error = call.run().unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            driver.fail_allocations(0, 0);
            assert_eq!(driver.allocations(), allocations);
        }
        assert_eq!(driver.calls("cuLaunchKernel"), launches);
        call.run().unwrap();
        // The memory of a call is freed by the call.
        assert_eq!(driver.allocations(), allocations);
    });
}

/// A call that is late returns in time; its work goes on, its memory is kept until then, and nothing is lost.
#[test]
fn a_late_call_is_not_waited_for() {
    on_both_drivers("programs::a_late_call_is_not_waited_for", |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        const LIMIT: Duration = Duration::from_millis(40);
        let usual = Config::new().timeout(LIMIT).label("late");
        let pipeline = gpu.compile_configured(program("made"), &usual).unwrap();
        let call = || pipeline.call().zeroed(32).over(32);
        let mut outputs = call().run().unwrap();
        let live = driver.allocations();
        driver.hold();
        let late = Error::Timeout {
            kernel: "made (late)".into(),
            limit: LIMIT,
        };
        let began = Instant::now();
        assert_eq!(call().run_into(&mut outputs).unwrap_err(), late);
        assert!((LIMIT..Duration::from_secs(10)).contains(&began.elapsed()));
        assert_eq!(call().run_timed(&mut outputs).unwrap_err(), late);
        assert_eq!(pipeline.batch([call()]).run().unwrap_err(), late);
        driver.resume();
        gpu.synchronize().unwrap();
        call().run_into(&mut outputs).unwrap();
        assert_eq!(driver.allocations(), live);
        // A call may be given more time than its pipeline, and is woken before it is over.
        driver.hold();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(3 * LIMIT);
                driver.resume();
            });
            let began = Instant::now();
            let long = Config::new().timeout(Duration::from_secs(15));
            call().config(&long).run_into(&mut outputs).unwrap();
            assert!(began.elapsed() < Duration::from_secs(10));
        });
    });
}

/// The threads of a late kernel that wait for others leave, unless another launch is behind it; what it was to write
/// answers each download with the error, until it is written again.
#[test]
fn a_late_kernel_that_waits_leaves() {
    on_both_drivers("programs::a_late_kernel_that_waits_leaves", |driver, _| {
        // Each is told by a stream of its own.
        const TOLD: &str = "cuStreamDestroy_v2";
        let gpu = Device::cuda(0).unwrap();
        let mut program = holding();
        build::kernel(&mut program, "plain", &[32], slice_mut::<u32>("y"), |k, y| {
            y.set(k.linear_index(), 1);
        });
        let pipeline = gpu.compile(program).unwrap();
        let mut y = gpu.zeros::<u32>(8).unwrap();
        let config = Config::new().timeout(Duration::from_millis(10));
        let late = |kernel: &'static str, y: &mut DeviceBuffer<u32>| {
            let mut call = pipeline.call().kernel(kernel).resident_mut(y).over(1).config(&config);
            call.run().unwrap_err()
        };
        let end = || {
            driver.resume();
            gpu.synchronize().unwrap();
        };
        // It has begun: it was not held before.
        let error = late("holds", &mut y);
        assert!(matches!(error, Error::Timeout { .. }), "{error}");
        assert_eq!(driver.calls(TOLD), 1);
        // It was told once.
        end();
        for _ in 0..2 {
            assert_eq!(y.download().unwrap_err(), error);
        }
        y.write(&[7; 8]).unwrap();
        assert_eq!(y.download().unwrap(), [7; 8]);
        // Work that is held keeps it from beginning, and it goes on.
        driver.hold();
        assert!(matches!(late("holds", &mut y), Error::Timeout { .. }));
        assert_eq!(driver.calls(TOLD), 1);
        end();
        assert_eq!(y.download().unwrap(), [7; 8]);
        // One that does not wait is not asked to leave.
        driver.hold();
        assert!(matches!(late("plain", &mut y), Error::Timeout { .. }));
        end();
        assert_eq!((driver.calls(TOLD), y.download().unwrap()), (1, vec![7; 8]));
        // Nor is the first of a batch, which has another one behind it.
        let mut other = gpu.zeros::<u32>(8).unwrap();
        let call = |y| pipeline.call().kernel("holds").resident_mut(y).over(1).config(&config);
        let calls = [call(&mut y), call(&mut other)];
        assert!(matches!(
            pipeline.batch(calls).run().unwrap_err(),
            Error::Timeout { .. }
        ));
        end();
        assert_eq!((driver.calls(TOLD), y.download().unwrap()), (1, vec![7; 8]));
    });
}

/// A call that is started has its time too, whether a thread or a task waits for it.
#[test]
fn a_late_call_that_was_started_is_not_waited_for() {
    on_both_drivers(
        "programs::a_late_call_that_was_started_is_not_waited_for",
        |driver, _| {
            let gpu = Device::cuda(0).unwrap();
            const LIMIT: Duration = Duration::from_millis(40);
            let usual = Config::new().timeout(LIMIT).label("late");
            let pipeline = gpu.compile_configured(program("made"), &usual).unwrap();
            let call = || pipeline.call().zeroed(32).over(32);
            let outputs = call().start().unwrap().wait().unwrap();
            let live = driver.allocations();
            let late = Error::Timeout {
                kernel: "made (late)".into(),
                limit: LIMIT,
            };
            driver.hold();
            let began = Instant::now();
            assert_eq!(call().start().unwrap().wait().unwrap_err(), late);
            assert!((LIMIT..Duration::from_secs(10)).contains(&began.elapsed()));
            // A task is woken when its time is over, also where the thread that wakes it sleeps for another one.
            let began = Instant::now();
            let long = Config::new().timeout(Duration::from_secs(15));
            let mut first = Box::pin(call().config(&long).start().unwrap());
            let noop = &mut std::task::Context::from_waker(std::task::Waker::noop());
            assert!(first.as_mut().poll(noop).is_pending());
            assert_eq!(pollster::block_on(call().start().unwrap()).unwrap_err(), late);
            assert!((LIMIT..Duration::from_secs(10)).contains(&began.elapsed()));
            // The time begins with the call, and work that is over in the end is not late, whenever it is asked for.
            let (mut second, third) = (call().start().unwrap(), call().start().unwrap());
            assert!(!second.wait_for(2 * LIMIT).unwrap());
            let began = Instant::now();
            assert_eq!(second.wait().unwrap_err(), late);
            assert!(began.elapsed() < Duration::from_secs(10));
            driver.resume();
            assert_eq!(third.wait().unwrap(), outputs);
            assert_eq!(pollster::block_on(first).unwrap(), outputs);
            // Nothing was lost, and the memory came back.
            gpu.synchronize().unwrap();
            assert_eq!(call().start().unwrap().wait().unwrap(), outputs);
            assert!(
                driver.allocations() <= live + 4,
                "{} allocations of {live}",
                driver.allocations()
            );
        },
    );
}

/// The threads of a started kernel leave as those of one that is waited for.
#[test]
fn a_late_kernel_that_was_started_leaves() {
    on_both_drivers("programs::a_late_kernel_that_was_started_leaves", |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(holding()).unwrap();
        let config = Config::new().timeout(Duration::from_millis(10));
        for awaited in [false, true] {
            let mut y = gpu.zeros::<u32>(8).unwrap();
            let started = pipeline.call().resident_mut(&mut y).over(1).config(&config).start();
            let told = driver.calls("cuStreamDestroy_v2");
            let error = match awaited {
                true => pollster::block_on(started.unwrap()),
                false => started.unwrap().wait(),
            };
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Timeout { .. }), "{error}");
            assert_eq!(driver.calls("cuStreamDestroy_v2"), told + 1);
            driver.resume();
            gpu.synchronize().unwrap();
            assert_eq!(y.download().unwrap_err(), error);
        }
    });
}

/// A late kernel leaves also if others hold the queue for a moment when its time is over.
#[test]
fn a_late_call_leaves_beside_threads_that_copy() {
    on_both_drivers("programs::a_late_call_leaves_beside_threads_that_copy", |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(holding()).unwrap();
        let config = Config::new().timeout(Duration::from_millis(300));
        pipeline.prepare().unwrap();
        let mut y = gpu.zeros::<u32>(8).unwrap();
        let mut others = [(); 3].map(|()| gpu.zeros::<u8>(1 << 16).unwrap());
        let over = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            for other in &mut others {
                let over = &over;
                scope.spawn(move || {
                    while !over.load(std::sync::atomic::Ordering::Relaxed) {
                        other.fill(1).unwrap();
                        thread::yield_now();
                    }
                });
            }
            let late = pipeline.call().resident_mut(&mut y).over(1).config(&config).run();
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
            // The stream beside it, by which the kernel was made to leave.
            assert_eq!(driver.calls("cuStreamDestroy_v2"), 1);
            driver.resume();
        });
        assert!(matches!(y.download().unwrap_err(), Error::Timeout { .. }));
    });
}

/// The same behind a launch that prints, while another thread takes the text.
#[test]
fn a_late_call_is_not_held_by_one_who_takes_text() {
    on_both_drivers(
        "programs::a_late_call_is_not_held_by_one_who_takes_text",
        |driver, _| {
            let gpu = Device::cuda(0).unwrap();
            let other = gpu.compile(program("made")).unwrap();
            let pipeline = gpu.compile(holding()).unwrap();
            let config = Config::new().timeout(Duration::from_secs(2));
            pipeline.prepare().unwrap();
            let mut y = gpu.zeros::<u32>(8).unwrap();
            Entry::<PRINTS>.launch(&gpu).unwrap();
            let over = other.call().zeroed(32).over(32).start().unwrap();
            let (launched, waits) = (driver.calls("cuLaunchKernel"), driver.calls("cuStreamSynchronize"));
            thread::scope(|scope| {
                scope.spawn(|| {
                    while driver.calls("cuLaunchKernel") == launched {
                        thread::yield_now();
                    }
                    over.wait().unwrap();
                });
                let late = pipeline.call().resident_mut(&mut y).over(1).config(&config).run();
                assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
                assert!(driver.calls("cuStreamSynchronize") > waits, "the other thread waits");
                // The stream beside it, by which the kernel was made to leave.
                assert_eq!(driver.calls("cuStreamDestroy_v2"), 1);
                driver.resume();
            });
            assert!(matches!(y.download().unwrap_err(), Error::Timeout { .. }));
        },
    );
}

/// A late call behind a launch that has faulted returns in time and its kernel leaves, while another thread takes the
/// fault, and so waits for the stream.
#[test]
fn a_late_call_is_not_held_by_one_who_takes_faults() {
    on_both_drivers(
        "programs::a_late_call_is_not_held_by_one_who_takes_faults",
        |driver, _| {
            let gpu = Device::cuda(0).unwrap();
            let other = gpu.compile(program("made")).unwrap();
            let pipeline = gpu.compile(holding()).unwrap();
            let config = Config::new().timeout(Duration::from_secs(2));
            pipeline.prepare().unwrap();
            let mut y = gpu.zeros::<u32>(8).unwrap();
            Entry::<FAULTS>.launch(&gpu).unwrap();
            // It is over before the late kernel begins, so its wait goes on to take the faults of the stream.
            let over = other.call().zeroed(32).over(32).start().unwrap();
            let (launched, waits) = (driver.calls("cuLaunchKernel"), driver.calls("cuStreamSynchronize"));
            thread::scope(|scope| {
                scope.spawn(|| {
                    while driver.calls("cuLaunchKernel") == launched {
                        thread::yield_now();
                    }
                    over.wait().unwrap();
                });
                let began = Instant::now();
                let late = pipeline.call().resident_mut(&mut y).over(1).config(&config).run();
                let error = late.unwrap_err();
                assert!(matches!(error, Error::Timeout { .. }), "{error}");
                assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
                assert!(driver.calls("cuStreamSynchronize") > waits, "the other thread waits");
                assert_eq!(driver.calls("cuStreamDestroy_v2"), 1);
                driver.resume();
            });
            // Each is told, by a wait of its own.
            assert!(matches!(gpu.synchronize(), Err(Error::Fault(_))));
            gpu.synchronize().unwrap();
            assert!(matches!(y.download().unwrap_err(), Error::Timeout { .. }));
        },
    );
}

/// A call in parts: an ordinary launch for each, of modules of their own, with memory that goes with the call.
#[test]
fn a_call_in_parts_is_several_launches() {
    on_both_drivers("programs::a_call_in_parts_is_several_launches", |driver, [load, _]| {
        let gpu = Device::cuda(0).unwrap();
        let program = |name: &str| {
            let text = format!(
                "vyre 1
                type &mut [u32]
                kernel {name}(x: &mut [u32]) dimensions 1 block 32 1 1 {{
                    entry {name} {{
                        let v: u32
                        store v = x[linear_index]
                        grid_barrier
                        store x[sub(sub(length(x), 1u64), linear_index)] = v
                    }}
                }}"
            );
            text::parse(&text).unwrap()
        };
        // More blocks than the played device runs at the same time.
        const N: usize = 1 << 20;
        let pipeline = gpu.compile(program("turned")).unwrap();
        let mut x = gpu.zeros::<u32>(N).unwrap();
        let refused = pipeline.call().resident_mut(&mut x).over(N).run().unwrap_err();
        assert!(matches!(refused, Error::TooLarge { .. }), "{refused}");
        let (live, loads) = (driver.allocations(), driver.calls(load));
        for _ in 0..3 {
            pipeline.call().resident_mut(&mut x).over(N).split(true).run().unwrap();
        }
        assert_eq!(
            (
                driver.calls("cuLaunchKernel"),
                driver.calls("cuLaunchCooperativeKernel")
            ),
            (6, 0)
        );
        assert_eq!((driver.calls(load) - loads, driver.allocations()), (2, live));
        // Without memory for what lasts from part to part nothing runs, and nothing is lost.
        let mut failing = 0;
        for working in 0.. {
            driver.fail_allocations(working, 2);
            match pipeline.call().resident_mut(&mut x).over(N).split(true).launch() {
                Ok(()) => break,
                Err(error) => assert!(matches!(error, Error::OutOfMemory { .. }), "{error}"),
            }
            failing += 1;
            assert_eq!(driver.allocations(), live);
        }
        assert_eq!((failing, driver.calls("cuLaunchKernel")), (2, 8));
        driver.fail_allocations(0, 0);
        gpu.synchronize().unwrap();
    });
}

/// A launch takes the entry without checks if it keeps its conditions, however it is launched: here, that its threads are
/// no more than the elements.
#[test]
fn launches_that_keep_conditions_take_the_entry_without_checks() {
    let test = "programs::launches_that_keep_conditions_take_the_entry_without_checks";
    on_both_drivers(test, |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(program("made")).unwrap();
        let counts = || ["cuLaunchKernel", "__assumed"].map(|call| driver.calls(call));
        for (length, threads, is_assumed) in [
            (64, 64, true),
            (64, 65, false),
            (65, 65, false),
            (96, 65, true),
            (0, 1, false),
        ] {
            let [launches, assumed] = counts();
            pipeline.call().zeroed(length).over(threads).run().unwrap();
            assert_eq!(
                counts(),
                [launches + 1, assumed + u64::from(is_assumed)],
                "{length} elements, {threads} threads"
            );
        }
    });
}

/// The nodes of a graph choose, too, and again when their arguments are exchanged.
#[test]
fn nodes_choose_their_entries_by_their_conditions() {
    crate::kernels::on_driver("programs::nodes_choose_their_entries_by_their_conditions", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let pipeline = gpu.compile(program("made")).unwrap();
        let mut y = gpu.zeros::<u32>(64).unwrap();
        let mut steps = Sequence::new(&gpu);
        steps.launch(pipeline.call().resident_mut(&mut y).over(64)).unwrap();
        steps.launch(pipeline.call().resident_mut(&mut y).over(65)).unwrap();
        let node = steps.node(pipeline.call().resident_mut(&mut y).over(64)).unwrap();
        let before = driver.calls("__assumed");
        steps.run().unwrap();
        assert_eq!(driver.calls("__assumed") - before, 2);
        let mut graph = steps.into_graph().unwrap();
        for (threads, assumed) in [(64, 2), (96, 1), (33, 2)] {
            graph
                .set(&node, pipeline.call().resident_mut(&mut y).over(threads))
                .unwrap();
            let before = driver.calls("__assumed");
            graph.run().unwrap();
            assert_eq!(driver.calls("__assumed") - before, assumed, "{threads} threads");
        }
    });
}
