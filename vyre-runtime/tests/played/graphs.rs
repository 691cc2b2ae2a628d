//! Graphs on a driver that is played on the host: what they ask of it, and failures that a real one shows rarely.

use crate::kernels::{Entry, FAULTS, PRINTS, on_driver, on_drivers_with_loops_and_without};
use crate::support::saxpy;
use vyre_runtime::{Device, DeviceBuffer, Error, Launch, Readback, Result, Sequence};

fn launch<const N: usize>(kernel: Entry<N>) -> Launch<Entry<N>> {
    Launch::grid(kernel, [1, 1, 1])
}

/// The calls of which a launch of a graph makes none, and those that it makes.
const CALLS: [&str; 10] = [
    "cuStreamSynchronize",
    "cuMemAllocFromPoolAsync",
    "cuMemHostAlloc",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemsetD32Async",
    "cuLaunchKernel",
    "cuGraphExecKernelNodeSetParams",
    "cuEventSynchronize",
    "cuGraphLaunch",
];

#[test]
fn a_launch_is_one_call() {
    on_driver("graphs::a_launch_is_one_call", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut buffers: Vec<_> = (0..10).map(|_| gpu.zeros::<u32>(100).unwrap()).collect();
        let mut steps = Sequence::new(&gpu);
        let mut places = Vec::new();
        for (number, buffer) in (0..).zip(&mut buffers) {
            steps.write(buffer, &[number; 100]).unwrap();
        }
        steps.repeat(50, |body| body.launch(launch(Entry::<0>))).unwrap();
        for buffer in &buffers {
            places.push(steps.read(buffer, 99..).unwrap());
        }
        let mut graph = steps.into_graph().unwrap();
        assert_eq!(driver.calls("cuGraphAddKernelNode"), 50);
        assert_eq!(driver.calls("cuGraphAddMemcpyNode"), 20);
        let mut values = Readback::new();
        for _ in 0..2 {
            let before = CALLS.map(|call| driver.calls(call));
            let launches = gpu.stats().launches;
            let stream = gpu.default_stream();
            graph.launch(&stream).unwrap();
            graph.wait_into(&mut values).unwrap();
            let done = CALLS.map(|call| driver.calls(call));
            let done: Vec<u64> = done.iter().zip(before).map(|(now, before)| now - before).collect();
            assert_eq!(done, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
            assert_eq!(gpu.stats().launches - launches, 50);
        }
        for (number, place) in (0..).zip(&places) {
            assert_eq!(values.get(place), Some(&[number][..]));
        }
        drop(graph);
        assert_eq!(driver.graphs(), 0);
    });
}

/// The driver runs nodes in the order that departs most from the one in which they were recorded.
#[test]
fn conflicting_nodes_have_edges() {
    on_driver("graphs::conflicting_nodes_have_edges", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let mut seed = 3u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for _ in 0..20 {
            let mut buffers: Vec<_> = (0..3).map(|i| gpu.upload(&[[i; 3]; 40]).unwrap()).collect();
            let mut host: Vec<Vec<[u16; 3]>> = (0..3).map(|i| vec![[i; 3]; 40]).collect();
            let (mut list, mut places) = (Vec::new(), Vec::new());
            let mut steps = Sequence::new(&gpu);
            for value in 0..60u16 {
                let (from, to) = (random(3), random(3));
                let (start, other, length) = (random(20), random(20), random(20));
                match random(4) {
                    0 => {
                        let part = buffers[to].slice_mut(start..start + length).unwrap();
                        steps.fill(part, [value, value, value + 1]).unwrap();
                        list.push((0, value, 0, to, start, 0, length));
                    }
                    1 => {
                        let part = buffers[to].slice_mut(start..start + length).unwrap();
                        steps.write(part, &vec![[value; 3]; length]).unwrap();
                        list.push((1, value, 0, to, start, 0, length));
                    }
                    2 => {
                        places.push(steps.read(&buffers[to], start..start + length).unwrap());
                        list.push((2, 0, 0, to, start, 0, length));
                    }
                    _ if from != to => {
                        let [source, target] = buffers.get_disjoint_mut([from, to]).unwrap();
                        let source = source.slice(other..other + length).unwrap();
                        steps
                            .copy(target.slice_mut(start..start + length).unwrap(), source)
                            .unwrap();
                        list.push((3, 0, from, to, start, other, length));
                    }
                    _ => {}
                }
            }
            let mut graph = steps.into_graph().unwrap();
            for _ in 0..2 {
                let mut read = Vec::new();
                for &(kind, value, from, to, start, other, length) in &list {
                    let range = start..start + length;
                    match kind {
                        0 => host[to][range].fill([value, value, value + 1]),
                        1 => host[to][range].fill([value; 3]),
                        2 => read.push(host[to][range].to_vec()),
                        _ => {
                            let source = host[from][other..other + length].to_vec();
                            host[to][range].copy_from_slice(&source);
                        }
                    }
                }
                let values = graph.run().unwrap();
                for (place, read) in places.iter().zip(&read) {
                    assert_eq!(values.get(place), Some(&read[..]));
                }
                for (buffer, host) in buffers.iter().zip(&host) {
                    assert_eq!(&buffer.download().unwrap(), host);
                }
            }
        }
        assert_eq!(driver.graphs(), 0);
    });
}

#[test]
fn launches_on_several_streams_are_ordered() {
    on_driver("graphs::launches_on_several_streams_are_ordered", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let handle = |stream: &vyre_runtime::Stream| stream.with_raw(|raw| raw.addr()).unwrap();
        // A graph that reads, which orders nothing by itself, but its reports are in one place.
        let x = gpu.zeros::<u32>(4).unwrap();
        let mut steps = Sequence::new(&gpu);
        let place = steps.read(&x, ..).unwrap();
        let mut graph = steps.into_graph().unwrap();
        graph.launch(&first).unwrap();
        graph.launch(&second).unwrap();
        assert!(driver.follows(handle(&second), handle(&first)));
        assert_eq!(graph.wait().unwrap().get(&place), Some(&[0; 4][..]));
        // Other work on its memory comes after it.
        let mut y = gpu.zeros::<u32>(4).unwrap();
        let mut steps = Sequence::new(&gpu);
        steps.fill(&mut y, 1).unwrap();
        let mut graph = steps.into_graph().unwrap();
        graph.launch(&second).unwrap();
        let third = gpu.stream().unwrap();
        let mut reader = Sequence::new(&gpu).on(&third).unwrap();
        reader.read(&y, ..).unwrap();
        reader.run().unwrap();
        assert!(driver.follows(handle(&third), handle(&second)));
    });
}

#[test]
fn faults_of_graphs_are_told_once() {
    on_driver("graphs::faults_of_graphs_are_told_once", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = gpu.zeros::<u32>(1).unwrap();
        let mut steps = Sequence::new(&gpu);
        steps.launch(launch(Entry::<0>)).unwrap();
        steps.launch(launch(Entry::<FAULTS>)).unwrap();
        steps.launch(launch(Entry::<FAULTS>)).unwrap();
        steps.fill(&mut x, 1).unwrap();
        let mut graph = steps.into_graph().unwrap();
        // The node that numbers the launches anew, and the kernels.
        assert_eq!(driver.calls("cuGraphAddKernelNode"), 4);
        let is_fault = |error: Error| matches!(&error, Error::Fault(fault) if &*fault.kernel == "faults");
        for _ in 0..3 {
            assert!(is_fault(graph.run().unwrap_err()));
            gpu.synchronize().unwrap();
            // What it may have written is marked, until it is overwritten.
            assert!(is_fault(x.download().unwrap_err()));
            x.fill(2).unwrap();
            assert_eq!(x.download().unwrap(), [2]);
        }
        // One for each launch, told by a wait for a stream of them.
        for on in [&stream, &stream, &other] {
            graph.launch(on).unwrap();
        }
        for _ in 0..3 {
            assert!(is_fault(stream.synchronize().unwrap_err()));
        }
        for on in [&stream, &other] {
            on.synchronize().unwrap();
        }
        gpu.synchronize().unwrap();
        // Of many, the first are kept to be told.
        for _ in 0..5000 {
            graph.launch(&stream).unwrap();
        }
        let mut told = 0;
        while let Err(error) = gpu.synchronize() {
            assert!(matches!(error, Error::Fault(_) | Error::LostFault { .. }), "{error}");
            told += 1;
        }
        // The work is done when a launch returns, so the next one collects its fault.
        assert_eq!(told, 1024);
        // A fault of another launch is not the graph's.
        Entry::<FAULTS>.launch(&gpu).unwrap();
        let mut other = Sequence::new(&gpu).into_graph().unwrap();
        other.run().unwrap();
        assert!(is_fault(gpu.synchronize().unwrap_err()));
        // One that nobody waited for is told after the graph has gone.
        graph.launch(&stream).unwrap();
        drop(graph);
        assert!(is_fault(stream.synchronize().unwrap_err()));
        gpu.synchronize().unwrap();
    });
}

#[test]
fn long_loops_are_nodes_or_launched_in_parts() {
    on_drivers_with_loops_and_without(
        "graphs::long_loops_are_nodes_or_launched_in_parts",
        |driver, has_loops| {
            let gpu = Device::cuda(0).unwrap();
            let launched = |turns: usize| {
                let nodes = driver.calls("cuGraphAddKernelNode");
                let mut steps = Sequence::new(&gpu);
                steps.repeat(turns, |body| body.launch(launch(Entry::<0>))).unwrap();
                let mut graph = steps.into_graph().unwrap();
                let before = gpu.stats();
                graph.run().unwrap();
                let done = gpu.stats().since(&before);
                assert_eq!(done.launches, turns as u64);
                let nodes = driver.calls("cuGraphAddKernelNode") - nodes;
                (nodes, done.graph_launches, done.graph_turns)
            };
            assert_eq!(launched(0), (0, 0, 0));
            assert_eq!(launched(500), (500, 1, 0));
            let long = match has_loops {
                // The one that numbers the launch, 256 in a turn, the two kernels that count turns, and the rest.
                true => (1 + 256 + 2 + 5000 % 256, 1, 0),
                // 64 in a turn, and the rest.
                false => (64 + 8, 78 + 1, 78),
            };
            assert_eq!(launched(5000), long);
            assert_eq!(driver.calls("cuGraphAddNode"), u64::from(has_loops));
            // A fault ends them, those around them, and those behind them.
            let mut x = gpu.zeros::<u32>(1).unwrap();
            let mut steps = Sequence::new(&gpu);
            steps
                .repeat(1 << 50, |body| {
                    body.repeat(1_000_000, |inner| inner.launch(launch(Entry::<FAULTS>)))?;
                    body.fill(&mut x, 1)
                })
                .unwrap();
            let place = steps.fixpoint(u32::MAX, |body, changed| {
                body.fill(&mut x, 1)?;
                body.fill(changed, 1)
            });
            let mut graph = steps.into_graph().unwrap();
            for _ in 0..3 {
                let before = gpu.stats();
                assert!(matches!(graph.run(), Err(Error::Fault(_))));
                assert_eq!(gpu.stats().since(&before).graph_launches, 1);
                // Told once.
                gpu.synchronize().unwrap();
            }
            assert_eq!(graph.wait().unwrap().get(&place.unwrap()), None);
            drop(graph);
            assert_eq!(driver.graphs(), 0);
        },
    );
}

/// A loop whose own part of the graph reports nothing runs again after a launch in which another part has faulted.
#[test]
fn the_fault_of_a_part_ends_no_loop_of_the_next_launch() {
    let name = "graphs::the_fault_of_a_part_ends_no_loop_of_the_next_launch";
    on_drivers_with_loops_and_without(name, |driver, _| {
        let gpu = Device::cuda(0).unwrap();
        let (mut looped, mut other) = (gpu.zeros::<u32>(1).unwrap(), gpu.zeros::<u32>(1).unwrap());
        let mut steps = Sequence::new(&gpu);
        steps.repeat(5000, |body| body.fill(&mut looped, 7)).unwrap();
        // With the loop these fill its part.
        for _ in 0..4 {
            steps.repeat(4096, |body| body.fill(&mut other, 1)).unwrap();
        }
        steps.launch(launch(Entry::<FAULTS>)).unwrap();
        let mut graph = steps.into_graph().unwrap();
        for _ in 0..3 {
            looped.fill(0).unwrap();
            gpu.synchronize().unwrap();
            assert!(matches!(graph.run(), Err(Error::Fault(_))));
            let at = std::ptr::with_exposed_provenance::<u32>(looped.as_view().address() as usize);
            // SAFETY: the driver has the memory of the device on the host, and no work is left that uses it.
            assert_eq!(unsafe { at.read() }, 7);
        }
        drop(graph);
        assert_eq!(driver.graphs(), 0);
    });
}

/// Kernels do nothing here, so copies shift a mark towards the flag: one place in each turn.
#[test]
fn loops_of_the_device_compute_what_sequences_do() {
    let name = "graphs::loops_of_the_device_compute_what_sequences_do";
    on_drivers_with_loops_and_without(name, |driver, has_loops| {
        let gpu = Device::cuda(0).unwrap();
        let steps = |limits: [u32; 2]| {
            let mut marks = gpu.zeros::<u32>(9).unwrap();
            let mut shifted = gpu.zeros::<u32>(8).unwrap();
            let (mut seen, one) = (gpu.zeros::<u32>(1).unwrap(), gpu.upload(&[1u32]).unwrap());
            let mut steps = Sequence::new(&gpu);
            let (mut inner, mut last) = (None, None);
            // Five marks, then zeros; the outer loop ends by its limit.
            let outer = steps.fixpoint(limits[0], |body, changed| {
                body.write(&mut marks, &[1, 1, 1, 1, 1, 0, 0, 0, 0])?;
                inner = Some(body.fixpoint(limits[1], |turn, moved| {
                    turn.copy(&mut *moved, marks.slice(..1)?)?;
                    turn.copy(&mut shifted, marks.slice(1..)?)?;
                    turn.copy(marks.slice_mut(..8)?, &shifted)
                })?);
                last = Some(body.read(&marks, ..)?);
                body.repeat(6000, |turn| turn.copy(&mut seen, &one))?;
                body.copy(changed, &seen)
            });
            let all = steps.read(&seen, ..).unwrap();
            (steps, outer.unwrap(), inner.unwrap(), last.unwrap(), all)
        };
        for limits in [[3, 100], [1, 5], [4, 2], [2, 0], [0, 4]] {
            let (mut sequence, outer, inner, last, all) = steps(limits);
            let values = sequence.run().unwrap();
            let expected = [outer, inner].map(|place| values.get(&place).map(<[u32]>::to_vec));
            let marks = values.get(&last).map(<[u32]>::to_vec);
            let seen = values.get(&all).unwrap().to_vec();
            if limits[0] != 0 {
                assert_eq!(expected[0], Some(vec![limits[0]]));
                assert_eq!(expected[1], Some(vec![limits[1].min(5)]));
            }
            let (sequence, outer, inner, last, all) = steps(limits);
            let mut graph = sequence.into_graph().unwrap();
            for _ in 0..3 {
                let before = gpu.stats();
                let values = graph.run().unwrap();
                assert_eq!(
                    [outer, inner].map(|place| values.get(&place).map(<[u32]>::to_vec)),
                    expected
                );
                assert_eq!(values.get(&last).map(<[u32]>::to_vec), marks);
                assert_eq!(values.get(&all), Some(&seen[..]));
                let done = gpu.stats().since(&before);
                let turns = if limits[0] == 0 { 0 } else { u64::from(!has_loops) };
                assert_eq!(done.graph_turns != 0, turns != 0, "{limits:?}");
                if has_loops {
                    assert_eq!(done.graph_launches, 1);
                }
            }
        }
        assert_eq!(driver.graphs(), 0);
    });
}

#[test]
fn an_exchange_reaches_all_turns() {
    on_drivers_with_loops_and_without("graphs::an_exchange_reaches_all_turns", |driver, has_loops| {
        let gpu = Device::cuda(0).unwrap();
        let (x, mut y) = (gpu.zeros::<f32>(4).unwrap(), gpu.zeros::<f32>(4).unwrap());
        let mut node = None;
        let mut steps = Sequence::new(&gpu);
        steps
            .repeat(5000, |body| {
                node = Some(body.node(saxpy(1.0, &x, &mut y).over(4))?);
                body.launch(launch(Entry::<0>))
            })
            .unwrap();
        steps.fill(&mut y, 1.0).unwrap();
        let mut graph = steps.into_graph().unwrap();
        let counts = || ["cuGraphExecKernelNodeSetParams", "cuGraphCreate"].map(|call| driver.calls(call));
        let [sets, graphs] = counts();
        graph.set(&node.unwrap(), saxpy(2.0, &x, &mut y).over(4)).unwrap();
        // The copies in a turn, and those of the rest.
        let copies = match has_loops {
            true => 128 + 5000 % 128,
            false => 32 + 5000 % 32,
        };
        assert_eq!(counts(), [sets + copies, graphs]);
        graph.run().unwrap();
        // Of other memory: the edge to the fill goes, and the graph is made anew, with its loops.
        let mut other = gpu.zeros::<f32>(4).unwrap();
        graph.set(&node.unwrap(), saxpy(2.0, &x, &mut other).over(4)).unwrap();
        assert!(counts()[1] > graphs);
        assert_eq!(driver.calls("cuGraphAddNode"), 2 * u64::from(has_loops));
        graph.run().unwrap();
        drop(graph);
        assert_eq!(driver.graphs(), 0);
    });
}

#[test]
fn an_exchange_sets_parameters_or_makes_the_graph_anew() {
    on_driver(
        "graphs::an_exchange_sets_parameters_or_makes_the_graph_anew",
        |driver| {
            let gpu = Device::cuda(0).unwrap();
            let (x, mut y, mut z): (DeviceBuffer<f32>, DeviceBuffer<f32>, DeviceBuffer<f32>) =
                (gpu.zeros(4).unwrap(), gpu.zeros(4).unwrap(), gpu.zeros(4).unwrap());
            let mut steps = Sequence::new(&gpu);
            let node = steps.node(saxpy(1.0, &x, &mut y).over(4)).unwrap();
            steps.launch(saxpy(1.0, &x, &mut z).over(4)).unwrap();
            let sum = steps.read(&z, ..1).unwrap();
            let mut graph = steps.into_graph().unwrap();
            let counts = || ["cuGraphExecKernelNodeSetParams", "cuGraphCreate"].map(|call| driver.calls(call));
            let [sets, graphs] = counts();
            graph.launch(&gpu.default_stream()).unwrap();
            graph.set(&node, saxpy(2.0, &x, &mut y).over(4)).unwrap();
            assert_eq!(counts(), [sets + 1, graphs]);
            // Both write `z` now.
            graph.set(&node, saxpy(2.0, &x, &mut z).over(4)).unwrap();
            assert_eq!(counts(), [sets + 1, graphs + 1]);
            // The values read before are still there.
            assert_eq!(graph.wait().unwrap().get(&sum), Some(&[0.0][..]));
            z.fill(5.0).unwrap();
            assert_eq!(graph.run().unwrap().get(&sum), Some(&[5.0][..]));
            // Without memory for it nothing changes, and the memory of what was refused is not kept.
            let live = driver.allocations();
            let refused = gpu.zeros::<f32>(4).unwrap();
            driver.fail_allocations(0, 4);
            let error = graph.set(&node, saxpy(2.0, &refused, &mut y).over(4)).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            driver.fail_allocations(0, 0);
            assert_eq!(graph.run().unwrap().get(&sum), Some(&[5.0][..]));
            drop(refused);
            gpu.synchronize().unwrap();
            assert_eq!(driver.allocations(), live);
            graph.set(&node, saxpy(3.0, &x, &mut z).over(4)).unwrap();
            graph.run().unwrap();
            drop(graph);
            assert_eq!(driver.graphs(), 0);
        },
    );
}

#[test]
fn graphs_survive_without_memory() {
    on_driver("graphs::graphs_survive_without_memory", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let exercise = |failing: Option<u64>| -> bool {
            let mut x = gpu.upload(&[1u32; 1 << 12]).unwrap();
            let mut steps = Sequence::new(&gpu);
            steps.write(&mut x, &[7; 1 << 12]).unwrap();
            steps.launch(launch(Entry::<PRINTS>)).unwrap();
            let place = steps.read(&x, ..).unwrap();
            // A loop of the device in another one.
            steps
                .repeat(10_000, |body| {
                    body.launch(launch(Entry::<0>))?;
                    body.fixpoint(3, |turn, changed| turn.fill(changed, 1)).map(drop)
                })
                .unwrap();
            if let Some(working) = failing {
                // The driver is asked again after one that fails.
                driver.fail_allocations(working, 2);
            }
            let run = || -> Result<_> {
                let mut graph = steps.into_graph()?;
                graph.run()?;
                Ok(graph.run()?.get(&place).map(<[u32]>::to_vec))
            };
            let result = run();
            driver.fail_allocations(0, 0);
            assert_eq!(driver.graphs(), 0);
            let is_done = result.is_ok();
            match result {
                Ok(values) => assert_eq!(values, Some(vec![7; 1 << 12])),
                Err(error) => {
                    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
                    x.fill(2).unwrap();
                    assert_eq!(x.download().unwrap(), [2; 1 << 12]);
                }
            }
            gpu.synchronize().unwrap();
            is_done
        };
        assert!(exercise(None));
        let live = driver.allocations();
        let mut failed = 0;
        while !exercise(Some(failed)) {
            failed += 1;
        }
        // At least the memory for faults, for what is read and printed, the kernel and the counters of loops, the loops, and
        // the graph in two forms.
        assert!(failed >= 9, "{failed}");
        assert!(exercise(None));
        assert_eq!(driver.allocations(), live);
    });
}

#[test]
fn what_a_graph_reports_by_is_freed_after_launches_on_several_streams() {
    let name = "graphs::what_a_graph_reports_by_is_freed_after_launches_on_several_streams";
    on_driver(name, |driver| {
        let gpu = Device::cuda(0).unwrap();
        let streams = [gpu.stream().unwrap(), gpu.stream().unwrap()];
        let exercise = || {
            let mut steps = Sequence::new(&gpu);
            steps.launch(launch(Entry::<PRINTS>)).unwrap();
            let mut graph = steps.into_graph().unwrap();
            streams.iter().for_each(|stream| graph.launch(stream).unwrap());
            drop(graph);
            streams.iter().for_each(|stream| stream.synchronize().unwrap());
        };
        exercise();
        let live = driver.allocations();
        for _ in 0..3 {
            exercise();
            assert_eq!(driver.allocations(), live);
        }
    });
}

#[test]
fn a_launch_that_fails_has_no_values() {
    on_drivers_with_loops_and_without("graphs::a_launch_that_fails_has_no_values", |driver, has_loops| {
        let gpu = Device::cuda(0).unwrap();
        let mut x = gpu.zeros::<u32>(4).unwrap();
        let mut steps = Sequence::new(&gpu);
        steps.fill(&mut x, 1).unwrap();
        steps.repeat(5000, |body| body.launch(launch(Entry::<0>))).unwrap();
        let place = steps.read(&x, ..).unwrap();
        let mut graph = steps.into_graph().unwrap();
        let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        graph.launch(&first).unwrap();
        // Some parts are queued, and then one is not. The driver is asked again.
        driver.fail_allocations(if has_loops { 0 } else { 3 }, 2);
        let error = graph.launch(&second).unwrap_err();
        driver.fail_allocations(0, 0);
        assert!(
            matches!(
                error,
                Error::OutOfMemory {
                    requested: 1..,
                    free: Some(_)
                }
            ),
            "{error}"
        );
        assert_eq!(graph.wait().unwrap().get(&place), None);
        // The next one works.
        graph.launch(&first).unwrap();
        assert_eq!(graph.wait().unwrap().get(&place), Some(&[1; 4][..]));
    });
}

/// The next launch may be on another stream, which follows none that was waited for.
#[test]
fn memory_for_reports_is_ready_for_any_stream() {
    on_driver("graphs::memory_for_reports_is_ready_for_any_stream", |driver| {
        let gpu = Device::cuda(0).unwrap();
        let stream = gpu.stream().unwrap();
        let handle = stream.with_raw(|raw| raw.addr()).unwrap();
        for is_printed in [true, false] {
            let mut steps = Sequence::new(&gpu).on(&stream).unwrap();
            match is_printed {
                true => steps.launch(launch(Entry::<PRINTS>)).unwrap(),
                false => steps.launch(launch(Entry::<FAULTS>)).unwrap(),
            }
            let mut graph = steps.into_graph().unwrap();
            assert!(driver.is_settled(handle));
            graph.launch(&stream).unwrap();
            assert!(!driver.is_settled(handle));
            assert_eq!(graph.wait().is_ok(), is_printed);
            assert!(is_printed || driver.is_settled(handle));
        }
    });
}
