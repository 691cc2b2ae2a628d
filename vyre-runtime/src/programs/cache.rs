//! The compiled programs of a device.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use vyre_core::ir::PtxLimits;
use vyre_core::text;

use super::compiled::Compiled;
use super::digest::digest;
use super::given::GivenProgram;
use super::options::Options;
use super::split::Parts;
use crate::error::Result;
use crate::load::kernel::KernelInfo;
use crate::load::once::Once;
use crate::stats::Counter;
use crate::sync::Mutex;
use crate::trace::span;

/// Compiled programs that a device keeps unless told otherwise.
const KEPT: usize = 256;

/// Keeps compiled programs by their digests. Those that were not asked for longest go first.
pub(crate) struct Cache {
    kept: Mutex<HashMap<u128, Kept>>,
    working: Once<u128, Arc<Compiled>>,
    /// Kernels of the crate that read their extent on the device, by the addresses of their descriptions.
    over_device: Mutex<HashMap<usize, Arc<Compiled>>>,
    /// Kernels of the crate that are cut at their barriers of the grid, likewise.
    split: Mutex<HashMap<usize, Arc<Parts>>>,
    limit: AtomicUsize,
    /// Numbers the calls, to know which entry was asked for last.
    clock: AtomicU64,
    calls: Counter,
    misses: Counter,
}

struct Kept {
    compiled: Arc<Compiled>,
    asked: u64,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            kept: Mutex::new(HashMap::new()),
            working: Once::new(),
            over_device: Mutex::default(),
            split: Mutex::default(),
            limit: AtomicUsize::new(KEPT),
            clock: AtomicU64::new(0),
            calls: Counter::default(),
            misses: Counter::default(),
        }
    }
}

impl Cache {
    /// The compiled program. Of several threads that ask for it, the first compiles it, after `check`.
    pub(crate) fn get(
        &self,
        program: &GivenProgram<'_>,
        options: Options,
        limits: Option<PtxLimits>,
        check: impl Fn() -> Result<()>,
    ) -> Result<Arc<Compiled>> {
        self.calls.add(1);
        let text = text::print(program);
        let digest = match options.key() {
            None => digest(&text),
            Some(key) => digest(&format!("{text}\noptions {key}\n")),
        };
        let compile = || {
            let _span = span!("compile", program = format!("{digest:032x}"));
            self.misses.add(1);
            check()?;
            Compiled::new(program.share(), digest, options, limits).map(Arc::new)
        };
        let found = self.working.run(
            digest,
            || self.find(digest),
            || {
                let compiled = compile()?;
                self.keep(digest, &compiled);
                Ok(compiled)
            },
        )?;
        // Two programs of one digest share no entry. Programs of one text mean the same, in whatever order their
        // parts were made.
        let is_same = *found.source == **program || text::print(&found.source) == text;
        match is_same && found.options == options {
            true => Ok(found),
            false => compile(),
        }
    }

    /// A kernel of the crate that reads its extent on the device, which is made once.
    pub(crate) fn over_device(
        &self,
        kernel: &'static KernelInfo,
        make: impl FnOnce() -> Result<Arc<Compiled>>,
    ) -> Result<Arc<Compiled>> {
        made_once(&self.over_device, kernel, make)
    }

    /// The parts of a kernel of the crate, which are made once.
    pub(crate) fn split(
        &self,
        kernel: &'static KernelInfo,
        make: impl FnOnce() -> Result<Arc<Parts>>,
    ) -> Result<Arc<Parts>> {
        made_once(&self.split, kernel, make)
    }

    fn find(&self, digest: u128) -> Option<Arc<Compiled>> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.kept.lock();
        let found = kept.get_mut(&digest)?;
        found.asked = now;
        Some(Arc::clone(&found.compiled))
    }

    fn keep(&self, digest: u128, compiled: &Arc<Compiled>) {
        let asked = self.clock.fetch_add(1, Ordering::Relaxed);
        let compiled = Arc::clone(compiled);
        self.kept.lock().insert(digest, Kept { compiled, asked });
        self.shrink();
    }

    /// Keeps at most so many.
    pub(crate) fn limit(&self, count: usize) {
        self.limit.store(count, Ordering::Relaxed);
        self.shrink();
    }

    fn shrink(&self) {
        // Dropped without the lock: unloading a kernel waits for the device.
        let mut dropped = Vec::new();
        let mut kept = self.kept.lock();
        while kept.len() > self.limit.load(Ordering::Relaxed) {
            let oldest = kept
                .iter()
                .min_by_key(|(_, kept)| kept.asked)
                .map(|(&digest, _)| digest);
            dropped.extend(oldest.and_then(|digest| kept.remove(&digest)));
        }
        drop(kept);
    }

    /// Calls that found a compiled program, calls that did not, and programs that are kept.
    pub(crate) fn counts(&self) -> (u64, u64, usize) {
        let (misses, calls) = (self.misses.get(), self.calls.get());
        (calls.saturating_sub(misses), misses, self.kept.lock().len())
    }
}

/// The entry of a kernel of the crate.
fn made_once<T>(
    all: &Mutex<HashMap<usize, Arc<T>>>,
    kernel: &'static KernelInfo,
    make: impl FnOnce() -> Result<Arc<T>>,
) -> Result<Arc<T>> {
    let address = std::ptr::from_ref(kernel).addr();
    if let Some(made) = all.lock().get(&address) {
        return Ok(Arc::clone(made));
    }
    // Several threads that get here find the same program in `get`.
    let made = make()?;
    all.lock().insert(address, Arc::clone(&made));
    Ok(made)
}
