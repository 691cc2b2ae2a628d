//! Gathers the right examples of `docs/errors.md`, each in a module of its own, for `tests/right.rs` to compile.

use std::fmt::Write;
use std::path::Path;

const PAGE: &str = "../docs/errors.md";

fn main() {
    println!("cargo::rerun-if-changed={PAGE}");
    let page = std::fs::read_to_string(PAGE)
        .expect("the page is there")
        .replace("\r\n", "\n");
    let (mut modules, mut examples) = (String::new(), 0);
    for section in page.split("\n### ").skip(1) {
        let code = section.split(':').next().unwrap_or_default();
        let Some((_, example)) = section.split_once("\nRight:\n\n```rust\n") else {
            continue;
        };
        let example = example.split("\n```").next().unwrap_or_default();
        let module = code.to_lowercase();
        writeln!(modules, "mod {module} {{\n    use vyre::prelude::*;\n{example}\n}}").expect("writes to memory");
        examples += 1;
    }
    writeln!(modules, "const EXAMPLES: usize = {examples};").expect("writes to memory");
    let out = std::env::var_os("OUT_DIR").expect("cargo says where");
    std::fs::write(Path::new(&out).join("right.rs"), modules).expect("the folder can be written");
}
