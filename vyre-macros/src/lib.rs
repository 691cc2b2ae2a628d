//! The attributes of vyre: a thin door to `vyre-build`.

use proc_macro::TokenStream;

/// Makes a kernel of a function: see `vyre::kernel`.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::expand(options.into(), item.into()).into()
}
