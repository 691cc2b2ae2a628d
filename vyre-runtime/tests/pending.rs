//! Work that is started and waited for later, on the CPU, and on a GPU if there is one.

mod support;

use std::thread;
use std::time::Duration;

use support::{Slowly, alone, devices, saxpy};
use vyre_runtime::{Error, Readback, Sequence};

#[test]
fn a_started_sequence_is_waited_for() {
    let _alone = alone();
    for device in devices("a_started_sequence_is_waited_for") {
        let ones = device.upload(&[1u32; 1000]).unwrap();
        let mut y = device.zeros::<u32>(1000).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(Slowly::new(2_000_000, 1, &ones, &mut y)).unwrap();
        let last = steps.read(&y, 999..).unwrap();
        // Several at a time, each with values of its own.
        let mut pending: Vec<_> = (0..4).map(|_| steps.start().unwrap()).collect();
        if !device.is_cuda() {
            assert!(pending.iter().all(|each| each.is_ready().unwrap()));
        }
        assert_eq!(pending.remove(3).wait().unwrap().get(&last), Some(&[4][..]));
        assert!(pending.iter().all(|each| each.is_ready().unwrap()));
        let mut values = Readback::new();
        pending.remove(1).wait_into(&mut values).unwrap();
        assert_eq!(values.get(&last), Some(&[2][..]));
        // One that nobody wants.
        drop(pending.remove(0));
        // By another thread, and after the sequence.
        drop(steps);
        let third = pending.remove(0);
        let waited = thread::spawn(move || third.wait()).join().unwrap();
        assert_eq!(waited.unwrap().get(&last), Some(&[3][..]));
        assert_eq!(y.download().unwrap(), [4; 1000]);
    }
}

#[test]
fn an_executor_runs_it() {
    let _alone = alone();
    for device in devices("an_executor_runs_it") {
        let ones = device.upload(&[1u32; 1000]).unwrap();
        let mut y = device.zeros::<u32>(1000).unwrap();
        let mut steps = Sequence::new(&device);
        steps.launch(Slowly::new(2_000_000, 1, &ones, &mut y)).unwrap();
        let last = steps.read(&y, 999..).unwrap();
        let sum = pollster::block_on(async {
            let mut sum = 0;
            for _ in 0..5 {
                sum += steps.start()?.await?.get(&last).map_or(0, |values| values[0]);
            }
            Ok::<u32, Error>(sum)
        });
        assert_eq!(sum.unwrap(), 1 + 2 + 3 + 4 + 5);
        let mut pending = steps.start().unwrap();
        assert!(pending.wait_for(Duration::from_secs(60)).unwrap());
        pending.wait().unwrap();
    }
}

#[test]
fn a_fault_is_told_by_the_wait() {
    let _alone = alone();
    for device in devices("a_fault_is_told_by_the_wait") {
        let (short, mut y) = (device.zeros(9).unwrap(), device.zeros(10).unwrap());
        let mut steps = Sequence::new(&device);
        steps.launch(saxpy(1.0, &short, &mut y).over(10)).unwrap();
        let pending = steps.start().unwrap();
        assert!(matches!(pending.wait(), Err(Error::Fault(_))));
        device.synchronize().unwrap();
        assert!(matches!(
            pollster::block_on(steps.start().unwrap()),
            Err(Error::Fault(_))
        ));
        device.synchronize().unwrap();
        // The next wait tells that of one that was not waited for.
        drop(steps.start().unwrap());
        assert!(matches!(device.synchronize(), Err(Error::Fault(_))));
        device.synchronize().unwrap();
    }
}
