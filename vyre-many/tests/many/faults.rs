//! Ranks that do what they should not: all others get an error, in time.

use std::thread;
use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre::{Error, RankProblem, Result};
use vyre_many::{Communicator, Reduction};

use crate::{LONG, problem, within};

/// The time that ranks have in these tests.
const LIMIT: Duration = Duration::from_millis(300);

/// Runs ranks as threads, and returns the result of each.
fn run(ranks: usize, work: impl Fn(Communicator) -> Result<()> + Sync) -> Vec<Result<()>> {
    run_on(&Device::cpus(ranks), LIMIT, work)
}

pub(crate) fn run_on(
    devices: &[Device],
    limit: Duration,
    work: impl Fn(Communicator) -> Result<()> + Sync,
) -> Vec<Result<()>> {
    let communicators = Communicator::local(devices).unwrap();
    let work = &work;
    thread::scope(|scope| {
        let start = |own: Communicator| scope.spawn(move || work(own.timeout(limit)));
        let threads: Vec<_> = communicators.into_iter().map(start).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// Every rank fails, at least one of them for this reason.
pub(crate) fn all_fail(results: &[Result<()>], reason: impl Fn(&RankProblem) -> bool) {
    let errors: Vec<_> = results.iter().map(|result| result.as_ref().unwrap_err()).collect();
    assert!(errors.iter().any(|error| reason(problem(error))), "{errors:?}");
}

#[test]
fn lengths_that_differ_are_errors_on_all_ranks() {
    let results = within(LONG, || {
        run(3, |own| {
            let length = if own.rank() == 1 { 5 } else { 4 };
            own.all_reduce(&mut own.device().zeros::<f32>(length)?, Reduction::Sum)
        })
    });
    all_fail(&results, |problem| match problem {
        RankProblem::Differ { own, theirs, .. } => {
            let both = [own, theirs].map(|one| one.replace("`all_reduce` by Sum of ", ""));
            both == ["4 elements of `f32`", "5 elements of `f32`"]
                || both == ["5 elements of `f32`", "4 elements of `f32`"]
        }
        _ => false,
    });
}

#[test]
fn types_and_operations_that_differ_are_errors_on_all_ranks() {
    let types = within(LONG, || {
        run(3, |own| match own.rank() {
            0 => own.broadcast(&mut own.device().zeros::<f32>(4)?, 2),
            _ => own.broadcast(&mut own.device().zeros::<i32>(4)?, 2),
        })
    });
    all_fail(&types, |problem| matches!(problem, RankProblem::Differ { .. }));
    let operations = within(LONG, || {
        run(2, |own| {
            let mut x = own.device().zeros::<f32>(4)?;
            match own.rank() {
                0 => own.all_reduce(&mut x, Reduction::Sum),
                _ => own.all_reduce(&mut x, Reduction::Max),
            }
        })
    });
    all_fail(&operations, |problem| matches!(problem, RankProblem::Differ { .. }));
    let roots = within(LONG, || {
        run(2, |own| own.broadcast(&mut own.device().zeros::<u8>(4)?, own.rank()))
    });
    all_fail(&roots, |problem| matches!(problem, RankProblem::Differ { .. }));
    let messages = within(LONG, || {
        run(2, |own| match own.rank() {
            0 => {
                own.send(&own.device().zeros::<u8>(4)?, 1)?;
                // Learns of it when it waits for the other.
                own.receive(&mut own.device().zeros::<u8>(1)?, 1)
            }
            _ => own.receive(&mut own.device().zeros::<u8>(3)?, 0),
        })
    });
    all_fail(&messages, |problem| matches!(problem, RankProblem::Differ { .. }));
}

/// Their names are equal, and not all values of one are values of the other.
#[test]
fn types_of_one_name_differ() {
    let results = within(LONG, || {
        run(2, |own| match own.rank() {
            0 => {
                #[vyre::device]
                #[derive(Clone, Copy)]
                struct Mark {
                    value: u8,
                }
                own.broadcast(&mut own.device().upload(&[Mark { value: 2 }])?, 0)
            }
            _ => {
                #[vyre::device]
                #[derive(Clone, Copy)]
                struct Mark {
                    value: bool,
                }
                let mut x = own.device().upload(&[Mark { value: true }])?;
                own.broadcast(&mut x, 0)?;
                assert!(x.download()?[0].value);
                Ok(())
            }
        })
    });
    all_fail(&results, |problem| matches!(problem, RankProblem::Differ { .. }));
}

#[test]
fn a_rank_that_hangs_is_left_in_time() {
    within(LONG, || {
        let results = run(4, |own| {
            let mut x = own.device().zeros::<f32>(4)?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            if own.rank() == 2 {
                thread::sleep(10 * LIMIT);
            }
            let started = Instant::now();
            let result = own.all_reduce(&mut x, Reduction::Sum);
            assert!(started.elapsed() < 5 * LIMIT, "{:?}", started.elapsed());
            // It stays so.
            let started = Instant::now();
            assert!(own.all_reduce(&mut x, Reduction::Sum).is_err());
            assert!(started.elapsed() < LIMIT);
            result
        });
        all_fail(&results, |problem| match problem {
            RankProblem::Timeout { other, limit, .. } => (*other, *limit) == (Some(2), LIMIT),
            _ => false,
        });
    });
}

#[test]
fn a_rank_that_ends_is_an_error_at_once() {
    within(LONG, || {
        let started = Instant::now();
        let results = run(4, |own| {
            let mut x = own.device().zeros::<f32>(4)?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            match own.rank() {
                1 => Ok(()),
                _ => own.timeout(LONG).all_reduce(&mut x, Reduction::Sum),
            }
        });
        assert!(started.elapsed() < LONG / 2);
        assert!(results[1].is_ok());
        all_fail(&[&results[..1], &results[2..]].concat(), |problem| {
            *problem == RankProblem::Ended { other: 1 }
        });
    });
}

#[test]
fn a_panic_is_an_end() {
    within(LONG, || {
        let run = || {
            vyre_many::on_each(&Device::cpus(3), |own| {
                let mut x = own.device().zeros::<f32>(4)?;
                assert_ne!(own.rank(), 1, "on purpose");
                own.all_reduce(&mut x, Reduction::Sum)
            })
        };
        let panic = std::panic::catch_unwind(run).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("on purpose"));
    });
}

#[vyre::kernel]
pub(crate) fn invert(#[each] x: &mut u32) {
    *x = 100 / *x;
}

#[test]
fn a_fault_is_told_by_its_rank_and_known_to_all() {
    within(LONG, || {
        let results = run(3, |own| {
            let mut x = own.device().upload(&[5, own.rank() as u32 + 1, 7])?;
            if own.rank() == 1 {
                x.slice_mut(1..2)?.fill(0)?;
            }
            invert(&mut x).launch(own.device())?;
            own.all_reduce(&mut x, Reduction::Sum)
        });
        assert!(matches!(results[1], Err(Error::Fault(_))), "{results:?}");
        for other in [0, 2] {
            let error = results[other].as_ref().unwrap_err();
            let RankProblem::Failed { other, reason } = problem(error) else {
                panic!("{error}")
            };
            assert_eq!(*other, 1);
            assert!(reason.contains("division by zero"), "{reason}");
        }
    });
}

#[test]
fn arguments_that_are_wrong_on_one_rank_are_errors_on_all() {
    within(LONG, || {
        let results = run(2, |own| {
            let x = own.device().zeros::<f32>(4)?;
            let mut out = own.device().zeros::<f32>(8 - own.rank())?;
            own.all_gather(&x, &mut out)
        });
        assert!(matches!(results[1], Err(Error::LengthMismatch { .. })), "{results:?}");
        assert!(matches!(
            problem(results[0].as_ref().unwrap_err()),
            RankProblem::Failed { other: 1, .. }
        ));
        let results = run(2, |own| own.send(&own.device().zeros::<f32>(4)?, 2));
        all_fail(&results, |problem| *problem == RankProblem::NoSuchRank { number: 2 });
        let results = run(2, |own| {
            let mut x = Device::cpus(4)[3].zeros::<f32>(4)?;
            own.all_reduce(&mut x, Reduction::Sum)
        });
        assert!(
            results
                .iter()
                .any(|result| matches!(result, Err(Error::WrongDevice { .. }))),
            "{results:?}"
        );
        let own = Communicator::local(&Device::cpus(1)).unwrap().remove(0);
        let stream = Device::cpus(2)[1].stream().unwrap();
        assert!(matches!(own.on(&stream), Err(Error::WrongDevice { .. })));
    });
}

#[test]
fn devices_are_named_once() {
    let cpu = Device::cpu();
    let twice = Communicator::local(&[cpu.clone(), cpu]).unwrap_err().to_string();
    assert_eq!(
        twice,
        "rank 1 of 2: rank 0 has the same device, CPU; name each once, and use `Device::cpus` for several of the CPU"
    );
    let none = Communicator::local(&[]).unwrap_err().to_string();
    assert_eq!(none, "rank 0 of 0: there are no devices; give one for each rank");
}

#[test]
fn kinds_of_devices_are_not_mixed() {
    match Device::cuda(0) {
        Ok(gpu) => {
            let mixed = Communicator::local(&[gpu, Device::cpu()]).unwrap_err().to_string();
            assert!(
                mixed.starts_with("rank 1 of 2: rank 0 is on a GPU and rank 1 on the CPU"),
                "{mixed}"
            );
        }
        Err(_) => eprintln!("SKIP-GPU kinds_of_devices_are_not_mixed: no CUDA device"),
    }
}

/// Two communicators of the same devices: what a kernel of one does is nothing to the other.
#[test]
fn a_fault_stays_with_its_communicator() {
    within(LONG, || {
        let devices = &Device::cpus(33)[31..];
        let one = &Communicator::local(devices).unwrap()[0];
        let other = &Communicator::local(devices).unwrap()[0];
        assert_eq!(one.device(), other.device());
        let mut x = one.device().upload(&[5, 0, 7]).unwrap();
        invert(&mut x).launch(one.device()).unwrap();
        let mut y = other.device().zeros(3).unwrap();
        y.fill(5).unwrap();
        invert(&mut y).launch(other.device()).unwrap();
        assert_eq!(y.download().unwrap(), [20; 3]);
        other.device().default_stream().synchronize().unwrap();
        assert!(matches!(
            one.device().default_stream().synchronize(),
            Err(Error::Fault(_))
        ));
        assert!(matches!(x.download(), Err(Error::Fault(_))));
    });
}
