//! Handles of five kinds, dropped in each of the 120 orders, while their work runs and after it: nothing leaks, nothing
//! hangs.

use crate::support::{alone, devices, saxpy};
use vyre_runtime::{Device, Result, Sequence};

/// A handle that is waiting to be dropped.
type Kept = Box<dyn std::any::Any>;

/// A stream, a buffer, an event, a graph and pending work, which use each other: the work of the graph and of the sequence
/// is on the stream, and both hold the buffer.
fn handles(device: &Device) -> Result<[Kept; 5]> {
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 100])?;
    let mut y = device.zeros::<f32>(100)?;
    saxpy(2.0, &x, &mut y).over(100).on(&stream).launch(device)?;
    let mut steps = Sequence::new(device);
    steps.launch(saxpy(3.0, &x, &mut y).over(100))?;
    steps.read(&y, ..)?;
    let pending = steps.start()?;
    let mut steps = Sequence::new(device);
    steps.launch(saxpy(4.0, &x, &mut y).over(100))?;
    let mut graph = steps.into_graph()?;
    graph.launch(&stream)?;
    let event = stream.record()?;
    drop(x);
    Ok([
        Box::new(stream),
        Box::new(y),
        Box::new(event),
        Box::new(graph),
        Box::new(pending),
    ])
}

/// All orders of five.
fn orders() -> Vec<[usize; 5]> {
    let mut found = Vec::new();
    for number in 0..5usize.pow(5) {
        let order = [0, 1, 2, 3, 4].map(|place| number / 5usize.pow(place) % 5);
        if (0..5).all(|kind| order.contains(&kind)) {
            found.push(order);
        }
    }
    found
}

/// Drops handles in an order.
fn drop_in(handles: [Kept; 5], order: [usize; 5]) {
    let mut kept = handles.map(Some);
    for kind in order {
        kept[kind] = None;
    }
}

#[test]
fn memory_comes_back_in_every_order() {
    let _alone = alone();
    assert_eq!(orders().len(), 120);
    for device in devices("drops::memory_comes_back_in_every_order") {
        let in_use = || {
            device.synchronize().unwrap();
            device.memory().unwrap().in_use
        };
        drop_in(handles(&device).unwrap(), [0, 1, 2, 3, 4]);
        let before = in_use();
        for order in orders() {
            drop_in(handles(&device).unwrap(), order);
            assert_eq!(in_use(), before, "{device}: {order:?}");
        }
    }
}

/// On the played driver, which counts what was not given back and can hold the work.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_in_any_order() {
    use std::time::{Duration, Instant};

    use vyre_test_driver::{Driver, Stage};

    const TEST: &str = "drops::nothing_is_left_in_any_order";
    let Some(driver) = Driver::of(TEST) else {
        if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
            stage.run();
        }
        return;
    };
    let device = Device::cuda(0).unwrap();
    let left = || {
        device.synchronize().unwrap();
        (driver.allocations(), driver.graphs(), device.memory().unwrap().in_use)
    };
    // Streams and memory for reports are kept for later ones.
    for _ in 0..3 {
        drop_in(handles(&device).unwrap(), [0, 1, 2, 3, 4]);
    }
    let before = left();
    for is_held in [false, true] {
        for order in orders() {
            let handles = handles(&device).unwrap();
            if is_held {
                driver.hold();
            }
            let began = Instant::now();
            std::thread::scope(|scope| {
                // A graph waits for its last launch, so somebody must end the work meanwhile.
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(if is_held { 5 } else { 0 }));
                    driver.resume();
                });
                drop_in(handles, order);
            });
            assert!(began.elapsed() < Duration::from_secs(10), "{order:?}");
            assert_eq!(left(), before, "{order:?}, held: {is_held}");
        }
    }
}
