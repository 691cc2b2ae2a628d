use super::*;

#[test]
fn no_reserved_word_is_plain() {
    assert!(RESERVED.is_sorted());
    assert!(RESERVED.iter().all(|word| !is_plain(word)));
    assert!(is_plain("assertion") && !is_plain("u32") && !is_plain("AtomicU32"));
}
