//! NCCL with one rank, which needs one GPU: what is called and in which order is the same as for several. The thread that
//! watches it, with functions that do nothing.

#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::super::communicator::Communicator;
use super::*;
use vyre::{DeviceBuffer, Event, Stream};
use vyre_runtime::kernel::with_default_stream;

/// A communicator of one rank that uses NCCL all the same; `None`, said aloud, without a GPU or NCCL.
fn alone(test: &str) -> Option<Communicator> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("SKIP-GPU {test}: {error}");
            return None;
        }
    };
    if let Err(problem) = Library::get() {
        eprintln!("SKIP-GPU {test}: {problem}");
        return None;
    }
    // A stream that no other test has.
    let device = with_default_stream(&device.stream().unwrap());
    Some(Communicator::with_nccl(Mesh::threads(1).remove(0), None, &device, Duration::from_secs(20)).unwrap())
}

#[vyre::kernel]
fn scale(by: f32, #[each] x: &mut f32) {
    *x *= by;
}

#[test]
fn operations_of_one_rank_are_ordered_with_launches() {
    let Some(own) = alone("operations_of_one_rank") else {
        return;
    };
    let device = own.device().clone();
    let nccl = own.nccl().unwrap();
    let n = 1 << 20;
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let mut x = device.upload(&vec![1.0f32; n]).unwrap();
    let (mut y, mut z, mut w) = (
        device.zeros::<f32>(n).unwrap(),
        device.zeros::<f32>(n).unwrap(),
        device.zeros::<f32>(n).unwrap(),
    );
    for _ in 0..4 {
        scale(2.0, &mut x).over(n).on(&streams[0]).launch(&device).unwrap();
        own.all_gather(&x, &mut y).unwrap();
        scale(3.0, &mut y).over(n).on(&streams[1]).launch(&device).unwrap();
        own.all_to_all(&y, &mut z).unwrap();
        own.group().receive(&mut w, 0).send(&z, 0).run().unwrap();
        own.broadcast(&mut w, 0).unwrap();
        scale(0.5, &mut x).over(n).on(&streams[1]).launch(&device).unwrap();
        assert_eq!((x.download().unwrap()[n - 1], w.download().unwrap()[n - 1]), (1.0, 6.0));
    }
    let sum = super::super::collective::signature::<f32>(Operation::AllReduce(Reduction::Sum), n);
    // SAFETY: NCCL writes numbers of the type.
    let bytes = unsafe { vyre_runtime::kernel::bytes_mut(x.as_view_mut()) };
    nccl.all_reduce(&own, &sum, bytes, 7, Reduction::Sum).unwrap();
    let part = super::super::collective::signature::<f32>(Operation::ReduceScatter(Reduction::Max), n);
    // SAFETY: as above.
    let bytes = unsafe { vyre_runtime::kernel::bytes_mut(y.as_view_mut()) };
    nccl.reduce_scatter(
        &own,
        &part,
        vyre_runtime::kernel::bytes(x.as_view()),
        bytes,
        7,
        Reduction::Max,
    )
    .unwrap();
    assert_eq!(
        (x.download().unwrap(), y.download().unwrap()),
        (vec![1.0; n], vec![1.0; n])
    );
}

/// After a failure nothing is queued, and nothing hangs.
#[test]
fn an_aborted_communicator_refuses_operations() {
    let Some(own) = alone("an_aborted_communicator") else {
        return;
    };
    let device = own.device().clone();
    own.nccl().unwrap().watched.mesh.fail(RankProblem::Ended { other: 0 });
    let mut x = device.zeros::<f32>(4).unwrap();
    let error = own.broadcast(&mut x, 0).unwrap_err().to_string();
    assert!(error.contains("rank 0 has ended"), "{error}");
    assert_eq!(x.download().unwrap(), [0.0; 4]);
    drop(own);
    device.default_stream().synchronize().unwrap();
}

#[test]
fn communicators_start_and_end_many_times() {
    for _ in 0..3 {
        let Some(own) = alone("communicators_start_and_end") else {
            return;
        };
        let mut x = own.device().upload(&[1u32, 2]).unwrap();
        own.broadcast(&mut x, 0).unwrap();
        drop(own);
        assert_eq!(x.download().unwrap(), [1, 2]);
    }
}

/// NCCL refuses it when it starts: all ranks get its error, and what it had begun is ended.
#[test]
fn one_gpu_for_two_ranks_is_refused() {
    let Some(own) = alone("one_gpu_for_two_ranks") else {
        return;
    };
    let device = own.device().clone();
    drop(own);
    let results: Vec<_> = thread::scope(|scope| {
        let start = |mesh: Mesh| {
            let device = &device;
            scope.spawn(move || Communicator::with_nccl(mesh, None, device, Duration::from_secs(30)).map(drop))
        };
        let threads: Vec<_> = Mesh::threads(2).into_iter().map(start).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for result in results {
        let error = result.unwrap_err();
        eprintln!("{error}");
        assert!(matches!(error, Error::Ranks { .. }), "{error}");
    }
    // The device is as good as before.
    let mut x = device.upload(&[1.0f32; 3]).unwrap();
    scale(2.0, &mut x).over(3).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [2.0; 3]);
}

/// An operation that begins with an event and ends now, and may have written a buffer.
fn pending(stream: &Stream, before: Event, x: Option<&mut DeviceBuffer<u32>>, limit: Duration) -> Pending {
    // SAFETY: nothing is written.
    let x = x.map(|x| unsafe { vyre_runtime::kernel::bytes_mut(x.as_view_mut()) });
    let updates: Vec<_> = x.into_iter().collect();
    // SAFETY: nothing is queued.
    let noted = unsafe { enqueue("a test", stream, &[], &[], &updates, &mut |_| Ok(())) };
    Pending {
        operation: Text::Function("a test"),
        before: Some(before),
        after: mark(stream).unwrap(),
        limit,
        noted: noted.unwrap(),
        work: None,
    }
}

/// About a second of one thread.
#[vyre::kernel]
fn spin(rounds: u32, x: &mut [u32]) {
    if vyre::thread::index() == 0 {
        let mut state = x[0];
        let mut round = 0;
        while round < rounds {
            state = state * 1_664_525 + 1_013_904_223;
            round += 1;
        }
        x[0] = state;
    }
}

/// An operation that has begun and does not end in time, as one whose other ranks hang: a kernel stands for it here. The wait for
/// the device tells it, and later operations are refused.
#[test]
fn an_operation_that_takes_too_long_is_told_by_the_next_wait() {
    let Some(own) = alone("an_operation_that_takes_too_long") else {
        return;
    };
    let device = own.device().clone();
    let mut x = device.zeros::<u32>(1).unwrap();
    device.load::<Spin>().unwrap();
    let before = mark(own.stream()).unwrap();
    spin(300_000_000, &mut x).over(1).launch(&device).unwrap();
    let limit = Duration::from_millis(50);
    let pending = pending(own.stream(), before, Some(&mut x), limit);
    own.nccl().unwrap().watched.add(pending).unwrap();
    let error = own.stream().synchronize().unwrap_err().to_string();
    assert!(
        error.contains("not all ranks took part in `a test` within 50ms"),
        "{error}"
    );
    // It is told again where the data is looked at, and nowhere else.
    device.upload(&[1u32]).unwrap().download().unwrap();
    assert!(x.download().is_err());
    let error = own.broadcast(&mut x, 0).unwrap_err().to_string();
    assert!(error.contains("not all ranks took part in `a test`"), "{error}");
}

/// Work before an operation, on another stream, takes longer than ranks have for the operation.
#[test]
fn earlier_work_takes_no_time_from_an_operation() {
    let Some(own) = alone("earlier_work_takes_no_time") else {
        return;
    };
    let device = own.device().clone();
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    device.load::<Spin>().unwrap();
    let mut x = device.zeros::<u32>(1).unwrap();
    let own = own.on(&streams[0]).unwrap().timeout(Duration::from_millis(50));
    own.broadcast(&mut x, 0).unwrap();
    own.stream().synchronize().unwrap();
    spin(300_000_000, &mut x)
        .over(1)
        .on(&streams[1])
        .launch(&device)
        .unwrap();
    own.broadcast(&mut x, 0).unwrap();
    own.stream().synchronize().unwrap();
    own.broadcast(&mut x, 0).unwrap();
}

/// How many communicators were given back, with and without an error.
#[cfg(unix)]
static ENDED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// A watched communicator of functions that do nothing but count, on a device that is the CPU.
#[cfg(unix)]
fn idle(device: &Device) -> Watched {
    unsafe extern "C" fn destroy(_: Comm) -> u32 {
        ENDED[0].fetch_add(1, Ordering::Relaxed);
        SUCCESS
    }
    unsafe extern "C" fn abort(_: Comm) -> u32 {
        ENDED[1].fetch_add(1, Ordering::Relaxed);
        SUCCESS
    }
    let mut library = Library::idle();
    library.ncclCommDestroy = destroy;
    library.ncclCommAbort = abort;
    let mesh = Arc::new(Mesh::threads(1).remove(0));
    let watched = Watched::new(Box::leak(Box::new(library)), &mesh, None, device.default_stream());
    watched.set(&mut watched.comm(), Handle(ptr::dangling_mut()));
    watched
}

/// The thread aborts the communicator after an operation was queued, and before it is noted.
#[test]
#[cfg(unix)]
fn an_operation_that_was_aborted_before_it_was_noted_is_an_error() {
    let device = Device::cpus(41).remove(40);
    let watched = idle(&device);
    let mut x = device.zeros(1).unwrap();
    let add = |x: Option<&mut DeviceBuffer<u32>>| {
        let before = watched.stream.record().unwrap();
        watched.add(pending(&watched.stream, before, x, Duration::from_secs(60)))
    };
    add(Some(&mut x)).unwrap();
    let problem = watched.mesh.fail(RankProblem::Ended { other: 0 });
    watched.watch();
    assert_eq!(add(None), Err(problem));
    // That of the first one is told by the next wait for its stream, and by the data.
    assert!(matches!(watched.stream.synchronize(), Err(Error::Ranks { .. })));
    watched.stream.synchronize().unwrap();
    assert!(matches!(x.download(), Err(Error::Ranks { .. })));
    device.upload(&[1]).unwrap().download().unwrap();
    x.fill(2).unwrap();
    assert_eq!(x.download().unwrap(), [2]);
}

#[test]
#[cfg(unix)]
fn communicators_of_a_device_that_was_shut_down_are_given_back() {
    let device = Device::cpus(42).remove(41);
    let (done, failed) = (idle(&device), idle(&device));
    device.shutdown().unwrap();
    let before = ENDED.each_ref().map(|count| count.load(Ordering::Relaxed));
    done.close();
    done.watch();
    failed.mesh.fail(RankProblem::Ended { other: 0 });
    failed.watch();
    let after = ENDED.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert!(after[0] > before[0] && after[1] > before[1], "{before:?} {after:?}");
}

#[test]
#[cfg(unix)]
fn operations_are_noted_and_an_aborted_one_is_refused() {
    let device = Device::cpus(43).remove(42);
    let own = Communicator::local(std::slice::from_ref(&device)).unwrap().remove(0);
    let nccl = Nccl {
        watched: Arc::new(idle(&device)),
        thread: None,
    };
    let mut x = device.zeros::<u8>(4).unwrap();
    let signature = super::super::collective::signature::<u8>(Operation::Broadcast { root: 0 }, 4);
    let mut broadcast = || {
        // SAFETY: nothing is written.
        let x = unsafe { vyre_runtime::kernel::bytes_mut(x.as_view_mut()) };
        nccl.broadcast(&own, &signature, x, 0)
    };
    broadcast().unwrap();
    broadcast().unwrap();
    let problem = nccl.watched.mesh.fail(RankProblem::Ended { other: 0 });
    nccl.watched.watch();
    let error = broadcast().unwrap_err();
    assert!(
        matches!(&error, Error::Ranks { problem: told, .. } if **told == problem),
        "{error}"
    );
    assert!(own.stream().synchronize().is_err(), "two operations were queued");
}

#[cfg(unix)]
mod played;
