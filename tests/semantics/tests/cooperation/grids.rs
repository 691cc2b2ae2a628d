//! Grid barriers that some threads do not reach: on every back end a fault that hangs nothing.

use vyre::prelude::*;
use vyre::{Error, FaultKind, Result};
use vyre_semantics::Place;
use vyre_semantics::places::places;

vyre_semantics::kernels! { Apart }

/// The threads that do not arrive, and the behaviour of the others.
#[vyre::kernel(block = 64)]
fn apart(block: usize, first: usize, count: usize, rounds: u32, y: &mut [u32]) {
    let t = thread::idx().x;
    let away = block::idx().x == block && t >= first && t < first + count;
    for round in 0..rounds {
        if !(away && round == 2) {
            grid::sync();
        }
    }
    y[thread::index()] = rounds;
}

/// The same with an alternative path that has its own barrier.
#[vyre::kernel(block = 32)]
fn other_barrier(block: usize, cells: &[AtomicU32], y: &mut [u32]) {
    if block::idx().x == block {
        cells[0].fetch_add(1, Ordering::Relaxed);
        grid::sync();
    }
    cells[1].fetch_add(1, Ordering::Relaxed);
    grid::sync();
    y[thread::index()] = cells[1].load(Ordering::Relaxed);
}

fn run(place: &Place, (block, first, count): (usize, usize, usize), rounds: u32) -> Result<Vec<u32>> {
    let mut y = place.device().zeros::<u32>(4 * 64)?;
    place.grid(apart(block, first, count, rounds, &mut y), [4, 1, 1])?;
    y.download()
}

/// The interpreter reports the divergence itself instead of a fault of the program.
fn with_faults() -> impl Iterator<Item = Place> {
    let places = places().into_iter();
    places.filter(|place| !matches!(place, Place::Interpreter(_)))
}

#[test]
fn threads_that_stay_away_are_reported() {
    for place in with_faults() {
        // A whole block, its first thread, others, all but the first, a warp; the first and the last block.
        for block in [0, 2, 3] {
            for (first, count) in [(0, 64), (0, 1), (5, 1), (1, 63), (32, 32)] {
                match run(&place, (block, first, count), 5) {
                    Err(Error::Fault(fault)) => {
                        assert_eq!(fault.kind, FaultKind::GridBarrier, "on {}", place.name());
                        let text = fault.to_string();
                        assert!(
                            text.starts_with("some threads do not come to this `grid::sync()`\n"),
                            "{text}"
                        );
                    }
                    other => panic!("on {}: {block}, {first}, {count}: {other:?}", place.name()),
                }
                let all = run(&place, (9, first, count), 5);
                assert_eq!(all.expect("all come"), [5; 256], "on {}", place.name());
            }
        }
    }
}

#[test]
fn another_barrier_is_not_the_same() {
    for place in with_faults() {
        for (block, faults) in [(0, true), (3, true), (4, false)] {
            let device = place.device();
            let (mut cells, mut y) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(128).unwrap());
            let result = place.grid(other_barrier(block, &mut cells, &mut y), [4, 1, 1]);
            match result {
                Ok(()) => {
                    assert!(!faults, "on {}: {block}", place.name());
                    assert_eq!(y.download().unwrap(), [128; 128], "on {}", place.name());
                }
                Err(Error::Fault(fault)) => {
                    assert!(faults, "on {}: {block}", place.name());
                    assert_eq!(fault.kind, FaultKind::GridBarrier, "on {}", place.name());
                }
                Err(other) => panic!("on {}: {other}", place.name()),
            }
        }
    }
}
