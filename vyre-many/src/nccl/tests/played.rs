//! NCCL played by functions of this file, on devices that are the CPU.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::*;

/// The ranks of a communicator, on these devices, whose handles are numbers from `first` on.
fn ranks(library: Library, devices: &[Device], first: usize, is_one_process: bool) -> Vec<(Communicator, Nccl)> {
    let library: &'static Library = Box::leak(Box::new(library));
    let together = is_one_process.then(|| Arc::new(Together::new(devices)));
    let meshes = Mesh::threads(devices.len()).into_iter();
    let rank = |(mesh, own): (Mesh, Communicator)| {
        let mesh = Arc::new(mesh);
        let watched = Watched::new(library, &mesh, together.clone(), own.stream().clone());
        let handle = Handle(ptr::without_provenance_mut(first + own.rank()));
        watched.set(&mut watched.comm(), handle);
        let watched = Arc::new(watched);
        let watching = watched.clone();
        let thread = Some(thread::spawn(move || watching.watch()));
        (own, Nccl { watched, thread })
    };
    meshes.zip(Communicator::local(devices).unwrap()).map(rank).collect()
}

/// An operation on a new buffer.
fn all_reduce(own: &Communicator, nccl: &Nccl, length: usize) -> Result<()> {
    let mut x = own.device().zeros::<f32>(length)?;
    let operation = Operation::AllReduce(Reduction::Sum);
    let signature = super::super::super::collective::signature::<f32>(operation, length);
    // SAFETY: nothing is written.
    let x = unsafe { vyre_runtime::kernel::bytes_mut(x.as_view_mut()) };
    nccl.all_reduce(own, &signature, x, 7, Reduction::Sum)
}

fn told(error: &Error) -> &RankProblem {
    match error {
        Error::Ranks { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

/// Threads of several communicators, in no order of their own, come to both devices in one order.
#[test]
fn communicators_of_the_same_devices_have_one_order() {
    const OPERATIONS: usize = 100;
    static CALLED: [Mutex<Vec<usize>>; 2] = [const { Mutex::new(Vec::new()) }; 2];
    unsafe extern "C" fn reduce(
        _: *const c_void,
        _: *mut c_void,
        _: usize,
        _: u32,
        _: u32,
        comm: Comm,
        _: *mut c_void,
    ) -> u32 {
        let number = comm.addr() - 16;
        CALLED[number % 2].lock().unwrap().push(number / 2);
        SUCCESS
    }
    let devices = &Device::cpus(52)[50..];
    let played = |number: usize| {
        let mut library = Library::idle();
        library.ncclAllReduce = reduce;
        ranks(library, devices, 16 + 2 * number, true)
    };
    let all: Vec<_> = (0..3).flat_map(played).collect();
    thread::scope(|scope| {
        for (own, nccl) in &all {
            scope.spawn(move || (0..OPERATIONS).for_each(|_| all_reduce(own, nccl, 1).unwrap()));
        }
    });
    let [one, other] = CALLED.each_ref().map(|called| called.lock().unwrap().clone());
    assert_eq!(one.len(), 3 * OPERATIONS);
    assert!(one == other, "{one:?}\n{other:?}");
    // They have taken turns, else this shows nothing.
    assert!(one.windows(2).filter(|pair| pair[0] != pair[1]).count() > 10, "{one:?}");
}

/// One communicator has a rank that stays away: its operation is not queued, and others go on.
#[test]
fn a_rank_that_stays_away_does_not_stop_another_communicator() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn reduce(
        _: *const c_void,
        _: *mut c_void,
        _: usize,
        _: u32,
        _: u32,
        comm: Comm,
        _: *mut c_void,
    ) -> u32 {
        if comm.addr() < 32 {
            CALLS.fetch_add(1, Ordering::Relaxed);
        }
        SUCCESS
    }
    let devices = &Device::cpus(54)[52..];
    let played = |first| {
        let mut library = Library::idle();
        library.ncclAllReduce = reduce;
        ranks(library, devices, first, true)
    };
    let (alone, both) = (played(16), played(32));
    let limit = Duration::from_millis(400);
    let waits = thread::scope(|scope| {
        let (own, nccl) = &alone[0];
        let waits = scope.spawn(move || {
            let own = own.on(own.stream()).unwrap().timeout(limit);
            all_reduce(&own, nccl, 1).unwrap_err()
        });
        thread::sleep(limit / 4);
        let began = Instant::now();
        thread::scope(|scope| {
            for (own, nccl) in &both {
                scope.spawn(move || (0..50).for_each(|_| all_reduce(own, nccl, 1).unwrap()));
            }
        });
        assert!(began.elapsed() < limit / 2, "{:?}", began.elapsed());
        waits.join().unwrap()
    });
    assert!(
        matches!(told(&waits), RankProblem::Timeout { other: Some(1), .. }),
        "{waits}"
    );
    assert_eq!(CALLS.load(Ordering::Relaxed), 0);
}

/// A call that would block for ever, as it connects to a rank that hangs: the thread ends it, and gives the communicator back when
/// the call has returned.
#[test]
fn a_call_that_blocks_is_ended_in_time() {
    static HAS_RETURNED: AtomicBool = AtomicBool::new(false);
    static IS_ABORTED: AtomicBool = AtomicBool::new(false);
    static IS_FREED: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn reduce(
        _: *const c_void,
        _: *mut c_void,
        _: usize,
        _: u32,
        _: u32,
        _: Comm,
        _: *mut c_void,
    ) -> u32 {
        /// `ncclInternalError`.
        const ERROR: u32 = 3;
        while !IS_ABORTED.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        // It uses the communicator until it returns.
        thread::sleep(Duration::from_millis(50));
        HAS_RETURNED.store(true, Ordering::SeqCst);
        ERROR
    }
    unsafe extern "C" fn abort(_: Comm) -> u32 {
        IS_ABORTED.store(true, Ordering::SeqCst);
        SUCCESS
    }
    unsafe extern "C" fn end() -> u32 {
        if IS_ABORTED.load(Ordering::SeqCst) {
            IS_FREED.store(HAS_RETURNED.load(Ordering::SeqCst), Ordering::SeqCst);
        }
        SUCCESS
    }
    let mut library = Library::idle();
    (library.ncclAllReduce, library.ncclCommAbort, library.ncclGroupEnd) = (reduce, abort, end);
    let mut all = ranks(library, &Device::cpus(57)[55..], 16, false);
    // The other rank stays, and does nothing.
    let (own, nccl) = all.remove(0);
    let limit = Duration::from_millis(100);
    let own = own.timeout(limit);
    let began = Instant::now();
    let error = all_reduce(&own, &nccl, 1).unwrap_err();
    assert!(began.elapsed() < 20 * limit, "{:?}", began.elapsed());
    assert!(
        matches!(told(&error), RankProblem::Timeout { limit: told, .. } if *told == limit),
        "{error}"
    );
    drop(nccl);
    assert!(IS_FREED.load(Ordering::SeqCst), "it is freed during the call, or never");
}

/// Ranks that are processes compare what they have called by the thread.
#[test]
fn calls_that_differ_between_processes_are_known_to_all() {
    let ranks = ranks(Library::idle(), &Device::cpus(60)[58..], 16, false);
    for ((own, nccl), length) in ranks.iter().zip([1, 2]) {
        all_reduce(own, nccl, length).unwrap();
    }
    let began = Instant::now();
    let errors = ranks.iter().map(|(own, nccl)| {
        loop {
            assert!(began.elapsed() < Duration::from_secs(20));
            match all_reduce(own, nccl, 3) {
                Err(error) => break error,
                Ok(()) => thread::sleep(Duration::from_millis(5)),
            }
        }
    });
    let errors: Vec<_> = errors.collect();
    assert!(
        errors
            .iter()
            .any(|error| matches!(told(error), RankProblem::Differ { .. })),
        "{errors:?}"
    );
}

/// Another rank fails while this one has begun to make its communicator, before anybody knows its handle.
#[test]
fn a_failure_ends_a_start_that_has_no_handle_yet() {
    static IS_ABORTED: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn start(comm: *mut Comm, _: c_int, _: UniqueId, _: c_int, _: *mut Config) -> u32 {
        thread::sleep(Duration::from_millis(100));
        // SAFETY: the pointer is valid for a write.
        unsafe { *comm = ptr::without_provenance_mut(16) };
        SUCCESS
    }
    unsafe extern "C" fn abort(_: Comm) -> u32 {
        IS_ABORTED.store(true, Ordering::SeqCst);
        SUCCESS
    }
    unsafe extern "C" fn end() -> u32 {
        while !IS_ABORTED.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        SUCCESS
    }
    let mut library = Library::idle();
    (
        library.ncclCommInitRankConfig,
        library.ncclCommAbort,
        library.ncclGroupEnd,
    ) = (start, abort, end);
    let mesh = Arc::new(Mesh::threads(2).remove(0));
    let device = Device::cpus(62).remove(61);
    let library = Box::leak(Box::new(library));
    let watched = Arc::new(Watched::new(library, &mesh, None, device.default_stream()));
    let watching = watched.clone();
    let thread = Some(thread::spawn(move || watching.watch()));
    let nccl = Nccl { watched, thread };
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let started = nccl.initialise(UniqueId([0; 128]), Duration::from_secs(60));
        drop(nccl);
        sender.send(started)
    });
    thread::sleep(Duration::from_millis(30));
    let problem = mesh.fail(RankProblem::NoSuchRank { number: 9 });
    let started = receiver.recv_timeout(Duration::from_secs(20)).expect("it is ended");
    assert_eq!(started, Err(problem));
}
