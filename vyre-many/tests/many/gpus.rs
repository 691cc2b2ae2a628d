//! Ranks on several GPUs, by NCCL.

use std::thread;
use std::time::{Duration, Instant};

use vyre::prelude::*;
use vyre::{Error, RankProblem, Result};
use vyre_many::Reduction;

use crate::collectives::{REDUCTIONS, bits, moves, orders, reduced, reduces, values};
use crate::faults::{all_fail, invert, run_on};
use crate::shards::diffuses;
use crate::{LONG, problem, within};

/// The time that ranks have where one of them stays away. Connections are made before.
const LIMIT: Duration = Duration::from_secs(2);

/// All GPUs, in a test that is skipped where there are not two.
fn gpus(test: &str) -> Option<Vec<Device>> {
    let found: Vec<Device> = Device::all().into_iter().filter(Device::is_cuda).collect();
    if found.len() < 2 {
        eprintln!("SKIP-GPU {test}: {} CUDA devices, two are needed", found.len());
        return None;
    }
    Some(found)
}

#[test]
fn gpus_reduce_in_the_order_of_the_ranks() {
    let Some(gpus) = gpus("gpus_reduce_in_the_order_of_the_ranks") else {
        return;
    };
    within(LONG, move || {
        for length in [0, 1, 700, 1 << 18] {
            reduces::<f32>(&gpus, length);
        }
        reduces::<i32>(&gpus, 10);
        reduces::<u32>(&gpus, 10);
        reduces::<i64>(&gpus, 10);
        reduces::<u64>(&gpus, 10);
        reduces::<f64>(&gpus, 10);
    });
}

/// NCCL's own order has no other result where nothing is rounded.
#[test]
fn gpus_reduce_as_nccl_does() {
    let Some(gpus) = gpus("gpus_reduce_as_nccl_does") else {
        return;
    };
    within(LONG, move || {
        let all = values::<u32>(gpus.len(), 10_000, 3);
        let found = vyre_many::on_each(&gpus, |own| {
            let reduces = |reduction| {
                let mut x = own.device().upload(&all[own.rank()])?;
                own.all_reduce(&mut x, reduction)?;
                Ok(bits(x.download()?))
            };
            REDUCTIONS.into_iter().map(reduces).collect::<Result<Vec<_>>>()
        });
        let expected = REDUCTIONS.map(|reduction| reduced(&all, reduction));
        assert!(found.unwrap().iter().all(|found| *found == expected));
    });
}

#[test]
fn gpus_exchange_elements() {
    let Some(gpus) = gpus("gpus_exchange_elements") else {
        return;
    };
    within(LONG, move || {
        for length in [33, 1 << 20] {
            let all: Vec<Vec<u32>> = values(gpus.len(), length, 1);
            vyre_many::on_each(&gpus, |own| moves(own, &all)).unwrap();
        }
    });
}

#[test]
fn operations_of_gpus_are_ordered_with_launches() {
    let Some(gpus) = gpus("operations_of_gpus_are_ordered_with_launches") else {
        return;
    };
    within(LONG, move || {
        orders(&gpus, 100);
        orders(&gpus, 1 << 22);
    });
}

#[test]
fn blocks_on_gpus_compute_what_one_buffer_does() {
    let Some(gpus) = gpus("blocks_on_gpus_compute_what_one_buffer_does") else {
        return;
    };
    within(LONG, move || {
        diffuses(&gpus, [17, 23], 0);
        diffuses(&gpus, [501, 302], gpus.len() - 1);
    });
}

#[test]
fn gpus_that_call_other_operations_are_told() {
    let Some(gpus) = gpus("gpus_that_call_other_operations_are_told") else {
        return;
    };
    within(LONG, move || {
        let lengths = run_on(&gpus, LIMIT, |own| {
            let mut x = own.device().zeros::<f32>(4 + own.rank())?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            own.device().synchronize()?;
            // An operation after the one that cannot end knows of it.
            thread::sleep(LIMIT);
            own.all_reduce(&mut x, Reduction::Sum)
        });
        all_fail(&lengths, |problem| matches!(problem, RankProblem::Differ { .. }));
        works(&gpus);
    });
}

#[test]
fn a_gpu_that_stays_away_is_left_in_time() {
    let Some(gpus) = gpus("a_gpu_that_stays_away_is_left_in_time") else {
        return;
    };
    within(LONG, move || {
        let results = run_on(&gpus, LIMIT, |own| {
            let mut x = own.device().zeros::<f32>(1 << 20)?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            x.download()?;
            if own.rank() == 1 {
                thread::sleep(4 * LIMIT);
            }
            let began = Instant::now();
            // The operation is queued; the wait ends when the watch has aborted it.
            let result = own
                .all_reduce(&mut x, Reduction::Sum)
                .and_then(|()| x.download().map(drop));
            assert!(began.elapsed() < 3 * LIMIT, "{:?}", began.elapsed());
            result.and_then(|()| own.all_reduce(&mut x, Reduction::Sum))
        });
        all_fail(&results, |problem| matches!(problem, RankProblem::Timeout { .. }));
        works(&gpus);
    });
}

#[test]
fn a_gpu_that_ends_is_an_error_of_the_others() {
    let Some(gpus) = gpus("a_gpu_that_ends_is_an_error_of_the_others") else {
        return;
    };
    within(LONG, move || {
        let results = run_on(&gpus, LONG, |own| {
            let mut x = own.device().zeros::<f32>(1 << 20)?;
            own.all_reduce(&mut x, Reduction::Sum)?;
            x.download()?;
            if own.rank() == 1 {
                return Ok(());
            }
            let began = Instant::now();
            let result = own
                .all_reduce(&mut x, Reduction::Sum)
                .and_then(|()| x.download().map(drop));
            assert!(began.elapsed() < LONG / 4, "{:?}", began.elapsed());
            result.and_then(|()| own.all_reduce(&mut x, Reduction::Sum))
        });
        assert!(results[1].is_ok());
        all_fail(&results[..1], |problem| *problem == RankProblem::Ended { other: 1 });
        works(&gpus);
    });
}

#[test]
fn a_fault_of_one_gpu_is_known_to_all() {
    let Some(gpus) = gpus("a_fault_of_one_gpu_is_known_to_all") else {
        return;
    };
    within(LONG, move || {
        let results = run_on(&gpus, LIMIT, |own| -> Result<()> {
            let mut x = own.device().upload(&[5, own.rank() as u32, 7])?;
            invert(&mut x).launch(own.device())?;
            let reduced = own.all_reduce(&mut x, Reduction::Sum);
            reduced.and_then(|()| x.download().map(drop))
        });
        // Rank 0 divides by zero.
        assert!(matches!(results[0], Err(Error::Fault(_))), "{results:?}");
        works(&gpus);
    });
}

/// Several communicators at work on the same GPUs, from threads of their own.
#[test]
fn communicators_share_gpus() {
    let Some(gpus) = gpus("communicators_share_gpus") else {
        return;
    };
    within(LONG, move || {
        let gpus = &gpus[..];
        thread::scope(|scope| {
            let start = |seed| scope.spawn(move || rounds(gpus, seed, 60));
            let running: Vec<_> = (1..=4).map(start).collect();
            running.into_iter().for_each(|one| one.join().unwrap());
        });
    });
}

/// Reductions and rings of random values.
fn rounds(gpus: &[Device], seed: u64, rounds: usize) {
    let all = values::<u32>(gpus.len(), 5000, seed);
    let expected = reduced(&all, Reduction::Max);
    let found = vyre_many::on_each(gpus, |own| {
        let (rank, ranks) = (own.rank(), own.ranks());
        let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        let mut from_left = own.device().zeros::<u32>(5000)?;
        for _ in 0..rounds {
            let mut x = own.device().upload(&all[rank])?;
            own.group().receive(&mut from_left, left).send(&x, right).run()?;
            own.all_reduce(&mut x, Reduction::Max)?;
            assert_eq!(bits(x.download()?), expected);
            assert_eq!(from_left.download()?, all[left]);
        }
        Ok(())
    });
    found.unwrap();
}

/// Whatever becomes of a communicator, another one on the same GPUs works on.
#[test]
fn a_communicator_that_fails_does_not_disturb_another() {
    let Some(gpus) = gpus("a_communicator_that_fails") else {
        return;
    };
    within(LONG, move || {
        let limit = LIMIT / 3;
        thread::scope(|scope| {
            let works = scope.spawn(|| rounds(&gpus, 5, 600));
            let absent = run_on(&gpus, limit, |own| {
                let mut x = own.device().zeros::<f32>(1 << 20)?;
                own.all_reduce(&mut x, Reduction::Sum)?;
                x.download()?;
                match own.rank() {
                    0 => own.all_reduce(&mut x, Reduction::Sum),
                    _ => {
                        thread::sleep(2 * limit);
                        own.all_reduce(&mut x, Reduction::Sum)
                    }
                }
            });
            all_fail(&absent, |problem| matches!(problem, RankProblem::Timeout { .. }));
            let faulted = run_on(&gpus, limit, |own| {
                let mut x = own.device().upload(&[5, own.rank() as u32, 7])?;
                invert(&mut x).launch(own.device())?;
                own.broadcast(&mut x, 0)?;
                x.download().map(drop)
            });
            assert!(matches!(faulted[0], Err(Error::Fault(_))), "{faulted:?}");
            let differ = run_on(&gpus, limit, |own| {
                own.broadcast(&mut own.device().zeros::<u8>(4 + own.rank())?, 0)
            });
            all_fail(&differ, |problem| matches!(problem, RankProblem::Differ { .. }));
            works.join().unwrap();
        });
    });
}

/// Messages sent together are received one after the other, and in the other direction.
#[test]
fn messages_between_gpus_are_called_in_pieces() {
    let Some(gpus) = gpus("messages_between_gpus") else {
        return;
    };
    within(LONG, move || {
        let found = vyre_many::on_each(&gpus[..2], |own| {
            let (one, other) = (
                own.device().upload(&[1u32; 1000])?,
                own.device().upload(&[2u64; 70_000])?,
            );
            let (mut first, mut second) = (own.device().zeros::<u32>(1000)?, own.device().zeros::<u64>(70_000)?);
            for _ in 0..10 {
                match own.rank() {
                    0 => {
                        own.group().send(&one, 1).send(&other, 1).run()?;
                        own.receive(&mut first, 1)?;
                        own.receive(&mut second, 1)?;
                    }
                    _ => {
                        own.receive(&mut first, 0)?;
                        own.receive(&mut second, 0)?;
                        own.group().send(&one, 0).send(&other, 0).run()?;
                    }
                }
            }
            Ok(first.download()? == [1; 1000] && second.download()? == [2; 70_000])
        });
        assert_eq!(found.unwrap(), [true; 2]);
    });
}

/// New communicators of the same devices do what they should.
fn works(gpus: &[Device]) {
    let found = vyre_many::on_each(gpus, |own| {
        let mut x = own.device().upload(&[1u32; 1000])?;
        own.all_reduce(&mut x, Reduction::Sum)?;
        x.download()
    });
    match found {
        Ok(found) => assert!(found.iter().flatten().all(|&x| x as usize == gpus.len())),
        Err(error) => panic!("{error}: {:?}", problem(&error)),
    }
}
