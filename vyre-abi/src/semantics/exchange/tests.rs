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
