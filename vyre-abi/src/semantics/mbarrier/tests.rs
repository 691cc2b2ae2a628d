use super::{arrive, init, test_wait};

#[test]
fn phases_end_with_the_last_arrival() {
    let mut state = init(3);
    for _ in 0..5 {
        let begin = state;
        for missing in (0..3).rev() {
            assert_eq!(test_wait(state, begin), 0);
            state = arrive(state);
            assert_eq!(test_wait(state, begin), u64::from(missing == 0));
        }
    }
}

#[test]
fn the_number_of_the_phase_wraps() {
    let last = u64::MAX << 40 | init(1);
    let next = arrive(last);
    assert_eq!((next, test_wait(next, last)), (init(1), 1));
}
