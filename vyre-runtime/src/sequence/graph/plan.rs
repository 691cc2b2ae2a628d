//! The parts of a graph: steps in a row are nodes of one part, and a loop that is too long to be unrolled is a part that
//! is launched many times.

use super::order::{Access, Order, Resource};
use crate::sequence::step::{Range, Step};

/// The most nodes that a loop is unrolled to within the steps around it.
const UNROLLED: usize = 4096;

/// The most nodes of a part: each is compared with those before it.
const NODES: usize = 1 << 14;

/// The launches of kernels that a turn of a longer loop has at least, if it has enough turns: a graph costs the host a few
/// microseconds, and a node less than one.
const TURN: usize = 64;

/// A part of a graph, as it is played.
pub(super) enum Part<'s> {
    /// Nodes, which the device orders by these edges.
    Nodes(Nodes<'s>),
    /// Parts that are launched a number of times.
    Repeat { turns: usize, body: Vec<Part<'s>> },
    /// Parts that are launched until the flag stays zero.
    Fixpoint {
        flag: &'s Range,
        limit: u32,
        body: Vec<Part<'s>>,
        place: usize,
    },
}

/// Steps that are no loops, with the earlier ones that each comes after.
#[derive(Default)]
pub(super) struct Nodes<'s> {
    pub(super) steps: Vec<&'s Step>,
    pub(super) after: Vec<Vec<usize>>,
}

/// The parts of steps.
pub(super) fn plan(steps: &[Step]) -> Vec<Part<'_>> {
    let mut planner = Planner::default();
    planner.steps(steps);
    planner.finish()
}

#[derive(Default)]
struct Planner<'s> {
    parts: Vec<Part<'s>>,
    /// The steps since the last part.
    open: Vec<&'s Step>,
}

impl<'s> Planner<'s> {
    fn steps(&mut self, steps: &'s [Step]) {
        for step in steps {
            match step {
                Step::Repeat { turns, body } => self.repeat(*turns, body),
                Step::Fixpoint {
                    flag,
                    limit,
                    body,
                    place,
                } => {
                    self.close();
                    self.parts.push(Part::Fixpoint {
                        flag,
                        limit: *limit,
                        body: plan(body),
                        place: *place,
                    });
                }
                step => {
                    if self.open.len() == NODES {
                        self.close();
                    }
                    self.open.push(step);
                }
            }
        }
    }

    fn repeat(&mut self, turns: usize, body: &'s [Step]) {
        let size = unrolled(body);
        if size == Some(0) {
            // Else turns of nothing would take time.
            return;
        }
        let unroll = |planner: &mut Self, times: usize| (0..times).for_each(|_| planner.steps(body));
        if size.is_some_and(|size| size.saturating_mul(turns) <= UNROLLED) {
            return unroll(self, turns);
        }
        self.close();
        let times = match size {
            // At least one turn, and not many nodes for few launches.
            Some(size) => {
                let wanted = TURN.div_ceil(launches(body).max(1));
                wanted.min(turns).min(UNROLLED / size.max(1)).max(1)
            }
            None => 1,
        };
        let mut inner = Planner::default();
        unroll(&mut inner, times);
        self.parts.push(Part::Repeat {
            turns: turns / times,
            body: inner.finish(),
        });
        if !turns.is_multiple_of(times) {
            unroll(self, turns % times);
        }
    }

    /// Ends the steps in a row.
    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let mut order = Order::default();
        let steps = std::mem::take(&mut self.open);
        steps.iter().for_each(|step| order.add(accesses(step)));
        let after = order.into_edges();
        self.parts.push(Part::Nodes(Nodes { steps, after }));
    }

    fn finish(mut self) -> Vec<Part<'s>> {
        self.close();
        self.parts
    }
}

/// The nodes of steps that are unrolled; `None` if they have a loop that is not.
fn unrolled(steps: &[Step]) -> Option<usize> {
    let size = |step: &Step| match step {
        Step::Repeat { turns, body } => unrolled(body)
            .map(|size| size.saturating_mul(*turns))
            .filter(|&size| size <= UNROLLED),
        Step::Fixpoint { .. } => None,
        _ => Some(1),
    };
    steps
        .iter()
        .try_fold(0usize, |sum, step| Some(sum.saturating_add(size(step)?)))
}

/// The launches of kernels in unrolled steps.
fn launches(steps: &[Step]) -> usize {
    let count = |step: &Step| match step {
        Step::Launch(_) => 1,
        Step::Repeat { turns, body } => launches(body).saturating_mul(*turns),
        _ => 0,
    };
    steps.iter().map(count).fold(0, usize::saturating_add)
}

/// The memory that a step uses, which is no loop.
fn accesses(step: &Step) -> Vec<Access> {
    match step {
        Step::Launch(node) => {
            let mut accesses: Vec<Access> = (node.uses.iter())
                .map(|&(allocation, writes)| Access::whole(Resource::Allocation(allocation), writes))
                .collect();
            if node.kernel.description().cooperative {
                accesses.push(Access::whole(Resource::GridBarrier, true));
            }
            accesses
        }
        Step::Write { to, .. } | Step::Fill { to, .. } => vec![part(to, true)],
        Step::Copy { to, from } => vec![part(from, false), part(to, true)],
        Step::Read { from, place } => vec![part(from, false), Access::whole(Resource::Place(*place), true)],
        Step::Repeat { .. } | Step::Fixpoint { .. } => Vec::new(),
    }
}

fn part(range: &Range, writes: bool) -> Access {
    Access {
        resource: Resource::Allocation(range.allocation.id()),
        range: range.address..range.address + range.bytes as u64,
        writes,
    }
}
