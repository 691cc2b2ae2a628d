//! Graphs of sequences, on the CPU, and on a GPU if there is one.

mod support;

use std::time::Instant;

use support::{Slowly, alone, devices, saxpy};
use vyre_runtime::{Device, Error, Graph, Readback, Sequence};

mod kernels {
    use vyre::prelude::*;

    /// Does nothing, to memory that it may write.
    #[vyre::kernel]
    pub(crate) fn empty(#[each] x: &mut u32) {
        let _ = x;
    }

    /// Counts a vector down; a thread that finds a zero panics.
    #[vyre::kernel]
    pub(crate) fn count_down(#[each] x: &mut u32) {
        assert!(*x > 0, "nothing left");
        *x -= 1;
    }

    /// `y = 3 * y + x`, so that the order of steps shows.
    #[vyre::kernel]
    pub(crate) fn mix(x: &[u32], #[each] y: &mut u32) {
        *y = y.wrapping_mul(3).wrapping_add(x[thread::index()]);
    }

    /// Halves what is not zero.
    #[vyre::kernel]
    pub(crate) fn halve(#[each] x: &mut u32, changed: &[AtomicU32]) {
        if *x > 0 {
            *x /= 2;
            changed[0].store(1, Ordering::Relaxed);
        }
    }

    /// Each block adds up what all blocks have written before the barrier.
    #[vyre::kernel(block = 32)]
    pub(crate) fn together(parts: &[AtomicU32], sums: &[AtomicU32], stays_away: u32) {
        let block = block::idx().x;
        if thread::idx().x == 0 {
            parts[block].fetch_add(1, Ordering::Relaxed);
        }
        assert!(thread::index() as u32 != stays_away, "one thread leaves");
        grid::sync();
        if thread::idx().x == 0 {
            let mut sum = 0;
            for i in 0..parts.len() {
                sum += parts[i].load(Ordering::Relaxed);
            }
            sums[block].store(sum, Ordering::Relaxed);
        }
    }

    /// Prints its argument.
    #[vyre::kernel]
    pub(crate) fn say(number: u32) {
        if thread::index() == 0 {
            println!("said {number}");
        }
    }

    #[vyre::constant]
    pub(crate) static STEP: [u32; 1] = [1];

    /// Adds the constant.
    #[vyre::kernel]
    pub(crate) fn advance(#[each] x: &mut u32) {
        *x = x.wrapping_add(STEP[0]);
    }
}

use kernels::{advance, count_down, empty, halve, mix, say, together};

/// A small generator of numbers.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*seed >> 33) as usize % below
}

#[test]
fn a_graph_does_what_its_sequence_does() {
    let _alone = alone();
    for device in devices("a_graph_does_what_its_sequence_does") {
        let (mut x, mut y) = (device.zeros::<u32>(1000).unwrap(), device.zeros::<u32>(1000).unwrap());
        let mut wide = device.zeros::<[u16; 3]>(333).unwrap();
        let record = |x: &mut vyre_runtime::DeviceBuffer<u32>,
                      y: &mut vyre_runtime::DeviceBuffer<u32>,
                      wide: &mut vyre_runtime::DeviceBuffer<[u16; 3]>| {
            let mut steps = Sequence::new(&device);
            let start: Vec<u32> = (0..1000).collect();
            steps.write(&mut *x, &start).unwrap();
            steps.fill(&mut *y, 3).unwrap();
            steps.fill(&mut *wide, [1, 2, 70]).unwrap();
            steps
                .repeat(5, |body| {
                    body.launch(mix(&*x, &mut *y).over(1000))?;
                    body.repeat(2, |inner| inner.launch(mix(&*y, &mut *x).over(1000)))
                })
                .unwrap();
            steps
                .copy(x.slice_mut(..500).unwrap(), y.slice(500..).unwrap())
                .unwrap();
            steps.write(y.slice_mut(..2).unwrap(), &[8, 9]).unwrap();
            let places = (
                steps.read(&*x, ..).unwrap(),
                steps.read(&*y, 1..4).unwrap(),
                steps.read(&*wide, 300..).unwrap(),
            );
            (steps, places)
        };
        let (mut steps, places) = record(&mut x, &mut y, &mut wide);
        let expected = steps.run().unwrap();
        drop(steps);
        let (steps, again) = record(&mut x, &mut y, &mut wide);
        let mut graph = steps.into_graph().unwrap();
        let mut values = Readback::new();
        for _ in 0..3 {
            x.fill(77).unwrap();
            graph.launch(&device.default_stream()).unwrap();
            graph.wait_into(&mut values).unwrap();
            assert_eq!(values.get(&again.0), expected.get(&places.0));
            assert_eq!(values.get(&again.1), expected.get(&places.1));
            assert_eq!(values.get(&again.2), Some(&[[1, 2, 70]; 33][..]));
        }
        assert_eq!(values.get(&again.1).unwrap()[0], 9);
    }
}

/// Random chains over four buffers, launched on changing streams, against the host.
#[test]
fn graphs_keep_the_order_of_conflicting_steps() {
    const N: usize = 3000;
    let _alone = alone();
    for device in devices("graphs_keep_the_order_of_conflicting_steps") {
        let mut seed = 1;
        let streams: Vec<_> = (0..3).map(|_| device.stream().unwrap()).collect();
        for _ in 0..5 {
            let mut buffers: Vec<_> = (0..4).map(|i| device.upload(&[i as u32; N]).unwrap()).collect();
            let mut host: Vec<Vec<u32>> = (0..4).map(|i| vec![i; N]).collect();
            let mut list = Vec::new();
            let mut steps = Sequence::new(&device);
            for _ in 0..200 {
                let (from, to) = (random(&mut seed, 4), random(&mut seed, 4));
                if from == to {
                    continue;
                }
                let [from_buffer, to_buffer] = buffers.get_disjoint_mut([from, to]).unwrap();
                let kind = random(&mut seed, 4);
                match kind {
                    0 => {
                        let half = N / 2;
                        let source = from_buffer.slice(half..).unwrap();
                        steps.copy(to_buffer.slice_mut(..half).unwrap(), source).unwrap();
                    }
                    1 => steps.fill(to_buffer.slice_mut(10..20).unwrap(), 5).unwrap(),
                    _ => steps.launch(mix(&*from_buffer, to_buffer).over(N)).unwrap(),
                }
                list.push((kind, from, to));
            }
            let mut graph = steps.into_graph().unwrap();
            for round in 0..4 {
                graph.launch(&streams[round % 3]).unwrap();
                for &(kind, from, to) in &list {
                    let source = host[from].clone();
                    match kind {
                        0 => host[to][..N / 2].copy_from_slice(&source[N / 2..]),
                        1 => host[to][10..20].fill(5),
                        _ => {
                            (host[to].iter_mut().zip(source)).for_each(|(y, x)| *y = y.wrapping_mul(3).wrapping_add(x))
                        }
                    }
                }
            }
            for (buffer, host) in buffers.iter().zip(&host) {
                assert_eq!(&buffer.download().unwrap(), host);
            }
        }
    }
}

#[test]
fn a_graph_is_ordered_with_other_work() {
    let _alone = alone();
    for device in devices("a_graph_is_ordered_with_other_work") {
        let (own, other) = (device.stream().unwrap(), device.stream().unwrap());
        let ones = device.upload(&[1u32; 500]).unwrap();
        let mut y = device.zeros::<u32>(500).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(Slowly::new(200_000, 3, &ones, &mut y)).unwrap();
        let mut graph = steps.into_graph().unwrap();
        let mut expected = 0u32;
        for turn in 0..10u32 {
            graph.launch(if turn % 3 == 0 { &other } else { &own }).unwrap();
            expected = expected.wrapping_mul(3).wrapping_add(1);
            let launch = Slowly::new(0, 5, &ones, &mut y);
            launch
                .on(if turn % 2 == 0 { &own } else { &other })
                .launch(&device)
                .unwrap();
            expected = expected.wrapping_mul(5).wrapping_add(1);
        }
        assert_eq!(y.download().unwrap(), [expected; 500]);
        // It keeps its memory.
        drop((ones, y));
        let others: Vec<_> = (0..20).map(|_| device.upload(&[7u32; 500]).unwrap()).collect();
        graph.run().unwrap();
        assert!(others.iter().all(|other| other.download().unwrap() == [7; 500]));
    }
}

#[test]
fn a_faulted_launch_leaves_the_next_ones_alone() {
    let _alone = alone();
    for device in devices("a_faulted_launch_leaves_the_next_ones_alone") {
        let stream = device.stream().unwrap();
        let mut x = device.upload(&[2u32; 300]).unwrap();
        let mut y = device.zeros::<u32>(300).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(count_down(&mut x).over(300)).unwrap();
        steps.fill(&mut y, 1).unwrap();
        let place = steps.read(&x, ..1).unwrap();
        let mut graph = steps.into_graph().unwrap();
        let is_fault = |error: &Error| matches!(error, Error::Fault(fault) if fault.message == "nothing left");
        for round in 0..3 {
            for left in [1, 0] {
                graph.launch(&stream).unwrap();
                assert_eq!(graph.wait().unwrap().get(&place), Some(&[left][..]), "{round}");
            }
            // Told by the wait for the launch,
            graph.launch(&stream).unwrap();
            let error = graph.wait().unwrap_err();
            assert!(is_fault(&error), "{error}");
            // and once.
            stream.synchronize().unwrap();
            assert!(is_fault(&x.download().unwrap_err()));
            // By a wait for the stream, and by that for the device.
            graph.launch(&stream).unwrap();
            assert!(is_fault(&stream.synchronize().unwrap_err()));
            stream.synchronize().unwrap();
            graph.launch(&device.default_stream()).unwrap();
            assert!(is_fault(&device.synchronize().unwrap_err()));
            device.synchronize().unwrap();
            // The next ones count again.
            x.fill(2).unwrap();
        }
        // Several that fault before a wait are each told.
        x.fill(1).unwrap();
        for _ in 0..4 {
            graph.launch(&stream).unwrap();
        }
        for _ in 0..3 {
            assert!(is_fault(&stream.synchronize().unwrap_err()));
        }
        stream.synchronize().unwrap();
        // The last one of many, of which nobody has waited for any.
        x.fill(9000).unwrap();
        for _ in 0..9001 {
            graph.launch(&stream).unwrap();
        }
        assert!(is_fault(&stream.synchronize().unwrap_err()));
        stream.synchronize().unwrap();
        x.fill(0).unwrap();
        // A fault that nobody waited for is told after the graph has gone.
        graph.launch(&stream).unwrap();
        drop(graph);
        assert!(is_fault(&stream.synchronize().unwrap_err()));
        device.synchronize().unwrap();
    }
}

/// After a fault the loops of a launch must wait again in the next one.
#[test]
fn barriers_of_the_grid_work_after_a_fault() {
    const NOBODY: u32 = u32::MAX;
    let _alone = alone();
    for device in devices("barriers_of_the_grid_work_after_a_fault") {
        let blocks = 8;
        let (mut parts, mut sums) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(8).unwrap());
        let mut steps = Sequence::new(&device);
        let node = steps
            .node(together(&mut parts, &mut sums, NOBODY).grid(blocks))
            .unwrap();
        // A second one, whose barrier the first must not open.
        let (mut other_parts, mut other_sums) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(8).unwrap());
        steps
            .launch(together(&mut other_parts, &mut other_sums, NOBODY).grid(blocks))
            .unwrap();
        let (first, second) = (steps.read(&sums, ..).unwrap(), steps.read(&other_sums, ..).unwrap());
        let mut graph = steps.into_graph().unwrap();
        let mut expected = 0;
        for round in 0..20 {
            if round % 5 == 3 {
                graph
                    .set(&node, together(&mut parts, &mut sums, 3).grid(blocks))
                    .unwrap();
                let error = graph.run().unwrap_err();
                assert!(
                    matches!(&error, Error::Fault(fault) if fault.message == "one thread leaves"),
                    "{error}"
                );
                graph
                    .set(&node, together(&mut parts, &mut sums, NOBODY).grid(blocks))
                    .unwrap();
                other_parts.fill(expected / 8).unwrap();
                parts.fill(expected / 8).unwrap();
                sums.fill(0).unwrap();
                other_sums.fill(0).unwrap();
            }
            expected += 8;
            let values = graph.run().unwrap();
            assert_eq!(values.get(&first), Some(&[expected; 8][..]));
            assert_eq!(values.get(&second), Some(&[expected; 8][..]));
        }
    }
}

#[test]
fn arguments_are_exchanged() {
    let _alone = alone();
    for device in devices("arguments_are_exchanged") {
        let (x, mut y) = (
            device.upload(&[1.0f32; 100]).unwrap(),
            device.zeros::<f32>(100).unwrap(),
        );
        let mut z = device.upload(&[10.0f32; 100]).unwrap();
        let mut steps = Sequence::new(&device);
        let node = steps.node(saxpy(2.0, &x, &mut y).over(100)).unwrap();
        let inner = std::cell::Cell::new(None);
        steps
            .repeat(3, |body| {
                inner.set(Some(body.node(saxpy(1.0, &y, &mut z).over(100))?));
                Ok(())
            })
            .unwrap();
        let nothing = steps.node(saxpy(1.0, &y, &mut z).over(0)).unwrap();
        let (inner, sum) = (inner.get().unwrap(), steps.read(&z, ..1).unwrap());
        let mut graph = steps.into_graph().unwrap();
        let run = |graph: &mut Graph| graph.run().unwrap().get(&sum).unwrap()[0];
        assert_eq!(run(&mut graph), 16.0);
        // The same memory, other values.
        graph.set(&node, saxpy(3.0, &x, &mut y).over(100)).unwrap();
        assert_eq!(run(&mut graph), 31.0);
        // All turns of a loop.
        graph.set(&inner, saxpy(0.0, &y, &mut z).over(100)).unwrap();
        assert_eq!(run(&mut graph), 31.0);
        // Other memory, and so another order: what the loop reads is written by nobody.
        graph.set(&inner, saxpy(1.0, &x, &mut z).over(100)).unwrap();
        assert_eq!(run(&mut graph), 34.0);
        // And back, to a part.
        let part = saxpy(1.0, y.slice(..1).unwrap(), z.slice_mut(..1).unwrap());
        graph.set(&inner, part.over(1)).unwrap();
        y.fill(0.0).unwrap();
        assert_eq!(run(&mut graph), 43.0);
        assert_eq!(z.download().unwrap()[1], 34.0);

        // What does not fit is refused, and changes nothing.
        let mut u = device.zeros::<u32>(100).unwrap();
        let wrong = graph.set(&node, empty(&mut u).over(100)).unwrap_err();
        assert_eq!(
            wrong,
            Error::WrongKernel {
                kernel: "empty".into(),
                recorded: "saxpy".into()
            }
        );
        let text = wrong.to_string();
        assert!(
            text.starts_with("the node launches `saxpy`, and only its arguments"),
            "{text}"
        );
        let mut foreign = Sequence::new(&device);
        let foreign = foreign.node(saxpy(1.0, &x, &mut y).over(100)).unwrap();
        assert_eq!(
            graph.set(&foreign, saxpy(1.0, &x, &mut y).over(9)).unwrap_err(),
            Error::ForeignNode
        );
        assert_eq!(
            graph.set(&nothing, saxpy(1.0, &x, &mut y).over(9)).unwrap_err(),
            Error::ForeignNode
        );
        let empty_domain = graph.set(&node, saxpy(1.0, &x, &mut y).over(0)).unwrap_err();
        assert!(matches!(empty_domain, Error::EmptyGrid { .. }), "{empty_domain}");
        let text = Error::ForeignNode.to_string();
        assert!(text.contains("use the one that `Sequence::node` returned"), "{text}");
        let long = graph
            .set(&node, saxpy(1.0, &x, &mut y).over(100).shared_bytes(1 << 30))
            .unwrap_err();
        assert!(matches!(long, Error::TooLarge { .. }), "{long}");
        if device.is_cuda() {
            let cpu = Device::cpu();
            let (a, mut b) = (cpu.zeros::<f32>(100).unwrap(), cpu.zeros::<f32>(100).unwrap());
            let wrong = graph.set(&node, saxpy(1.0, &a, &mut b).over(100)).unwrap_err();
            assert!(matches!(wrong, Error::WrongDevice { .. }), "{wrong}");
            let wrong = graph.launch(&cpu.default_stream()).unwrap_err();
            assert!(
                matches!(&wrong, Error::WrongDevice { what, .. } if what == "the stream"),
                "{wrong}"
            );
        }
        y.fill(0.0).unwrap();
        assert_eq!(run(&mut graph), 52.0);
    }
}

#[test]
fn loops_of_any_length_are_run() {
    let _alone = alone();
    for device in devices("loops_of_any_length_are_run") {
        let (ones, mut y) = (device.upload(&[1u32; 64]).unwrap(), device.zeros::<u32>(64).unwrap());
        for turns in [0usize, 1, 63, 64, 65, 4095, 4097, 10_000] {
            let mut steps = Sequence::new(&device);
            steps.fill(&mut y, 1).unwrap();
            steps
                .repeat(turns, |body| body.launch(mix(&ones, &mut y).over(64)))
                .unwrap();
            steps.fill(y.slice_mut(..1).unwrap(), 4).unwrap();
            let place = steps.read(&y, ..2).unwrap();
            let expected = (0..turns).fold(1u32, |y, _| y.wrapping_mul(3).wrapping_add(1));
            let mut graph = steps.into_graph().unwrap();
            for _ in 0..2 {
                assert_eq!(graph.run().unwrap().get(&place), Some(&[4, expected][..]), "{turns}");
            }
        }
        // Turns of nothing take no time.
        let mut steps = Sequence::new(&device);
        steps
            .repeat(usize::MAX, |body| body.repeat(0, |inner| inner.fill(&mut y, 9)))
            .unwrap();
        if device.is_cuda() {
            steps.into_graph().unwrap().run().unwrap();
        }
        // Long loops in long loops, with reads.
        let mut steps = Sequence::new(&device);
        steps.fill(&mut y, 0).unwrap();
        let mut place = None;
        steps
            .repeat(7, |body| {
                body.repeat(5000, |inner| inner.launch(mix(&ones, &mut y).over(64)))?;
                place = Some(body.read(&y, 63..)?);
                Ok(())
            })
            .unwrap();
        let expected = (0..35_000).fold(0u32, |y, _| y.wrapping_mul(3).wrapping_add(1));
        let mut graph = steps.into_graph().unwrap();
        assert_eq!(graph.run().unwrap().get(&place.unwrap()), Some(&[expected][..]));
    }
}

#[test]
fn fixpoints_of_graphs_end() {
    let _alone = alone();
    for device in devices("fixpoints_of_graphs_end") {
        let mut x = device.zeros::<u32>(100).unwrap();
        let mut steps = Sequence::new(&device);
        let start: Vec<u32> = (0..100).collect();
        let mut places = Vec::new();
        for limit in [1000, 7, 6, 0] {
            steps.write(&mut x, &start).unwrap();
            let place = steps.fixpoint(limit, |body, changed| body.launch(halve(&mut x, changed).over(100)));
            places.push((place.unwrap(), limit));
        }
        let mut graph = steps.into_graph().unwrap();
        for _ in 0..3 {
            let values = graph.run().unwrap();
            for (place, limit) in &places {
                assert_eq!(values.get(place), Some(&[7.min(*limit)][..]));
            }
        }
        // A fault ends a loop.
        let mut faults = Sequence::new(&device);
        faults.fill(&mut x, 3).unwrap();
        faults
            .repeat(1_000_000_000, |body| body.launch(count_down(&mut x).over(100)))
            .unwrap();
        let mut graph = faults.into_graph().unwrap();
        for _ in 0..2 {
            assert!(matches!(graph.run(), Err(Error::Fault(_))));
        }
    }
}

/// Grid barriers, exchanged arguments, prints and faults in loops that are too long to be unrolled.
#[test]
fn long_loops_do_what_steps_do() {
    const NOBODY: u32 = u32::MAX;
    let _alone = alone();
    for device in devices("long_loops_do_what_steps_do") {
        let turns = if device.is_cuda() { 5000 } else { 300 };
        let blocks = 8;
        let (mut parts, mut sums) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(8).unwrap());
        let (ones, twos) = (device.upload(&[1u32; 64]).unwrap(), device.upload(&[2u32; 64]).unwrap());
        let mut y = device.zeros::<u32>(64).unwrap();
        let (mut barrier, mut mixed) = (None, None);
        let mut steps = Sequence::new(&device);
        steps.fill(&mut parts, 0).unwrap();
        steps.fill(&mut sums, 0).unwrap();
        steps.fill(&mut y, 0).unwrap();
        steps
            .repeat(turns, |body| {
                barrier = Some(body.node(together(&mut parts, &mut sums, NOBODY).grid(blocks))?);
                mixed = Some(body.node(mix(&ones, &mut y).over(64))?);
                Ok(())
            })
            .unwrap();
        let (all, last) = (steps.read(&sums, ..).unwrap(), steps.read(&y, 63..).unwrap());
        let (barrier, mixed) = (barrier.unwrap(), mixed.unwrap());
        let mut graph = steps.into_graph().unwrap();
        let folded = |by: u32| (0..turns).fold(0u32, |y, _| y.wrapping_mul(3).wrapping_add(by));
        let stream = device.stream().unwrap();
        for by in [1, 2, 1] {
            let from = if by == 1 { &ones } else { &twos };
            graph.set(&mixed, mix(from, &mut y).over(64)).unwrap();
            for _ in 0..2 {
                graph.launch(&stream).unwrap();
                let values = graph.wait().unwrap();
                assert_eq!(values.get(&all), Some(&[8 * turns as u32; 8][..]));
                assert_eq!(values.get(&last), Some(&[folded(by)][..]));
            }
            // A fault in the first turn: few others follow.
            graph
                .set(&barrier, together(&mut parts, &mut sums, 3).grid(blocks))
                .unwrap();
            let error = graph.run().unwrap_err();
            assert!(
                matches!(&error, Error::Fault(fault) if fault.message == "one thread leaves"),
                "{error}"
            );
            graph
                .set(&barrier, together(&mut parts, &mut sums, NOBODY).grid(blocks))
                .unwrap();
        }
        device.synchronize().unwrap();
        // It would not end for days, but for the fault.
        let mut left = device.zeros::<u32>(32).unwrap();
        let mut steps = Sequence::new(&device);
        steps.fill(&mut left, 1000).unwrap();
        steps
            .repeat(1 << 40, |body| body.launch(count_down(&mut left).over(32)))
            .unwrap();
        let mut graph = steps.into_graph().unwrap();
        for _ in 0..3 {
            assert!(matches!(graph.run(), Err(Error::Fault(_))));
        }
    }
}

#[test]
fn graphs_print_in_loops() {
    let _alone = alone();
    for device in devices("graphs_print_in_loops") {
        let (sender, lines) = std::sync::mpsc::channel();
        let stream = device.stream().unwrap();
        stream.print_to(move |text| sender.send(text.to_owned()).unwrap());
        let mut x = device.upload(&[5u32]).unwrap();
        let mut steps = Sequence::new(&device).on(&stream).unwrap();
        steps
            .fixpoint(100, |body, changed| {
                body.launch(halve(&mut x, changed).over(1))?;
                body.launch(say(7).over(32))
            })
            .unwrap();
        let mut graph = steps.into_graph().unwrap();
        graph.run().unwrap();
        stream.synchronize().unwrap();
        let text: String = lines.try_iter().collect();
        assert_eq!(text, "said 7\n".repeat(4));
    }
}

#[test]
fn constants_are_those_of_the_graph() {
    let _alone = alone();
    for device in devices("constants_are_those_of_the_graph") {
        let mut x = device.zeros::<u32>(10).unwrap();
        let mut steps = Sequence::new(&device);
        let node = steps.node(advance(&mut x).over(10)).unwrap();
        let of_user = vyre::Device::open(&device.id()).unwrap();
        kernels::STEP::set(&of_user, &[5]);
        let mut graph = steps.into_graph().unwrap();
        graph.run().unwrap();
        assert_eq!(x.download().unwrap(), [5; 10]);
        kernels::STEP::set(&of_user, &[7]);
        graph.set(&node, advance(&mut x).over(10)).unwrap();
        graph.run().unwrap();
        assert_eq!(x.download().unwrap(), [12; 10]);
        kernels::STEP::set(&of_user, &[1]);
    }
}

#[test]
fn graphs_print() {
    let _alone = alone();
    for device in devices("graphs_print") {
        let stream = device.stream().unwrap();
        let (sender, lines) = std::sync::mpsc::channel();
        stream.print_to(move |text| sender.send(text.to_owned()).unwrap());
        let mut steps = Sequence::new(&device);
        let node = steps.node(say(1).over(32)).unwrap();
        let mut graph = steps.into_graph().unwrap();
        graph.launch(&stream).unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        graph.set(&node, say(2).over(32)).unwrap();
        graph.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(graph);
        stream.synchronize().unwrap();
        let text: String = lines.try_iter().collect();
        assert_eq!(text, "said 1\nsaid 1\nsaid 2\n");
    }
}

#[test]
fn a_graph_is_timed() {
    let _alone = alone();
    for device in devices("a_graph_is_timed") {
        let (ones, mut y) = (device.upload(&[1u32; 32]).unwrap(), device.zeros::<u32>(32).unwrap());
        let mut steps = Sequence::new(&device);
        steps
            .repeat(20, |body| body.launch(Slowly::new(100_000, 3, &ones, &mut y)))
            .unwrap();
        let mut graph = steps.into_graph().unwrap();
        let before = device.stats();
        let timing = graph.run_timed(&mut Readback::new()).unwrap();
        let done = device.stats().since(&before);
        // The CPU does not wait within the kernel.
        let least = if device.is_cuda() { 500 } else { 0 };
        assert!(timing.device.unwrap().as_micros() >= least, "{timing:?}");
        assert_eq!(timing.wall, timing.enqueue + timing.wait);
        assert_eq!((done.launches, done.timed_launches), (20, 1));
        assert_eq!(done.graph_launches, u64::from(device.is_cuda()));
        assert_eq!(done.graph_turns, 0);
    }
}

/// The time of each of 1,000 kernels that do nothing, in a chain; printed, for it depends on the machine.
#[test]
fn empty_kernels_are_measured() {
    let _alone = alone();
    for device in devices("empty_kernels_are_measured") {
        let mut x = device.zeros::<u32>(32).unwrap();
        let mut steps = Sequence::new(&device);
        steps.repeat(1000, |body| body.launch(empty(&mut x).over(32))).unwrap();
        let mut graph = steps.into_graph().unwrap();
        let mut values = Readback::new();
        let mut best = [f64::MAX; 3];
        for _ in 0..if device.is_cuda() { 50 } else { 2 } {
            let began = Instant::now();
            let timing = graph.run_timed(&mut values).unwrap();
            let device_time = timing.device.unwrap();
            for (best, time) in best.iter_mut().zip([device_time, timing.enqueue, began.elapsed()]) {
                *best = best.min(time.as_secs_f64());
            }
        }
        let [on_device, enqueue, wall] = best.map(|seconds| seconds * 1e3);
        println!(
            "{device}: a kernel of the graph takes {on_device:.3} us; to launch all {enqueue:.4} ms, in all {wall:.4} ms"
        );
        assert!(on_device > 0.0);
    }
}

/// More bytes than the pitch of a copy may have.
#[test]
fn large_copies_are_nodes() {
    let _alone = alone();
    for device in devices("large_copies_are_nodes").into_iter().filter(Device::is_cuda) {
        let length = (5 << 30) / 8;
        let (x, mut y) = (device.zeros::<u64>(length), device.zeros::<u64>(length));
        let (Ok(mut x), Ok(y)) = (x, &mut y) else {
            println!("skipped: {device} has less memory");
            continue;
        };
        let mut steps = Sequence::new(&device);
        steps.fill(&mut x, 7 << 40).unwrap();
        steps.copy(&mut *y, &x).unwrap();
        let last = steps.read(&*y, length - 1..).unwrap();
        let mut graph = steps.into_graph().unwrap();
        assert_eq!(graph.run().unwrap().get(&last), Some(&[7 << 40][..]));
    }
}

/// The first launch, and the one after a wait, may be on another stream than the one before.
#[test]
fn reports_follow_to_other_streams() {
    let _alone = alone();
    for device in devices("reports_follow_to_other_streams") {
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let (sender, lines) = std::sync::mpsc::channel();
        for stream in &streams {
            let sender = sender.clone();
            stream.print_to(move |text| sender.send(text.to_owned()).unwrap());
        }
        let mut x = device.zeros::<u32>(1).unwrap();
        for _ in 0..20 {
            let mut steps = Sequence::new(&device);
            steps.launch(say(1).over(32)).unwrap();
            steps.launch(count_down(&mut x).over(1)).unwrap();
            let mut graph = steps.into_graph().unwrap();
            for stream in &streams {
                graph.launch(stream).unwrap();
                assert!(matches!(graph.wait(), Err(Error::Fault(_))));
                stream.synchronize().unwrap();
            }
        }
        let text: String = lines.try_iter().collect();
        assert_eq!(text, "said 1\n".repeat(40));
    }
}
