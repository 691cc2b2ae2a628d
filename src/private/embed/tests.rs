use super::*;

#[test]
fn values_are_written_in_place() {
    const TEXT: &[u8] = &patch(
        *b"a 0xV0000000, 0xV000000000000001;",
        &[(4, 8, bits(&-1.5f32, 4)), (16, 16, bits(&3usize, 8))],
    );
    assert_eq!(utf8(TEXT), "a 0xbfc00000, 0x0000000000000003;");
    assert_eq!(bits(&-1i16, 2), 0xffff);
    assert_eq!(bits(&true, 1), 1);
}
