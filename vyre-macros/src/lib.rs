//! The attributes of vyre: a thin door to `vyre-build`.

use proc_macro::TokenStream;

/// Makes a kernel of a function: see the crate `vyre`.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    let _ = options;
    item
}
