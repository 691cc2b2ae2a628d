//! The parts of a graph as the device has them.

use super::plan;
use crate::backend::{DeviceGraph, GraphNode, NodeLaunch, Parameters, Work};
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
    /// The edges.
    after: Vec<Vec<usize>>,
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
        let mut made = OnDevice {
            graph,
            parts: Vec::new(),
            staging,
        };
        made.parts = made.make(device, &plan::plan(steps), host)?;
        Ok(Some(made))
    }

    fn make(&mut self, device: &DeviceState, parts: &[plan::Part<'_>], host: Host<'_>) -> Result<Vec<Part>> {
        let part = |part: &plan::Part<'_>| {
            Ok(match part {
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
            })
        };
        parts.iter().map(part).collect()
    }

    fn nodes(&mut self, device: &DeviceState, nodes: &plan::Nodes<'_>, host: Host<'_>) -> Result<Nodes> {
        let mut parameters: Vec<Parameters> = Vec::new();
        // The values of constants, until the driver has copied them.
        let mut kept = Vec::new();
        for step in &nodes.steps {
            let mut own = Parameters::new();
            if let Step::Launch(node) = step {
                own = Parameters::of(node.parameters.pointers());
                kept.push(push_constants(device, node.kernel.description(), &mut own));
            }
            parameters.push(own);
        }
        let mut list: Vec<GraphNode<'_>> = Vec::with_capacity(nodes.steps.len());
        for ((step, after), parameters) in nodes.steps.iter().zip(&nodes.after).zip(&mut parameters) {
            let work = match step {
                Step::Launch(node) => Work::Launch(launch(node, parameters)),
                Step::Write { to, chunk, offset } => Work::Write {
                    to: to.address,
                    source: host.chunks[*chunk].pointer().wrapping_add(*offset),
                    bytes: to.bytes,
                },
                Step::Fill { to, pattern } => Work::Fill {
                    address: to.address,
                    pattern,
                    count: to.bytes / pattern.len(),
                },
                Step::Copy { to, from } => Work::Copy {
                    to: to.address,
                    from: from.address,
                    bytes: to.bytes,
                },
                Step::Read { from, place } => Work::Read {
                    target: self.staging.pointer().wrapping_add(host.layout.slots[*place].offset),
                    from: from.address,
                    bytes: from.bytes,
                },
                // Loops are parts of their own.
                Step::Repeat { .. } | Step::Fixpoint { .. } => continue,
            };
            list.push(GraphNode { work, after });
        }
        // SAFETY: the parameters and the entries were checked when the launches were recorded, and the sequence keeps what
        // the nodes use.
        let number = unsafe { self.graph.add_part(&mut list)? };
        Ok(Nodes {
            number,
            after: nodes.after.clone(),
        })
    }

    /// Exchanges the arguments of all launches of this number, if the graph of these steps has the same edges; false if
    /// it has not. After an error some may have been exchanged.
    pub(super) fn exchange(&mut self, device: &DeviceState, steps: &[Step], launch: usize) -> Result<bool> {
        let plan = plan::plan(steps);
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
        (Part::Nodes(nodes), plan::Part::Nodes(planned)) => nodes.after == planned.after,
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
                for (place, step) in planned.steps.iter().enumerate() {
                    let Step::Launch(node) = step else { continue };
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
