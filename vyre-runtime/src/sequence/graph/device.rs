//! The parts of a graph as the device has them.

use super::plan::{self, Item};
use crate::backend::{DeviceGraph, GraphNode, LoopFlag, LoopNode, NodeLaunch, Parameters, Work};
use crate::device::DeviceState;
use crate::device::staging::Staging;
use crate::device::stream::StreamState;
use crate::error::Result;
use crate::launch::submission::push_constants;
use crate::sequence::readback::Layout;
use crate::sequence::step::{Node, Range, Step};

/// A graph that a device has.
pub(super) struct OnDevice {
    pub(super) graph: Box<dyn DeviceGraph>,
    has_loops: bool,
    pub(super) parts: Vec<Part>,
    /// The memory for what is read.
    pub(super) staging: Staging,
}

/// A part, as it is launched.
pub(super) enum Part {
    Nodes(Nodes),
    Repeat {
        turns: usize,
        body: Vec<Part>,
    },
    Fixpoint {
        flag: Range,
        limit: u32,
        body: Vec<Part>,
        place: usize,
    },
}

/// A part of nodes.
pub(super) struct Nodes {
    /// Its number in the device's graph.
    pub(super) number: usize,
    edges: plan::Edges,
}

/// The memory of the host that nodes use.
#[derive(Clone, Copy)]
pub(super) struct Host<'h> {
    pub(super) chunks: &'h [Staging],
    pub(super) layout: &'h Layout,
}

impl OnDevice {
    /// Makes the graph of steps; `None` if the back end has no graphs.
    pub(super) fn new(
        device: &'static DeviceState,
        stream: &'static StreamState,
        steps: &[Step],
        host: Host<'_>,
    ) -> Result<Option<OnDevice>> {
        let Some(graph) = device.backend().open_graph(stream.queue())? else {
            return Ok(None);
        };
        let staging = device.staging(host.layout.bytes)?;
        let mut plan = plan::plan(steps, false);
        let has_loops = plan::repeats(&plan) && graph.has_loops()?;
        if has_loops {
            plan = plan::plan(steps, true);
        }
        let mut made = OnDevice {
            graph,
            has_loops,
            parts: Vec::new(),
            staging,
        };
        made.parts = made.make(device, &plan, host)?;
        Ok(Some(made))
    }

    fn make(&mut self, device: &DeviceState, parts: &[plan::Part<'_>], host: Host<'_>) -> Result<Vec<Part>> {
        let mut made = Vec::with_capacity(parts.len());
        for part in parts {
            made.push(match part {
                plan::Part::Nodes(nodes) => Part::Nodes(self.nodes(device, nodes, host)?),
                plan::Part::Repeat { turns, body } => Part::Repeat {
                    turns: *turns,
                    body: self.make(device, body, host)?,
                },
                plan::Part::Fixpoint {
                    flag,
                    limit,
                    body,
                    place,
                } => Part::Fixpoint {
                    flag: (*flag).clone(),
                    limit: *limit,
                    body: self.make(device, body, host)?,
                    place: *place,
                },
            });
        }
        Ok(made)
    }

    fn nodes(&mut self, device: &DeviceState, nodes: &plan::Nodes<'_>, host: Host<'_>) -> Result<Nodes> {
        let mut parameters: Vec<Parameters> = Vec::new();
        // The values of constants, until the driver has copied them.
        let mut kept = Vec::new();
        Item::launches(&nodes.items, &mut |node| {
            let mut own = Parameters::of(node.parameters.pointers());
            kept.push(push_constants(device, node.kernel.description(), &mut own));
            parameters.push(own);
        });
        let mut list = self.list(&nodes.items, &nodes.edges, &mut parameters.iter_mut(), host);
        // SAFETY: the parameters and the entries were checked when the launches were recorded, and the sequence keeps what
        // the nodes use. The plan has loops only if the graph has them.
        let number = unsafe { self.graph.add_part(&mut list)? };
        Ok(Nodes {
            number,
            edges: nodes.edges.clone(),
        })
    }

    /// The nodes of items, given the parameters of their launches.
    fn list<'n>(
        &self,
        items: &'n [Item<'_>],
        edges: &'n plan::Edges,
        parameters: &mut std::slice::IterMut<'n, Parameters>,
        host: Host<'_>,
    ) -> Vec<GraphNode<'n>> {
        let mut list = Vec::with_capacity(items.len());
        let mut bodies = edges.bodies.iter();
        let place = |place: usize| self.staging.pointer().wrapping_add(host.layout.slots[place].offset);
        for (item, after) in items.iter().zip(&edges.after) {
            let work = match item {
                Item::Loop(own) => {
                    // There are edges for each loop.
                    let Some(edges) = bodies.next() else { continue };
                    Work::Loop(LoopNode {
                        turns: own.turns,
                        flag: own.flag.map(|(flag, number)| LoopFlag {
                            address: flag.address,
                            turns_to: place(number),
                        }),
                        body: self.list(&own.body, edges, parameters, host),
                    })
                }
                Item::Step(Step::Launch(node)) => {
                    // There are parameters for each launch.
                    let Some(parameters) = parameters.next() else { continue };
                    Work::Launch(launch(node, parameters))
                }
                Item::Step(Step::Write { to, chunk, offset }) => Work::Write {
                    to: to.address,
                    source: host.chunks[*chunk].pointer().wrapping_add(*offset),
                    bytes: to.bytes,
                },
                Item::Step(Step::Fill { to, pattern }) => Work::Fill {
                    address: to.address,
                    pattern,
                    count: to.bytes / pattern.len(),
                },
                Item::Step(Step::Copy { to, from }) => Work::Copy {
                    to: to.address,
                    from: from.address,
                    bytes: to.bytes,
                },
                Item::Step(Step::Read { from, place: number }) => Work::Read {
                    target: place(*number),
                    from: from.address,
                    bytes: from.bytes,
                },
                Item::Step(Step::ReadCounted(counted)) => {
                    Work::ReadCounted(counted.copy(host.layout, self.staging.pointer()))
                }
                // They are loops, or unrolled.
                Item::Step(Step::Repeat { .. } | Step::Fixpoint { .. }) => continue,
            };
            list.push(GraphNode { work, after });
        }
        list
    }

    /// Exchanges the arguments of all launches of this number, if the graph of these steps has the same edges; false if
    /// it has not. After an error some may have been exchanged.
    pub(super) fn exchange(&mut self, device: &DeviceState, steps: &[Step], launch: usize) -> Result<bool> {
        let plan = plan::plan(steps, self.has_loops);
        match same(&self.parts, &plan) {
            false => Ok(false),
            true => exchange(&mut *self.graph, device, &self.parts, &plan, launch).map(|()| true),
        }
    }
}

fn launch<'n>(node: &'n Node, parameters: &'n mut Parameters) -> NodeLaunch<'n> {
    NodeLaunch {
        kernel: node.kernel.description(),
        entry: node.entry,
        extent: node.extent,
        shared_bytes: node.shared_bytes,
        parameters,
    }
}

/// True if parts have the edges of a plan of the same steps.
fn same(parts: &[Part], plan: &[plan::Part<'_>]) -> bool {
    parts.iter().zip(plan).all(|pair| match pair {
        (Part::Nodes(nodes), plan::Part::Nodes(planned)) => nodes.edges == planned.edges,
        (Part::Repeat { body, .. }, plan::Part::Repeat { body: planned, .. })
        | (Part::Fixpoint { body, .. }, plan::Part::Fixpoint { body: planned, .. }) => same(body, planned),
        _ => false,
    })
}

fn exchange(
    graph: &mut dyn DeviceGraph,
    device: &DeviceState,
    parts: &[Part],
    plan: &[plan::Part<'_>],
    number: usize,
) -> Result<()> {
    for pair in parts.iter().zip(plan) {
        match pair {
            (Part::Nodes(nodes), plan::Part::Nodes(planned)) => {
                let mut launches = Vec::new();
                Item::launches(&planned.items, &mut |node| launches.push(node));
                for (place, node) in launches.into_iter().enumerate() {
                    if node.number != number {
                        continue;
                    }
                    let mut parameters = Parameters::of(node.parameters.pointers());
                    let _set = push_constants(device, node.kernel.description(), &mut parameters);
                    // SAFETY: they were checked when the launch was recorded, and the sequence keeps what they lead to.
                    unsafe { graph.set(nodes.number, place, launch(node, &mut parameters))? };
                }
            }
            (Part::Repeat { body, .. }, plan::Part::Repeat { body: planned, .. })
            | (Part::Fixpoint { body, .. }, plan::Part::Fixpoint { body: planned, .. }) => {
                exchange(graph, device, body, planned, number)?;
            }
            _ => {}
        }
    }
    Ok(())
}
