//! The ordering of uses of an allocation, against a model that makes it visible: queues with vector
//! clocks. A queue's clock records how much of every queue's work is known to be done before later
//! work on it.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use super::{Allocation, Ticket};
use crate::backend::{Backend, CountedRead, DeviceGraph, FaultedLaunch, Launching, Limits, Moment, Queue, Write};
use crate::device::stream::StreamState;
use crate::device::{DeviceState, Kind};
use crate::error::{Error, Result};
use crate::load::kernel::KernelDescription;
use crate::profile::Profile;
use crate::stats::{Counters, PoolUsage};

#[derive(Default)]
struct World {
    /// For each queue, how much of the others' work it follows, and how much of its own there is.
    clocks: Vec<Vec<u64>>,
    /// How many times a queue was made to follow another.
    follows: usize,
    /// The queue that has freed memory, and its clock at that time.
    released: Option<Vec<u64>>,
}

struct Model {
    world: Arc<Mutex<World>>,
    number: usize,
}

impl Queue for Model {
    fn allocate(&self, _bytes: usize, _zeroed: bool) -> Result<u64> {
        Ok(64)
    }

    unsafe fn release(&self, _address: u64, _bytes: usize) -> Result<()> {
        let mut world = self.world.lock().unwrap();
        world.released = Some(world.clocks[self.number].clone());
        Ok(())
    }

    fn follow(&self, other: &dyn Queue) -> Result<()> {
        let other = (other as &dyn Any).downcast_ref::<Model>().unwrap().number;
        let mut world = self.world.lock().unwrap();
        world.follows += 1;
        for i in 0..world.clocks.len() {
            world.clocks[self.number][i] = world.clocks[self.number][i].max(world.clocks[other][i]);
        }
        Ok(())
    }

    unsafe fn write(&self, _: u64, _: *const u8, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn read(&self, _: u64, _: *mut u8, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn start_write(&self, _: u64, _: *const u8, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn start_read(&self, _: u64, _: *mut u8, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn start_read_counted(&self, _: CountedRead) -> Result<()> {
        Ok(())
    }

    unsafe fn scatter(&self, _: *const u8, _: u32) -> Result<()> {
        Ok(())
    }

    unsafe fn copy(&self, _: u64, _: u64, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn copy_from_peer(&self, _: u64, _: &dyn Queue, _: u64, _: usize) -> Result<bool> {
        Ok(true)
    }

    unsafe fn fill(&self, _: u64, _: &[u8], _: usize) -> Result<()> {
        Ok(())
    }

    fn with_raw(&self, work: &mut dyn FnMut(*mut c_void) -> Result<()>) -> Result<()> {
        work(std::ptr::null_mut())
    }

    fn record(&self) -> Result<Box<dyn Moment>> {
        unreachable!("the tests record nothing")
    }

    fn follow_moment(&self, _: &dyn Moment) -> Result<()> {
        unreachable!("the tests record nothing")
    }

    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn take_printed(&self, _: &mut String) -> Result<()> {
        Ok(())
    }

    fn take_faults(&self, _: &mut Vec<FaultedLaunch>) -> Result<()> {
        Ok(())
    }

    fn leave(&self, _launch: u64) -> Result<Option<Vec<Write>>> {
        Ok(None)
    }

    fn has_faulted(&self) -> bool {
        false
    }

    fn launched(&self) -> u64 {
        0
    }

    fn is_idle(&self) -> bool {
        true
    }

    fn resident_blocks(&self, _: &KernelDescription<'_>, _: usize, _: u64) -> Result<u64> {
        Ok(1)
    }

    unsafe fn launch(&self, _: Launching<'_>) -> Result<u64> {
        Ok(0)
    }
}

#[derive(Default)]
struct ModelDevice(Counters);

impl Backend for ModelDevice {
    fn name(&self) -> &str {
        "model"
    }

    fn limits(&self) -> &Limits {
        &Limits::CUDA
    }

    fn target(&self) -> Option<u32> {
        None
    }

    fn multiprocessors(&self) -> u32 {
        1
    }

    fn profile(&self) -> Profile {
        Profile::common("model", self.name())
    }

    fn counters(&self) -> &Counters {
        &self.0
    }

    fn pool_usage(&self) -> Result<PoolUsage> {
        unreachable!("the tests do not ask")
    }

    fn keep_memory(&self, _: u64) -> Result<()> {
        unreachable!("the tests do not ask")
    }

    fn trim_memory(&self) -> Result<()> {
        unreachable!("the tests do not ask")
    }

    fn allocate_host(&self, _: usize) -> Result<NonNull<u8>> {
        unreachable!("the tests copy nothing")
    }

    unsafe fn release_host(&self, _: NonNull<u8>, _: usize) {}

    fn max_priority(&self) -> u32 {
        0
    }

    fn load(&self, _: &KernelDescription<'_>) -> Result<()> {
        Ok(())
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn lost(&self) -> Option<&Error> {
        None
    }

    fn raw_context(&self) -> *mut c_void {
        unreachable!("the tests do not ask")
    }

    unsafe fn adopt_queue(&self, _: *mut c_void) -> Result<Box<dyn Queue>> {
        unreachable!("the tests make their queues")
    }

    fn open_graph(&self, _: &dyn Queue) -> Result<Option<Box<dyn DeviceGraph>>> {
        Ok(None)
    }

    fn open_queue(&self, _: u32) -> Result<Box<dyn Queue>> {
        unreachable!("the tests make their queues")
    }
}

struct Setup {
    world: Arc<Mutex<World>>,
    device: &'static DeviceState,
    streams: Vec<&'static StreamState>,
    allocation: Arc<Allocation>,
    /// Every use: queue, its time there, true for a write.
    uses: Vec<(usize, u64, bool)>,
}

impl Setup {
    fn new(count: usize) -> Setup {
        // Two additional queues, kept by the device.
        let clocks = vec![vec![0; count + 2]; count + 2];
        let world = Arc::new(Mutex::new(World {
            clocks,
            ..World::default()
        }));
        let queue = |number| -> Box<dyn Queue> {
            Box::new(Model {
                world: world.clone(),
                number,
            })
        };
        let queues = [queue(count), queue(count + 1)];
        let device = DeviceState::keep(1000, Kind::Cpu(1000), Box::new(ModelDevice::default()), queues);
        let stream = |number| -> &'static StreamState { Box::leak(Box::new(StreamState::new(queue(number), 0))) };
        let streams: Vec<_> = (0..count).map(stream).collect();
        let allocation = Allocation::new(device, streams[0], 64, false).unwrap();
        let mut setup = Setup {
            world,
            device,
            streams,
            allocation,
            uses: Vec::new(),
        };
        setup.work(0, true, 0);
        setup
    }

    /// Enqueues work and checks that it follows all conflicting work of the first `earlier` uses;
    /// the others run concurrently on disjoint parts.
    fn work(&mut self, stream: usize, writes: bool, earlier: usize) {
        let mut world = self.world.lock().unwrap();
        world.clocks[stream][stream] += 1;
        let clock = world.clocks[stream].clone();
        drop(world);
        for &(other, time, wrote) in &self.uses[..earlier] {
            assert!(
                !(writes || wrote) || clock[other] >= time,
                "{stream} does not follow {other} at {time}"
            );
        }
        self.uses.push((stream, clock[stream], writes));
    }

    fn launch(&mut self, stream: usize, writes: bool) {
        let ticket = self.allocation.begin(self.streams[stream], writes).unwrap();
        self.work(stream, writes, self.uses.len());
        self.allocation.end(self.streams[stream], writes, ticket);
    }

    /// Several threads launch at once, on disjoint parts or to read, and their steps interleave.
    fn launch_at_once(&mut self, random: &mut Random, streams: u64) {
        enum Step {
            Begin,
            Work(Ticket),
            End(Ticket),
        }
        let earlier = self.uses.len();
        let mut threads: Vec<_> = (0..2 + random.below(3))
            .map(|_| (random.below(streams) as usize, random.below(2) == 0, Step::Begin))
            .collect();
        while !threads.is_empty() {
            let turn = random.below(threads.len() as u64) as usize;
            let (stream, writes, ref mut step) = threads[turn];
            match *step {
                Step::Begin => *step = Step::Work(self.allocation.begin(self.streams[stream], writes).unwrap()),
                Step::Work(ticket) => {
                    *step = Step::End(ticket);
                    self.work(stream, writes, earlier);
                }
                Step::End(ticket) => {
                    self.allocation.end(self.streams[stream], writes, ticket);
                    threads.swap_remove(turn);
                }
            }
        }
    }

    fn follows(&self) -> usize {
        self.world.lock().unwrap().follows
    }

    /// Drops the allocation and checks that all its uses come before.
    fn finish(self) {
        drop(self.allocation);
        let released = self.world.lock().unwrap().released.take().unwrap();
        for &(stream, time, _) in &self.uses {
            assert!(released[stream] >= time, "freed before {stream} at {time}");
        }
    }
}

/// A small random number generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn one_stream_follows_nobody() {
    let mut setup = Setup::new(1);
    (0..10).for_each(|i| setup.launch(0, i % 2 == 0));
    assert_eq!(setup.follows(), 0);
    setup.finish();
}

#[test]
fn a_stream_follows_no_more_than_it_must() {
    let mut setup = Setup::new(3);
    let mut expect = |stream, writes, follows, why: &str| {
        let before = setup.follows();
        setup.launch(stream, writes);
        assert_eq!(setup.follows() - before, follows, "{why}");
    };
    expect(1, false, 1, "a reader follows the writer");
    expect(1, false, 0, "and does so already");
    expect(2, false, 1, "readers follow the writer, not each other");
    expect(0, true, 2, "a writer follows the readers");
    expect(0, true, 0, "and is alone then");
    expect(0, false, 0, "and is alone then");
    expect(2, true, 1, "the readers before are behind the writer");
    expect(1, true, 1, "as above");
    setup.finish();
}

#[test]
fn a_write_after_a_read_of_the_same_stream_counts() {
    let mut setup = Setup::new(2);
    let ticket = setup.allocation.begin_for_host(setup.device.copies()).unwrap();
    setup.allocation.settle(ticket);
    setup.uses.clear();
    setup.launch(0, false);
    setup.launch(1, false);
    assert_eq!(setup.follows(), 1, "only the host has followed");
    setup.launch(0, true);
    setup.launch(0, false);
    setup.launch(1, false);
    assert_eq!(setup.follows(), 3);
    setup.finish();
}

#[test]
fn random_launches_are_ordered() {
    let mut random = Random(1);
    for _ in 0..1000 {
        let mut setup = Setup::new(4);
        let streams = 1 + random.below(4);
        for _ in 0..60 {
            let stream = random.below(streams) as usize;
            match random.below(10) {
                0 => {
                    // The host waits for all uses, on a queue of the device.
                    let copies = setup.device.copies();
                    let ticket = setup.allocation.begin_for_host(copies).unwrap();
                    let clock = setup.world.lock().unwrap().clocks[5].clone();
                    for &(other, time, _) in &setup.uses {
                        assert!(clock[other] >= time, "the host does not follow {other} at {time}");
                    }
                    setup.allocation.settle(ticket);
                    setup.uses.clear();
                }
                1 => setup.launch_at_once(&mut random, streams),
                kind => setup.launch(stream, kind < 5),
            }
        }
        setup.finish();
    }
}

/// Uses by the only stream are noted once: reads with any use, writes with a write.
#[test]
fn what_is_noted_takes_no_lock() {
    let setup = Setup::new(2);
    let [first, second] = [0, 1].map(|stream| setup.streams[stream]);
    let allocation = &setup.allocation;
    let noted = |stream| [false, true].map(|writes| allocation.is_noted(stream, writes));
    assert_eq!((noted(first), noted(second)), ([true; 2], [false; 2]));
    // The host waits for all, and what comes next is a read.
    let ticket = allocation.begin_for_host(first).unwrap();
    allocation.settle(ticket);
    assert_eq!((noted(first), noted(second)), ([false; 2], [false; 2]));
    let ticket = allocation.begin(second, false).unwrap();
    allocation.end(second, false, ticket);
    assert_eq!((noted(first), noted(second)), ([false; 2], [true, false]));
    let ticket = allocation.begin(second, true).unwrap();
    allocation.end(second, true, ticket);
    assert_eq!((noted(first), noted(second)), ([false; 2], [true; 2]));
    // Two streams use it.
    let ticket = allocation.begin(first, false).unwrap();
    allocation.end(first, false, ticket);
    assert_eq!((noted(first), noted(second)), ([false; 2], [false; 2]));
}

/// While a recording holds the memory, a use says so before it looks at the others, and its stream owns nothing.
#[test]
fn recorded_memory_has_no_owner() {
    let setup = Setup::new(2);
    let (allocation, stream) = (&setup.allocation, setup.streams[0]);
    assert!(!allocation.begin(stream, true).unwrap().is_recorded());
    allocation.record();
    allocation.record();
    for _ in 0..2 {
        assert!(allocation.owner().is_none());
        assert!(allocation.begin(stream, false).unwrap().is_recorded());
        // Inside of the gate it goes on as usual.
        let ticket = allocation.begin_inside(stream, true).unwrap();
        assert!(!ticket.is_recorded());
        allocation.end(stream, true, ticket);
    }
    allocation.forget_recording();
    assert!(allocation.is_recorded());
    allocation.forget_recording();
    let ticket = allocation.begin(stream, true).unwrap();
    assert!(!ticket.is_recorded());
    allocation.end(stream, true, ticket);
    assert!(allocation.owner().is_some());
    setup.finish();
}
