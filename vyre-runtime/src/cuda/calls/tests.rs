//! The kernels that are named when a device is lost.

use super::*;

#[test]
fn the_last_launches_are_known() {
    let flight = Flight::default();
    assert_eq!(flight.kernels().count(), 0);
    for kernel in 1..=3 {
        flight.add(kernel);
    }
    assert!(flight.kernels().eq([3, 2, 1]));
    // Those before a wait are over, also if an older wait ends later.
    let before = flight.launched();
    flight.add(4);
    flight.end(before);
    flight.end(1);
    assert!(flight.kernels().eq([4]));
    for kernel in 0..100 {
        flight.add(kernel);
    }
    assert!(flight.kernels().eq((68..100).rev()));
}

#[test]
fn only_some_codes_end_a_context() {
    let ending: Vec<u32> = (0..1000).filter(|&code| ends_context(code)).collect();
    assert_eq!(
        ending,
        [201, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719]
    );
    // A launch that needs too much, and memory that is full, leave all usable.
    assert!(!ends_context(701) && !ends_context(2));
}
