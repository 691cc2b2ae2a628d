//! The macros of vyre: a thin door to `vyre-build`.

use proc_macro::TokenStream;

/// Makes a kernel of a function: see `vyre::kernel`.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::expand(options.into(), item.into()).into()
}

/// Lets kernels use an item: see `vyre::device`.
#[proc_macro_attribute]
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::device(options.into(), item.into()).into()
}

/// Makes a static one that the host sets for kernels: see `vyre::constant`.
#[proc_macro_attribute]
pub fn constant(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::constant(options.into(), item.into()).into()
}

/// The end of a chain of macros, which other macros of vyre call.
#[proc_macro]
pub fn carried(tokens: TokenStream) -> TokenStream {
    vyre_build::carried(tokens.into()).into()
}
