use super::*;

#[test]
fn kinds_are_numbered_in_order() {
    for (number, kind) in FaultKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, number);
    }
    assert_eq!(FaultKind::Panic as usize + 1, FaultKind::ALL.len());
}
