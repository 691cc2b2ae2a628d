use super::*;

#[test]
fn records_end_at_zero_or_at_a_damaged_one() {
    let words = [7, site_word(3, 2), 10, 11, 8, site_word(0, 0), 0, 0, 0];
    let found: Vec<_> = records(&words).collect();
    let record = |kernel, site, values| Record { kernel, site, values };
    assert_eq!(found, [record(7, 3, &[10, 11][..]), record(8, 0, &[])]);
    assert_eq!(records(&[7, site_word(1, 5), 1]).count(), 0);
    assert_eq!(records(&[7]).count(), 0);
    assert_eq!(records(&[]).count(), 0);
}
