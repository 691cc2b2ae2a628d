//! Queues of tasks, speculation and shards, each against a model on the host.

use std::collections::VecDeque;

use vyre::prelude::*;
use vyre_primitives::{CONFIRM_TILE, Queue, confirm_tile, push_task, run_tasks};
use vyre_primitives_tests::{Random, any, bits, on_devices};

/// Visits a node, and offers those below it to the queue; those that find no room it visits itself.
#[vyre::kernel(block = 64)]
fn visit(nodes: u32, queue: &[AtomicU64], visits: &[AtomicU32], refused: &[AtomicU32]) {
    run_tasks(queue, |task: u32| {
        // The nodes that are left to do here: the depth of the tree is less than 20.
        let mut own = [0u32; 20];
        own[0] = task;
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = own[count];
            visits[node as usize].fetch_add(1, Ordering::Relaxed);
            for child in 2 * node + 1..2 * node + 3 {
                if child < nodes && !push_task(queue, child) {
                    refused[0].fetch_add(1, Ordering::Relaxed);
                    own[count] = child;
                    count += 1;
                }
            }
        }
    });
}

#[test]
fn each_task_is_done_once() {
    on_devices(|device| {
        for (nodes, capacity, blocks) in [(1, 1, 1), (3000, 1, 3), (3000, 7, 2), (3000, 100, 4), (3000, 5000, 4)] {
            let mut queue = Queue::<u32>::new(device, capacity)?;
            let (root, mut accepted) = (device.upload(&[0u32])?, device.zeros::<u64>(1)?);
            // The queue is used again, from where it stands.
            for times in 1..3 {
                queue.offer(&root, &mut accepted).launch()?;
                let (mut visits, mut refused) = (device.zeros::<u32>(nodes)?, device.zeros::<u32>(1)?);
                let launch = visit(nodes as u32, queue.as_atomics(), &mut visits, &mut refused);
                launch.grid(blocks).launch(device)?;
                assert_eq!(visits.download()?, vec![1; nodes], "{capacity}, {times}");
                assert_eq!(accepted.download()?, [1]);
                let refused = refused.download()?[0];
                assert!(if capacity == 1 {
                    nodes < 2 || refused > 0
                } else {
                    capacity < 5000 || refused == 0
                });
            }
        }
        Ok(())
    });
}

/// One thread: takes a number of tasks, each of which pushes some, and notes what it takes and what is refused.
#[vyre::kernel(block = 32)]
fn one_by_one(queue: &[AtomicU64], more: &[u32], notes: &mut [u32]) {
    if thread::index() == 0 {
        let mut noted = 0;
        let mut used = 0;
        run_tasks(queue, |task: u64| {
            notes[noted] = task as u32;
            noted += 1;
            if used < more.len() {
                for _ in 0..more[used] {
                    if !push_task(queue, task + 1000) {
                        notes[noted] = u32::MAX;
                        noted += 1;
                    }
                }
                used += 1;
            }
        });
    }
}

/// The order of tasks and the room are those of a bounded queue of the host.
#[test]
fn a_queue_is_as_its_model() {
    on_devices(|device| {
        for capacity in [1, 2, 3, 10] {
            let mut random = Random::new(capacity as u64);
            let more: Vec<u32> = (0..60).map(|_| random.words(1)[0] % 4).collect();
            let first: Vec<u64> = (0..6).collect();
            let mut queue = Queue::<u64>::new(device, capacity)?;
            let mut accepted = device.zeros::<u64>(1)?;
            let more_here = device.upload(&more)?;
            let mut at = 0;
            while at < first.len() {
                let offered = device.upload(&first[at..])?;
                queue.offer(&offered, &mut accepted).launch()?;
                let count = accepted.download()?[0] as usize;
                assert_eq!(count, capacity.min(first.len() - at));
                // Full, it takes none.
                if count < first.len() - at {
                    let mut none = device.upload(&[9u64])?;
                    queue.offer(&offered, &mut none).launch()?;
                    assert_eq!(none.download()?, [0]);
                }
                let mut model: VecDeque<u64> = first[at..at + count].iter().copied().collect();
                let (mut expected, mut used) = (Vec::new(), 0);
                while let Some(task) = model.pop_front() {
                    expected.push(task as u32);
                    for _ in 0..more.get(used).copied().unwrap_or(0) {
                        match model.len() < capacity {
                            true => model.push_back(task + 1000),
                            false => expected.push(u32::MAX),
                        }
                    }
                    used += 1;
                }
                let mut notes = device.zeros::<u32>(expected.len())?;
                one_by_one(queue.as_atomics(), &more_here, &mut notes)
                    .grid(1)
                    .launch(device)?;
                assert_eq!(notes.download()?, expected, "{capacity}");
                at += count;
            }
        }
        Ok(())
    });
}

#[vyre::kernel(block = 512)]
fn speculate(x: &[u32], found: &[AtomicU32], count: &[AtomicU64], confirmed: &[AtomicU32]) {
    confirm_tile(
        x.len(),
        count,
        found.len(),
        |i| x[i] % 16 == 3,
        |i| {
            confirmed[0].fetch_add(1, Ordering::Relaxed);
            let mut value = x[i];
            let mut steps = 0;
            while value != 0 {
                steps += value & 1;
                value >>= 1;
            }
            steps % 3 == 1
        },
        |place, i| found[place].store(i as u32, Ordering::Relaxed),
    );
}

#[test]
fn what_both_tests_accept_is_kept() {
    on_devices(|device| {
        for length in [1, 511, CONFIRM_TILE, CONFIRM_TILE + 1, 50_001] {
            let x = any::<u32>(length as u64, length);
            let passed = x.iter().filter(|x| **x % 16 == 3).count();
            let both = |i: &usize| x[*i] % 16 == 3 && x[*i].count_ones() % 3 == 1;
            let expected: Vec<u32> = (0..length).filter(both).map(|i| i as u32).collect();
            for room in [length, expected.len() / 2] {
                let mut found = device.upload(&vec![u32::MAX; room])?;
                let (mut count, mut confirmed) = (device.zeros::<u64>(1)?, device.zeros::<u32>(1)?);
                let here = device.upload(&x)?;
                let launch = speculate(&here, &mut found, &mut count, &mut confirmed);
                launch.grid(length.div_ceil(CONFIRM_TILE) as u32).launch(device)?;
                // The dear test ran for those that have passed the cheap one alone.
                assert_eq!(confirmed.download()?, [passed as u32]);
                assert_eq!(count.download()?, [expected.len() as u64]);
                let kept = room.min(expected.len());
                let found = found.download()?;
                let mut sorted = found[..kept].to_vec();
                sorted.sort();
                sorted.dedup();
                assert_eq!(sorted.len(), kept);
                assert!(sorted.iter().all(|i| expected.binary_search(i).is_ok()));
                assert!(found[kept..].iter().all(|&i| i == u32::MAX));
            }
        }
        Ok(())
    });
}

/// A tile again and again: its shared memory is used anew.
#[vyre::kernel(block = 512)]
fn speculate_again(rounds: u32, found: &[AtomicU32], count: &[AtomicU64]) {
    for round in 0..rounds {
        confirm_tile(
            CONFIRM_TILE,
            count,
            found.len(),
            |i| i % 3 == 0,
            |i| i % 2 == 0,
            |place, i| found[place].store((i as u32) * rounds + round, Ordering::Relaxed),
        );
    }
}

#[test]
fn tiles_follow_each_other() {
    on_devices(|device| {
        let rounds = 20;
        let expected: Vec<u32> = (0..CONFIRM_TILE as u32 * rounds)
            .filter(|i| i / rounds % 6 == 0)
            .collect();
        let (mut found, mut count) = (device.zeros::<u32>(expected.len())?, device.zeros::<u64>(1)?);
        speculate_again(rounds, &mut found, &mut count).grid(1).launch(device)?;
        assert_eq!(count.download()?, [expected.len() as u64]);
        let mut found = found.download()?;
        found.sort();
        assert_eq!(found, expected);
        Ok(())
    });
}

#[test]
fn a_queue_without_end_has_no_memory() {
    on_devices(|device| {
        for capacity in [usize::MAX, usize::MAX / 2, usize::MAX / 2 + 1] {
            assert!(matches!(
                Queue::<u32>::new(device, capacity),
                Err(vyre::Error::OutOfMemory { .. })
            ));
        }
        Ok(())
    });
}

#[test]
fn shards_are_gathered() {
    on_devices(|device| {
        let mut random = Random::new(5);
        for (shards, room) in [(1, 1), (1, 5000), (7, 3), (600, 40), (5000, 1)] {
            let x = any::<f64>(shards as u64, shards * room);
            let counts: Vec<u64> = (0..shards)
                .map(|_| u64::from(random.words(1)[0]) % (room as u64 * 2))
                .collect();
            let parts = x.chunks(room).zip(&counts);
            let expected: Vec<f64> = parts
                .flat_map(|(shard, &count)| &shard[..room.min(count as usize)])
                .copied()
                .collect();
            let lost: u64 = counts.iter().map(|count| count.saturating_sub(room as u64)).sum();
            let (x, counts) = (device.upload(&x)?, device.upload(&counts)?);
            let (mut y, mut found) = (device.zeros::<f64>(shards * room)?, device.zeros::<u64>(2)?);
            vyre_primitives::gather_shards(&x, &counts, &mut y, &mut found).launch()?;
            assert_eq!(found.download()?, [expected.len() as u64, lost]);
            assert!(bits(&y.download()?[..expected.len()]) == bits(&expected));
        }
        let (none, mut found) = (device.zeros::<u32>(0)?, device.upload(&[5u64, 5])?);
        let (counts, mut y) = (device.zeros::<u64>(0)?, device.zeros::<u32>(0)?);
        vyre_primitives::gather_shards(&none, &counts, &mut y, &mut found).launch()?;
        assert_eq!(found.download()?, [0, 0]);
        // Shards that are not whole.
        let (x, counts) = (device.zeros::<u32>(5)?, device.zeros::<u64>(2)?);
        assert!(
            vyre_primitives::gather_shards(&x, &counts, &mut y, &mut found)
                .launch()
                .is_err()
        );
        Ok(())
    });
}
