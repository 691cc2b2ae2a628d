//! Facts about a validated program, computed once and used by the interpreter, the SSA builder and
//! the CPU generator: call order, reachability, uses of locals, effects, waiting loops.

use super::accesses::Accesses;
use super::polls;
use crate::ir::{Body, ConstantTable, Function, Handle, Intrinsic, Kernel, Local, Program, SharedVariable, Span, Stmt};

/// The facts about a program.
#[derive(Debug, Default)]
pub struct ProgramInfo<'p> {
    /// All functions, each after those that it calls.
    pub call_order: Vec<Handle<Function>>,
    /// By function.
    pub(super) functions: Vec<BodyInfo<'p>>,
    /// By kernel and entry.
    pub(super) entries: Vec<Vec<EntryInfo<'p>>>,
}

/// The facts about an entry of a kernel.
#[derive(Debug, Default)]
pub struct EntryInfo<'p> {
    /// Its body.
    pub body: BodyInfo<'p>,
    /// The items reachable from it.
    pub reach: Reach,
}

/// The items used by an entry and its direct and indirect callees.
#[derive(Debug, Default)]
pub struct Reach {
    /// The functions, each after those that it calls.
    pub functions: Vec<Handle<Function>>,
    /// The shared variables, ascending.
    pub shared: Vec<Handle<SharedVariable>>,
    /// The tables of constants, ascending.
    pub tables: Vec<Handle<ConstantTable>>,
}

/// The facts about a body.
#[derive(Debug, Default)]
pub struct BodyInfo<'p> {
    /// The functions called directly by the body, ascending.
    pub calls: Vec<Handle<Function>>,
    /// The shared variables used directly by the body, ascending.
    pub shared: Vec<Handle<SharedVariable>>,
    /// The tables used directly by the body, ascending.
    pub tables: Vec<Handle<ConstantTable>>,
    /// By local.
    pub locals: Vec<LocalInfo>,
    /// The size of all locals in bytes.
    pub local_bytes: u64,
    /// Its accesses to memory.
    pub accesses: Accesses,
    /// The effects of the body itself.
    pub own: Effects,
    /// The effects of the body and its callees.
    pub effects: Effects,
    /// True if it returns before its end.
    pub returns_early: bool,
    /// The loops that wait for other threads; see [`is_wait`](BodyInfo::is_wait).
    pub(super) waiting: Vec<&'p Stmt>,
    /// Those that only poll; see [`only_polls`](BodyInfo::only_polls).
    pub(super) polling: Vec<&'p Stmt>,
    /// The intrinsics of the body itself, in order.
    pub intrinsics: Vec<(Intrinsic, Span)>,
}

/// The uses of a local in a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalInfo {
    /// Statements that assign all of it.
    pub assignments: u32,
    /// Statements that assign a part of it.
    pub partial_assignments: u32,
    /// The strongest use of its address, or of a part's.
    pub address: AddressTaken,
    /// True if an array in it is indexed by a non-constant.
    pub dynamic_index: bool,
    /// True if a path may read it before it is written: unless it is assigned in full by the first
    /// statement that mentions it, in a block that contains all other mentions. It is
    /// zero-initialised then.
    pub read_unwritten: bool,
}

/// The use of a local's address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressTaken {
    /// It is not.
    #[default]
    No,
    /// For reading.
    Shared,
    /// For writing.
    Mutable,
}

impl LocalInfo {
    /// True if it is assigned in full at most `times` times, and in no other way.
    pub fn assigned_at_most(&self, times: u32) -> bool {
        self.assignments <= times && self.partial_assignments == 0 && self.address == AddressTaken::No
    }
}

/// Effects of code besides computing values and plain memory accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// A barrier of the block, its cluster, or some warps of it.
    pub block_barrier: bool,
    /// A grid barrier.
    pub grid_barrier: bool,
    /// A warp operation.
    pub warp_exchange: bool,
    /// A matrix operation of whole warps.
    pub matrices: bool,
    /// A loop that waits for other threads.
    pub waiting_loop: bool,
    /// A read of memory that other threads may write concurrently: an atomic access or a volatile
    /// load.
    pub reads_others: bool,
    /// Has a fused multiply-add, or an approximation, which the CPU computes by them.
    pub mul_add: bool,
}

impl Effects {
    /// True if a thread may yield to others within it.
    pub fn pauses(self) -> bool {
        self.block_barrier || self.grid_barrier || self.warp_exchange || self.waiting_loop
    }

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Effects) -> Effects {
        Effects {
            block_barrier: self.block_barrier | other.block_barrier,
            grid_barrier: self.grid_barrier | other.grid_barrier,
            warp_exchange: self.warp_exchange | other.warp_exchange,
            matrices: self.matrices | other.matrices,
            waiting_loop: self.waiting_loop | other.waiting_loop,
            reads_others: self.reads_others | other.reads_others,
            mul_add: self.mul_add | other.mul_add,
        }
    }
}

impl<'p> ProgramInfo<'p> {
    /// The facts about the body of a function.
    pub fn function(&self, function: Handle<Function>) -> &BodyInfo<'p> {
        &self.functions[function.index()]
    }

    /// The bytes of a body's locals and of those of its calls, as far as they are there at one time, and the first of
    /// those calls; `None` if it calls nothing.
    pub fn with_calls(&self, body: &BodyInfo<'_>) -> Option<(u64, Handle<Function>)> {
        let mut chains = vec![0_u64; self.functions.len()];
        let longest = |chains: &[u64], body: &BodyInfo<'_>| {
            let mut longest = None;
            for &call in &body.calls {
                let bytes = chains[call.index()];
                if longest.is_none_or(|(most, _)| bytes >= most) {
                    longest = Some((bytes, call));
                }
            }
            longest
        };
        for &function in &self.call_order {
            let body = self.function(function);
            let below = longest(&chains, body).map_or(0, |(bytes, _)| bytes);
            // A frame begins at a multiple of 8.
            chains[function.index()] = body.local_bytes.next_multiple_of(8).saturating_add(below);
        }
        let (below, first) = longest(&chains, body)?;
        Some((body.local_bytes.next_multiple_of(8).saturating_add(below), first))
    }

    /// The facts about the entries of a kernel, in order.
    pub fn entries(&self, kernel: Handle<Kernel>) -> &[EntryInfo<'p>] {
        &self.entries[kernel.index()]
    }

    /// True if launches of a kernel are cooperative: an entry uses grid barriers.
    pub fn is_cooperative(&self, kernel: Handle<Kernel>) -> bool {
        let mut entries = self.entries[kernel.index()].iter();
        entries.any(|entry| entry.body.own.grid_barrier)
    }

    /// The shared variables that a kernel's entries reach, in bytes, each at a multiple of its alignment. The compiler leaves
    /// out those that it finds unused.
    pub fn shared_bytes(&self, program: &Program, kernel: Handle<Kernel>) -> u64 {
        let mut reached = Vec::new();
        for entry in self.entries(kernel) {
            for &variable in &entry.reach.shared {
                insert(&mut reached, variable);
            }
        }
        let mut size = 0u64;
        for variable in reached {
            let layout = program.types.layout(program.shared[variable].ty);
            size = size.next_multiple_of(layout.align).saturating_add(layout.size);
        }
        size
    }

    /// Computes the items reachable from each entry. Terminates also if functions recurse.
    pub(super) fn find_reach(&mut self) {
        for entry in self.entries.iter_mut().flatten() {
            let mut reached = vec![false; self.functions.len()];
            let mut open = entry.body.calls.clone();
            let (mut shared, mut tables) = (entry.body.shared.clone(), entry.body.tables.clone());
            while let Some(function) = open.pop() {
                if std::mem::replace(&mut reached[function.index()], true) {
                    continue;
                }
                let body = &self.functions[function.index()];
                open.extend_from_slice(&body.calls);
                for &variable in &body.shared {
                    insert(&mut shared, variable);
                }
                for &table in &body.tables {
                    insert(&mut tables, table);
                }
            }
            let mut functions = self.call_order.clone();
            functions.retain(|function| reached[function.index()]);
            entry.reach = Reach {
                functions,
                shared,
                tables,
            };
        }
    }

    /// Computes the waiting loops, and the effects of bodies with their callees, for a program that
    /// has passed all checks.
    pub(super) fn find_effects(&mut self, program: &'p Program) {
        for &function in &self.call_order {
            let waiting = self.waiting(program, &program.functions[function].body, self.function(function));
            let info = &self.functions[function.index()];
            let effects = self.total(info, &waiting);
            let polling = polling(&waiting, &program.functions[function].body, info);
            let body = &mut self.functions[function.index()];
            (body.waiting, body.polling, body.effects) = (waiting, polling, effects);
        }
        for (handle, kernel) in program.kernels.iter() {
            for (number, entry) in kernel.entries.iter().enumerate() {
                let info = &self.entries[handle.index()][number].body;
                let waiting = self.waiting(program, &entry.body, info);
                let effects = self.total(info, &waiting);
                let polling = polling(&waiting, &entry.body, info);
                let body = &mut self.entries[handle.index()][number].body;
                (body.waiting, body.polling, body.effects) = (waiting, polling, effects);
            }
        }
    }

    fn total(&self, body: &BodyInfo<'_>, waiting: &[&Stmt]) -> Effects {
        let mut total = Effects {
            waiting_loop: !waiting.is_empty(),
            ..body.own
        };
        for &function in &body.calls {
            total = total.and(self.function(function).effects);
        }
        total
    }
}

impl BodyInfo<'_> {
    /// True if a loop waits for other threads: its termination depends on a write by another
    /// thread.
    pub fn is_wait(&self, stmt: &Stmt) -> bool {
        self.waiting.iter().any(|&waiting| std::ptr::eq(waiting, stmt))
    }

    /// True if a loop [waits](Self::is_wait) and only polls: an iteration changes nothing, so that the loop goes on for
    /// ever unless another thread writes.
    pub fn only_polls(&self, stmt: &Stmt) -> bool {
        self.polling.iter().any(|&polling| std::ptr::eq(polling, stmt))
    }

    /// The uses of a local.
    pub fn local(&self, local: Handle<Local>) -> LocalInfo {
        self.locals[local.index()]
    }
}

/// Those of the waiting loops of a body that only poll.
fn polling<'p>(waiting: &[&'p Stmt], body: &Body, info: &BodyInfo<'_>) -> Vec<&'p Stmt> {
    let mut polling = waiting.to_vec();
    polling.retain(|stmt| polls::only_polls(stmt, body, info));
    polling
}

/// Inserts an element into a sorted list without duplicates.
pub(super) fn insert<T: Ord>(list: &mut Vec<T>, element: T) {
    if let Err(at) = list.binary_search(&element) {
        list.insert(at, element);
    }
}
