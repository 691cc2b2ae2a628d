use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

/// An order of its own, with two devices and an owner of each combination of them.
fn order() -> (&'static Order, [Arc<Owner>; 3]) {
    let order: &'static Order = Box::leak(Box::new(Order::new()));
    let devices = Device::cpus(2);
    let owners = [&devices[..], &devices[..1], &devices[1..]].map(|devices| order.owner(devices));
    (order, owners)
}

/// The next place, for an operation of all ranks of an owner.
fn enter(order: &Order, owner: &Arc<Owner>, hold: Hold) -> Place {
    let ranks: Vec<usize> = (0..owner.devices.len()).collect();
    order.enter(owner, &ranks, hold)
}

/// Begins an operation on a thread, and counts it.
fn begin(order: &'static Order, number: u64, begun: &Arc<AtomicUsize>) -> thread::JoinHandle<u64> {
    let begun = begun.clone();
    thread::spawn(move || {
        order.begin(number);
        begun.fetch_add(1, Ordering::SeqCst);
        number
    })
}

/// Long enough for a thread that does not wait.
fn pause() {
    thread::sleep(Duration::from_millis(30));
}

#[test]
fn an_operation_waits_for_the_one_before() {
    let (order, [both, first, second]) = order();
    let before = enter(order, &both, Hold::Same);
    assert!(before.has_begun);
    let after = [&first, &second].map(|owner| enter(order, owner, Hold::Same));
    assert!(after.iter().all(|place| !place.has_begun));
    let begun = Arc::default();
    let waits = after.map(|place| begin(order, place.number, &begun));
    pause();
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    order.end(before.number);
    for one in waits {
        order.end(one.join().unwrap());
    }
    assert!(order.lock().queue.is_empty());
}

#[test]
fn operations_of_different_devices_do_not_wait() {
    let (order, [both, first, second]) = order();
    let [one, other] = [&first, &second].map(|owner| enter(order, owner, Hold::Same));
    assert!(one.has_begun && other.has_begun);
    order.end(other.number);
    order.end(one.number);
    assert!(enter(order, &both, Hold::Same).has_begun);
}

/// Where another communicator was on the device, its last operation is followed.
#[test]
fn operations_of_others_are_followed() {
    let (order, [both, first, second]) = order();
    let follows = |owner: &Arc<Owner>| {
        let place = enter(order, owner, Hold::Same);
        order.end(place.number);
        place.follows.iter().map(|owner| owner.number).collect::<Vec<_>>()
    };
    assert_eq!(follows(&both), []);
    assert_eq!(follows(&both), []);
    assert_eq!(follows(&first), [both.number]);
    assert_eq!(follows(&first), []);
    // On the second device it was the last one itself.
    assert_eq!(follows(&both), [first.number]);
    order.forget(&both);
    drop(both);
    assert_eq!(follows(&first), []);
    // An operation of one of its ranks leaves the other to a later one.
    let again = order.owner(&Device::cpus(2));
    let of = |ranks: &[usize]| {
        let place = order.enter(&again, ranks, Hold::Same);
        order.end(place.number);
        place.follows.len()
    };
    follows(&second);
    assert_eq!([of(&[0]), of(&[0]), of(&[0, 1]), of(&[1])], [1, 0, 1, 0]);
    let device = Device::cpus(1).remove(0);
    first.ends(0, device.default_stream().record().unwrap());
    first.is_followed_by(&device.stream().unwrap()).unwrap();
    first.is_followed_by(&Device::cpus(2)[1].stream().unwrap()).unwrap();
}

/// Messages of a group that are received by several calls: nobody comes between them.
#[test]
fn an_owner_that_holds_its_devices_is_not_interrupted() {
    let (order, [both, first, second]) = order();
    let begins = enter(order, &both, Hold::Begins);
    let waiting = [&first, &second].map(|owner| enter(order, owner, Hold::Same));
    order.end(begins.number);
    let begun = Arc::default();
    let waiting = waiting.map(|place| begin(order, place.number, &begun));
    // It passes those that wait for it.
    let ends = enter(order, &both, Hold::Ends);
    assert!(ends.has_begun);
    pause();
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    order.end(ends.number);
    for one in waiting {
        order.end(one.join().unwrap());
    }
    let state = order.lock();
    assert!(state.queue.is_empty() && state.holds.iter().all(|held| held.count == 0));
}

#[test]
fn an_owner_that_has_failed_holds_nothing() {
    let (order, [both, first, _]) = order();
    for is_early in [true, false] {
        if is_early {
            order.fail(&both);
        }
        let begins = enter(order, &both, Hold::Begins);
        order.fail(&both);
        order.end(begins.number);
        let after = enter(order, &first, Hold::Same);
        assert!(after.has_begun);
        order.end(after.number);
    }
    assert!(!first.is_alone() && !both.is_alone());
    order.forget(&both);
    assert!(first.is_alone());
    let state = order.lock();
    assert!(state.failed.is_empty() && state.holds.is_empty());
}
