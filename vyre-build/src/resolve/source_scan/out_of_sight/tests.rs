use super::super::tests::beside;

fn lacks(source: &str) -> bool {
    let around = beside(source);
    !around.may_import_all() && around.lacking(&["thread"]) == ["thread"]
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
        "mod a {\n    use super::*;\n\n    fn other() {\n    }\n\n    fn here() {}\n}",
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
fn names_that_nothing_defines() {
    let misses = |source| beside(source).is_missing("half");
    for source in [
        "use vyre::prelude::*;\nfn here() { half() }",
        "use vyre::prelude::kernel::*;\n#[vyre::device]\nfn here() { half() }",
        "use std::fmt;\nfn halves() {}\nfn here() { half() }",
        "mod a {\n    fn half() {}\n}\nfn here() { half() }",
    ] {
        assert!(misses(source), "{source}");
    }
    for source in [
        "fn half() {}\nfn here() { half() }",
        "fn here() { half() }\nconst half: u32 = 1;",
        "static mut half: u32 = 1;\nfn here() { half() }",
        "use super::*;\nfn here() { half() }",
        "use vyre::primitives::*;\nfn here() { half() }",
        "use a::{b, half};\nfn here() { half() }",
        "items!();\nfn here() { half() }",
    ] {
        assert!(!misses(source), "{source}");
    }
}
