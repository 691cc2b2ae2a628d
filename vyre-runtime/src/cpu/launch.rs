//! Runs the blocks of a launch, in order, on one worker or many.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use super::{TEAMS, WAITING, pool};
use crate::body::cluster::Team;
use crate::body::fault::FaultSlot;
use crate::body::grid::GridBarrier;
use crate::body::print::PrintSlot;
use crate::body::scratch::Scratch;
use crate::body::waiting::Workers;
use crate::body::{Among, BlockContext, Extents, HostFault};
use crate::load::kernel::HostBody;
use crate::sync::Mutex;

/// Time that a launch runs on the calling thread before it asks the pool for help. Waking the pool
/// and waiting for it costs about as much.
const ALONE: Duration = Duration::from_micros(20);

/// Maximum of blocks that a worker claims at once.
const BATCH: u64 = 32;

/// Why a launch did not end as its kernel says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A fault of the kernel.
    Fault(HostFault),
    /// The machine runs too few blocks at the same time: the reason.
    Stopped(String),
}

/// Runs every block of a launch and collects its output.
///
/// # Errors
/// The fault of the lowest block that faulted, or that blocks wait for others for which there is no thread.
///
/// # Safety
/// `arguments` are those of a launcher of the kernel to which `body` belongs; the memory that they
/// point to stays valid until this returns, and is accessed by nothing that the kernel's signature
/// excludes.
pub(super) unsafe fn launch(
    body: HostBody,
    arguments: &[*const c_void],
    extents: Extents,
    prints: &PrintSlot,
) -> Result<(), Failure> {
    let launch = Launch {
        body,
        arguments,
        extents,
        blocks: extents.grid.iter().map(|&extent| u64::from(extent)).product(),
        next: AtomicU64::new(0),
        left: Mutex::new(Vec::new()),
        any_left: AtomicBool::new(false),
        workers: Workers::default(),
        started: AtomicU64::new(0),
        refused: OnceLock::new(),
        faults: FaultSlot::new(),
        prints,
    };
    if extents.cooperative {
        launch.together();
        return launch.faults.into_result().map_err(Failure::Fault);
    }
    if let Some(cluster) = extents.cluster {
        launch.clusters(cluster);
        return launch.faults.into_result().map_err(Failure::Fault);
    }
    std::thread::scope(|scope| {
        launch.alone(scope);
        let remaining = launch.remaining();
        if remaining > 1 && pool::helpers() > 0 {
            let helpers = (pool::helpers() as u64).min(remaining - 1);
            let batch = (remaining / ((helpers + 1) * 8)).clamp(1, BATCH);
            pool::run(helpers as usize, &|| {
                launch.workers.join();
                launch.work(scope, batch);
            });
        } else if remaining > 0 || launch.any_left.load(Ordering::Relaxed) {
            launch.workers.join();
            launch.work(scope, 1);
        }
    });
    // That the blocks stand still is no fault of the kernel if others could have gone on.
    match launch.refused.into_inner() {
        Some(reason) if launch.workers.is_stuck() => Err(Failure::Stopped(reason)),
        _ => launch.faults.into_result().map_err(Failure::Fault),
    }
}

struct Launch<'l> {
    body: HostBody,
    arguments: &'l [*const c_void],
    extents: Extents,
    blocks: u64,
    /// The first unclaimed block.
    next: AtomicU64,
    /// Blocks that were claimed together with one that waits.
    left: Mutex<Vec<Range<u64>>>,
    /// True if there are any.
    any_left: AtomicBool,
    workers: Workers,
    /// The workers that were started because others wait.
    started: AtomicU64,
    /// Why a worker was not started.
    refused: OnceLock<String>,
    faults: FaultSlot,
    prints: &'l PrintSlot,
}

// SAFETY: the pointers in `arguments` are read, not written, by every worker; accesses of a body
// through them are covered by the contract of `launch`; the rest is shareable.
unsafe impl Sync for Launch<'_> {}

impl Launch<'_> {
    fn remaining(&self) -> u64 {
        if self.faults.is_set() {
            return 0;
        }
        let left: u64 = match self.any_left.load(Ordering::Relaxed) {
            true => self.left.lock().iter().map(|range| range.end - range.start).sum(),
            false => 0,
        };
        left + self.blocks.saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// Claims up to `batch` blocks; none if none is left.
    fn claim(&self, batch: u64) -> Range<u64> {
        if self.any_left.load(Ordering::Relaxed) {
            let mut left = self.left.lock();
            if let Some(range) = left.pop() {
                let end = range.end.min(range.start + batch);
                if end < range.end {
                    left.push(end..range.end);
                }
                self.any_left.store(!left.is_empty(), Ordering::Relaxed);
                return range.start..end;
            }
        }
        let first = self.next.fetch_add(batch, Ordering::Relaxed);
        first.min(self.blocks)..(first + batch).min(self.blocks)
    }

    /// Starts up to `most` workers for the blocks that no worker runs, which include the `claimed` ones, and returns how
    /// many: no more than there are such blocks, or threads.
    fn start<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        claimed: &Cell<Range<u64>>,
        most: usize,
    ) -> usize {
        let rest = claimed.take();
        if !rest.is_empty() {
            let mut left = self.left.lock();
            left.push(rest);
            self.any_left.store(true, Ordering::Relaxed);
        }
        // Before any of them claims one.
        let wanted = self.remaining().min(most as u64) as usize;
        (0..wanted).take_while(|_| self.start_one(scope)).count()
    }

    /// Starts a worker; false if there is no thread for it.
    fn start_one<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>) -> bool {
        let refused = |reason: String| {
            let blocks = self.blocks;
            let _ = self.refused.set(format!(
                "{reason}, and all blocks that run wait for others of its {blocks}; launch fewer blocks, or run it on a GPU"
            ));
            false
        };
        if self.started.fetch_add(1, Ordering::Relaxed) >= WAITING {
            return refused(format!("the CPU runs at most {WAITING} blocks that wait"));
        }
        // The caller adds it to the workers.
        match Builder::new().spawn_scoped(scope, || self.work(scope, 1)) {
            Ok(_) => true,
            Err(error) => refused(format!("the system starts no thread for another block ({error})")),
        }
    }

    /// Runs blocks on this thread for a short time. Checks the clock after 1, 2, 4, ... blocks.
    fn alone<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>) {
        let (begin, mut batch) = (Instant::now(), 1);
        self.workers.join();
        self.run_batches(scope, || {
            let claimed = batch;
            batch = (batch * 2).min(BATCH);
            (claimed == 1 || begin.elapsed() < ALONE).then_some(claimed)
        });
    }

    /// Runs blocks until none is left, as a worker that has joined.
    fn work<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>, batch: u64) {
        self.run_batches(scope, || Some(batch));
    }

    /// Claims blocks, of the given number at once, and runs them, until none is left, or none that matters after a
    /// fault.
    fn run_batches<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        mut batch: impl FnMut() -> Option<u64>,
    ) {
        let scratch = Scratch::new();
        let claimed = Cell::new(0..0);
        let start = |most| self.start(scope, &claimed, most);
        let worker = self.workers.worker(&start);
        while let Some(batch) = batch() {
            let batch = self.claim(batch);
            if batch.is_empty() {
                return;
            }
            claimed.set(batch);
            while let Some(number) = first_of(&claimed) {
                // Lower blocks still run after a fault: theirs takes precedence.
                if !self.faults.wants(number) {
                    return;
                }
                self.run_block(number, self.index(number), (&scratch, Among::Any(&worker)));
                worker.go_on();
            }
        }
    }

    /// The position of a block by its linear index.
    fn index(&self, number: u64) -> [u32; 3] {
        place(number, self.extents.grid)
    }

    /// Runs a block; true if it faulted.
    fn run_block<'l>(&'l self, number: u64, index: [u32; 3], among: (&'l Scratch, Among<'l>)) -> bool {
        let reports = (&self.faults, self.prints);
        let block = BlockContext::new(number, index, self.extents, reports, among);
        block.publish_dynamic();
        // SAFETY: the caller of `launch` vouches that the arguments belong to the body.
        unsafe { (self.body)(self.arguments, &block) };
        block.faulted.get()
    }

    /// Runs all blocks concurrently, each on its own thread.
    fn together(&self) {
        let barrier = GridBarrier::new(self.blocks);
        let work = &|number| {
            // Dropped in any case, so that no block waits for this one.
            let member = barrier.member();
            self.run_block(number, self.index(number), (&Scratch::new(), Among::Grid(&barrier)));
            member.leave(self.faults.is_set());
        };
        std::thread::scope(|scope| {
            for number in 1..self.blocks {
                scope.spawn(move || (work)(number));
            }
            work(0);
        });
    }

    /// Runs the blocks in clusters, several clusters concurrently.
    fn clusters(&self, cluster: [u32; 3]) {
        let blocks: u32 = cluster.iter().product();
        let shape = [0, 1, 2].map(|axis| self.extents.grid[axis] / cluster[axis]);
        let count: u64 = shape.iter().map(|&extent| u64::from(extent)).product();
        let next = || {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            (number < count && self.faults.wants(number * u64::from(blocks))).then_some(number)
        };
        let teams = (pool::helpers() as u64 + 1).min(count).min(TEAMS);
        let teams: Vec<Team> = (0..teams).map(|_| Team::new(blocks as usize)).collect();
        std::thread::scope(|scope| {
            for team in &teams {
                for rank in 0..blocks {
                    let next = &next;
                    scope.spawn(move || {
                        let scratch = Scratch::new();
                        while let Some((number, member)) = team.begin(rank as usize, next) {
                            let (first, own) = (place(number, shape), place(rank.into(), cluster));
                            let index = [0, 1, 2].map(|axis| first[axis] * cluster[axis] + own[axis]);
                            let number = number * u64::from(blocks) + u64::from(rank);
                            let faulted = self.run_block(number, index, (&scratch, Among::Cluster(&member)));
                            member.leave(faulted);
                        }
                    });
                }
            }
        });
    }
}

/// Takes the first of the claimed blocks.
fn first_of(claimed: &Cell<Range<u64>>) -> Option<u64> {
    let mut range = claimed.take();
    let first = range.next();
    claimed.set(range);
    first
}

/// The position with this linear index in a box, x fastest.
fn place(number: u64, extents: [u32; 3]) -> [u32; 3] {
    let [width, height, _] = extents.map(u64::from);
    [number % width, number / width % height, number / width / height].map(|place| place as u32)
}
