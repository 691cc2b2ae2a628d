//! Values that the feature `serde` writes and reads.

mod support;

use serde_json::json;
use support::*;
use vyre_runtime::{Device, Error, Fault, Profile, Stats};

#[test]
fn profiles_come_back_as_they_were() {
    let known = Profile::names().map(|name| Profile::known(name).unwrap());
    for profile in known.chain(Device::all().iter().map(Device::profile)) {
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    }
}

/// Names of fields are a promise to whoever keeps such files.
#[test]
fn profiles_have_named_fields() {
    let profile = serde_json::to_value(Profile::known("h100-sxm").unwrap()).unwrap();
    assert_eq!(profile["compute_capability"], json!([9, 0]));
    assert_eq!(profile["max_shared_bytes"], json!(227 * 1024));
    assert_eq!(profile["copy_engines"], json!(null));
    assert_eq!(profile["tensor_cores"], json!(true));
    let version = serde_json::to_value(Device::cpu().version()).unwrap();
    assert_eq!(version, json!({ "runtime": env!("CARGO_PKG_VERSION"), "cuda": null }));
}

#[test]
fn statistics_have_named_fields() {
    let device = Device::cpu();
    let _x = device.upload(&[1u8; 10]).unwrap();
    let stats = device.stats();
    let value = serde_json::to_value(stats).unwrap();
    assert_eq!(value.as_object().unwrap().len(), stats.metrics().len());
    for (name, number) in stats.metrics() {
        assert_eq!(value[name], json!(number));
    }
    assert_eq!(serde_json::from_value::<Stats>(value).unwrap(), stats);
    let memory = device.memory().unwrap();
    let value = serde_json::to_value(memory).unwrap();
    assert_eq!(
        (&value["in_use"], &value["limit"]),
        (&json!(memory.in_use), &json!(null))
    );
}

/// A fault that a kernel has reported, sent elsewhere and told there.
#[test]
fn faults_come_back_as_they_were() {
    let device = Device::cpu();
    let (x, mut y) = (device.zeros(3).unwrap(), device.zeros(8).unwrap());
    saxpy(1.0, &x, &mut y).over(8).launch(&device).unwrap();
    let Err(Error::Fault(fault)) = y.download() else {
        panic!("the kernel faults")
    };
    let text = serde_json::to_string(&fault).unwrap();
    let back: Fault = serde_json::from_str(&text).unwrap();
    assert_eq!(back, *fault);
    assert_eq!(back.to_string(), fault.to_string());
    assert!(
        text.contains(r#""kind":"#) && text.contains(r#""block":[0,0,0]"#),
        "{text}"
    );
}
