//! Buffers by number: what is refused, and that what is refused has changed nothing.

mod support;

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

use support::{alone, devices};
use vyre_runtime::{Device, Error, Handle, HandleProblem, Handles, Result};

fn refused<T: std::fmt::Debug>(result: Result<T>) -> HandleProblem {
    match result {
        Err(Error::Handle { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

/// All calls that take a handle.
fn calls(handles: &Handles, handle: Handle) -> Vec<HandleProblem> {
    vec![
        refused(handles.length(handle)),
        refused(handles.write(&[(handle, 0, &[])])),
        refused(handles.write_whole(&[(handle, &[])])),
        refused(handles.read(&mut [(handle, 0, &mut [])])),
        refused(handles.read_whole(handle)),
        refused(handles.with(&[handle], |_| Ok(()))),
        refused(handles.free(&[handle])),
        refused(handles.remove(handle)),
    ]
}

#[test]
fn bytes_go_there_and_back() {
    let _alone = alone();
    for device in devices("bytes_go_there_and_back") {
        let handles = device.handles();
        let (x, y) = (handles.allocate(1000).unwrap(), handles.allocate(0).unwrap());
        assert_eq!(handles.read_whole(x).unwrap(), [0; 1000]);
        let source: Vec<u8> = (0..100).collect();
        handles
            .write(&[(x, 900, &source), (y, 0, &[]), (x, 901, &[7; 3])])
            .unwrap();
        let (mut head, mut tail) = (vec![1; 900], vec![1; 100]);
        handles
            .read(&mut [(x, 900, &mut tail), (x, 0, &mut head), (y, 0, &mut [])])
            .unwrap();
        assert_eq!(head, [0; 900]);
        assert_eq!((&tail[..5], &tail[5..]), (&[0u8, 7, 7, 7, 4][..], &source[5..]));
        handles.write_whole(&[(x, &[5; 1000]), (y, &[])]).unwrap();
        let buffer = handles.remove(x).unwrap();
        assert_eq!(buffer.download().unwrap(), [5; 1000]);
        let again = handles.insert(buffer).unwrap();
        assert_ne!(again, x);
        assert_eq!(handles.length(again).unwrap(), 1000);
        assert_eq!(format!("{handles:?}"), format!("Handles of 2 buffers on {device}"));
    }
}

/// Lists of copies of all lengths to all places, of which later ones overwrite earlier ones, beside a model.
#[test]
fn batches_are_as_copies_one_after_the_other() {
    let _alone = alone();
    for device in devices("batches_are_as_copies_one_after_the_other") {
        let handles = device.handles();
        const BYTES: usize = 20_000;
        let all: Vec<Handle> = (0..8).map(|_| handles.allocate(BYTES).unwrap()).collect();
        let mut model = vec![vec![0u8; BYTES]; all.len()];
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for round in 0..60 {
            // Few and many, small ones and some that are large; those of every third round do not overlap.
            let count = [3, 8, 40, 200][round % 4];
            let mut ends = vec![0; all.len()];
            let mut sources = Vec::new();
            for _ in 0..count {
                let buffer = random(all.len());
                let most = [20, 100, 600, 5000][random(4)];
                let bytes = random(most);
                let start = match round % 3 {
                    0 => ends[buffer] + random(3),
                    _ => random(BYTES),
                };
                let bytes = bytes.min(BYTES.saturating_sub(start));
                let start = start.min(BYTES);
                ends[buffer] = start + bytes;
                let source: Vec<u8> = (0..bytes).map(|_| random(256) as u8).collect();
                model[buffer][start..start + bytes].copy_from_slice(&source);
                sources.push((all[buffer], start, source));
            }
            let copies: Vec<_> = sources
                .iter()
                .map(|(x, start, source)| (*x, *start, &source[..]))
                .collect();
            handles.write(&copies).unwrap();
            let mut found = vec![vec![0; BYTES]; all.len()];
            let mut reads: Vec<_> = all
                .iter()
                .zip(&mut found)
                .map(|(&x, bytes)| (x, 0, &mut bytes[..]))
                .collect();
            handles.read(&mut reads).unwrap();
            assert!(found == model, "round {round}");
        }
        // The last one of the same place wins, and many that lie beside each other are all there.
        let values: Vec<[u8; 3]> = (0..=255).map(|n| [n; 3]).collect();
        let same: Vec<_> = values.iter().map(|value| (all[0], 5, &value[..])).collect();
        handles.write(&same).unwrap();
        let beside: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(n, value)| (all[1], 1 + 3 * n, &value[..]))
            .collect();
        handles.write(&beside).unwrap();
        let (mut last, mut row) = ([0; 3], vec![0; 3 * values.len()]);
        handles
            .read(&mut [(all[0], 5, &mut last), (all[1], 1, &mut row)])
            .unwrap();
        assert_eq!((last, row), ([255; 3], values.concat()));
    }
}

#[test]
fn bad_handles_change_nothing() {
    let _alone = alone();
    for device in devices("bad_handles_change_nothing") {
        let (handles, others) = (device.handles(), device.handles());
        let [x, y, freed] = [(); 3].map(|()| handles.allocate(4).unwrap());
        let foreign = others.allocate(4).unwrap();
        handles.free(&[freed]).unwrap();
        let in_use = device.memory().unwrap().in_use;
        assert!(
            calls(&handles, freed)
                .iter()
                .all(|problem| *problem == HandleProblem::Freed)
        );
        assert!(
            calls(&handles, foreign)
                .iter()
                .all(|problem| *problem == HandleProblem::Foreign)
        );

        let outside = HandleProblem::Range {
            start: 3,
            end: 5,
            length: 4,
        };
        for bad in [(freed, 0), (foreign, 0), (y, 3)] {
            let problem = refused(handles.write(&[(x, 0, &[1, 2]), (bad.0, bad.1, &[3, 4])]));
            let mut bytes = [9; 2];
            let read = refused(handles.read(&mut [(x, 0, &mut bytes), (bad.0, bad.1, &mut [0; 2])]));
            assert_eq!((problem, bytes), (read, [9; 2]));
            assert_eq!(problem == outside, bad.0 == y);
        }
        let problem = refused(handles.write(&[(x, usize::MAX, &[1, 2])]));
        assert!(matches!(problem, HandleProblem::Range { end: usize::MAX, .. }));
        let wrong = HandleProblem::Length { length: 4, given: 5 };
        assert_eq!(refused(handles.write_whole(&[(x, &[1; 4]), (y, &[1; 5])])), wrong);
        assert_eq!(refused(handles.free(&[x, y, x])), HandleProblem::Twice);
        assert_eq!(refused(handles.free(&[x, freed])), HandleProblem::Freed);
        assert_eq!(refused(handles.with(&[x, x], |_| Ok(()))), HandleProblem::Twice);
        for handle in [x, y] {
            assert_eq!(handles.read_whole(handle).unwrap(), [0; 4]);
        }
        assert_eq!(device.memory().unwrap().in_use, in_use);
        let text = handles.write(&[(y, 3, &[1, 2])]).unwrap_err().to_string();
        assert_eq!(text, "bytes 3..5 of handle 2 are out of bounds of its 4 bytes");
        drop((handles, others));
        assert!(device.memory().unwrap().in_use < in_use);
    }
}

/// Threads with the same buffers in different orders, while others are freed.
#[test]
fn threads_share_a_table() {
    let _alone = alone();
    for device in devices("threads_share_a_table") {
        let handles = device.handles();
        let [x, y] = [(); 2].map(|()| handles.allocate(8).unwrap());
        thread::scope(|scope| {
            for number in 0..8u8 {
                let handles = handles.clone();
                scope.spawn(move || {
                    let order = if number % 2 == 0 { [x, y] } else { [y, x] };
                    for _ in 0..200 {
                        handles
                            .with(&order, |buffers| {
                                buffers[0].fill(number)?;
                                buffers[1].fill(number)
                            })
                            .unwrap();
                        let own = handles.allocate(4).unwrap();
                        handles.free(&[own]).unwrap();
                        assert_eq!(refused(handles.length(own)), HandleProblem::Freed);
                    }
                });
            }
        });
        assert_eq!(handles.read_whole(x).unwrap(), handles.read_whole(y).unwrap());
    }
}

/// A call of a pipeline takes the buffers, and its results get handles.
#[cfg(feature = "programs")]
#[test]
fn pipelines_run_on_handles() {
    let _alone = alone();
    use vyre_core::{build, ir::Program};
    let mut program = Program::default();
    let parameters = (build::slice::<f32>("x"), build::slice_mut::<f32>("y"));
    build::kernel(&mut program, "double", &[32], parameters, |k, (x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, x.at(i) * 2.0));
    });
    for device in devices("pipelines_run_on_handles") {
        let (pipeline, handles) = (device.compile(&program).unwrap(), device.handles());
        let [x, y] = [(); 2].map(|()| handles.allocate(400).unwrap());
        let ones: Vec<u8> = [1.5f32; 100].iter().flat_map(|value| value.to_le_bytes()).collect();
        handles.write_whole(&[(x, &ones)]).unwrap();
        let made = handles
            .with(&[x, y], |buffers| {
                let [x, y] = buffers else { unreachable!("there are two") };
                pipeline.call().resident(&**x).resident_mut(&mut **y).over(100).run()?;
                pipeline.call().resident(&**y).zeroed(100).over(100).run_resident()
            })
            .unwrap();
        let made: Vec<Handle> = made.into_iter().map(|buffer| handles.insert(buffer).unwrap()).collect();
        let values = |handle| -> Vec<f32> {
            let bytes = handles.read_whole(handle).unwrap();
            bytes
                .chunks(4)
                .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
                .collect()
        };
        assert_eq!(values(y), [3.0; 100]);
        assert_eq!(values(made[0]), [6.0; 100]);
    }
}

/// A handle that is lent is refused at once, inside of the function and by `free`; other threads wait.
#[test]
fn lent_handles_are_refused() {
    let _alone = alone();
    for device in devices("lent_handles_are_refused") {
        let (handles, others) = (device.handles(), device.handles());
        let [x, y, z] = [(); 3].map(|()| handles.allocate(4).unwrap());
        let foreign = others.allocate(4).unwrap();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let inside = handles.with(&[x, y], |buffers| {
                assert!(calls(&handles, x).iter().all(|problem| *problem == HandleProblem::Lent));
                let both = handles.write(&[(z, 0, &[1]), (y, 0, &[1])]);
                assert_eq!(refused(both), HandleProblem::Lent);
                assert_eq!(refused(handles.free(&[z, x])), HandleProblem::Lent);
                assert_eq!(refused(handles.with(&[z, y], |_| Ok(()))), HandleProblem::Lent);
                // Others are not.
                handles.write(&[(z, 0, &[2])])?;
                others.write(&[(foreign, 0, &[3])])?;
                // Another thread waits for what it uses, and frees nothing that is lent.
                let waits = handles.clone();
                let elsewhere = thread::spawn(move || {
                    let freed = refused(waits.free(&[y]));
                    (freed, waits.read_whole(x).unwrap())
                });
                thread::sleep(Duration::from_millis(20));
                assert!(!elsewhere.is_finished());
                buffers[0].fill(7)?;
                Ok(elsewhere)
            });
            let elsewhere = inside.unwrap().join().unwrap();
            assert_eq!(elsewhere, (HandleProblem::Lent, vec![7; 4]));
            assert_eq!(handles.read_whole(z).unwrap(), [2, 0, 0, 0]);
            // A function that panics gives its buffers back.
            let panics = panic::catch_unwind(AssertUnwindSafe(|| handles.with(&[x], |_| -> Result<()> { panic!() })));
            assert!(panics.is_err());
            let text = handles.with(&[x], |_| handles.read_whole(x)).unwrap_err().to_string();
            assert_eq!(
                text,
                "handle 1 is lent by `with`: use its buffer, or the handle after `with` has returned"
            );
            handles.free(&[x, y, z]).unwrap();
            sender.send(()).unwrap();
        });
        receiver.recv_timeout(Duration::from_secs(60)).expect("nothing hangs");
    }
}

/// Two threads, each of which has lent what the other one wants: the wish is refused, and nobody waits in a circle.
#[test]
fn loans_do_not_wait_for_loans() {
    let _alone = alone();
    for device in devices("loans_do_not_wait_for_loans") {
        let (first, second) = (device.handles(), device.handles());
        let (x, y) = (first.allocate(1).unwrap(), second.allocate(1).unwrap());
        let (sender, receiver) = mpsc::channel();
        let meet = Arc::new(Barrier::new(2));
        for (own, lent, other, wanted) in [(first.clone(), x, second.clone(), y), (second, y, first, x)] {
            let (sender, meet) = (sender.clone(), meet.clone());
            thread::spawn(move || {
                let refusal = own.with(&[lent], |_| {
                    meet.wait();
                    let refusal = refused(other.read_whole(wanted));
                    meet.wait();
                    Ok(refusal)
                });
                sender.send(refusal.unwrap()).unwrap();
            });
        }
        for _ in 0..2 {
            let refusal = receiver.recv_timeout(Duration::from_secs(60)).expect("nothing hangs");
            assert_eq!(refusal, HandleProblem::Lent);
        }
    }
}

/// Copies of other threads are waited for, in a function that has loans, too.
#[test]
fn copies_of_others_are_no_loans() {
    let _alone = alone();
    for device in devices("copies_of_others_are_no_loans") {
        let handles = device.handles();
        let [x, y] = [(); 2].map(|()| handles.allocate(1000).unwrap());
        thread::scope(|scope| {
            for number in 1..4u8 {
                let handles = handles.clone();
                scope.spawn(move || {
                    for _ in 0..200 {
                        handles.write_whole(&[(y, &[number; 1000])]).unwrap();
                        let bytes = handles.read_whole(y).unwrap();
                        assert!(bytes.iter().all(|&byte| byte == bytes[0]));
                    }
                });
            }
            for number in 4..200 {
                handles
                    .with(&[x], |_| handles.write_whole(&[(y, &[number; 1000])]))
                    .unwrap();
            }
        });
        handles.free(&[x, y]).unwrap();
    }
}

/// A buffer of another device that a function has put into the place of a lent one.
#[test]
fn buffers_that_were_exchanged_are_refused() {
    let _alone = alone();
    for device in devices("buffers_that_were_exchanged_are_refused") {
        let handles = device.handles();
        let x = handles.allocate(4).unwrap();
        handles
            .with(&[x], |buffers| {
                *buffers[0] = device.upload(&[1, 2])?;
                Ok(())
            })
            .unwrap();
        assert_eq!(handles.read_whole(x).unwrap(), [1, 2]);
        assert_eq!(
            refused(handles.write(&[(x, 0, &[0; 3])])),
            HandleProblem::Range {
                start: 0,
                end: 3,
                length: 2
            }
        );
        if !device.is_cuda() {
            continue;
        }
        handles
            .with(&[x], |buffers| {
                *buffers[0] = Device::cpu().upload(&[1, 2])?;
                Ok(())
            })
            .unwrap();
        assert_eq!(refused(handles.write(&[(x, 0, &[0; 2])])), HandleProblem::Foreign);
        assert_eq!(
            refused(handles.read(&mut [(x, 0, &mut [0; 2])])),
            HandleProblem::Foreign
        );
    }
}
