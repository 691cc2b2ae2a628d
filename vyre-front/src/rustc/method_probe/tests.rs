use super::*;

#[test]
fn types_come_in_order() {
    assert_eq!(before(&[], Receiver::Value), None);
    assert_eq!(before(&[], Receiver::Shared), Some(vec![]));
    assert_eq!(before(&[], Receiver::Mutable), Some(vec![false]));
    assert_eq!(before(&[false], Receiver::Shared), None);
    assert_eq!(before(&[false], Receiver::Value), Some(vec![true, false]));
    assert_eq!(before(&[true], Receiver::Shared), Some(vec![]));
    assert_eq!(before(&[false, false], Receiver::Value), Some(vec![false]));
}
