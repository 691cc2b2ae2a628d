//! Launches: what runs, and what is refused before it does.

mod support;

use support::*;
use vyre_runtime::{Device, Error, Launch, LaunchLimit};

#[test]
fn a_kernel_covers_its_domain() {
    for device in devices("a_kernel_covers_its_domain") {
        for n in [0usize, 1, 255, 256, 257, 100_000] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let (x, mut y) = (device.upload(&x).unwrap(), device.upload(&vec![1.0; n]).unwrap());
            saxpy(2.0, &x, &mut y).over(n).launch(&device).unwrap();
            assert!(
                y.download()
                    .unwrap()
                    .iter()
                    .enumerate()
                    .all(|(i, &y)| y == 2.0 * i as f32 + 1.0)
            );
        }
    }
}

#[test]
fn parts_of_buffers_are_arguments() {
    for device in devices("parts_of_buffers_are_arguments") {
        let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = device.zeros(6).unwrap();
        let (low, mut high) = y.split_at_mut(3).unwrap();
        saxpy(10.0, x.slice(1..).unwrap(), low).over(3).launch(&device).unwrap();
        saxpy(1.0, x.slice(..2).unwrap(), high.slice_mut(..2).unwrap())
            .grid(1)
            .launch(&device)
            .unwrap();
        assert_eq!(y.download().unwrap(), [20.0, 30.0, 40.0, 1.0, 2.0, 0.0]);
    }
}

#[test]
fn atomics_count_every_thread() {
    for device in devices("atomics_count_every_thread") {
        let mut totals = device.zeros(3).unwrap();
        Launch::over(count(totals.slice_mut(1..2).unwrap()), [1000, 1, 1])
            .launch(&device)
            .unwrap();
        let view = count(&mut totals).total;
        Launch::grid(count(view.slice(2..).unwrap()), [2, 3, 4])
            .launch(&device)
            .unwrap();
        Launch::grid(count(view), [1, 1, 1]).launch(&device).unwrap();
        // In 2-D and 3-D grids every thread still counts, and blocks are whole.
        assert_eq!(totals.download().unwrap(), [BLOCK, 4 * BLOCK, 24 * BLOCK]);
    }
}

#[test]
fn an_empty_grid_is_refused_and_an_empty_domain_does_nothing() {
    for device in devices("an_empty_grid_is_refused_and_an_empty_domain_does_nothing") {
        let mut total = device.upload(&[7u32]).unwrap();
        for grid in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
            let error = Launch::grid(count(&mut total), grid).launch(&device).unwrap_err();
            assert_eq!(
                error,
                Error::EmptyGrid {
                    kernel: "count".into(),
                    grid
                }
            );
        }
        for domain in [[0, 1, 1], [5, 0, 1], [5, 1, 0]] {
            Launch::over(count(&mut total), domain).launch(&device).unwrap();
        }
        assert_eq!(total.download().unwrap(), [7]);
    }
}

#[test]
fn a_launch_beyond_the_limits_is_refused() {
    for device in devices("a_launch_beyond_the_limits_is_refused") {
        let grid = |axis, requested| Error::TooLarge {
            kernel: "empty".into(),
            what: LaunchLimit::Grid(axis),
            requested,
            limit: [0x7fff_ffff, 65535, 65535][axis],
        };
        let refused = |domain| Launch::over(Empty, domain).launch(&device).unwrap_err();
        assert_eq!(refused([u64::MAX, 1, 1]), grid(0, u64::MAX / 256 + 1));
        assert_eq!(refused([1 << 39, 1, 1]), grid(0, 1 << 31));
        assert_eq!(refused([1, 65536, 1]), grid(1, 65536));
        assert_eq!(refused([1, 1, 1 << 40]), grid(2, 1 << 40));
        let error = Launch::grid(Empty, [1, 1, 70000]).launch(&device).unwrap_err();
        assert_eq!(error, grid(2, 70000));
        let error = Launch::grid(Wide, [1, 1, 1]).launch(&device).unwrap_err();
        assert_eq!(device.load::<Wide>(), Err(error.clone()));
        device.load::<Empty>().unwrap();
        let what = LaunchLimit::Threads;
        assert_eq!(
            error,
            Error::TooLarge {
                kernel: "wide".into(),
                what,
                requested: 4096,
                limit: 1024
            }
        );
        Launch::grid(Empty, [1, 65535, 1]).launch(&device).unwrap();
        device.synchronize().unwrap();
    }
}

/// Kernels are cut by the compiler, which is not there.
#[cfg(not(feature = "programs"))]
#[test]
fn a_split_names_the_feature_that_it_needs() {
    for device in devices("a_split_names_the_feature_that_it_needs") {
        let split = || Launch::grid(Together, [2, 1, 1]).split(true);
        let timed = split().launch_timed(&device).map(drop);
        for done in [split().launch(&device), timed] {
            let error = done.unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
            let text = error.to_string();
            assert!(
                text.contains("`split` of `together`") && text.contains("the feature `programs`"),
                "{text}"
            );
        }
        // The whole is launched, and so is one that has no barrier of the grid, which is its own only part.
        Launch::grid(Together, [2, 1, 1]).launch(&device).unwrap();
        Launch::grid(Empty, [2, 1, 1]).split(true).launch(&device).unwrap();
        device.synchronize().unwrap();
    }
}

#[test]
fn checks_of_the_launcher_come_first() {
    for device in devices("checks_of_the_launcher_come_first") {
        let (x, mut y) = (device.zeros(3).unwrap(), device.zeros(4).unwrap());
        let error = Slowly::new(0, 1, &x, &mut y).launch(&device).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`x` has 3 elements and `y` has 4; the lengths must be equal, so take a part of the longer one"
        );
    }
}

#[test]
fn what_belongs_elsewhere_is_refused() {
    let Some(device) = cuda("what_belongs_elsewhere_is_refused") else {
        return;
    };
    let cpu = Device::cpu();
    let (here, there) = (device.zeros(4).unwrap(), cpu.zeros(4).unwrap());
    let mut y = device.zeros(4).unwrap();
    let error = saxpy(1.0, &there, &mut y).over(4).launch(&device).unwrap_err();
    let Error::WrongDevice {
        user,
        what,
        belongs,
        wanted,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((&*user, &*what), ("saxpy", "x"));
    assert_eq!((&*belongs, &*wanted), (&*cpu.to_string(), &*device.to_string()));
    let error = saxpy(1.0, &here, &mut y).over(4).launch(&cpu).unwrap_err();
    assert!(
        matches!(&error, Error::WrongDevice { what, .. } if what == "x"),
        "{error:?}"
    );
    let stream = cpu.stream().unwrap();
    let error = saxpy(1.0, &here, &mut y)
        .over(4)
        .on(&stream)
        .launch(&device)
        .unwrap_err();
    assert!(
        matches!(&error, Error::WrongDevice { what, .. } if what == "the stream"),
        "{error:?}"
    );
    assert_eq!(y.download().unwrap(), [0.0; 4]);
}

#[test]
fn ptx_that_does_not_load_is_explained() {
    let Some(device) = cuda("ptx_that_does_not_load_is_explained") else {
        return;
    };
    let error = Launch::grid(Damaged, [1, 1, 1]).launch(&device).unwrap_err();
    let Error::PtxRejected {
        kernel, code: 218, log, ..
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(kernel, "damaged");
    assert!(log.contains("bogus"), "{log}");
    let error = Launch::grid(TooNew, [1, 1, 1]).launch(&device).unwrap_err();
    assert!(
        matches!(&error, Error::PtxRejected { kernel, .. } if kernel == "too_new"),
        "{error:?}"
    );
    let error = Launch::grid(Nameless, [1, 1, 1]).launch(&device).unwrap_err();
    assert!(
        matches!(
            &error,
            Error::PtxRejected { kernel, code: 500, .. } if kernel == "nameless"
        ),
        "{error:?}"
    );
    let error = Launch::grid(Future, [1, 1, 1]).launch(&device).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .starts_with("kernel `future` needs compute capability 99.0"),
        "{error}"
    );
    // None of this harms the device, and the same error comes again.
    let error = Launch::grid(Damaged, [1, 1, 1]).launch(&device).unwrap_err();
    assert!(matches!(&error, Error::PtxRejected { .. }), "{error:?}");
    Launch::grid(Empty, [1, 1, 1]).launch(&device).unwrap();
    device.synchronize().unwrap();
}

#[test]
fn many_threads_launch_at_once() {
    for device in devices("many_threads_launch_at_once") {
        // As many as a server has on a GPU; a launch of the CPU runs before it returns.
        let (threads, launches) = if device.is_cuda() { (64, 10_000) } else { (8, 200) };
        let ones = device.upload(&[1u32; 300]).unwrap();
        let stream = device.stream().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (device, ones, stream) = (&device, &ones, &stream);
                scope.spawn(move || {
                    // Some share the default stream, some another, some have their own.
                    let stream = match thread % 3 {
                        0 => device.default_stream(),
                        1 => stream.clone(),
                        _ => device.stream().unwrap(),
                    };
                    let mut mine = device.zeros(300).unwrap();
                    for _ in 0..launches {
                        Slowly::new(0, 1, ones, &mut mine).on(&stream).launch(device).unwrap();
                    }
                    assert_eq!(mine.download().unwrap(), [launches; 300]);
                });
            }
        });
    }
}

/// The first launches of a kernel may come from several threads; it is loaded once.
#[test]
fn first_launches_may_coincide() {
    for device in devices("first_launches_may_coincide") {
        let mut total = device.zeros::<u32>(1).unwrap();
        let view = count(&mut total).total;
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let device = &device;
                scope.spawn(move || Launch::grid(count(view), [1, 1, 1]).launch(device).unwrap());
            }
        });
        assert_eq!(total.download().unwrap(), [8 * BLOCK]);
    }
}
