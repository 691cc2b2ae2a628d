//! Waiting loops, and which of them only poll.

use vyre_ir::ir::{StmtKind, each_stmt};
use vyre_ir::text::parse;
use vyre_ir::validate::validate;

/// For the one loop of a kernel with this body: whether it waits, and whether it only polls.
fn waits_and_polls(body: &str) -> [bool; 2] {
    let text = format!(
        "vyre 1\nfile \"polls.rs\"\ntype &[AtomicU32]\n\n\
         kernel polls(flags: &[AtomicU32], x: &mut [u32]) dimensions 1 block 32 1 1 {{\n    entry polls {{\n        \
         let seen: u32\n        let other: u32\n        let i: u64\n{body}\n    }}\n}}\n"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let validated = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let (kernel, of) = program.kernels.iter().next().expect("a kernel");
    let known = &validated.info().entries(kernel)[0].body;
    let mut found = Vec::new();
    each_stmt(&of.entries[0].body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Loop { .. }) {
            found.push([known.is_wait(stmt), known.only_polls(stmt)]);
        }
    });
    let [found] = found[..] else { panic!("one loop\n{text}") };
    found
}

const WAITS: [bool; 2] = [true, false];
const POLLS: [bool; 2] = [true, true];

#[test]
fn loads_and_branches_poll() {
    let load = "atomic seen = load(flags[0u64]) acquire device";
    let cases = [
        format!("loop {{\n{load}\nif ne(seen, 0u32) {{\nbreak 0\n}}\n}}"),
        format!("loop {{\n{load}\nstore other = add(seen, 1u32)\nif ne(other, 1u32) {{\nbreak 0\n}}\n}}"),
        format!(
            "loop {{\n{load}\nif eq(seen, 0u32) {{\ncontinue 0\n}}\natomic other = load(flags[1u64]) relaxed device\n\
             if eq(other, seen) {{\nreturn\n}}\n}}"
        ),
        format!("loop {{\n{load}\nif ne(seen, x[i]) {{\nbreak 0\n}}\n}}"),
    ];
    for case in cases {
        assert_eq!(waits_and_polls(&case), POLLS, "{case}");
    }
}

/// The host and other devices may write what such a load sees.
#[test]
fn loads_of_the_system_do_not_only_poll() {
    for load in [
        "atomic seen = load(flags[0u64]) acquire system",
        "atomic seen = load(flags[0u64]) relaxed system\natomic other = load(flags[1u64]) relaxed device",
    ] {
        let case = format!("loop {{\n{load}\nif ne(seen, 0u32) {{\nbreak 0\n}}\n}}");
        assert_eq!(waits_and_polls(&case), WAITS, "{case}");
    }
}

#[test]
fn loops_that_change_anything_do_not_only_poll() {
    let load = "atomic seen = load(flags[i]) acquire device";
    let exit = "if ne(seen, 0u32) {\nbreak 0\n}";
    let cases = [
        // It counts.
        format!("loop {{\n{load}\nstore i = add(i, 1u64)\n{exit}\n}}"),
        format!("loop {{\n{load}\n{exit}\n}} step {{\nstore i = add(i, 1u64)\n}}"),
        // It follows a list.
        "loop {\natomic seen = load(flags[cast u64(seen)]) acquire device\nif eq(seen, 9u32) {\nbreak 0\n}\n}"
            .to_owned(),
        // The value of the iteration before.
        format!("loop {{\nif eq(other, 7u32) {{\nbreak 0\n}}\n{load}\nstore other = seen\n}}"),
        format!(
            "loop {{\n{load}\nif ne(seen, 0u32) {{\nstore other = seen\n}}\nif eq(other, 7u32) {{\nbreak 0\n}}\n}}"
        ),
        // It writes.
        format!("loop {{\n{load}\nstore x[i] = 1u32\n{exit}\n}}"),
        format!("loop {{\natomic seen = exchange(flags[i], 1u32) acquire device\n{exit}\n}}"),
        format!("loop {{\natomic seen = add(flags[i], 1u32) acquire device\n{exit}\n}}"),
        // Others wait for it.
        format!("loop {{\n{load}\nwarp_barrier[32]\n{exit}\n}}"),
    ];
    for case in cases {
        assert_eq!(waits_and_polls(&case), WAITS, "{case}");
    }
}

#[test]
fn loops_of_a_thread_alone_do_not_wait() {
    let counts = "loop {\nif ge(i, 3u64) {\nbreak 0\n}\nstore i = add(i, 1u64)\n}";
    assert_eq!(waits_and_polls(counts), [false, false]);
}
