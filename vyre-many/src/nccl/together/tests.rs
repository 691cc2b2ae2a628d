use std::sync::Arc;

use super::super::super::collective::signature;
use super::super::super::frame::Operation;
use super::super::super::reduction::Reduction;
use super::*;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(60);

/// The calls of one rank.
#[derive(Clone, Debug)]
enum Does {
    All(usize),
    Messages(Call),
}

fn all(length: usize) -> Does {
    Does::All(length)
}

impl Does {
    fn call(self, rank: usize, ranks: usize) -> Call {
        match self {
            Does::All(length) => {
                let signature = signature::<f32>(Operation::AllReduce(Reduction::Sum), length);
                Call::collective(rank, ranks, &signature)
            }
            Does::Messages(call) => call,
        }
    }
}

fn message(length: usize) -> Signature {
    signature::<u8>(Operation::Message, length)
}

fn messages(sends: &[(usize, usize)], receives: &[(usize, usize)]) -> Does {
    let list = |of: &[(usize, usize)]| of.iter().map(|&(other, length)| (other, message(length))).collect();
    Does::Messages(Call {
        text: Text::Messages,
        sends: list(sends),
        receives: list(receives),
    })
}

/// The calls of each rank, one after the other, on threads, beside another communicator of the same devices: their places.
fn run(calls: Vec<Vec<Does>>, limit: Duration) -> Vec<Result<Vec<u64>, RankProblem>> {
    let _other = Together::new(&Device::cpus(1));
    run_beside(calls, limit)
}

/// The same beside whatever there is.
fn run_beside(calls: Vec<Vec<Does>>, limit: Duration) -> Vec<Result<Vec<u64>, RankProblem>> {
    let together = Together::new(&Device::cpus(calls.len()));
    let ranks = calls.len();
    let meshes = Mesh::threads(calls.len());
    let rank = |(mesh, calls): (Mesh, Vec<Does>)| {
        let together = &together;
        move || {
            let mut places = Vec::new();
            for call in calls {
                let call = call.call(mesh.rank(), ranks);
                let place = together.meet(&mesh, call, limit).map_err(|problem| mesh.fail(problem));
                if place.is_err() {
                    together.fail();
                }
                let place = place?;
                place.begin();
                places.push(place.number());
            }
            Ok(places)
        }
    };
    thread::scope(|scope| {
        let ranks: Vec<_> = meshes
            .into_iter()
            .zip(calls)
            .map(|one| scope.spawn(rank(one)))
            .collect();
        ranks.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn places(found: Vec<Result<Vec<u64>, RankProblem>>) -> Vec<Vec<u64>> {
    found.into_iter().map(Result::unwrap).collect()
}

#[test]
fn operations_of_all_ranks_have_one_place() {
    let found = places(run(vec![vec![all(1), all(2), all(3)]; 3], LONG));
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
    assert!(found[0].is_sorted_by(|a, b| a < b));
}

#[test]
fn messages_have_a_place_with_what_belongs_to_them() {
    // A ring, and a pair beside a rank that waits for all.
    let ring = (0..3).map(|rank| vec![messages(&[((rank + 1) % 3, 4)], &[((rank + 2) % 3, 4)])]);
    let found = places(run(ring.collect(), LONG));
    assert!(found[0] == found[1] && found[1] == found[2], "{found:?}");
    let pair = vec![
        vec![messages(&[(1, 4)], &[]), all(1)],
        vec![messages(&[], &[(0, 4)]), all(1)],
        vec![all(1)],
    ];
    let found = places(run(pair, LONG));
    assert!(found[0] == found[1] && found[2][0] == found[0][1], "{found:?}");
    // To itself, and nothing at all.
    places(run(
        vec![vec![messages(&[(0, 4)], &[(0, 4)]), messages(&[], &[])], vec![]],
        LONG,
    ));
}

/// A message sent by one call is received by several, and the other way round.
#[test]
fn messages_of_one_call_may_be_received_by_several() {
    let found = places(run(
        vec![
            vec![
                messages(&[(1, 1), (1, 2)], &[]),
                messages(&[], &[(1, 3)]),
                messages(&[], &[(1, 4)]),
            ],
            vec![
                messages(&[], &[(0, 1)]),
                messages(&[], &[(0, 2)]),
                messages(&[(0, 3), (0, 4)], &[]),
            ],
        ],
        LONG,
    ));
    assert_eq!((found[0].len(), found[1].len()), (3, 3));
    // The hold has ended: another communicator of the devices has its turn.
    places(run(vec![vec![all(1)]; 2], LONG));
}

#[test]
fn calls_that_differ_are_errors_on_all_ranks() {
    let differ: [Vec<Vec<Does>>; 5] = [
        vec![vec![all(1)], vec![all(2)], vec![all(1)]],
        vec![vec![messages(&[(1, 4)], &[])], vec![messages(&[], &[(0, 3)])]],
        vec![vec![messages(&[(1, 4)], &[])], vec![all(1)]],
        vec![vec![messages(&[], &[(1, 4)])], vec![all(1)]],
        // The second half of what was sent together.
        vec![
            vec![messages(&[(1, 1), (1, 2)], &[]), all(1)],
            vec![messages(&[], &[(0, 1)]), messages(&[], &[(0, 3)])],
        ],
    ];
    for calls in differ {
        let text = format!("{calls:?}");
        let found = run(calls, LONG);
        let problems: Vec<_> = found.into_iter().map(Result::unwrap_err).collect();
        let is_told = problems
            .iter()
            .any(|problem| matches!(problem, RankProblem::Differ { .. }));
        assert!(is_told, "{text}: {problems:?}");
    }
    places(run(vec![vec![all(1)]; 3], LONG));
}

#[test]
fn a_rank_that_stays_away_is_named_in_time() {
    let together = Arc::new(Together::new(&Device::cpus(3)));
    let _other = Together::new(&Device::cpus(1));
    let meshes = Mesh::threads(3);
    let began = Instant::now();
    let problem = together.meet(&meshes[0], all(1).call(0, 3), SHORT).err().unwrap();
    assert!(
        matches!(
            problem,
            RankProblem::Timeout {
                other: Some(1),
                limit: SHORT,
                ..
            }
        ),
        "{problem}"
    );
    let problem = together
        .meet(&meshes[0], messages(&[(2, 1)], &[]).call(0, 3), SHORT)
        .err()
        .unwrap();
    assert!(
        matches!(problem, RankProblem::Timeout { other: Some(2), .. }),
        "{problem}"
    );
    assert!(began.elapsed() < 10 * SHORT);
    // It was taken back.
    assert!(together.lock().calls.iter().all(Option::is_none));
}

#[test]
fn a_rank_that_ends_or_fails_is_an_error_at_once() {
    let together = Arc::new(Together::new(&Device::cpus(2)));
    let _other = Together::new(&Device::cpus(1));
    let mut meshes = Mesh::threads(2);
    let (other, own) = (meshes.pop().unwrap(), meshes.pop().unwrap());
    let began = Instant::now();
    thread::scope(|scope| {
        let waits = scope.spawn(|| together.meet(&own, all(1).call(0, 2), LONG).map(drop));
        thread::sleep(SHORT);
        drop(other);
        assert_eq!(waits.join().unwrap(), Err(RankProblem::Ended { other: 1 }));
    });
    let meshes = Mesh::threads(2);
    thread::scope(|scope| {
        let waits = scope.spawn(|| together.meet(&meshes[0], all(1).call(0, 2), LONG).map(drop));
        thread::sleep(SHORT);
        meshes[1].fail(RankProblem::NoSuchRank { number: 9 });
        let problem = waits.join().unwrap().unwrap_err();
        assert!(matches!(problem, RankProblem::Failed { other: 1, .. }), "{problem}");
    });
    assert!(began.elapsed() < LONG / 2);
}

/// Several communicators of the same devices at once: collectives, rings, and messages that each side calls in pieces of its own.
#[test]
fn many_calls_of_many_communicators_all_get_their_places() {
    const RANKS: usize = 3;
    let program = |seed: u64| -> Vec<Vec<Does>> {
        let mut state = seed;
        let mut below = move |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        let mut calls: Vec<Vec<Does>> = vec![Vec::new(); RANKS];
        for step in 1..80 {
            match below(3) {
                0 => calls.iter_mut().for_each(|calls| calls.push(all(step))),
                1 => {
                    for (rank, calls) in calls.iter_mut().enumerate() {
                        calls.push(messages(
                            &[((rank + 1) % RANKS, step)],
                            &[((rank + RANKS - 1) % RANKS, step)],
                        ));
                    }
                }
                _ => {
                    let (from, to) = (below(RANKS), below(RANKS));
                    let lengths: Vec<usize> = (0..1 + below(4)).map(|i| step + i).collect();
                    let mut pieces = |other: usize| -> Vec<Vec<(usize, usize)>> {
                        let piece = 1 + below(lengths.len());
                        let list = lengths.chunks(piece);
                        list.map(|part| part.iter().map(|&length| (other, length)).collect())
                            .collect()
                    };
                    if from == to {
                        let all: Vec<_> = lengths.iter().map(|&length| (to, length)).collect();
                        calls[from].push(messages(&all, &all));
                    } else {
                        let (sends, receives) = (pieces(to), pieces(from));
                        calls[from].extend(sends.iter().map(|piece| messages(piece, &[])));
                        calls[to].extend(receives.iter().map(|piece| messages(&[], piece)));
                    }
                }
            }
        }
        calls
    };
    thread::scope(|scope| {
        // They begin and end at different times, so that each is alone at some.
        let start = |seed| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(3 * seed));
                places(run_beside(program(seed), LONG))
            })
        };
        let running: Vec<_> = (0..6).map(start).collect();
        for found in running {
            let found = found.join().unwrap();
            assert!(
                found.iter().all(|places| places.is_sorted_by(|a, b| a < b)),
                "{found:?}"
            );
        }
    });
}

/// A communicator that has its devices for itself queues what its ranks call at once.
#[test]
fn ranks_that_are_alone_do_not_wait() {
    // Other tests have the first devices.
    let devices = &Device::cpus(92)[90..];
    let together = Together::new(devices);
    let meshes = Mesh::threads(2);
    let call = |rank: usize, does: Does| together.meet(&meshes[rank], does.call(rank, 2), SHORT).map(drop);
    for length in 1..20 {
        call(0, all(length)).unwrap();
        call(0, messages(&[(1, length), (1, 3)], &[])).unwrap();
    }
    // The other one follows, with the same.
    for length in 1..19 {
        call(1, all(length)).unwrap();
        call(1, messages(&[], &[(0, length)])).unwrap();
        call(1, messages(&[], &[(0, 3)])).unwrap();
    }
    // One that comes now waits until all is called.
    let other = Together::new(devices);
    let begun = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            other.alone(|| {
                begun.store(true, Ordering::SeqCst);
            });
        });
        thread::sleep(SHORT);
        assert!(!begun.load(Ordering::SeqCst));
        call(1, all(19)).unwrap();
        assert!(!begun.load(Ordering::SeqCst));
        call(1, messages(&[], &[(0, 19), (0, 3)])).unwrap();
        waits.join().unwrap();
    });
    // From here on ranks wait for each other.
    let problem = call(1, all(20)).unwrap_err();
    assert!(
        matches!(problem, RankProblem::Timeout { other: Some(0), .. }),
        "{problem}"
    );
    drop(other);
    call(0, all(5)).unwrap();
    let problem = call(1, all(6)).unwrap_err();
    assert!(matches!(problem, RankProblem::Differ { other: 0, .. }), "{problem}");
}

/// Each message of a call is compared with the one that belongs to it, whichever side comes first.
#[test]
fn messages_of_ranks_that_are_alone_are_compared() {
    let devices = &Device::cpus(96)[94..];
    let to = |lengths: &[usize], other: usize| lengths.iter().map(|&length| (other, length)).collect::<Vec<_>>();
    let found = |first: &[usize], second: &[usize], sends_first: bool| {
        let together = Together::new(devices);
        let meshes = Mesh::threads(2);
        let call = |rank: usize, does: Does| together.meet(&meshes[rank], does.call(rank, 2), SHORT).map(drop);
        let (sends, receives) = (messages(&to(first, 1), &[]), messages(&[], &to(second, 0)));
        match sends_first {
            true => call(0, sends).and_then(|()| call(1, receives)),
            false => call(1, receives).and_then(|()| call(0, sends)),
        }
    };
    for sends_first in [true, false] {
        found(&[4, 5, 6], &[4, 5, 6], sends_first).unwrap();
        found(&[4, 5], &[4, 5, 6], sends_first).unwrap();
        found(&[4, 5, 6], &[4], sends_first).unwrap();
        for second in [&[3, 5, 6][..], &[4, 4, 6], &[4, 5, 5], &[4, 4]] {
            let problem = found(&[4, 5, 6], second, sends_first).unwrap_err();
            assert!(matches!(problem, RankProblem::Differ { .. }), "{problem}");
        }
    }
}

/// One whose rank stays away keeps others waiting for a while, and no longer.
#[test]
fn others_do_not_wait_for_ever() {
    let devices = &Device::cpus(94)[92..];
    let together = Together::new(devices);
    let meshes = Mesh::threads(2);
    drop(together.meet(&meshes[0], all(1).call(0, 2), LONG).unwrap());
    let (other, began) = (Together::new(devices), Instant::now());
    other.alone(|| {});
    let took = began.elapsed();
    assert!(took > Duration::from_secs(1) && took < LONG / 4, "{took:?}");
}
