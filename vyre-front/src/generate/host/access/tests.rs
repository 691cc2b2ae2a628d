use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::validate::validate;

use super::accesses;
use crate::driver;
use crate::generate::host::locals;
use crate::resolve::names::Names;

/// True if the elements of the parameter `y` of a kernel are accessed plainly.
fn is_plain(block: TokenStream, statements: TokenStream) -> bool {
    let kernel = quote! {
        fn k(x: Slice2<'_, f32>, mut y: SliceMut2<'_, f32>) {
            let (i, j) = thread::index_2d();
            if i < y.cols() && j < y.rows() {
                #statements
            }
        }
    };
    let lowered = driver::kernel(quote!(block = #block), kernel, &Names::default())
        .unwrap_or_else(|rejected| panic!("it is refused: {:?}", rejected.errors));
    let program = lowered.program;
    let valid = validate(&program).expect("a valid program");
    let kernel = &program.kernels[lowered.kernel];
    let body = &kernel.entries[0].body;
    let info = &valid.info().entries(lowered.kernel)[0].body;
    let declarations = locals::declarations(body, info, kernel.parameters.len());
    let found = accesses(&program.types, kernel, body, info, &declarations);
    let number = kernel
        .parameters
        .iter()
        .position(|it| it.name == "y")
        .expect("it is there");
    let local = body
        .locals
        .handles()
        .nth(number)
        .expect("parameters are the first locals");
    found.is_plain(local)
}

#[test]
fn the_cell_of_a_thread_is_its_own() {
    let own = [
        quote!(y[[j, i]] = x[[j, i]];),
        quote!(y[[j, i]] = x[[i % x.rows(), 0]];),
        quote!(y[[j, i]] = 1.0; y[[j, i]] = y[[j, i]] + y.cols() as f32;),
    ];
    for statements in own {
        assert!(is_plain(quote!([16, 16]), statements.clone()), "{statements}");
    }
}

#[test]
fn other_cells_may_race() {
    let shared = [
        // Another row and column than those of the thread, or one that other threads have too.
        quote!(y[[j, i + 1]] = 1.0;),
        quote!(y[[j, 0]] = 1.0;),
        quote!(y[[j / 2, i]] = 1.0;),
        quote!(y[[j, i]] = 1.0; y[[0, i]] = 2.0;),
        // An element that others store.
        quote!(y[[j, i]] = y[[j, i.max(1) - 1]];),
        // Columns in the place of rows are one to one, but not known to be.
        quote!(y[[i, j]] = 1.0;),
    ];
    for statements in shared {
        assert!(!is_plain(quote!([16, 16]), statements.clone()), "{statements}");
    }
    // Threads along the third axis have the same row and column.
    assert!(!is_plain(quote!([8, 8, 2]), quote!(y[[j, i]] = x[[j, i]];)));
}
