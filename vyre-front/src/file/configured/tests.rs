use proc_macro2::TokenStream;

use super::super::predicate::Environment;
use super::{checks, decided};

/// `unix` holds, `windows` does not, and `test` is unknown.
const ENVIRONMENT: Environment = Environment {
    variable: |name| match name {
        "CARGO_CFG_TARGET_OS" => Some("linux".to_owned()),
        "CARGO_CFG_UNIX" => Some(String::new()),
        _ => None,
    },
};

fn text(source: &str) -> String {
    let tokens: TokenStream = source.parse().expect("tokens");
    let done = decided(tokens.clone(), &ENVIRONMENT).map_or(tokens, |(tokens, _)| tokens);
    syn::parse2::<syn::File>(done.clone()).unwrap_or_else(|error| panic!("{error} in {done}"));
    done.to_string()
}

/// The first text leaves the second.
#[track_caller]
fn leaves(source: &str, expected: &str) {
    let expected: TokenStream = expected.parse().expect("tokens");
    assert_eq!(text(source), expected.to_string());
}

#[test]
fn items() {
    leaves(
        "#[cfg(unix)] const N: usize = 4; #[cfg(windows)] const N: usize = 8; #[cfg(windows)] mod gone { fn f() {} } fn g() {}",
        "const N: usize = 4; fn g() {}",
    );
    leaves(
        "#[cfg(unix)] #[vyre::kernel] fn k(y: &mut [f32]) {} #[cfg(windows)] #[vyre::kernel(block = 64)] fn k(y: &mut [f32]) {}",
        "#[vyre::kernel] fn k(y: &mut [f32]) {}",
    );
    leaves(
        "impl P { #[cfg(windows)] fn f(self) {} #[cfg(unix)] fn g(&self) {} }",
        "impl P { fn g(&self) {} }",
    );
}

#[test]
fn statements_and_values() {
    leaves(
        "fn f() -> u32 { #[cfg(windows)] let x = P { a: 1 }; #[cfg(unix)] let x = 2; \
         #[cfg(windows)] { x += 1; } #[cfg(windows)] if x > 1 { return 2; } else { return 3; } #[cfg(windows)] return 1; \
         #[cfg(windows)] const K: u32 = 1; #[cfg(unix)] { x } }",
        "fn f() -> u32 { let x = 2; { x } }",
    );
    leaves(
        "fn f() -> u32 { #[cfg(unix)] { 1 } #[cfg(windows)] { 2 } }",
        "fn f() -> u32 { { 1 } }",
    );
    leaves(
        "fn f() -> u32 { 1; #[cfg(windows)] a + b * c(d) }",
        "fn f() -> u32 { 1; }",
    );
    leaves(
        "fn f() { for k in 0..2 { #[cfg(windows)] gone(k); } g(|x| { #[cfg(windows)] gone(x); x }) }",
        "fn f() { for k in 0..2 { } g(|x| { x }) }",
    );
}

#[test]
fn arms() {
    leaves(
        "fn f() { match x { #[cfg(windows)] 0 => {} #[cfg(windows)] 1 | 2 if y => g(), #[cfg(unix)] 3 => h(a, b), _ => P { a, b }, } }",
        "fn f() { match x { 3 => h(a, b), _ => P { a, b }, } }",
    );
}

#[test]
fn fields_variants_and_patterns() {
    leaves(
        "struct P { x: u32, #[cfg(windows)] y: Pair<A, B>, #[cfg(unix)] pub z: u32 }",
        "struct P { x: u32, pub z: u32 }",
    );
    leaves(
        "struct P(u32, #[cfg(windows)] pub Pair<A, B>, f32);",
        "struct P(u32, f32);",
    );
    leaves(
        "enum E { A, #[cfg(windows)] B(u32, f32), #[cfg(unix)] C { x: u32 } = 3 }",
        "enum E { A, C { x: u32 } = 3 }",
    );
    leaves(
        "fn f() { let P { x, #[cfg(windows)] y: Some(a) | None, #[cfg(unix)] z: w, .. } = P { x: 1, #[cfg(windows)] y: g::<A, B>(1, 2), #[cfg(unix)] z, ..old }; }",
        "fn f() { let P { x, z: w, .. } = P { x: 1, z, ..old }; }",
    );
}

#[test]
fn parameters_and_elements() {
    leaves(
        "fn f(#[cfg(windows)] a: Pair<A, B>, #[cfg(unix)] #[each] b: &mut f32) { g(1, #[cfg(windows)] |x, y| x + y, 2); [1, #[cfg(windows)] 2, 3] }",
        "fn f(#[each] b: &mut f32) { g(1, 2); [1, 3] }",
    );
}

#[test]
fn conditional_attributes() {
    leaves(
        "#[cfg_attr(unix, derive(Clone, Copy), repr(C))] #[cfg_attr(windows, repr(u8))] #[cfg_attr(unix, cfg(unix))] struct P;",
        "#[derive(Clone, Copy)] #[repr(C)] struct P;",
    );
    leaves("#[cfg_attr(unix, cfg(windows))] struct P; struct Q;", "struct Q;");
}

#[test]
fn what_is_not_known_stays() {
    let source =
        "#[cfg(test)] mod tests { #[cfg(unix)] fn f() {} } fn f() { #[cfg(test)] g(); assert!(x, #[cfg(unix)] y); }";
    leaves(
        source,
        "#[cfg(test)] mod tests { fn f() {} } fn f() { #[cfg(test)] g(); assert!(x, #[cfg(unix)] y); }",
    );
    let tokens: TokenStream = "#[cfg(test)] fn f() {}".parse().expect("tokens");
    assert!(decided(tokens, &ENVIRONMENT).is_none());
    leaves("#![allow(unused)] #[cfg(windows)] fn f() {}", "#![allow(unused)]");
}

#[test]
fn rustc_confirms_each_decision_once() {
    let tokens: TokenStream = "#[cfg(unix)] fn f() {} #[cfg(windows)] fn g() {} #[cfg(unix)] fn h() {}"
        .parse()
        .expect("tokens");
    let (_, decisions) = decided(tokens, &ENVIRONMENT).expect("decisions");
    let checks = checks(decisions);
    let shown: Vec<String> = checks.iter().map(|it| quote::quote!(#it).to_string()).collect();
    assert_eq!(shown.len(), 2);
    assert!(shown[0].starts_with("# [cfg (not (unix))]"), "{}", shown[0]);
    assert!(shown[1].starts_with("# [cfg (windows)]"), "{}", shown[1]);
}
