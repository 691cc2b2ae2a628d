use super::Exchange;
use crate::ops::Shuffle;

#[test]
fn lanes_that_have_left_give_nothing() {
    let mut exchange = Exchange::default();
    for (lane, bits) in [Some(5), None, Some(0), Some(5)].into_iter().enumerate() {
        exchange.give(lane, bits);
    }
    assert_eq!(exchange.ballot(4, 2), 0b1001);
    assert_eq!(exchange.ballot(2, 2), 0b10);
    assert_eq!(exchange.matching(4, 0, 0), 0b100);
    assert_eq!(exchange.matching(4, 0, 5), 0b1001);
    assert_eq!(exchange.shuffled(Shuffle::Index, 4, 0, 3), Some(5));
    assert_eq!(exchange.shuffled(Shuffle::Index, 4, 0, 1), None);
    assert_eq!(exchange.shuffled(Shuffle::Up, 2, 2, 1), None);
}

/// A combination that tells the order: neither commutative nor associative.
#[test]
fn values_are_combined_in_their_order() {
    let mut exchange = Exchange::default();
    for lane in 0..8 {
        exchange.give(lane, Some(10 + lane as u64));
    }
    let pair = |a: u64, b: u64| a.wrapping_mul(31).wrapping_add(b) + 1;
    for lane in 0..8 {
        assert_eq!(exchange.reduced(8, lane, |a, b| a + b), 108);
        let value = |differs: u32| u64::from(10 + (lane ^ differs));
        let even = pair(pair(value(0), value(4)), pair(value(2), value(6)));
        let odd = pair(pair(value(1), value(5)), pair(value(3), value(7)));
        assert_eq!(exchange.reduced(8, lane, pair), pair(even, odd));
        assert_eq!(exchange.reduced(2, lane, pair), pair(value(0), value(1)));
    }
    exchange.give(2, None);
    for lane in [0, 1, 3] {
        assert_eq!(exchange.reduced(4, lane, pair), pair(pair(10, 11), 13));
    }
    assert_eq!(exchange.reduced(2, 3, pair), 13);
    assert_eq!(exchange.reduced(4, 5, pair), pair(pair(15, 17), pair(14, 16)));
}
