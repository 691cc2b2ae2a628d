use super::super::tests::beside;

fn lacks(source: &str) -> bool {
    let around = beside(source);
    around
        .reach()
        .is_some_and(|reach| around.lacking(&["thread"], reach) == ["thread"])
}

#[test]
fn names_that_nothing_brings() {
    for source in [
        "fn here() {}",
        "use std::fmt;\nfn here() { thread::index() }",
        "use vyre::Device;\n#[vyre::kernel]\nfn here() {}",
        "use vyre::prelude::*;\nmod a {\n    fn here() {}\n}",
        "mod a {\n    use vyre::prelude::*;\n}\nfn here() {}",
        "fn a() {\n    use vyre::thread;\n}\nfn here() {}",
        "#![allow(dead_code)]\n#[cfg(test)]\nmod a {\n    fn here() {}\n}",
        "// use it; x *= 2;\nfn here() { println!(\"\"); let a = !(b) != c; }",
        "use std::thread::JoinHandle;\nfn here() {}",
        "use std::fmt;\nmod a {\n    use super::*;\n    fn here() {}\n}",
        "mod a {\n    pub use super ::*;\n    mod b {\n        use super::*;\n        fn here() {}\n    }\n}",
        "fn f() {\n    use vyre::prelude::*;\n    mod a {\n        use super::*;\n        fn here() {}\n    }\n}",
        "mod b {\n    use vyre::prelude::*;\n}\nmod a {\n    use super::*;\n    fn here() {}\n}",
    ] {
        assert!(lacks(source), "{source}");
    }
}

#[test]
fn names_that_something_may_bring() {
    for source in [
        "use vyre::prelude::*;\nfn here() {}",
        "fn here() {}\nuse vyre::prelude::kernel::{self, *};",
        "use vyre::{Device, thread};\nfn here() {}",
        "use vyre::lane as thread;\nfn here() {}",
        "#[cfg(a)]\nuse vyre::thread;\nfn here() {}",
        "fn a() {\n    use vyre::thread;\n    { fn here() {} }\n}",
        "mod a {\n    use vyre::prelude::*;\n    fn here() {}\n}",
        "mod a { use vyre::prelude::*;\nfn here() {} }",
        "use super::*;\nfn here() {}",
        "use super::*;\nmod a {\n    use super::*;\n\n    fn other() {\n    }\n\n    fn here() {}\n}",
        "mod a {\n    use super::*;\n    fn here() {}\n}\nuse vyre::prelude::*;",
        "use vyre::thread;\nmod a {\n    use super::*;\n    fn here() {}\n}",
        "mod thread {}\nmod a {\n    use super::*;\n    mod b {\n        use super::*;\n        fn here() {}\n    }\n}",
        "mod b {}\nmod a {\n    use super::b::*;\n    fn here() {}\n}",
        "mod thread {}\nfn here() {}",
        "extern crate a as thread;\nfn here() {}",
        "imports!();\nfn here() {}",
        "include!(\"a.rs\");\nfn here() {}",
        "pass! { fn here() {} }",
        "#[with_imports]\nmod a {\n    fn here() {}\n}",
    ] {
        assert!(!lacks(source), "{source}");
    }
}

#[test]
fn names_that_are_not_there() {
    let lacks = |source| beside(source).lacks("Missing");
    for source in [
        "fn here(x: Missing) {}",
        "use vyre::prelude::*;\nfn here(x: Missing) {}",
        "fn here(x: &mut Missing) {}",
        "use vyre :: prelude::{kernel::*, host::*};\nmod a {\n    use super::*;\n    fn here(x: Missing) {}\n}",
        "use vyre::prelude::*;\nmod a {\n    struct Missing;\n}\nfn here(x: Missing) {}",
        "// types!{} and #[types]\n#[derive(Clone, Copy)]\n#[rustfmt::skip]\nstruct A;\nfn here(x: Missing) { if !(a) {} }",
    ] {
        assert!(lacks(source), "{source}");
    }
    for source in [
        "struct Missing;\nfn here(x: Missing) {}",
        "fn Missing() {}\nfn here() { Missing() }",
        "use vyre::*;\nfn here(x: Missing) {}",
        "use crate::types::*;\nfn here(x: Missing) {}",
        "use super::*;\nfn here(x: Missing) {}",
        "use vyre::prelude::*;\nuse other::Missing;\nfn here(x: Missing) {}",
        "types! {}\nfn here(x: Missing) {}",
        "static mut Missing: u8 = 0;\nfn here() { Missing }",
        "types ! {}\nfn here(x: Missing) {}",
        "struct r#Missing;\nfn here(x: Missing) {}",
        "const /* one */ Missing: u8 = 0;\nfn here() { Missing }",
        "const // one\n    Missing: u8 = 0;\nfn here() { Missing }",
        "const URL: &str = \"//\"; const Missing: u8 = 0;\nmod a { use super::*; fn here() { Missing } }",
        "mod a {\n    use super::{\n        Other, // another; and\n        Missing,\n    };\n    fn here(x: Missing) {}\n}",
        "mod a {\n    use super::{/* all */ b::*};\n    fn here(x: Missing) {}\n}",
        "use other::{r#match as r#Missing};\nfn here(x: Missing) {}",
        "#[derive(Clone, Types)]\nstruct A;\nfn here(x: Missing) {}",
        "#[types::all]\nstruct A;\nfn here(x: Missing) {}",
        "#[cfg_attr(all(), types)]\nstruct A;\nfn here(x: Missing) {}",
    ] {
        assert!(!lacks(source), "{source}");
    }
}
