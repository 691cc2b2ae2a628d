use std::fmt::Write;

use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::validate::validate;

use super::*;
use crate::driver;
use crate::generate::decided::decided;
use crate::generate::host::inlined;
use crate::resolve::names::Names;

/// The regions of a kernel, in a short form: `[2]` is a region of two statements, `[<1>]` one that begins with what a barrier
/// or exchange yields and ends with what the next one takes.
fn form(block: TokenStream, kernel: TokenStream) -> String {
    form_with(block, kernel, TokenStream::new())
}

/// The same where the kernel calls a device function.
fn form_with(block: TokenStream, kernel: TokenStream, device: TokenStream) -> String {
    let mut file = syn::parse2::<syn::File>(device).expect("a function");
    for item in &mut file.items {
        if let syn::Item::Fn(function) = item {
            function.attrs.push(syn::parse_quote!(#[vyre::device]));
        }
    }
    let names = match file.items.is_empty() {
        true => Names::default(),
        false => Names::of_file("kernels.rs", &file),
    };
    let lowered = driver::kernel(quote!(block = #block), kernel, &names)
        .unwrap_or_else(|rejected| panic!("it is refused: {:?}", rejected.errors));
    let mut program = lowered.program;
    let decided = decided(&validate(&program).expect("a valid program"), lowered.kernel);
    program = decided.unwrap_or(program);
    {
        let valid = validate(&program).expect("a valid program");
        let info = valid.info();
        let waits = |function| info.function(function).effects.pauses();
        let calls = &info.entries(lowered.kernel)[0].body.calls;
        if calls.iter().any(|&function| waits(function)) {
            let entry = &program.kernels[lowered.kernel].entries[0];
            let inlined = inlined(&valid, lowered.kernel, entry, &waits).expect("no references");
            drop(valid);
            program = inlined;
        }
    }
    let valid = validate(&program).expect("a valid program");
    let kernel = &program.kernels[lowered.kernel];
    let body = &kernel.entries[0].body;
    let info = &valid.info().entries(lowered.kernel)[0].body;
    let Some(regions) = regions((&program, valid.info()), kernel, body, info) else {
        return "futures".to_owned();
    };
    let mut text = String::new();
    show(&regions.pieces, &mut text);
    let names = |is: &dyn Fn(Handle<Local>) -> bool| -> Vec<&str> {
        let locals = body
            .locals
            .iter()
            .filter(|(local, it)| is(*local) && !it.name.is_empty());
        locals.map(|(_, it)| it.name.as_str()).collect()
    };
    let kept = names(&|local| regions.is_kept(local));
    let of_block = names(&|local| regions.is_of_block(local));
    write!(text, "kept {kept:?} block {of_block:?}").expect("a text takes all");
    text
}

fn show(pieces: &[Piece<'_>], text: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Region(region) => {
                let (begin, end) = (region.receives.map_or("", |_| "<"), region.offers.map_or("", |_| ">"));
                write!(text, "[{begin}{}{end}] ", region.stmts.len()).expect("a text takes all");
            }
            Piece::Store(_) => text.push_str("store "),
            Piece::Wait(_) => text.push_str("| "),
            Piece::If(_, [then, otherwise]) => {
                text.push_str("if { ");
                show(then, text);
                text.push_str("} else { ");
                show(otherwise, text);
                text.push_str("} ");
            }
            Piece::Loop(_, [body, step]) => {
                text.push_str("loop { ");
                show(body, text);
                text.push_str("} step { ");
                show(step, text);
                text.push_str("} ");
            }
            Piece::Jump(_) => text.push_str("jump "),
        }
    }
}

#[test]
fn barriers_cut_bodies_and_indices_are_not_kept() {
    let kernel = quote!(
        fn reversed(x: &[f32], y: &mut [f32]) {
            let cells = shared::<[f32; 64]>();
            let t = thread::idx().x;
            cells[t] = x[t];
            block::sync();
            y[t] = cells[63 - t];
        }
    );
    assert_eq!(form(quote!(64), kernel), r#"[2] | [1] kept [] block []"#);
}

#[test]
fn loops_around_barriers_are_of_the_block() {
    let kernel = quote!(
        fn sums(x: &[f32], rounds: usize, y: &mut [f32]) {
            let cells = shared::<[f32; 64]>();
            let t = thread::idx().x;
            let mut sum = 0.0;
            for round in 0..rounds {
                cells[t] = x[round * 64 + t];
                block::sync();
                sum += cells[63 - t];
                block::sync();
            }
            y[t] = sum;
        }
    );
    let form = form(quote!(64), kernel);
    assert!(form.contains("loop { "), "{form}");
    assert!(form.contains(r#"kept ["sum"]"#), "{form}");
    assert!(form.contains(r#""round""#), "{form}");
}

#[test]
fn branches_that_vary_leave_futures() {
    let kernel = quote!(
        fn some(x: &[u32], y: &mut [u32]) {
            let t = thread::idx().x;
            if x[0] > 3 {
                y[t] = warp::sum(x[t]);
            }
            if t < 32 {
                y[t] = warp::sum(x[t]);
            }
        }
    );
    assert_eq!(form(quote!(64), kernel), "futures");
    // Memory that another thread may write varies.
    let kernel = quote!(
        fn flagged(y: &mut [u32]) {
            let flag = shared::<[u32; 1]>();
            let t = thread::idx().x;
            if t == 0 {
                flag[0] = 1;
            }
            block::sync();
            if flag[0] == 1 {
                block::sync();
            }
            y[t] = 1;
        }
    );
    assert_eq!(form(quote!(64), kernel), "futures");
}

#[test]
fn functions_with_barriers_are_cut_where_they_are_called() {
    let kernel = quote!(
        fn totals(x: &[f32], y: &mut [f32]) {
            let sum = block::sum(x[thread::index()]);
            if thread::idx().x == 0 {
                y[block::idx().x] = sum;
            }
        }
    );
    let form = form(quote!(256), kernel);
    assert!(form.contains("[<") && form.contains("| "), "{form}");
}

/// A slice that is the same for all threads is one of the block; each thread stores to its elements.
#[test]
fn elements_of_a_slice_are_stored_by_threads() {
    let kernel = quote!(
        fn reversed(x: &[u32], y: &mut [u32]) {
            let tile = shared::dynamic::<u32>();
            let t = thread::idx().x;
            tile[t] = x[t];
            block::sync();
            y[t] = tile[31 - t];
        }
    );
    let form = form(quote!(32), kernel);
    assert_eq!(form, r#"store store [2] | [1] kept [] block ["tile"]"#);
}

/// A call may fault, and some kernels return before it.
#[test]
fn calls_stay_behind_returns() {
    let kernel = quote!(
        fn shares(n: usize, x: &[u32], y: &mut [u32]) {
            let cells = shared::<[u32; 32]>();
            let t = thread::idx().x;
            if n == 0 {
                return;
            }
            let share = share_of(n);
            cells[t] = x[share];
            block::sync();
            y[t] = cells[31 - t] + share as u32;
        }
    );
    let device = quote!(
        fn share_of(n: usize) -> usize {
            32 / n
        }
    );
    let form = form_with(quote!(32), kernel, device);
    assert_eq!(form, r#"[2] store store [1] | [1] kept [] block ["share"]"#);
}

/// Each thread prints, also in a function whose result is the same for all.
#[test]
fn functions_that_print_are_called_by_each_thread() {
    let kernel = quote!(
        fn rounds(n: usize, y: &mut [u32]) {
            let count = told(n);
            let mut sum = 0;
            for round in 0..count {
                block::sync();
                sum += round as u32;
            }
            y[thread::idx().x] = sum;
        }
    );
    let device = quote!(
        fn told(n: usize) -> usize {
            println!("{n}");
            n + 1
        }
    );
    assert_eq!(form_with(quote!(32), kernel, device), "futures");
}

/// The shape of the block takes one of the two ways to reduce a warp, and one of those to reduce a block; and what passes values
/// to functions and back is no variable.
#[test]
fn reductions_keep_what_their_blocks_need() {
    let sums = quote! {
        fn k(x: &[f32], y: &mut [f32]) {
            let sum = block::sum(x[thread::index()]);
            if thread::idx().x == 0 {
                y[block::idx().x] = sum;
            }
        }
    };
    let distances = [r#""distance""#; 5].join(", ");
    let exchanges = "store [<1>] | ".repeat(4);
    assert_eq!(
        form(quote!(256), sums),
        format!(r#"store [2>] | {exchanges}[<3] | [2] | [2] kept ["value"] block [{distances}]"#)
    );
}

/// Copies of variables that have other values by the time that they are read.
#[test]
fn copies_of_what_changes_stay() {
    let kernel = quote! {
        fn k(x: &mut [u32]) {
            let t = thread::index();
            let mut a = x[t];
            let before = step(a);
            a = step(before) + 1;
            block::sync();
            let same = a;
            a += before;
            block::sync();
            x[t] = a ^ same;
        }
    };
    let device = quote! {
        fn step(mut value: u32) -> u32 {
            let given = value;
            block::sync();
            value += 1;
            block::sync();
            given ^ value
        }
    };
    assert_eq!(
        form_with(quote!(64), kernel, device),
        r#"[4] | [1] | [3] | [1] | [2] | [2] | [1] kept ["a", "same", "value", "given", "value", "given"] block []"#
    );
}
