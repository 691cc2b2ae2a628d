//! Printed output when several threads wait for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn greet() {
    println!("lane {}", thread::idx().x);
}

/// The order of the tests: a wait for the whole device takes the output of others.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_printer_may_use_its_own_stream() -> vyre::Result<()> {
    let _alone = ALONE.lock();
    for device in Device::all() {
        let stream = device.stream()?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (sink, own) = (kept.clone(), stream.clone());
        stream.print_to(move |text| {
            sink.lock().unwrap().push(text.lines().count());
            if sink.lock().unwrap().len() < 3 {
                // The output of this launch is handed out when this call is over.
                greet().grid(1).on(&own).launch(&own.device()).expect("a launch");
            }
            own.synchronize().expect("no fault");
        });
        greet().grid(2).on(&stream).launch(&device)?;
        stream.synchronize()?;
        assert_eq!(*kept.lock().unwrap(), [64, 32, 32], "on {}", device.name());
        // The printer refers to its stream, which would otherwise never be free.
        stream.print_to(|_| ());
    }
    Ok(())
}

#[test]
fn a_printer_may_set_another_one() -> vyre::Result<()> {
    let _alone = ALONE.lock();
    for device in Device::all() {
        let stream = device.stream()?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (first, second, own) = (kept.clone(), kept.clone(), stream.clone());
        stream.print_to(move |text| {
            first.lock().unwrap().push(("first", text.lines().count()));
            let second = second.clone();
            own.print_to(move |text| second.lock().unwrap().push(("second", text.lines().count())));
        });
        for _ in 0..2 {
            greet().grid(1).on(&stream).launch(&device)?;
            stream.synchronize()?;
        }
        assert_eq!(*kept.lock().unwrap(), [("first", 32), ("second", 32)]);
    }
    Ok(())
}

#[test]
fn a_wait_returns_when_the_text_is_handed_out() -> vyre::Result<()> {
    let _alone = ALONE.lock();
    for device in Device::all() {
        let stream = device.stream()?;
        let kept = Arc::new(Mutex::new(String::new()));
        let sink = kept.clone();
        stream.print_to(move |text| {
            // As slow as a terminal.
            std::thread::sleep(std::time::Duration::from_millis(1));
            sink.lock().unwrap().push_str(text);
        });
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    device.synchronize().expect("no fault");
                }
            });
            for round in 0..300 {
                greet().grid(1).on(&stream).launch(&device).expect("a launch");
                stream.synchronize().expect("no fault");
                let lines = std::mem::take(&mut *kept.lock().unwrap()).lines().count();
                if lines != 32 {
                    done.store(true, Ordering::Relaxed);
                    panic!("{lines} lines in round {round} on {}", device.name());
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
    Ok(())
}
