use super::Faults;
use crate::backend::{FaultedLaunch, Write};
use crate::checking::Checking;
use crate::cpu::Cpu;
use crate::device::stream::{Reached, StreamState};
use crate::error::{Error, Result};

fn stream() -> &'static StreamState {
    Box::leak(Box::new(StreamState::new(Cpu::new(&Checking::Off).queue(), 0)))
}

/// A launch that faulted, told apart from others by its number.
fn faulted(launch: u64, allocations: &[u64]) -> FaultedLaunch {
    let writes = allocations.iter().map(|&allocation| Write { launch, allocation });
    FaultedLaunch {
        launch,
        error: error(launch),
        writes: writes.collect(),
    }
}

fn error(launch: u64) -> Error {
    Error::DamagedFault {
        kernel: launch,
        site: 0,
    }
}

fn number(result: Result<()>) -> Option<u64> {
    match result {
        Ok(()) => None,
        Err(Error::DamagedFault { kernel, .. }) => Some(kernel),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_wait_tells_the_faults_of_its_streams_once() {
    let (faults, streams) = (Faults::default(), [stream(), stream()]);
    faults.add(streams[0], vec![faulted(3, &[]), faulted(5, &[])]);
    faults.add(streams[1], vec![faulted(4, &[])]);
    assert_eq!(number(faults.tell(&[Reached::all(streams[0])])), Some(3));
    assert_eq!(number(faults.tell(&[Reached::all(streams[0])])), Some(5));
    assert_eq!(number(faults.tell(&[Reached::all(streams[0])])), None);
    assert!(!faults.has_untold(streams[0]) && faults.has_untold(streams[1]));
    assert_eq!(number(faults.tell_any()), Some(4));
    assert_eq!(number(faults.tell_any()), None);
}

#[test]
fn an_allocation_is_faulted_until_it_is_overwritten() {
    let (faults, stream) = (Faults::default(), stream());
    faults.add(stream, vec![faulted(3, &[1, 2]), faulted(5, &[2]), faulted(6, &[2])]);
    for _ in 0..2 {
        assert_eq!(number(faults.tell_of(1, 0)), Some(3));
        assert_eq!(number(faults.tell_of(2, 0)), Some(3));
    }
    assert_eq!(number(faults.tell_of(1, 4)), None);
    // Launch 6 came after the write.
    assert_eq!(number(faults.tell_of(2, 5)), Some(6));
    assert_eq!(number(faults.tell_of(3, 0)), None);
    // A download has told 3 and 6 already.
    assert_eq!(number(faults.tell(&[Reached::all(stream)])), Some(5));
    assert_eq!(number(faults.tell(&[Reached::all(stream)])), None);
    faults.forget(2);
    assert_eq!(number(faults.tell_of(2, 0)), None);
    assert!(!faults.any.load(std::sync::atomic::Ordering::Relaxed));
}

#[test]
fn a_launch_tells_its_own_fault() {
    let (faults, stream) = (Faults::default(), stream());
    faults.add(stream, vec![faulted(3, &[]), faulted(5, &[])]);
    assert_eq!(number(faults.tell_launch(4)), None);
    assert_eq!(number(faults.tell_launch(5)), Some(5));
    assert_eq!(number(faults.tell(&[Reached::all(stream)])), Some(3));
}
