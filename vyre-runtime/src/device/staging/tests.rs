use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;
use crate::checking::Checking;
use crate::cpu::Cpu;
use crate::device::Kind;

/// The end of work that is over when the test says so.
#[derive(Default)]
struct End(AtomicBool);

impl Moment for End {
    fn wait(&self) -> Result<()> {
        unreachable!("nobody waits for it")
    }

    fn is_over(&self) -> Result<bool> {
        Ok(self.is_past())
    }

    fn is_past(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn since(&self, _: &dyn Moment) -> Result<Duration> {
        unreachable!("nobody measures it")
    }
}

fn device(id: u32, number: usize) -> &'static DeviceState {
    let cpu = Cpu::new(&Checking::Off);
    let queues = [cpu.queue(), cpu.queue()];
    DeviceState::keep(id, Kind::Cpu(number), Box::new(cpu), queues)
}

#[test]
fn memory_is_lent_again_once_its_work_is_over() {
    let (device, end) = (device(1001, 1001), Arc::new(End::default()));
    let mut first = device.staging(100).unwrap();
    let used = first.pointer();
    first.until(&(end.clone() as Arc<dyn Moment>));
    drop(first);
    let second = device.staging(100).unwrap();
    assert_ne!(second.pointer(), used);
    end.0.store(true, Ordering::Relaxed);
    let third = device.staging(100).unwrap();
    assert_eq!(third.pointer(), used);
    // Memory that no work has used is lent at once, and to one user at a time.
    let idle = second.pointer();
    drop(second);
    let fourth = device.staging(100).unwrap();
    assert_eq!(fourth.pointer(), idle);
}

#[test]
fn memory_of_work_that_may_never_end_is_lent_to_nobody() {
    let device = device(1002, 1002);
    let mut first = device.staging(100).unwrap();
    let used = first.pointer();
    first.abandon();
    drop(first);
    assert_ne!(device.staging(100).unwrap().pointer(), used);
}
