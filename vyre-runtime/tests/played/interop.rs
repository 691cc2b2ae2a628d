//! Memory and streams of other libraries: of cudarc on a driver that is played on the host, which knows the order of
//! streams, and on a GPU; and memory of the host on the CPU.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use crate::support::{alone, cuda, saxpy};
use vyre_runtime::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use vyre_runtime::{Device, DeviceBuffer, Error, Foreign, Lent, LentMut, Result, Sequence, Stream};

fn stream(stream: &CudaStream) -> usize {
    stream.cu_stream().addr()
}

fn raw(stream: &Stream) -> usize {
    stream.with_raw(|raw| raw.addr()).unwrap()
}

fn feature<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Err(Error::Unsupported { feature, .. }) => feature,
        other => panic!("{other:?}"),
    }
}

/// cudarc tracks events, only one stream, or none by its user's wish.
fn contexts() -> Vec<(Arc<CudaContext>, &'static str)> {
    let [tracked, single, untracked] = [(); 3].map(|()| CudaContext::new(0).unwrap());
    // SAFETY: the test orders what it does.
    unsafe { untracked.disable_event_tracking() };
    vec![(tracked, "tracked"), (single, "single"), (untracked, "untracked")]
}

#[cfg(target_os = "linux")]
#[test]
fn launches_are_ordered_with_cudarc() {
    crate::kernels::on_driver("interop::launches_are_ordered_with_cudarc", |driver| {
        let device = Device::cuda(0).unwrap();
        for (context, kind) in contexts() {
            assert_eq!(Device::from_cudarc(&context).unwrap(), device);
            let theirs = match kind {
                "single" => context.default_stream(),
                _ => context.new_stream().unwrap(),
            };
            let ours = device.stream().unwrap();
            let (here, there) = (raw(&ours), stream(&theirs));
            let x = theirs.clone_htod(&[1.0f32; 100]).unwrap();
            let mut y = theirs.alloc_zeros::<f32>(100).unwrap();
            let launch = |y: &mut CudaSlice<f32>| {
                let (x, mut y) = (device.lend(&x).unwrap(), device.lend_mut(y).unwrap());
                assert!(!driver.follows(here, there), "{kind}");
                saxpy(2.0, &x, &mut y).over(100).on(&ours).launch(&device).unwrap();
                assert!(
                    driver.follows(here, there),
                    "{kind}: the launch comes after their copies"
                );
                assert!(driver.follows(there, here), "{kind}: their work comes after the launch");
                saxpy(2.0, &x, &mut y).over(100).on(&ours).launch(&device).unwrap();
                assert!(driver.follows(there, here), "{kind}: and after the second one");
                // A guard that is leaked makes no difference.
                std::mem::forget((x, y));
            };
            launch(&mut y);
            theirs.memcpy_htod(&[3.0f32; 100], &mut y).unwrap();
            launch(&mut y);
            // Their other streams follow by the events of the slice.
            if kind == "tracked" {
                let other = context.new_stream().unwrap();
                assert_eq!(other.clone_dtoh(&y).unwrap(), [3.0; 100]);
                assert!(driver.follows(stream(&other), here));
            }
            // The host reads after their work, and needs no stream to wait for it.
            theirs.memcpy_htod(&[4.0f32; 100], &mut y).unwrap();
            assert_eq!(device.lend(&y).unwrap().as_view().download().unwrap(), [4.0; 100]);
            device
                .lend_mut(&mut y)
                .unwrap()
                .as_view_mut()
                .write(&[5.0; 100])
                .unwrap();
            assert_eq!(theirs.clone_dtoh(&y).unwrap(), [5.0; 100]);
            device.lend_mut(&mut y).unwrap().as_view_mut().fill(0.0).unwrap();
            assert!(driver.follows(there, raw(&device.default_stream())));
            let lent = device.lend(&y).unwrap();
            let mut own = device.upload(&[1.0f32; 100]).unwrap();
            own.copy_from(&lent).unwrap();
            assert!(driver.follows(there, raw(&device.default_stream())));
            assert_eq!(own.download().unwrap(), [0.0; 100]);
        }
    });
}

/// Work on the stream of the slices is in order by itself, so the handover makes no event.
#[cfg(target_os = "linux")]
#[test]
fn launches_on_the_stream_of_the_slices_need_no_events() {
    crate::kernels::on_driver(
        "interop::launches_on_the_stream_of_the_slices_need_no_events",
        |driver| {
            for (context, kind) in contexts() {
                let theirs = match kind {
                    "single" => context.default_stream(),
                    _ => context.new_stream().unwrap(),
                };
                let ours = Stream::from_cudarc(theirs.clone()).unwrap();
                let device = ours.device();
                let x = theirs.clone_htod(&[1.0f32; 100]).unwrap();
                let mut y = theirs.alloc_zeros::<f32>(100).unwrap();
                let created = driver.calls("cuEventCreate");
                for _ in 0..3 {
                    let (x, mut y) = (device.lend(&x).unwrap(), device.lend_mut(&mut y).unwrap());
                    saxpy(2.0, &x, &mut y).over(100).on(&ours).launch(&device).unwrap();
                }
                assert_eq!(driver.calls("cuEventCreate"), created, "{kind}");
                // Another stream of theirs follows by the events of the slice, where these are tracked.
                if kind == "tracked" {
                    let other = context.new_stream().unwrap();
                    other.clone_dtoh(&y).unwrap();
                    assert!(driver.follows(stream(&other), raw(&ours)));
                }
            }
        },
    );
}

#[cfg(target_os = "linux")]
#[test]
fn buffers_change_hands() {
    crate::kernels::on_driver("interop::buffers_change_hands", |driver| {
        let device = Device::cuda(0).unwrap();
        for (context, kind) in contexts() {
            let theirs = match kind {
                "single" => context.default_stream(),
                _ => context.new_stream().unwrap(),
            };
            let ours = device.stream().unwrap();
            let (here, there) = (raw(&ours), stream(&theirs));
            let live = driver.allocations();
            let mut y = DeviceBuffer::from_cudarc(theirs.clone_htod(&[1.0f32; 100]).unwrap()).unwrap();
            let x = device.zeros::<f32>(100).unwrap();
            assert_eq!(device.memory().unwrap().in_use, 800);
            saxpy(1.0, &x, &mut y).over(100).on(&ours).launch(&device).unwrap();
            assert!(driver.follows(here, there), "{kind}");
            assert_eq!(y.download().unwrap(), [1.0; 100]);
            // It is freed on their stream, after the launch.
            saxpy(1.0, &x, &mut y).over(100).on(&ours).launch(&device).unwrap();
            drop(y);
            assert!(driver.follows(there, here), "{kind}");
            assert_eq!(driver.allocations(), live + 1);

            let mut x = x;
            let zeros = device.zeros::<f32>(100).unwrap();
            saxpy(1.0, &zeros, &mut x).over(100).on(&ours).launch(&device).unwrap();
            let slice = x.into_cudarc(&theirs).unwrap();
            assert!(driver.follows(there, here), "{kind}");
            assert_eq!(theirs.clone_dtoh(&slice).unwrap(), [0.0; 100]);
            drop((slice, zeros));
            assert_eq!(driver.allocations(), live);
            assert_eq!(device.memory().unwrap().in_use, 0);
            assert_eq!(driver.context(), device.raw_context().addr());
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn streams_are_adopted_once() {
    crate::kernels::on_driver("interop::streams_are_adopted_once", |driver| {
        let device = Device::cuda(0).unwrap();
        let context = device.to_cudarc().unwrap();
        let theirs = context.new_stream().unwrap();
        let (x, mut y) = (device.zeros::<f32>(10).unwrap(), device.zeros::<f32>(10).unwrap());
        for _ in 0..3 {
            let adopted = Stream::from_cudarc(theirs.clone()).unwrap();
            assert_eq!((raw(&adopted), adopted.device()), (stream(&theirs), device.clone()));
            saxpy(1.0, &x, &mut y).over(10).on(&adopted).launch(&device).unwrap();
            adopted.synchronize().unwrap();
            // No other stream gets it.
            assert_ne!(raw(&device.stream().unwrap()), raw(&adopted));
        }
        // A printer that one of several has set stays when another one goes.
        let (sender, lines) = mpsc::channel::<()>();
        let first = Stream::from_cudarc(theirs.clone()).unwrap();
        first.print_to(move |_| sender.send(()).unwrap());
        drop(Stream::from_cudarc(theirs.clone()).unwrap());
        assert_eq!(lines.try_recv(), Err(mpsc::TryRecvError::Empty));
        assert_eq!(driver.calls("cuStreamCreateWithPriority"), 3);
        let first = raw(&Stream::from_cudarc(context.default_stream()).unwrap());
        assert_eq!(first, 0);
        // The stream lives as long as the device.
        let destroyed = driver.calls("cuStreamDestroy_v2");
        drop(theirs);
        assert_eq!(driver.calls("cuStreamDestroy_v2"), destroyed);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_is_refused() {
    crate::kernels::on_driver("interop::what_does_not_fit_is_refused", |driver| {
        let device = Device::cuda(0).unwrap();
        let context = device.to_cudarc().unwrap();
        let theirs = context.default_stream();
        let mut slice = theirs.alloc_zeros::<f32>(10).unwrap();
        // SAFETY: the handle is none of a context; nothing is called with it.
        let other = unsafe { CudaContext::from_raw_context(0, 0, std::ptr::without_provenance_mut(0xee)) }.unwrap();
        assert_eq!(
            feature(Device::from_cudarc(&other)),
            "contexts that are not the primary one"
        );
        driver.set_context(device.raw_context().addr());
        std::mem::forget(other);
        assert_eq!(feature(Device::cpu().to_cudarc()), "a CUDA context");
        let foreign = "streams and slices of other contexts";
        assert_eq!(feature(Device::cpu().lend(&slice)), foreign);
        assert_eq!(feature(Device::cpu().lend_mut(&mut slice)), foreign);
        let on_cpu = Device::cpu().upload(&[1]).unwrap();
        assert_eq!(feature(on_cpu.into_cudarc(&theirs)), foreign);
        let each = context.per_thread_stream();
        let thread = "streams that are another one on each thread";
        assert_eq!(feature(Stream::from_cudarc(each.clone())), thread);
        assert_eq!(feature(device.upload(&[1]).unwrap().into_cudarc(&each)), thread);
        let empty = device.zeros::<u8>(0).unwrap();
        assert_eq!(feature(empty.into_cudarc(&theirs)), "slices without bytes");
        let borrowed = DeviceBuffer::from_cudarc(slice).unwrap();
        assert!(feature(borrowed.into_cudarc(&theirs)).starts_with("giving away a buffer"));
        let slice = theirs.alloc_zeros::<f32>(10).unwrap();
        let lent = device.lend(&slice).unwrap();
        let outside = lent.as_view().slice(9..11);
        assert!(
            matches!(outside, Err(Error::RangeOutOfBounds { length: 10, .. })),
            "{outside:?}"
        );
        let shorter = lent.as_view().download_into(&mut [0.0; 9]);
        assert!(matches!(shorter, Err(Error::LengthMismatch { .. })), "{shorter:?}");
        // A launch on another device.
        let mut there = Device::cpu().zeros::<f32>(10).unwrap();
        let error = saxpy(1.0, &lent, &mut there)
            .over(10)
            .launch(&Device::cpu())
            .unwrap_err();
        assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
    });
}

/// The doors to another library are shut with the device.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_device_lends_nothing() {
    crate::kernels::on_driver("interop::a_closed_device_lends_nothing", |_| {
        let device = Device::cuda(0).unwrap();
        let context = device.to_cudarc().unwrap();
        let theirs = context.new_stream().unwrap();
        let mut slice = theirs.alloc_zeros::<f32>(10).unwrap();
        let (ours, x) = (device.stream().unwrap(), device.zeros::<f32>(10).unwrap());
        device.shutdown().unwrap();
        let closed = |result: Result<()>| assert!(matches!(result, Err(Error::Closed { .. })), "{result:?}");
        closed(ours.with_raw(|_| ()));
        closed(device.to_cudarc().map(drop));
        closed(device.lend(&slice).map(drop));
        closed(device.lend_mut(&mut slice).map(drop));
        closed(x.into_cudarc(&theirs).map(drop));
        // The next one takes them.
        assert!(device.recover().unwrap().lend(&slice).is_ok());
        let x = host(vec![1.0]);
        Device::cpu().shutdown().unwrap();
        assert!(Lent::new(&x).is_ok());
    });
}

/// Memory of the host that counts its handovers.
struct Host {
    address: u64,
    values: Mutex<Vec<f32>>,
    length: usize,
    acquired: AtomicU64,
    released: AtomicU64,
    fails: bool,
}

fn host(mut values: Vec<f32>) -> Host {
    Host {
        address: values.as_mut_ptr().expose_provenance() as u64,
        length: values.len(),
        values: Mutex::new(values),
        acquired: AtomicU64::new(0),
        released: AtomicU64::new(0),
        fails: false,
    }
}

// SAFETY: these are the elements of the vector, which nobody resizes.
unsafe impl Foreign<f32> for Host {
    fn device(&self) -> Device {
        Device::cpu()
    }

    fn address(&self) -> u64 {
        self.address
    }

    fn length(&self) -> usize {
        self.length
    }

    fn acquire(&self, stream: *mut c_void) -> Result<()> {
        assert!(stream.is_null());
        self.acquired.fetch_add(1, Ordering::Relaxed);
        match self.fails {
            true => Err(Error::Forked),
            false => Ok(()),
        }
    }

    fn release(&self, _: *mut c_void) -> Result<()> {
        self.released.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl Host {
    fn handovers(&self) -> [u64; 2] {
        [&self.acquired, &self.released].map(|count| count.load(Ordering::Relaxed))
    }
}

#[test]
fn foreign_memory_is_lent() {
    let device = Device::cpu();
    let (x, mut y) = (host(vec![1.0; 100]), host(vec![10.0; 100]));
    let (lent, mut out) = (Lent::new(&x).unwrap(), LentMut::new(&mut y).unwrap());
    for launches in 1..=2 {
        saxpy(2.0, &lent, &mut out).over(100).launch(&device).unwrap();
        assert_eq!(x.handovers(), [launches; 2]);
    }
    assert_eq!(out.as_view().slice(99..).unwrap().download().unwrap(), [14.0]);
    assert_eq!(format!("{lent:?}"), "Lent<f32>[100] on CPU");
    drop(out);
    assert_eq!(*y.values.lock().unwrap(), [14.0; 100]);
    // A kernel's fault is that of the memory, too.
    let short = host(vec![1.0; 5]);
    let short = Lent::new(&short).unwrap();
    let mut out = LentMut::new(&mut y).unwrap();
    saxpy(1.0, &short, &mut out).over(100).launch(&device).unwrap();
    assert!(matches!(out.as_view().download(), Err(Error::Fault(_))));
}

#[test]
fn foreign_memory_is_given() {
    let x = host(vec![1.0; 100]);
    let mut buffer = DeviceBuffer::from_foreign(x).unwrap();
    buffer.fill(3.0).unwrap();
    assert_eq!(buffer.download().unwrap(), [3.0; 100]);
    assert_eq!(buffer.try_clone().unwrap().download().unwrap(), [3.0; 100]);
    let empty = DeviceBuffer::from_foreign(host(Vec::new())).unwrap();
    assert!(empty.download().unwrap().is_empty());
}

/// An owner that cannot hand over its memory stops the launch, and nothing has run.
#[test]
fn foreign_memory_may_refuse() {
    let (mut x, mut y) = (host(vec![1.0; 10]), host(vec![0.0; 10]));
    x.fails = true;
    let (lent, mut out) = (Lent::new(&x).unwrap(), LentMut::new(&mut y).unwrap());
    let error = saxpy(1.0, &lent, &mut out).over(10).launch(&Device::cpu()).unwrap_err();
    assert_eq!(error, Error::Forked);
    drop(out);
    assert_eq!(*y.values.lock().unwrap(), [0.0; 10]);
    assert!(DeviceBuffer::from_foreign(host(vec![1.0])).is_ok());
    x.address += 1;
    let text = Lent::new(&x).unwrap_err().to_string();
    assert!(text.contains("which are aligned to 4 bytes"), "{text}");
    x.address = 0;
    assert!(Lent::new(&x).is_err());
}

#[test]
fn lent_memory_has_its_length() {
    let (x, mut y) = (host(vec![1.0; 10]), host(vec![2.0; 9]));
    let (lent, mut out) = (Lent::new(&x).unwrap(), LentMut::new(&mut y).unwrap());
    let mismatch = |result: Result<()>| match result {
        Err(Error::LengthMismatch {
            first_length,
            second_length,
            ..
        }) => (first_length, second_length),
        other => panic!("{other:?}"),
    };
    assert_eq!(mismatch(out.as_view_mut().copy_from(&lent)), (10, 9));
    assert_eq!(mismatch(out.as_view_mut().write(&[0.0; 8])), (8, 9));
    assert_eq!(mismatch(lent.as_view().download_into(&mut [0.0; 9])), (10, 9));
    let outside = lent.as_view().slice(9..11).unwrap_err();
    let expected = Error::RangeOutOfBounds {
        start: 9,
        end: 11,
        length: 10,
    };
    assert_eq!(outside, expected);
    drop(out);
    assert_eq!(*y.values.lock().unwrap(), [2.0; 9]);
}

/// Atomics of bytes access the word around them, so what is written is whole words, also as arrays of bytes.
#[test]
fn foreign_bytes_are_whole_words() {
    struct Bytes(u64, usize);
    // SAFETY: memory that nothing accesses.
    unsafe impl Foreign<[u8; 5]> for Bytes {
        fn device(&self) -> Device {
            Device::cpu()
        }

        fn address(&self) -> u64 {
            self.0
        }

        fn length(&self) -> usize {
            self.1
        }

        fn acquire(&self, _: *mut c_void) -> Result<()> {
            Ok(())
        }

        fn release(&self, _: *mut c_void) -> Result<()> {
            Ok(())
        }
    }
    for (address, length, fits) in [
        (64, 4, true),
        (64, 3, false),
        (66, 4, false),
        (64, 0, true),
        (66, 0, true),
    ] {
        let mut bytes = Bytes(address, length);
        assert!(Lent::new(&bytes).is_ok());
        assert_eq!(LentMut::new(&mut bytes).is_ok(), fits, "{length} at {address}");
    }
}

/// Memory that is lent is handed over once, also if the other arguments are a recording's.
#[test]
fn a_recorded_argument_hands_nothing_over_twice() {
    let device = Device::cpu();
    let x = host(vec![1.0; 10]);
    let lent = Lent::new(&x).unwrap();
    let mut y = device.zeros::<f32>(10).unwrap();
    let mut steps = Sequence::new(&device);
    let all = steps.read(&y, ..).unwrap();
    saxpy(2.0, &lent, &mut y).over(10).launch(&device).unwrap();
    assert_eq!(x.handovers(), [1; 2]);
    assert_eq!(steps.run().unwrap().get(&all), Some(&[2.0; 10][..]));
}

/// On a GPU: cudarc's copies and vyre's kernels on one slice, on streams of both.
#[test]
fn cudarc_and_kernels_take_turns() {
    let _alone = alone();
    let Some(device) = cuda("interop::cudarc_and_kernels_take_turns") else {
        return;
    };
    let context = device.to_cudarc().unwrap();
    let (theirs, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let x = theirs.clone_htod(&vec![1.0f32; 1 << 22]).unwrap();
    let mut y = theirs.alloc_zeros::<f32>(1 << 22).unwrap();
    for round in 1..=20 {
        let ours = device.stream().unwrap();
        let (lent, mut out) = (device.lend(&x).unwrap(), device.lend_mut(&mut y).unwrap());
        saxpy(1.0, &lent, &mut out)
            .over(1 << 22)
            .on(&ours)
            .launch(&device)
            .unwrap();
        drop((lent, out));
        let reader = if round % 2 == 0 { &theirs } else { &other };
        let host = reader.clone_dtoh(&y).unwrap();
        assert!(host.iter().all(|&value| value == round as f32), "round {round}");
    }
    let mut own = DeviceBuffer::from_cudarc(y).unwrap();
    own.fill(2.0).unwrap();
    let adopted = Stream::from_cudarc(theirs.clone()).unwrap();
    saxpy(1.0, &own.try_clone().unwrap(), &mut own)
        .over(1 << 22)
        .on(&adopted)
        .launch(&device)
        .unwrap();
    assert!(own.download().unwrap().iter().all(|&value| value == 4.0));
    let slice = own.into_cudarc(&theirs);
    assert!(slice.is_err(), "it came from cudarc");
    let slice = device.upload(&[1u32, 2, 3]).unwrap().into_cudarc(&theirs).unwrap();
    assert_eq!(theirs.clone_dtoh(&slice).unwrap(), [1, 2, 3]);
}
