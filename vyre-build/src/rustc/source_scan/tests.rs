use super::innermost_is_impl;

#[test]
fn impls() {
    for inside in [
        "struct A; impl A { ",
        "impl A { fn f() -> impl Fn() { || {} } ",
        "mod m { unsafe impl<T> Send for A<T> where T: Copy { ",
        "#[allow(x)] impl A { const S: &str = \"}\"; const C: char = '}'; ",
        "pub(crate) trait T { fn f<'a>(x: &'a str) { } ",
        "impl A { /* } /* } */ */ // }\n r#\"} \" }\"#; b\"}\\\"}\"; '\\''; ",
    ] {
        assert!(innermost_is_impl(inside), "{inside}");
    }
}

#[test]
fn other_places() {
    for outside in [
        "",
        "impl A { } ",
        "impl A { fn f() { ",
        "mod m { ",
        "fn f(x: impl Fn()) { ",
        "fn f() -> impl Fn() { ",
        "let x: &dyn A = &b; { ",
        "const S: &str = r\"impl A {\"; ",
        "// impl A {\n",
    ] {
        assert!(!innermost_is_impl(outside), "{outside}");
    }
}

#[test]
fn anything_at_all() {
    let nasty = "é'\"\\r#/*{}impl \n";
    let letters: Vec<char> = nasty.chars().collect();
    let mut state = 1u32;
    for _ in 0..2000 {
        let text: String = (0..12)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                letters[(state >> 16) as usize % letters.len()]
            })
            .collect();
        innermost_is_impl(&text);
    }
}
