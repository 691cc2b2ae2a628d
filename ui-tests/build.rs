//! Gathers the right example of each error code in a module of its own, for `tests/right.rs` to compile.

use std::fmt::Write;
use std::path::Path;

const CODES: &str = "../vyre-front/src/errors/codes";

fn main() {
    println!("cargo::rerun-if-changed={CODES}");
    let mut files: Vec<_> = std::fs::read_dir(CODES)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let (mut modules, mut examples) = (String::new(), 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file").replace("\r\n", "\n");
        let Some((_, example)) = text.split_once("\nRight:\n\n```rust\n") else {
            continue;
        };
        let example = example.split("\n```").next().unwrap_or_default();
        let module = file.file_stem().expect("a name").to_string_lossy().to_lowercase();
        writeln!(modules, "mod {module} {{\n    use vyre::prelude::*;\n{example}\n}}").expect("writes to memory");
        examples += 1;
    }
    writeln!(modules, "const EXAMPLES: usize = {examples};").expect("writes to memory");
    let out = std::env::var_os("OUT_DIR").expect("cargo says where");
    std::fs::write(Path::new(&out).join("right.rs"), modules).expect("the folder can be written");
}
