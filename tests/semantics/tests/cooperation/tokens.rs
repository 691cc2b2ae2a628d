//! Tokens of barriers: how they reach their barrier, and the fault if one reaches another.

use vyre::prelude::*;
use vyre::{Error, FaultKind};
use vyre_runtime::kernel::Kernel;
use vyre_semantics::places::everywhere;
use vyre_semantics::values::mirrored;

vyre_semantics::kernels! { Ways Arrays Mixed }

#[vyre::device]
fn arrived(barrier: &shared::Barrier) -> shared::Token {
    barrier.arrive()
}

#[vyre::device]
fn finish(barrier: &shared::Barrier, token: shared::Token) {
    barrier.wait(token);
}

/// Tokens pass through functions, tuples, arrays, `Result`, closures, branches and loop iterations.
#[vyre::kernel(block = 64)]
fn ways(rounds: usize, x: &[u32], y: &mut [u32]) {
    let tile = shared::<[[u32; 64]; 2]>();
    let all = shared::barriers::<2, 64>();
    let other = shared::barriers::<1, 64>();
    let t = thread::idx().x;
    let mut value = x[thread::index()];
    let mut token = arrived(&all[0]);
    for round in 0..rounds {
        finish(&all[round % 2], token);
        tile[round % 2][t] = value;
        let (first, [second, third]) = (
            all[1 - round % 2].arrive(),
            [other[0].arrive(), all[round % 2].arrive()],
        );
        other[0].wait(second);
        value = value * 3 + tile[round % 2][63 - t];
        finish(&all[round % 2], third);
        let held = if value & 1 == 0 { Ok(first) } else { Err(first) };
        token = match held {
            Ok(token) | Err(token) => token,
        };
    }
    let last = || finish(&all[rounds % 2], token);
    last();
    y[thread::index()] = value;
}

#[test]
fn a_token_comes_by_any_way() {
    everywhere(|place| {
        for rounds in [0, 1, 2, 5] {
            let values: Vec<u32> = (0..128).map(|i| i * 5 % 23).collect();
            let (x, mut y) = (place.device().upload(&values)?, place.device().zeros::<u32>(128)?);
            place.over(ways(rounds, &x, &mut y), 128)?;
            let expected = mirrored(values, rounds);
            assert_eq!(y.download()?, expected, "{rounds} rounds on {}", place.name());
        }
        Ok(())
    });
}

#[vyre::device]
fn stage(all: &[shared::Barrier; 2], some: &[shared::Barrier], counts: &[[AtomicU32; 2]; 3], round: usize) -> u32 {
    let token = all[round % 2].arrive();
    counts[round % 3][round % 2].fetch_add(1, Ordering::Relaxed);
    some[round % 2].wait(token);
    counts[round % 3][round % 2].load(Ordering::Relaxed)
}

/// Arrays of barriers and of atomics are passed to functions by reference.
#[vyre::kernel(block = 64)]
fn arrays(y: &mut [u32]) {
    let all = shared::barriers::<2, 64>();
    let counts = shared::<[[AtomicU32; 2]; 3]>();
    let t = thread::idx().x;
    if t < 6 {
        counts[t / 2][t % 2].store(0, Ordering::Relaxed);
    }
    block::sync();
    let mut sum = 0;
    for round in 0..6 {
        stage(all, all, counts, round);
        block::sync();
        sum += counts[round % 3][round % 2].load(Ordering::Relaxed);
    }
    y[thread::index()] = sum;
}

#[test]
fn functions_take_arrays_of_barriers() {
    everywhere(|place| {
        let mut y = place.device().zeros::<u32>(128)?;
        place.over(arrays(&mut y), 128)?;
        assert_eq!(y.download()?, [6 * 64; 128], "on {}", place.name());
        Ok(())
    });
}

/// Thread `who` waits at barrier `at` with a token of barrier `of`, the others with their own.
#[vyre::kernel(block = 64)]
fn mixed(who: usize, of: usize, at: usize, y: &mut [u32]) {
    let some = shared::barriers::<2, 64>();
    let more = shared::barriers::<1, 64>();
    let t = thread::idx().x;
    let [first, second, third] = [some[0].arrive(), some[1].arrive(), more[0].arrive()];
    let token = if of == 0 {
        first
    } else if of == 1 {
        second
    } else {
        third
    };
    if t != who {
        finish(&some[0], arrived(&some[0]));
    } else if at < 2 {
        let _ = some[0].arrive();
        finish(&some[at], token);
    } else {
        let _ = some[0].arrive();
        finish(&more[0], token);
    }
    y[t] = 1;
}

#[test]
fn a_token_of_another_barrier_is_a_fault() {
    everywhere(|place| {
        for (of, at) in (0..9).map(|both| (both / 3, both % 3)) {
            let mut y = place.device().zeros::<u32>(64)?;
            // The phase after the token's may complete meanwhile.
            if (of, at) == (0, 0) {
                continue;
            }
            match place.over(mixed(37, of, at, &mut y), 64) {
                Ok(()) if of == at => assert_eq!(y.download()?, [1; 64], "{of} on {}", place.name()),
                Err(Error::Fault(fault)) if of != at => {
                    assert_eq!(fault.kind, FaultKind::Panic, "on {}", place.name());
                    assert_eq!(fault.thread, [37, 0, 0], "on {}", place.name());
                    let text = fault.to_string();
                    assert!(
                        text.contains("this token is of another barrier"),
                        "{text} on {}",
                        place.name()
                    );
                }
                other => panic!("a token of {of} at {at}: {other:?} on {}", place.name()),
            }
        }
        Ok(())
    });
}

/// At the barrier of its token, as the source shows.
#[vyre::kernel(block = 64)]
fn usual(stage: usize, y: &mut [u32]) {
    let full = shared::barriers::<4, 64>();
    let token = full[stage].arrive();
    let next = full[(stage + 1) % 4].arrive();
    y[thread::idx().x] = 1;
    full[stage].wait(token);
    full[(stage + 1) % 4].wait(next);
}

#[test]
fn what_is_usual_costs_nothing() {
    let ptx = Usual::info().ptx;
    assert!(ptx.contains("mbarrier.arrive") && !ptx.contains("cvta.shared"), "{ptx}");
    assert!(Mixed::info().ptx.contains("cvta.shared"), "{}", Mixed::info().ptx);
}
