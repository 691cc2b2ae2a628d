//! The parts of a graph: steps in a row are nodes of one part. A loop that is too long to be unrolled is a node, too, which
//! the device repeats, or where it cannot, a part that is launched many times.

use vyre_abi::order::sort_by_key;

use super::order::{Access, Order, Resource};
use crate::sequence::step::{Node, Range, Step};

/// The most nodes that a loop is unrolled to within the steps around it.
const UNROLLED: usize = 4096;

/// The most nodes of a part, with those in its loops: each is compared with those before it.
const NODES: usize = 1 << 14;

/// The launches of kernels that a turn of a longer loop has at least, if it has enough turns and the host launches them: a
/// graph costs it a few microseconds, and a node less than one.
const TURN: usize = 64;

/// The same for a loop of the device, for which a turn costs 4.5 us, and a node of an empty kernel 0.5 us.
const DEVICE_TURN: usize = 256;

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

/// Nodes, with the edges between them.
#[derive(Default)]
pub(super) struct Nodes<'s> {
    pub(super) items: Vec<Item<'s>>,
    pub(super) edges: Edges,
}

/// The edges of nodes, and of those in loops.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// For each node those that it comes after.
    pub(super) after: Vec<Vec<usize>>,
    /// For each loop, in order.
    pub(super) bodies: Vec<Edges>,
}

/// A node.
pub(super) enum Item<'s> {
    /// A step that is no loop.
    Step(&'s Step),
    Loop(Loop<'s>),
}

/// A loop that the device repeats.
pub(super) struct Loop<'s> {
    pub(super) turns: u64,
    /// The flag of a fixpoint, and its place.
    pub(super) flag: Option<(&'s Range, usize)>,
    pub(super) body: Vec<Item<'s>>,
}

/// The parts of steps, for a device that has loops or not.
pub(super) fn plan(steps: &[Step], has_loops: bool) -> Vec<Part<'_>> {
    let mut planner = Planner::new(has_loops);
    planner.steps(steps);
    planner.finish()
}

/// True if a loop is a part of its own.
pub(super) fn repeats(parts: &[Part<'_>]) -> bool {
    parts.iter().any(|part| !matches!(part, Part::Nodes(_)))
}

impl<'s> Item<'s> {
    /// The nodes, with those in loops.
    fn size(&self) -> usize {
        match self {
            Item::Step(_) => 1,
            Item::Loop(own) => own.body.iter().map(Item::size).fold(1, usize::saturating_add),
        }
    }

    /// The launches, with those in loops, in order.
    pub(super) fn launches(items: &[Item<'s>], found: &mut impl FnMut(&'s Node)) {
        for item in items {
            match item {
                Item::Step(Step::Launch(node)) => found(node),
                Item::Step(_) => {}
                Item::Loop(own) => Item::launches(&own.body, found),
            }
        }
    }
}

struct Planner<'s> {
    has_loops: bool,
    parts: Vec<Part<'s>>,
    /// The nodes since the last part, and their number with those in loops.
    open: Vec<Item<'s>>,
    size: usize,
}

impl<'s> Planner<'s> {
    fn new(has_loops: bool) -> Planner<'s> {
        Planner {
            has_loops,
            parts: Vec::new(),
            open: Vec::new(),
            size: 0,
        }
    }

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
                    let mut inner = Planner::new(self.has_loops);
                    inner.steps(body);
                    match inner.into_body() {
                        Ok(body) => self.push(Item::Loop(Loop {
                            turns: u64::from(*limit),
                            flag: Some((flag, *place)),
                            body,
                        })),
                        Err(body) => {
                            self.close();
                            self.parts.push(Part::Fixpoint {
                                flag,
                                limit: *limit,
                                body,
                                place: *place,
                            });
                        }
                    }
                }
                step => self.push(Item::Step(step)),
            }
        }
    }

    fn push(&mut self, item: Item<'s>) {
        let size = item.size();
        if self.size.saturating_add(size) > NODES {
            self.close();
        }
        self.size += size;
        self.open.push(item);
    }

    fn repeat(&mut self, turns: usize, body: &'s [Step]) {
        let size = unrolled(body);
        if size == Some(0) || turns == 0 {
            // Else turns of nothing would take time.
            return;
        }
        let unroll = |planner: &mut Self, times: usize| (0..times).for_each(|_| planner.steps(body));
        if size.is_some_and(|size| size.saturating_mul(turns) <= UNROLLED) {
            return unroll(self, turns);
        }
        let times = match size {
            // At least one turn, and not many nodes for few launches.
            Some(size) => {
                let turn = if self.has_loops { DEVICE_TURN } else { TURN };
                let wanted = turn.div_ceil(launches(body).max(1));
                wanted.min(turns).min(UNROLLED / size.max(1)).max(1)
            }
            None => 1,
        };
        let mut inner = Planner::new(self.has_loops);
        unroll(&mut inner, times);
        match inner.into_body() {
            Ok(body) => self.push(Item::Loop(Loop {
                turns: (turns / times) as u64,
                flag: None,
                body,
            })),
            Err(body) => {
                self.close();
                self.parts.push(Part::Repeat {
                    turns: turns / times,
                    body,
                });
            }
        }
        if !turns.is_multiple_of(times) {
            unroll(self, turns % times);
        }
    }

    /// The body of a loop of the device; parts, if the device has none, or the body is too large or empty.
    fn into_body(self) -> Result<Vec<Item<'s>>, Vec<Part<'s>>> {
        match self.has_loops && self.parts.is_empty() && (1..NODES).contains(&self.size) {
            true => Ok(self.open),
            false => Err(self.finish()),
        }
    }

    /// Ends the nodes in a row.
    fn close(&mut self) {
        self.size = 0;
        if self.open.is_empty() {
            return;
        }
        let items = std::mem::take(&mut self.open);
        let edges = edges(&items);
        self.parts.push(Part::Nodes(Nodes { items, edges }));
    }

    fn finish(mut self) -> Vec<Part<'s>> {
        self.close();
        self.parts
    }
}

/// The edges between nodes.
fn edges(items: &[Item<'_>]) -> Edges {
    let mut order = Order::default();
    let mut bodies = Vec::new();
    for item in items {
        order.add(accesses(item));
        if let Item::Loop(own) = item {
            bodies.push(edges(&own.body));
        }
    }
    let after = order.into_edges();
    Edges { after, bodies }
}

/// The memory that a node uses.
fn accesses(item: &Item<'_>) -> Vec<Access> {
    let own = match item {
        Item::Step(step) => return used(step),
        Item::Loop(own) => own,
    };
    let mut all = Vec::new();
    if let Some((flag, place)) = own.flag {
        all.push(part(flag, true));
        all.push(Access::whole(Resource::Place(place), true));
    }
    for item in &own.body {
        all.append(&mut accesses(item));
    }
    // Each use once: a body may have the same step many times.
    sort_by_key(&mut all, |access| {
        u128::from(access.range.start) << 64 | u128::from(access.range.end)
    });
    sort_by_key(&mut all, |access| access.resource.key());
    all.dedup_by(|next, kept| {
        let is_same = next.resource == kept.resource && next.range == kept.range;
        kept.writes |= is_same && next.writes;
        is_same
    });
    all
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
fn used(step: &Step) -> Vec<Access> {
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
        Step::ReadCounted(counted) => vec![
            part(&counted.from, false),
            part(&counted.counter, false),
            // That of the elements goes with it.
            Access::whole(Resource::Place(counted.slot), true),
        ],
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
