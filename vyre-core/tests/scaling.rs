//! The cost of compiling grows with the kernel, not with its square.
//!
//! Bytes allocated are counted, which no machine changes. They show tables that each loop, branch or block
//! makes as large as the function; walks that are too long show in `benches/loops.rs` alone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, text};
use vyre_test_support::many_loops::many_loops;

/// Counts the bytes that are allocated.
struct Counter;

static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: each call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and `alloc` took the block from `System`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counter = Counter;

/// The bytes allocated by compiling a kernel with `loops` loops.
fn bytes(loops: usize) -> u64 {
    let program = text::parse(&many_loops(loops)).expect("the text is a program");
    let valid = validate(&program).expect("the program is valid");
    let before = BYTES.load(Ordering::Relaxed);
    let module = compile(&valid, &CompileOptions::default()).expect("the kernel is not too large");
    assert_eq!(module.kernels.len(), 1);
    BYTES.load(Ordering::Relaxed) - before
}

/// Sixty functions that each call the one before twice.
fn doubling() {
    let mut text = String::from("vyre 1 fn g0() -> () { }\n");
    for number in 1..60 {
        let before = number - 1;
        text += &format!("fn g{number}() -> () {{ call g{before}() call g{before}() }}\n");
    }
    text += "kernel k() dimensions 1 block 1 1 1 { entry k { let n: u32 call g59() } }";
    let text = text.replace(
        "fn g0() -> () { }",
        "fn g0() -> () { let n: u32 store n = add(n, 1u32) print \"x\" }",
    );
    let program = text::parse(&text).expect("the text is a program");
    let valid = validate(&program).expect("the program is valid");
    let error = compile(&valid, &CompileOptions::default()).expect_err("the kernel is too large");
    assert!(
        error.to_string().contains("operations once its calls are inlined"),
        "{error}"
    );
}

/// One test, so that no other allocates meanwhile.
#[test]
fn four_times_the_loops_cost_four_times_as_much() {
    doubling();
    let (few, many) = (bytes(128), bytes(512));
    let ratio = many as f64 / few as f64;
    assert!(
        ratio < 4.6,
        "512 loops allocate {ratio:.2} times the bytes of 128: {many} against {few}"
    );
}
