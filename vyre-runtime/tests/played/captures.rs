//! Streams that cudarc captures into graphs, in all three modes: on a driver that is played on the host, which knows what a
//! capture refuses, and on a GPU.

use std::sync::Arc;
use std::thread;

use crate::support::{Slowly, alone, cuda, saxpy};
use vyre_runtime::cudarc::driver::result::stream as raw;
use vyre_runtime::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode, CUstreamCaptureStatus};
use vyre_runtime::cudarc::driver::{CudaGraph, CudaStream, DriverError};
use vyre_runtime::{CaptureProblem, Device, DeviceBuffer, Error, Launch, Result, Sequence, Stream};

const MODES: [CUstreamCaptureMode; 3] = [
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL,
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
];

/// Runs a test on the played driver, where kernels do nothing, and on a GPU.
fn everywhere(test: &str, body: impl Fn(&Device, bool)) {
    let _alone = alone();
    crate::kernels::on_driver(test, |_| body(&Device::cuda(0).unwrap(), false));
    if !vyre_test_driver::plays(test)
        && let Some(gpu) = cuda(test)
    {
        body(&gpu, true);
    }
}

/// A stream of cudarc in a context that tracks no events, and the same as vyre's.
fn streams(device: &Device) -> (Arc<CudaStream>, Stream) {
    let context = device.to_cudarc().unwrap();
    // SAFETY: the tests order what they do.
    unsafe { context.disable_event_tracking() };
    let theirs = context.new_stream().unwrap();
    let ours = Stream::from_cudarc(theirs.clone()).unwrap();
    (theirs, ours)
}

/// Ends a capture, which must be valid: its graph.
fn end(stream: &Arc<CudaStream>) -> std::result::Result<CudaGraph, DriverError> {
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    stream.end_capture(flags).map(|graph| graph.expect("it has a node"))
}

fn problem<T>(result: Result<T>) -> CaptureProblem {
    match result {
        Err(Error::StreamCaptured { problem, .. }) => *problem,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was done"),
    }
}

/// A launch that reports nothing: `y = 3 y + x`.
fn step<'v>(x: &'v DeviceBuffer<u32>, y: &'v mut DeviceBuffer<u32>) -> Launch<Slowly<'v>> {
    Slowly::new(0, 3, x, y)
}

/// A launch for the graph of somebody else.
fn captured<K: vyre_runtime::kernel::Kernel>(launch: Launch<K>) -> Launch<K> {
    // SAFETY: the tests launch graphs in order, and while the memory lives.
    unsafe { launch.captured() }
}

/// Everything on a stream that is captured is refused, and the capture is valid after that.
#[test]
fn work_on_a_captured_stream_is_refused() {
    everywhere("captures::work_on_a_captured_stream_is_refused", |device, is_gpu| {
        for mode in MODES {
            let (theirs, ours) = streams(device);
            let late = device.to_cudarc().unwrap().new_stream().unwrap();
            let (x, mut y) = (device.upload(&[1u32; 8]).unwrap(), device.upload(&[1u32; 8]).unwrap());
            let (f, mut g) = (device.upload(&[1f32; 8]).unwrap(), device.upload(&[1f32; 8]).unwrap());
            // Their memory is noted for the stream.
            step(&x, &mut y).on(&ours).launch(device).unwrap();
            let mut elsewhere = device.zeros::<u32>(8).unwrap();
            let mut steps = Sequence::new(device).on(&ours).unwrap();
            steps.fill(&mut elsewhere, 7).unwrap();
            let mut graph = {
                let mut steps = Sequence::new(device);
                steps.fill(&mut elsewhere, 7).unwrap();
                steps.into_graph().unwrap()
            };
            ours.synchronize().unwrap();
            let event = device.default_stream().record().unwrap();

            theirs.begin_capture(mode).unwrap();
            late.begin_capture(mode).unwrap();
            let work = CaptureProblem::Work;
            assert_eq!(problem(step(&x, &mut y).on(&ours).launch(device)), work);
            assert_eq!(problem(saxpy(1.0, &f, &mut g).over(8).on(&ours).launch(device)), work);
            assert_eq!(problem(ours.synchronize()), work);
            assert_eq!(problem(ours.record()), work);
            assert_eq!(problem(ours.wait(&event)), work);
            assert_eq!(problem(device.synchronize()), work);
            assert_eq!(problem(device.trim_memory()), work);
            assert_eq!(problem(y.fill(1)), work);
            assert_eq!(problem(y.write(&[1; 8])), work);
            assert_eq!(problem(y.download()), work);
            assert_eq!(problem(steps.start()), work);
            assert_eq!(problem(graph.launch(&ours)), work);
            assert_eq!(problem(Stream::from_cudarc(late.clone())), work);
            // A launch elsewhere with memory of the stream would make its own stream a part of the capture.
            assert_eq!(problem(step(&x, &mut y).launch(device)), work);
            let refused = problem(captured(saxpy(1.0, &f, &mut g).over(8).on(&ours)).launch(device));
            assert_eq!(refused, CaptureProblem::Reports { kernel: "saxpy".into() });
            let refused = problem(captured(step(&x, &mut elsewhere).on(&ours)).launch(device));
            let expected = CaptureProblem::Order {
                kernel: "slowly".into(),
                parameter: "y".into(),
            };
            assert_eq!(refused, expected);
            let valid = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE;
            assert_eq!(theirs.capture_status().unwrap(), valid, "{mode:?}");
            captured(step(&x, &mut y).on(&ours)).launch(device).unwrap();
            // SAFETY: it is being captured.
            unsafe { raw::end_capture(late.cu_stream()) }.unwrap();
            let theirs_graph = end(&theirs).unwrap();

            // 1, then 3 + 1 by the launch before the capture, and twice more by the graph.
            theirs_graph.launch().unwrap();
            theirs_graph.launch().unwrap();
            ours.synchronize().unwrap();
            let expected = if is_gpu { 40 } else { 1 };
            assert_eq!(y.download().unwrap(), [expected; 8], "{mode:?}");
            graph.launch(&ours).unwrap();
            graph.wait().unwrap();
            assert_eq!(elsewhere.download().unwrap(), [7; 8]);
        }
    });
}

/// All that a program does while somebody else captures: on the thread of the capture, and on another one.
#[test]
fn work_beside_a_capture_is_no_part_of_it() {
    fn work(device: &Device, is_gpu: bool) {
        let stream = device.stream().unwrap();
        let (x, mut y) = (
            device.upload(&[2u32; 100]).unwrap(),
            device.upload(&[1u32; 100]).unwrap(),
        );
        step(&x, &mut y).on(&stream).launch(device).unwrap();
        let event = stream.record().unwrap();
        event.wait().unwrap();
        assert!(event.is_done().unwrap());
        stream.synchronize().unwrap();
        let mut z = y.try_clone().unwrap();
        z.fill(5).unwrap();
        z.write(&[6; 100]).unwrap();
        assert_eq!(z.download().unwrap(), [6; 100]);
        assert_eq!(y.download().unwrap(), [if is_gpu { 5 } else { 1 }; 100]);
        drop(device.pinned::<u32>(10).unwrap());
        let mut steps = Sequence::new(device);
        steps.fill(&mut z, 7).unwrap();
        let place = steps.read(&z, ..).unwrap();
        assert_eq!(steps.start().unwrap().wait().unwrap().get(&place).unwrap(), [7; 100]);
        let mut graph = steps.into_graph().unwrap();
        graph.launch(&stream).unwrap();
        graph.wait().unwrap();
        drop((graph, x, y, z));
        device.memory().unwrap();
    }
    everywhere("captures::work_beside_a_capture_is_no_part_of_it", |device, is_gpu| {
        for mode in MODES {
            let (theirs, ours) = streams(device);
            let (x, mut y) = (device.upload(&[1u32; 8]).unwrap(), device.upload(&[1u32; 8]).unwrap());
            step(&x, &mut y).on(&ours).launch(device).unwrap();
            theirs.begin_capture(mode).unwrap();
            captured(step(&x, &mut y).on(&ours)).launch(device).unwrap();
            work(device, is_gpu);
            thread::scope(|scope| {
                scope.spawn(|| work(device, is_gpu));
            });
            captured(step(&x, &mut y).on(&ours)).launch(device).unwrap();
            end(&theirs).unwrap().launch().unwrap();
            let expected = if is_gpu { 40 } else { 1 };
            assert_eq!(y.download().unwrap(), [expected; 8], "{mode:?}");
        }
    });
}

/// Slices of the stream go into the graph of cudarc, and buffers that the stream has used.
#[test]
fn launches_go_into_their_graph() {
    everywhere("captures::launches_go_into_their_graph", |device, is_gpu| {
        for mode in MODES {
            let (theirs, ours) = streams(device);
            let x = theirs.clone_htod(&[1u32; 8]).unwrap();
            let mut y = theirs.clone_htod(&[0u32; 8]).unwrap();
            theirs.begin_capture(mode).unwrap();
            for _ in 0..2 {
                let (x, mut y) = (device.lend(&x).unwrap(), device.lend_mut(&mut y).unwrap());
                captured(Slowly::new(0, 3, &x, &mut y).on(&ours))
                    .launch(device)
                    .unwrap();
            }
            // Without the promise it is refused, and on another stream, which would follow this one.
            let (from, mut to) = (device.lend(&x).unwrap(), device.lend_mut(&mut y).unwrap());
            let refused = Slowly::new(0, 3, &from, &mut to).on(&ours).launch(device);
            assert_eq!(problem(refused), CaptureProblem::Work);
            let refused = captured(Slowly::new(0, 3, &from, &mut to)).launch(device);
            assert_eq!(problem(refused), CaptureProblem::Work);
            drop((from, to));
            let graph = end(&theirs).unwrap();
            assert_eq!(theirs.clone_dtoh(&y).unwrap(), [0; 8], "nothing has run");
            for turns in 1..=2u32 {
                graph.launch().unwrap();
                let expected = (0..2 * turns).fold(0, |y, _| 3 * y + 1);
                let expected = if is_gpu { expected } else { 0 };
                assert_eq!(theirs.clone_dtoh(&y).unwrap(), [expected; 8], "{mode:?}");
            }
            // Beside no capture, the launch is as any other.
            let (from, mut to) = (device.lend(&x).unwrap(), device.lend_mut(&mut y).unwrap());
            captured(Slowly::new(0, 3, &from, &mut to).on(&ours))
                .launch(device)
                .unwrap();
            drop((from, to));
            let expected = if is_gpu { 121 } else { 0 };
            assert_eq!(theirs.clone_dtoh(&y).unwrap(), [expected; 8]);
        }
    });
}

/// Work of others stands between the launches of a graph of vyre, in the order of the stream.
#[test]
fn their_work_stands_between_launches_of_a_graph() {
    use vyre_runtime::cudarc::driver::result::memset_d8_async;
    everywhere(
        "captures::their_work_stands_between_launches_of_a_graph",
        |device, is_gpu| {
            let (theirs, ours) = streams(device);
            let (x, mut y) = (device.upload(&[1u32; 8]).unwrap(), device.upload(&[9u32; 8]).unwrap());
            let mut steps = Sequence::new(device);
            steps.launch(step(&x, &mut y)).unwrap();
            let mut graph = steps.into_graph().unwrap();
            for _ in 0..3 {
                graph.launch(&ours).unwrap();
                // SAFETY: the buffer has so many bytes, and its other work is on this stream.
                unsafe { memset_d8_async(y.as_view().address(), 0, 32, theirs.cu_stream()) }.unwrap();
                graph.launch(&ours).unwrap();
            }
            graph.wait().unwrap();
            assert_eq!(y.download().unwrap(), [u32::from(is_gpu); 8]);
        },
    );
}

/// A stream of vyre's own whose handle was given away may be captured, too; and one that has become invalid says so.
#[test]
fn own_streams_may_be_captured() {
    everywhere("captures::own_streams_may_be_captured", |device, _| {
        device.to_cudarc().unwrap().bind_to_thread().unwrap();
        let ours = device.stream().unwrap();
        let (x, mut y) = (device.upload(&[1u32; 8]).unwrap(), device.upload(&[1u32; 8]).unwrap());
        step(&x, &mut y).on(&ours).launch(device).unwrap();
        let handle = ours.with_raw(|handle| handle.addr()).unwrap();
        let handle = std::ptr::without_provenance_mut(handle);
        // SAFETY: the stream lives.
        unsafe { raw::begin_capture(handle, MODES[0]) }.unwrap();
        assert_eq!(problem(step(&x, &mut y).on(&ours).launch(device)), CaptureProblem::Work);
        captured(step(&x, &mut y).on(&ours)).launch(device).unwrap();
        // SAFETY: as above. The driver refuses it, and the capture is invalid.
        assert_eq!(unsafe { raw::synchronize(handle) }.unwrap_err().0 as u32, 900);
        let refused = captured(step(&x, &mut y).on(&ours)).launch(device);
        assert_eq!(problem(refused), CaptureProblem::Invalidated);
        assert_eq!(problem(step(&x, &mut y).on(&ours).launch(device)), CaptureProblem::Work);
        // SAFETY: as above.
        assert_eq!(unsafe { raw::end_capture(handle) }.unwrap_err().0 as u32, 901);
        step(&x, &mut y).on(&ours).launch(device).unwrap();
        ours.synchronize().unwrap();
    });
}

/// Memory whose last use was on a captured stream is freed after the capture.
#[test]
fn memory_is_freed_after_a_capture() {
    const TEST: &str = "captures::memory_is_freed_after_a_capture";
    crate::kernels::on_driver(TEST, |driver| {
        let device = Device::cuda(0).unwrap();
        let (theirs, ours) = streams(&device);
        let x = device.upload(&[1u32; 8]).unwrap();
        let mut kept = device.zeros::<u32>(8).unwrap();
        step(&x, &mut kept).on(&ours).launch(&device).unwrap();
        ours.synchronize().unwrap();
        let before = driver.allocations();
        let mut y = device.zeros::<u32>(8).unwrap();
        step(&x, &mut y).on(&ours).launch(&device).unwrap();
        theirs.begin_capture(MODES[0]).unwrap();
        drop(y);
        assert_eq!(driver.allocations(), before + 1);
        captured(step(&x, &mut kept).on(&ours)).launch(&device).unwrap();
        // There is no memory, and none to be had by waiting for a stream that is captured.
        driver.fail_allocations(0, 1);
        assert!(matches!(device.zeros::<u32>(8), Err(Error::OutOfMemory { .. })));
        drop(end(&theirs).unwrap());
        ours.synchronize().unwrap();
        assert_eq!(driver.allocations(), before);
        device.synchronize().unwrap();
    });
}
