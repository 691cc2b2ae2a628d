//! Printed output when several threads wait for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use vyre::prelude::*;

#[vyre::kernel(block = 32)]
fn greet() {
    println!("lane {}", thread::idx().x);
}

/// The only test of its program: a wait for the whole device takes the output of other tests.
#[test]
fn a_wait_returns_when_the_text_is_handed_out() -> vyre::Result<()> {
    for device in Device::all()? {
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
