use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

/// An order of its own, with two devices and an owner of each combination of them.
fn order() -> (&'static Order, [Arc<Owner>; 3]) {
    let order: &'static Order = Box::leak(Box::new(Order::new()));
    let devices = Device::cpus(2);
    let owner = |devices: &[Device]| Arc::new(order.owner(devices));
    (order, [owner(&devices), owner(&devices[..1]), owner(&devices[1..])])
}

/// Begins a share on a thread, and counts it.
fn begin(place: Place, begun: &Arc<AtomicUsize>) -> thread::JoinHandle<Place> {
    let begun = begun.clone();
    thread::spawn(move || {
        place.begin();
        begun.fetch_add(1, Ordering::SeqCst);
        place
    })
}

/// Long enough for a thread that does not wait.
fn pause() {
    thread::sleep(Duration::from_millis(30));
}

#[test]
fn an_operation_waits_for_all_ranks_of_the_one_before() {
    let (order, [both, first, _]) = order();
    let (before, after) = (order.enter(&both, 2, Hold::Same), order.enter(&first, 1, Hold::Same));
    let shares = [order.place(&both, before), order.place(&both, before)];
    let begun = Arc::default();
    let waits = begin(order.place(&first, after), &begun);
    shares[0].begin();
    pause();
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    let [one, other] = shares;
    drop(one);
    pause();
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    // It never comes to its turn, as after an error.
    drop(other);
    drop(waits.join().unwrap());
    assert!(order.lock().queue.is_empty());
}

#[test]
fn operations_of_different_devices_do_not_wait() {
    let (order, [both, first, second]) = order();
    let one = order.place(&first, order.enter(&first, 1, Hold::Same));
    let other = order.place(&second, order.enter(&second, 1, Hold::Same));
    other.begin();
    one.begin();
    drop((one, other));
    order.place(&both, order.enter(&both, 1, Hold::Same)).begin();
}

/// Messages of a group that are received by several calls: nobody comes between them.
#[test]
fn an_owner_that_holds_its_devices_is_not_interrupted() {
    let (order, [both, first, second]) = order();
    let begins = order.place(&both, order.enter(&both, 1, Hold::Begins));
    let waiting = [&first, &second].map(|owner| order.place(owner, order.enter(owner, 1, Hold::Same)));
    begins.begin();
    drop(begins);
    let begun = Arc::default();
    let waiting = waiting.map(|place| begin(place, &begun));
    // It passes those that wait for it.
    let ends = order.place(&both, order.enter(&both, 1, Hold::Ends));
    pause();
    ends.begin();
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    drop(ends);
    for one in waiting {
        drop(one.join().unwrap());
    }
    let state = order.lock();
    assert!(state.queue.is_empty() && state.holds.is_empty());
}

#[test]
fn an_owner_that_has_failed_holds_nothing() {
    let (order, [both, first, _]) = order();
    for is_early in [true, false] {
        let begins = order.place(&both, order.enter(&both, 1, Hold::Begins));
        if is_early {
            order.fail(&both);
        }
        begins.begin();
        drop(begins);
        order.fail(&both);
        order.place(&first, order.enter(&first, 1, Hold::Same)).begin();
        order.forget(&both);
        assert!(order.lock().failed.is_empty());
        // The share that was begun is dropped with the statement.
        assert!(order.lock().queue.is_empty());
    }
}
