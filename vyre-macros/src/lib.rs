//! The macros of vyre: entry points that delegate to `vyre-build`.

use proc_macro::TokenStream;

/// Compiles a function as a kernel: see `vyre::kernel`.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::expand(options.into(), item.into()).into()
}

/// Makes an item available to kernels: see `vyre::device`.
#[proc_macro_attribute]
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::device(options.into(), item.into()).into()
}

/// Makes a static a constant set by the host: see `vyre::constant`.
#[proc_macro_attribute]
pub fn constant(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_build::constant(options.into(), item.into()).into()
}

/// The items of a device module of vyre's own, by its name.
#[proc_macro]
pub fn own_module(name: TokenStream) -> TokenStream {
    vyre_build::own_module(name.into()).into()
}

/// The end of a chain of macros, which other macros of vyre call.
#[proc_macro]
pub fn carried(tokens: TokenStream) -> TokenStream {
    vyre_build::carried(tokens.into()).into()
}

/// The item of an attribute, of which rustc has decided the `cfg`, from an enum that has it in the value of a variant.
#[proc_macro_derive(Configured)]
pub fn configured(of: TokenStream) -> TokenStream {
    vyre_build::configured(of.into()).into()
}

/// Beside a struct its counterpart of atomics: see `vyre::Atomic`.
#[proc_macro_derive(Atomics)]
pub fn atomics(of: TokenStream) -> TokenStream {
    vyre_build::atomics(of.into()).into()
}

/// Removes the enum that derives `Configured`.
#[proc_macro_attribute]
pub fn undecided(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}
