use super::*;

#[test]
fn texts_and_numbers_are_as_elsewhere() {
    for text in ["", "a", "ab", "abc", "abcd", "é", "aé", "€", "aéb"] {
        let mut out = String::from("x");
        push(&mut out, text);
        assert_eq!(out, format!("x{text}"));
    }
    for number in [0, 9, 10, 99, 100, 1_234_567_890, u64::MAX] {
        let mut out = String::new();
        decimal(&mut out, number);
        assert_eq!(out, number.to_string());
    }
}
