use super::function::ValueData;
use super::op::Op;

/// Passes copy operations and walk over all values: a larger operation is a decision.
#[test]
fn operations_stay_small() {
    assert_eq!(size_of::<Op>(), 24);
    assert_eq!(size_of::<ValueData>(), 40);
}
