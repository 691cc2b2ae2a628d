use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::validate::validate;

use super::lanes;
use crate::driver;
use crate::generate::host::{access, locals};
use crate::resolve::names::Names;

/// The lanes of a kernel.
fn count(block: TokenStream, kernel: TokenStream) -> Option<u32> {
    let lowered = driver::kernel(quote!(block = #block), kernel, &Names::default())
        .unwrap_or_else(|rejected| panic!("it is refused: {:?}", rejected.errors));
    let program = lowered.program;
    let valid = validate(&program).expect("a valid program");
    let kernel = &program.kernels[lowered.kernel];
    let body = &kernel.entries[0].body;
    let info = &valid.info().entries(lowered.kernel)[0].body;
    let declarations = locals::declarations(body, info, kernel.parameters.len());
    let accesses = access::accesses(&program.types, kernel, body, info, &declarations);
    lanes((&program, valid.info()), kernel, (body, info), &accesses).map(|lanes| lanes.count)
}

#[test]
fn neighbours_run_together_through_uniform_loops() {
    let powers = quote! {
        fn powers(x: &[u32], count: u32, y: &mut [u32]) {
            let i = thread::index();
            if i >= y.len() {
                return;
            }
            let mut power = y[i];
            for step in 0..count {
                power = power.wrapping_mul(x[i]) ^ (i as u32 + step);
            }
            y[i] = power;
        }
    };
    for (block, lanes) in [(256u32, Some(32)), (24, Some(16)), (8, Some(8)), (4, None)] {
        assert_eq!(count(quote!(#block), powers.clone()), lanes, "blocks of {block}");
    }
    let columns = quote! {
        fn columns(x: &[f32], width: usize, y: &mut [f32]) {
            let i = thread::index();
            if i < y.len() {
                let (row, column) = (i / width, i % width);
                let mut sum = 0.0;
                for d in 0..5 {
                    sum += x[(row + d).saturating_sub(2).min(y.len() / width - 1) * width + column];
                }
                y[i] = sum;
            }
        }
    };
    assert_eq!(count(quote!(256), columns), Some(32));
}

/// Each would see, or do, another thing than its threads one after the other, or would gain nothing.
#[test]
fn other_bodies_have_no_lanes() {
    let statements = [
        // Without a loop.
        quote!(y[i] = x[i];),
        // A trip count that varies.
        quote!(for step in 0..x[i] {
            sum += step;
        }),
        // Elements that other threads store.
        quote!(for back in 0..3 {
            sum += y[i + back];
        }),
        // An element that this thread has stored.
        quote!(y[i] = 1; for _ in 0..3 { sum += y[i]; }),
        // A store in a loop.
        quote!(for step in 0..3 {
            y[i] = step;
        }),
        // An element at an index from memory.
        quote!(for step in 0..3 {
            sum += x[x[i] as usize + step];
        }),
    ];
    for statements in statements {
        let text = statements.to_string();
        let kernel = quote! {
            fn k(x: &[u32], y: &mut [u32]) {
                let i = thread::index();
                let mut sum = 0;
                #statements
                y[i] = sum;
            }
        };
        assert_eq!(count(quote!(256), kernel), None, "{text}");
    }
}
