use crate::errors::nearest::{meant, nearest};

#[test]
fn numbers_of_other_names() {
    assert_eq!(meant("f23"), Some("f32"));
    assert_eq!(meant("U8"), Some("u8"));
    assert_eq!(meant("float"), Some("f32"));
    assert_eq!(meant("Matrix"), None);
}

#[test]
fn nearest_name() {
    assert_eq!(nearest("abss", &["abs", "min", "floor"]), Some("abs"));
    assert_eq!(
        nearest("wraping_add", &["wrapping_add", "wrapping_sub"]),
        Some("wrapping_add")
    );
    assert_eq!(nearest("hafl", &["third", "half"]), Some("half"));
    assert_eq!(nearest("shuffle_f32", &["shuffle_up", "shuffle"]), Some("shuffle"));
    assert_eq!(nearest("frobnicate", &["abs", "min", "floor"]), None);
    assert_eq!(nearest("block::scan", &["block::sync", "block::sum"]), None);
    assert_eq!(nearest("blok::sync", &["block::sync"]), Some("block::sync"));
    assert_eq!(nearest("", &[]), None);
    assert_eq!(nearest("N", &["D", "M1"]), None);
    assert_eq!(nearest("ab", &["ac", "a"]), None);
    assert_eq!(nearest("ads", &["abs"]), Some("abs"));
}
