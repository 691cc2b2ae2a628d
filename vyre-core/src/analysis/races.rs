//! Races: for each plain access to memory that several threads reach, whether an access of another thread may meet it.
//!
//! **Question.** Two accesses of two threads race if they touch a byte, one of them writes, not both are atomic, and no
//! barrier lies between them. An access is proven if it takes part in no race of any launch; it is proven under conditions
//! of the launch, or unknown, with one of the accesses that it may meet.
//!
//! **Rules.** Which operations count says [`touches`]. Those of one root are compared pair by pair, also each with itself:
//! for two threads of a block where an [interval](intervals) between barriers has both, and for threads of two blocks where
//! the barriers of the grid leave both in one. Such a pair is [apart] if the guards of both let one thread come, the same,
//! or if the addresses, as sums of digits, decide the thread, or if one of them lies behind the other. Bounds are those that
//! [hold](sites) at each access. Memory of different roots is apart: variables, and parameters as far as the launcher keeps
//! them so.
//!
//! **Duties end with a fault.** Where a check fails the launch does, and its results do not count. So what a check decides
//! holds behind it, and threads that fault are not waited for.
//!
//! **Orders that are not followed.** A barrier of some warps, of a warp or of a cluster, an asynchronous barrier or inline PTX may
//! order two accesses if one such operation follows the first one, and one precedes the second one. What waits for an
//! asynchronous copy may order that. These are not proven, and are told apart from those that nothing orders.
//!
//! **Grids of one block.** Where only threads of other blocks may meet an access, and the kernel has no barrier of the grid,
//! the condition that the grid has one block along the axes concerned takes the place of a proof.
//!
//! **Necessary conditions.** A condition is necessary if a launch that breaks it has a [race](parts), or if the access is not proven
//! without it. All launches are held against these. Others are enough, but may refuse launches that have no race: they are asked
//! only by a kernel that wants a proof of each launch.
//!
//! A verdict is about the graph. Accesses that simplification has merged or removed have none, and race with nothing.
//!
//! **Cost:** the square of the accesses times the barriers; tools ask, and kernels that do not allow races.

mod apart;
mod inequality;
mod intervals;
mod lockstep;
mod necessary;
mod order;
mod parts;
mod sites;
mod swaps;
mod tickets;
mod touches;

use vyre_ir::ir::{Among as Waiting, AtomicOp, Axis, Handle, Intrinsic, SharedVariable, Span};

use self::apart::{Among, Cause, are_apart, decide_thread};
pub use self::inequality::Need;
pub(crate) use self::inequality::implies;
use self::intervals::Intervals;
use self::parts::Pair;
use self::sites::Sites;
use self::tickets::Ticket;
use self::touches::{Memory, Touch};
use super::digits::{Digit, Digits, Form, Given};
use super::loop_forest::LoopForest;
use super::post_dominators::PostDominators;
use super::provenance::Provenance;
use super::uniformity::Group;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Value};

/// Limit of the conditions of a launch that an access asks for: more are unknown.
const MAX_NEEDS: usize = 6;

/// The most blocks of a grid.
const MOST_BLOCKS: [u32; 3] = [(1 << 31) - 1, 65535, 65535];

/// The verdict about an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// It takes part in no race.
    Proven,
    /// It takes part in no race of a launch for which these hold.
    Asks(Vec<Need>),
    /// An operation whose order vyre does not follow may keep it apart from another one, for this reason; from others it is apart
    /// if these hold.
    Unfollowed(String, Vec<Need>),
    /// It may take part in one, for this reason.
    Unknown(String),
}

/// A plain access, or a place at which threads wait for each other.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The source location.
    pub span: Span,
    /// `load`, `store`, `barrier` or `exchange`.
    pub kind: &'static str,
    /// The state space, as in PTX; empty for a barrier.
    pub space: &'static str,
    /// The verdict.
    pub safety: Safety,
    /// True for a barrier or an exchange that threads may miss because they have returned. It does not wait for them.
    #[cfg(feature = "verify")]
    pub after_return: bool,
}

/// The facts that the launch gives, and the names for reasons.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'f> {
    /// The axes that a launch uses.
    pub dimensions: u32,
    /// The blocks of the grid, if known.
    pub grid: Option<[u32; 3]>,
    /// The source files, by the numbers in spans.
    pub files: &'f [String],
    /// Shared variables whose accesses do not race.
    pub apart: &'f [Handle<SharedVariable>],
}

/// The verdicts about a function's accesses and barriers, in the order of its blocks. The steps of counters are best known
/// before their loops, and a block should lie between a branch and a loop that it leads to.
pub(crate) fn find(function: &Function, forest: &LoopForest, launch: Launch<'_>) -> Vec<Finding> {
    let inside = |header, block| forest.is_inside(header, block);
    let given = Given {
        aligned: &|_| 1,
        inside: Some(&inside),
        grid: launch.grid,
        quotients: true,
    };
    let digits = Digits::of(function, &forest.graph, &given);
    let provenance = Provenance::of(function, &forest.graph);
    let mut touches = touches::find(function, &forest.graph, &provenance);
    touches.retain(|touch| {
        !matches!(touch.memory, Memory::Of(root)
            if matches!(function.op(root), Op::Address(Object::Shared(variable)) if launch.apart.contains(&variable)))
    });
    let mut homes = vec![None; function.values.len()];
    for &block in &forest.graph.order {
        let data = &function.blocks[block];
        for value in data.parameters.iter().chain(&data.body) {
            homes[value.index()] = Some(block);
        }
    }
    let search = Search {
        function,
        grid: launch.grid,
        files: launch.files,
        dimensions: launch.dimensions,
        sites: sites::find(function, forest, &digits, &touches),
        block: Intervals::of(function, forest, &touches, Group::Block),
        whole: Intervals::of(function, forest, &touches, Group::Grid),
        tickets: tickets::find(function, forest, &digits, &touches),
        digits: &digits,
        touches: &touches,
        homes,
        always: always(function, forest),
        unfollowed: unfollowed(function, forest),
    };
    let mut findings = search.accesses();
    findings.extend(search.waits(forest));
    findings
}

struct Search<'f> {
    function: &'f Function,
    digits: &'f Digits,
    touches: &'f [Touch],
    tickets: Vec<Ticket>,
    sites: Sites,
    grid: Option<[u32; 3]>,
    files: &'f [String],
    dimensions: u32,
    /// The intervals of blocks, and of the grid.
    block: Intervals<'f>,
    whole: Intervals<'f>,
    homes: Vec<Option<Block>>,
    /// For each block, true if each thread comes there or faults.
    always: Vec<bool>,
    /// The places of operations that order accesses in a way that is not followed.
    unfollowed: Vec<(Block, usize)>,
}

/// A pair that may meet.
#[derive(Clone)]
struct Meeting {
    cause: Cause,
    other: usize,
    among: Among,
}

/// The results about the pairs that an access is one of.
#[derive(Clone, Default)]
struct Pairs {
    needs: Vec<Need>,
    /// One that an order that is not followed may keep apart.
    unfollowed: Option<Meeting>,
    /// One that nothing does.
    meeting: Option<Meeting>,
}

/// For each block, true if each thread comes there or faults.
fn always(function: &Function, forest: &LoopForest) -> Vec<bool> {
    let post_dominators = PostDominators::of(function, &forest.graph);
    let mut always = vec![false; function.blocks.len()];
    let mut at = Some(function.entry());
    while let Some(block) = at {
        always[block.index()] = true;
        at = post_dominators.immediate(&forest.graph, block);
    }
    always
}

/// The places of operations that order accesses in a way that is not followed.
fn unfollowed(function: &Function, forest: &LoopForest) -> Vec<(Block, usize)> {
    let orders = |value: Value| match function.op(value) {
        Op::Intrinsic {
            intrinsic: Intrinsic::CopyWait { .. },
            ..
        } => true,
        Op::Intrinsic { intrinsic, .. } => match intrinsic.row().among {
            Waiting::Cluster => true,
            // Barriers of a warp, or by number.
            Waiting::Warp | Waiting::Block => intrinsic.row().orders_memory && !intrinsic.is_block_barrier(),
            _ => false,
        },
        Op::Atomic { op, .. } => matches!(op, AtomicOp::BarrierArrive | AtomicOp::BarrierOpened),
        Op::Ptx { .. } => true,
        _ => false,
    };
    let mut found = Vec::new();
    for &block in &forest.graph.order {
        let body = function.blocks[block].body.iter().enumerate();
        found.extend(body.filter(|&(_, &value)| orders(value)).map(|(at, _)| (block, at)));
    }
    found
}

impl Search<'_> {
    fn accesses(&self) -> Vec<Finding> {
        let mut results: Vec<Pairs> = vec![Pairs::default(); self.touches.len()];
        for a in 0..self.touches.len() {
            for b in a..self.touches.len() {
                let are_told = results[a].meeting.is_some() && results[b].meeting.is_some();
                if are_told || !self.touches[a].conflicts(&self.touches[b], self.function) {
                    continue;
                }
                let result = self.pair(a, b);
                let is_followed = result.is_ok() || !self.may_be_ordered(a, b);
                for (one, other) in [(a, b), (b, a)] {
                    let known = &mut results[one];
                    match &result {
                        Ok(more) => more.iter().for_each(|need| inequality::add(&mut known.needs, need)),
                        Err((cause, among)) => {
                            let place = match is_followed {
                                true => &mut known.meeting,
                                false => &mut known.unfollowed,
                            };
                            place.get_or_insert(Meeting {
                                cause: cause.clone(),
                                other,
                                among: *among,
                            });
                        }
                    }
                }
            }
        }
        let mut findings = Vec::new();
        for (touch, result) in self.touches.iter().zip(results) {
            let is_read_only = |other: &Touch| !touch.conflicts(other, self.function);
            if !self.is_judged(touch) || self.touches.iter().all(is_read_only) {
                continue;
            }
            let Pairs {
                needs,
                unfollowed,
                meeting,
            } = result;
            let safety = if let Some(meeting) = &meeting {
                Safety::Unknown(self.reason(touch, meeting))
            } else if needs.len() > MAX_NEEDS {
                Safety::Unknown("it asks for too many conditions of the launch".to_owned())
            } else if let Some(meeting) = &unfollowed {
                Safety::Unfollowed(self.reason(touch, meeting), needs)
            } else if needs.is_empty() {
                Safety::Proven
            } else {
                Safety::Asks(needs)
            };
            findings.push(Finding {
                span: self.function.values[touch.value].span,
                kind: match (touch.writes, touch.place) {
                    (true, Some(_)) => "store",
                    (true, None) => "copy",
                    (false, _) => "load",
                },
                space: self.space(touch),
                safety,
                #[cfg(feature = "verify")]
                after_return: false,
            });
        }
        findings
    }

    /// True if an access has a verdict of its own. Inline PTX is `unsafe`, and its author's.
    fn is_judged(&self, touch: &Touch) -> bool {
        let is_of_intrinsic = || matches!(self.function.op(touch.value), Op::Intrinsic { .. });
        touch.is_plain() || !touch.is_atomic && is_of_intrinsic()
    }

    fn space(&self, touch: &Touch) -> &'static str {
        let root = match touch.memory {
            Memory::Of(root) => Some(root),
            _ => None,
        };
        match touch
            .place
            .map(|(address, ..)| address)
            .or(root)
            .map(|address| self.function.ty(address))
        {
            Some(crate::ssa::Ty::Pointer(space)) => space.name(),
            _ => "",
        }
    }

    /// True if an order that is not followed may keep two accesses apart.
    fn may_be_ordered(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.touches[a], &self.touches[b]);
        if one.is_late || other.is_late {
            return true;
        }
        let precedes = |from: (Block, usize), to: (Block, usize)| {
            from.0 == to.0 && from.1 < to.1 || intervals::reaches(self.function, from.0, to.0)
        };
        // One thread gives way, and the other one waits, maybe at another operation.
        let [from, to] = [one, other].map(|touch| (touch.block, touch.at));
        let follows = |place| self.unfollowed.iter().any(|&order| precedes(place, order));
        let leads = |place| self.unfollowed.iter().any(|&order| precedes(order, place));
        // Two threads at one access have no order between them.
        a != b && (follows(from) && leads(to) || follows(to) && leads(from))
    }

    /// The conditions under which two accesses do not meet.
    fn pair(&self, a: usize, b: usize) -> Result<Vec<Need>, (Cause, Among)> {
        let mut needs = Vec::new();
        let (one, other) = (&self.touches[a], &self.touches[b]);
        let grid = self.most_blocks();
        self.block.meetings((a, b), |start| {
            let is_same = |digit: u32| self.is_same(&self.block, Among::Block, start, (a, b), digit);
            self.check(Among::Block, (a, b), grid, &is_same, &mut needs)
                .map_err(|cause| (cause, Among::Block))
        })?;
        // Blocks do not come to the shared memory of others, but by a cluster's view of it.
        if one.is_shared && other.is_shared {
            return Ok(needs);
        }
        if one.is_shared || other.is_shared {
            return Err((Cause::Cluster, Among::Grid));
        }
        let Err(cause) = self.blocks((a, b), grid, &mut needs) else {
            return Ok(needs);
        };
        // A kernel with a barrier of the grid is for several blocks.
        if self.grid.is_some() || self.whole.starts.len() > 1 {
            return Err((cause, Among::Grid));
        }
        let axes = self.dimensions.clamp(1, 3) as usize;
        let mut choices: Vec<u32> = (1..1 << axes).collect();
        choices.sort_by_key(|choice| choice.count_ones());
        for choice in choices {
            let chosen = (0..axes).filter(|axis| choice >> axis & 1 == 1);
            let mut single = grid.unwrap_or(MOST_BLOCKS);
            chosen.clone().for_each(|axis| single[axis] = 1);
            let mut more = Vec::new();
            if single == [1; 3] || self.blocks((a, b), Some(single), &mut more).is_ok() {
                needs.extend(more);
                needs.extend(chosen.map(inequality::one_block));
                return Ok(needs);
            }
        }
        Err((cause, Among::Grid))
    }

    /// The conditions under which accesses of two blocks do not meet, of a grid with at most so many.
    fn blocks(&self, (a, b): (usize, usize), grid: Option<[u32; 3]>, needs: &mut Vec<Need>) -> Result<(), Cause> {
        let mut more = Vec::new();
        self.whole.meetings((a, b), |start| {
            let is_same = |digit: u32| self.is_same(&self.whole, Among::Grid, start, (a, b), digit);
            self.check(Among::Grid, (a, b), grid, &is_same, &mut more)
        })?;
        needs.extend(more);
        Ok(())
    }

    /// The most blocks of the grid, if known.
    fn most_blocks(&self) -> Option<[u32; 3]> {
        if self.grid.is_none() && self.dimensions < 3 {
            // Axes that the kernel does not use have one block.
            let mut most = MOST_BLOCKS;
            most[self.dimensions.max(1) as usize..].fill(1);
            return Some(most);
        }
        self.grid
    }

    fn check(
        &self,
        among: Among,
        (a, b): (usize, usize),
        grid: Option<[u32; 3]>,
        is_same: &dyn Fn(u32) -> bool,
        needs: &mut Vec<Need>,
    ) -> Result<(), Cause> {
        let touches = [a, b].map(|number| &self.touches[number]);
        let root = match touches[0].memory {
            Memory::Of(root) if touches[1].memory == touches[0].memory => Some(root),
            _ => None,
        };
        let block = touches[0].block;
        let pair = Pair {
            function: self.function,
            digits: self.digits,
            root,
            sites: [&self.sites.sites[a], &self.sites.sites[b]],
            grid,
            is_everywhere: a == b && self.always[block.index()] && self.whole.is_common(block),
            is_same,
            is_exact: &|value| self.sites.is_exact(self.digits, value),
        };
        // An asynchronous access takes place at any time after its operation, so it may meet the thread's own.
        let is_late = touches.iter().any(|touch| touch.is_late);
        if !is_late && decide_thread(&pair, among, Vec::new(), false, needs).is_ok() {
            return Ok(());
        }
        let [Some(x), Some(y)] = touches.map(|touch| self.place(touch)) else {
            return Err(Cause::Address);
        };
        if root.is_none() {
            return Err(Cause::Address);
        }
        are_apart(&pair, among, [x, y], &self.tickets, needs)
    }

    /// The sum of an access, with the root or without, its offset and its bytes.
    fn place(&self, touch: &Touch) -> Option<(Form<'_>, i64, u64)> {
        let (address, offset, bytes) = touch.place?;
        // The root would be one more term.
        let from_root = match self.function.op(address) {
            Op::Offset { base, bytes } if touch.memory == Memory::Of(base) => bytes,
            _ => address,
        };
        Some((self.digits.form(from_root)?, offset, bytes))
    }

    /// True if a digit is the same for both threads.
    fn is_same(
        &self,
        intervals: &Intervals<'_>,
        among: Among,
        start: Option<usize>,
        pair: (usize, usize),
        digit: u32,
    ) -> bool {
        let known = self.digits.digit(digit);
        if known.is_symbol {
            return true;
        }
        let of_sum = |value: Value| {
            self.digits.form(value).is_some_and(|form| {
                let is_own = form.terms.iter().any(|term| term.digit == digit);
                !is_own
                    && form
                        .terms
                        .iter()
                        .all(|term| self.is_same(intervals, among, start, pair, term.digit))
            })
        };
        match known.digit {
            Digit::Value(value) => match self.function.op(value) {
                Op::Special(Special::Block(_)) => among == Among::Block,
                // A variable of the block; accesses to the memory of several blocks have a parameter for a root.
                Op::Address(object) => !matches!(object, Object::Local(_)),
                op if op.is_root() => false,
                _ => start.is_some_and(|start| {
                    self.homes[value.index()].is_some_and(|home| intervals.is_same(start, pair, home, Some(value)))
                }),
            },
            Digit::Trip(header) => start.is_some_and(|start| intervals.is_same(start, pair, header, None)),
            Digit::Quotient(value, _) | Digit::Remainder(value, _) => of_sum(value),
            Digit::Product(..) => true,
        }
    }

    /// The place of a value in the source, as seen from another one.
    fn place_of(&self, value: Value, from: Value) -> String {
        let [span, from] = [value, from].map(|value| self.function.values[value].span);
        match self.files.get(span.file as usize).filter(|_| span.file != from.file) {
            Some(file) => format!("{file}:{}:{}", span.line, span.column),
            None => format!("{}:{}", span.line, span.column),
        }
    }

    /// The reason for an unknown verdict.
    fn reason(&self, touch: &Touch, meeting: &Meeting) -> String {
        let other = &self.touches[meeting.other];
        let what = match (self.function.op(other.value), other.writes, other.place) {
            (Op::Atomic { .. }, ..) => "atomic access",
            (_, true, Some(_)) if other.is_atomic => "relaxed store",
            (_, false, Some(_)) if other.is_atomic => "relaxed load",
            (_, true, Some(_)) => "store",
            (_, false, Some(_)) => "load",
            _ => "copy or inline PTX",
        };
        let whom = match meeting.among {
            Among::Block => "another thread of the block",
            Among::Grid => "another block",
        };
        let partner = match std::ptr::eq(touch, other) {
            true => format!("itself in {whom}"),
            false => format!("the {what} at {} by {whom}", self.place_of(other.value, touch.value)),
        };
        let cause = match &meeting.cause {
            Cause::Address => "an address is not known".to_owned(),
            Cause::Loaded(value) => {
                format!(
                    "an index depends on the value read at {}",
                    self.place_of(*value, touch.value)
                )
            }
            Cause::Missing(special) => format!("the index does not decide `{}`", register(*special)),
            Cause::Overlap => "one part of the index may reach the next one".to_owned(),
            Cause::Wraps => "the index may wrap".to_owned(),
            Cause::Distance(0) => "the accesses overlap in part".to_owned(),
            Cause::Distance(bytes) => format!("at a distance of {bytes} bytes"),
            Cause::Terms => "their indices have other terms".to_owned(),
            Cause::Cluster => "it may be in the shared memory of another block".to_owned(),
        };
        format!("may race with {partner}: {cause}")
    }

    fn waits(&self, forest: &LoopForest) -> Vec<Finding> {
        let finding = |wait: intervals::Wait| Finding {
            #[cfg(feature = "verify")]
            after_return: wait.others_end,
            span: self.function.values[wait.value].span,
            kind: if wait.among == Waiting::Warp {
                "exchange"
            } else {
                "barrier"
            },
            space: "",
            safety: match wait.parted_by {
                None => Safety::Proven,
                Some(branch) => {
                    let at = self.place_of(branch, wait.value);
                    Safety::Unknown(format!("the branch at {at} may part the threads"))
                }
            },
        };
        intervals::waits(self.function, forest)
            .into_iter()
            .map(finding)
            .collect()
    }
}

/// The name of a register.
fn register(special: Special) -> String {
    let name = |axis: Axis| ["x", "y", "z"][axis.index()];
    match special {
        Special::Thread(axis) => format!("thread::idx().{}", name(axis)),
        Special::Block(axis) => format!("block::idx().{}", name(axis)),
        _ => "lane".to_owned(),
    }
}
