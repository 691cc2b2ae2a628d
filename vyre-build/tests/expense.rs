//! The cost of an expansion, in numbers that are the same on every machine: allocations, and
//! tokens, which also cost rustc time. Elapsed time is measured by `benches/expansion.rs`, on an
//! idle machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

/// The most allocations of an expansion of the kernel `attract` of the `nbody` example, in a build without optimisation.
const ALLOCATIONS: usize = 14_950;
/// The most tokens that it makes.
const TOKENS: usize = 4_200;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts for each thread.
struct Counting;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer comes from that allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn an_expansion_takes_no_more_than_before() {
    let file = syn::parse_file(include_str!("../../examples/nbody/kernels.rs")).expect("Rust");
    let kernel = file.items.into_iter().find_map(|item| match item {
        syn::Item::Fn(function) if function.sig.ident == "attract" => Some(function),
        _ => None,
    });
    let mut kernel = kernel.expect("the kernel");
    kernel.attrs.retain(|attribute| attribute.path().is_ident("doc"));
    let options: TokenStream = "block = 256".parse().expect("tokens");
    let item = kernel.into_token_stream();
    // Excludes one-time initialisation.
    let _ = vyre_build::expand(options.clone(), item.clone());
    let before = COUNT.get();
    let expansion = vyre_build::expand(options, item);
    let allocations = COUNT.get() - before;
    let tokens = count(expansion);
    println!("{allocations} allocations, {tokens} tokens");
    assert!(
        allocations <= ALLOCATIONS && tokens <= TOKENS,
        "the expansion takes {allocations} allocations and {tokens} tokens, of {ALLOCATIONS} and {TOKENS}: look at \
         docs/book/src/performance.md before you raise a limit"
    );
}

fn count(tokens: TokenStream) -> usize {
    let trees = tokens.into_iter().map(|tree| match tree {
        TokenTree::Group(group) => 1 + count(group.stream()),
        _ => 1,
    });
    trees.sum()
}
