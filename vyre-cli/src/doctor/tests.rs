use super::*;

#[test]
fn versions_compare_by_number() {
    assert!(numbers("1.100.0") > numbers("1.88"));
    assert!(numbers("1.87.1-beta.2") < numbers("1.88"));
    assert!(numbers("1.88.0") >= numbers("1.88"));
}
