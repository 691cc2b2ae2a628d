use super::*;

#[test]
fn names_are_identifiers_and_differ() {
    assert!(KEYWORDS.is_sorted());
    for (name, wanted) in [
        ("x", "x"),
        ("x2", "x2"),
        ("2x", "__2x"),
        ("type", "__type"),
        ("__x", "____x"),
        ("é", "___"),
    ] {
        assert_eq!(identifier(name), wanted);
    }
    let mut names = Names::default();
    assert_eq!(["x", "x", "y"].map(|name| names.fresh(name, 7)), ["x", "__x_7", "y"]);
}
