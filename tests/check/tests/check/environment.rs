//! `VYRE_CHECK` and `VYRE_CHECK_SEED`, in processes of their own.

use std::process::Command;

use vyre::Error;
use vyre::check::{Findings, Kind};
use vyre::prelude::*;

/// Runs an ignored test of this file with variables, and returns what it has printed.
pub(crate) fn child(test: &str, variables: &[(&str, &str)]) -> String {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", "--ignored", "--nocapture", test]);
    command.env_remove("VYRE_CHECK").env_remove("VYRE_CHECK_SEED");
    let done = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{text}{}", String::from_utf8_lossy(&done.stderr));
    assert!(text.contains("1 passed"), "{text}");
    text
}

/// The lines that a child has printed behind a mark.
fn told(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.split_once("TOLD ").map(|(_, told)| told))
        .collect()
}

#[vyre::kernel(block = 4)]
fn queue(tickets: &[AtomicU32], x: &mut [u32]) {
    let place = tickets[0].fetch_add(1, Ordering::Relaxed);
    x[place as usize] = thread::index() as u32;
}

fn queued(device: &Device) -> vyre::Result<Vec<u32>> {
    let mut tickets = device.zeros::<u32>(1)?;
    let mut x = device.zeros::<u32>(16)?;
    queue(&mut tickets, &mut x).over(16).launch(device)?;
    x.download()
}

#[test]
#[ignore = "for a process with variables"]
fn tells_the_order() {
    for device in [Device::best().unwrap(), Device::cpu(), Device::cpus(2).remove(1)] {
        println!("TOLD {} {:?}", device.name(), queued(&device).unwrap());
    }
}

#[test]
fn all_launches_take_the_order_of_the_seed() {
    let orders = |seed: &str| {
        let text = child(
            "environment::tells_the_order",
            &[("VYRE_CHECK", "1"), ("VYRE_CHECK_SEED", seed)],
        );
        let orders: Vec<String> = told(&text).into_iter().map(str::to_owned).collect();
        assert_eq!(orders.len(), 3, "{text}");
        assert!(
            orders
                .iter()
                .all(|order| order == &orders[0] && order.starts_with("CPU, checked [")),
            "{text}"
        );
        orders[0].clone()
    };
    let (one, same, other) = (orders("7"), orders("7"), orders("8"));
    assert_eq!(one, same);
    assert_ne!(one, other);
    assert_eq!(
        orders("0"),
        "CPU, checked [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"
    );
}

#[test]
#[ignore = "for a process with variables"]
fn tells_the_order_of_choice() {
    println!("TOLD {:?}", queued(&Device::checked()).unwrap());
}

#[test]
fn a_device_of_choice_takes_the_seed_too() {
    let text = child("environment::tells_the_order_of_choice", &[("VYRE_CHECK_SEED", "0")]);
    assert_eq!(told(&text), ["[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"]);
}

#[test]
fn launches_without_a_seed_have_orders_of_their_own() {
    let text = child("environment::tells_the_order", &[("VYRE_CHECK", "1")]);
    let orders = told(&text);
    assert!(orders.iter().any(|order| *order != orders[0]), "{text}");
}

#[test]
#[ignore = "for a process with variables"]
fn depends_on_the_order() {
    let error = queued(&Device::checked()).unwrap_err();
    let Error::Check(found) = error else { panic!("{error}") };
    let Findings { reports, seed, .. } = *found;
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((report.kind, seed), (Kind::Order, 0));
    assert_eq!(report.object, "`x[0]`");
    assert_eq!(report.values, Some(["0".to_owned(), "15".to_owned()]));
    let marked = include_str!("environment.rs")
        .lines()
        .position(|line| line.contains("x[place as usize] ="));
    for party in &report.parties {
        assert_eq!((party.file.as_str(), Some(party.line as usize - 1)), (file!(), marked));
    }
    assert_eq!(report.parties.len(), 2);
    println!("TOLD {report}");
}

#[test]
fn two_orders_are_compared() {
    let text = child(
        "environment::depends_on_the_order",
        &[("VYRE_CHECK", "order"), ("VYRE_CHECK_SEED", "0")],
    );
    assert_eq!(
        told(&text),
        ["`x[0]` depends on the order of the threads: 0 in one order, 15 in the reverse one"]
    );
}

#[test]
#[ignore = "for a process with variables"]
fn is_refused() {
    let error = Device::best().unwrap_err();
    println!("TOLD {error}");
    let device = Device::cpu();
    assert_eq!(device.upload(&[1]).unwrap_err(), error);
    assert_eq!(device.zeros::<u8>(1).map(drop).unwrap_err(), error);
    assert_eq!(device.stream().map(drop).unwrap_err(), error);
    assert_eq!(queued(&device).unwrap_err(), error);
    assert_eq!(device.synchronize().unwrap_err(), error);
}

#[test]
fn other_values_are_refused() {
    let text = child("environment::is_refused", &[("VYRE_CHECK", "yes")]);
    assert_eq!(
        told(&text),
        ["there is no value of `VYRE_CHECK` `yes`; there are 0, 1, order"]
    );
    let text = child(
        "environment::is_refused",
        &[("VYRE_CHECK", "order"), ("VYRE_CHECK_SEED", "x")],
    );
    assert!(
        told(&text)[0].starts_with("there is no value of `VYRE_CHECK_SEED` `x`;"),
        "{text}"
    );
}
