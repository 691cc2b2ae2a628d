//! The smallest runtime, without the features that are on by default: it launches, on the driver that is played on the host.
//!
//! `cargo test -p vyre --no-default-features --features cuda-12080 --test minimal`
#![cfg(target_os = "linux")]

use vyre::prelude::*;
use vyre_test_driver::{Driver, Stage};

/// With a domain of its own, which a sequence records, where there are sequences.
#[vyre::kernel]
fn double(#[each] x: &mut u32) {
    *x *= 2;
}

/// Reports faults.
#[vyre::kernel]
fn gather(places: &[u32], x: &[f32], y: &mut [f32]) {
    let i = thread::index();
    if i < y.len() {
        y[i] = x[places[i] as usize];
    }
}

#[test]
fn kernels_are_launched() {
    const TEST: &str = "kernels_are_launched";
    if let Some(driver) = Driver::of(TEST) {
        let device = Device::cuda(0).unwrap();
        let mut numbers = device.upload(&[1, 2, 3]).unwrap();
        let (places, x) = (device.upload(&[0, 0]).unwrap(), device.upload(&[5.0]).unwrap());
        let mut y = device.zeros(2).unwrap();
        let copies = driver.calls("cuMemcpyHtoDAsync_v2");
        for _ in 0..3 {
            double(&mut numbers).launch(&device).unwrap();
            gather(&places, &x, &mut y).over(2).launch(&device).unwrap();
        }
        device.synchronize().unwrap();
        // The played driver runs no kernel.
        assert_eq!(numbers.download().unwrap(), [1, 2, 3]);
        assert_eq!(y.download().unwrap(), [0.0; 2]);
        // The kernels are loaded once each, and buffers stay on the device.
        assert_eq!((driver.calls("cuLaunchKernel"), driver.modules()), (6, 2));
        assert_eq!(driver.calls("cuMemcpyHtoDAsync_v2"), copies);
        assert_eq!(device.stats().launches, 6);
    } else if let Some(stage) = Stage::new(env!("CARGO_TARGET_TMPDIR"), TEST) {
        stage.run();
        // A driver needs the functions of graphs for these alone.
        #[cfg(not(feature = "graphs"))]
        stage.without("cuGraphCreate").run();
    }
}

/// Without the feature `cpu` the CPU is no device, and each use of it says so.
#[cfg(not(feature = "cpu"))]
#[test]
fn the_cpu_is_refused_by_the_name_of_its_feature() {
    let advice = "needs the feature `cpu` of vyre, which this program was built without; add it in Cargo.toml, as \
                  `vyre = { .., features = [\"cpu\"] }`";
    let cpu = Device::cpu();
    let refused = [
        cpu.upload(&[1, 2, 3]).map(drop),
        cpu.stream().map(drop),
        cpu.synchronize(),
        Double::dispatch(&cpu, &mut [1, 2, 3]),
    ];
    for refused in refused {
        let error = refused.unwrap_err();
        assert!(matches!(error, vyre::Error::MissingFeature { feature: "cpu", .. }));
        assert_eq!(error.to_string(), format!("the CPU as a device {advice}"));
    }
    assert!(Device::all().iter().all(Device::is_cuda));
    let cpus = Device::backends().pop().unwrap();
    assert_eq!((cpus.name, cpus.devices, cpus.error.is_some()), ("cpu", 0, true));
    match Device::best() {
        Ok(device) => assert!(device.is_cuda()),
        Err(error) if Device::cuda(0).is_err() => {
            let text = error.to_string();
            assert!(text.starts_with("`Device::best()` without a CUDA device"), "{text}");
            assert!(text.ends_with(advice), "{text}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// Checking mode that the environment asks for, and that the program was built without, is an error of each use.
#[cfg(not(feature = "check"))]
#[test]
fn checking_mode_is_refused_by_the_name_of_its_feature() {
    const TEST: &str = "checking_mode_is_refused_by_the_name_of_its_feature";
    if std::env::var_os("VYRE_CHECK").is_none() {
        // The variable is read once in a process.
        let program = std::env::current_exe().unwrap();
        let run = std::process::Command::new(program)
            .args(["--exact", TEST, "--nocapture"])
            .env("VYRE_CHECK", "order")
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        return;
    }
    let advice = "`VYRE_CHECK=order` needs the feature `check` of vyre, which this program was built without; add it in \
                  Cargo.toml, as `vyre = { .., features = [\"check\"] }` under `[dev-dependencies]`, or unset the variable";
    let error = Device::best().unwrap_err();
    assert!(matches!(error, vyre::Error::MissingFeature { feature: "check", .. }));
    assert_eq!(error.to_string(), advice);
    #[cfg(feature = "cpu")]
    for refused in [
        Device::cpu().upload(&[1]).map(drop),
        Double::dispatch(&Device::cpu(), &mut [1]),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), advice);
    }
}
