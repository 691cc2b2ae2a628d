//! One of vyre's own device modules as the items of the crate `vyre`.
//!
//! The functions are checked by the tests of this crate rather than in each build, and travel by the name of the module.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use syn::{Visibility, parse_quote};

use crate::driver;
use crate::editor;
use crate::generate::definition;
use crate::library;
use crate::modules::OwnModule;
use crate::resolve::items::named;
use crate::resolve::names::{Names, own_key};
use crate::resolve::{chains, transport};

/// The items of a module, each with what makes it known to kernels.
pub(super) fn expanded(own: &OwnModule) -> TokenStream {
    let mut tokens = match editor::is_here() {
        // rust-analyzer gives tokens that are read from a text places in the file of the macro's call, past its end.
        true => library::at(own.of_host(true), Span::call_site()),
        false => own.of_host(false),
    };
    let (names, module) = (Names::of_own(own, OwnModule::structs), own_key(own));
    let (key, name) = (Literal::u64_unsuffixed(module), own.name);
    let bundle = quote!([#key {#name} []]);
    let public: Visibility = parse_quote!(pub);
    let mut carried = |name: &Ident, key: u64| {
        let bundle = transport::member(key, name, module, &bundle);
        tokens.extend(chains::carrier(name, key, &public, &[], &bundle));
    };
    let structs = own.structs();
    for (name, _) in structs.iter().filter_map(named) {
        carried(name, names.key(&name.to_string()));
    }
    for name in own.functions() {
        carried(&Ident::new(&name, Span::call_site()), names.key(&name));
    }
    for item in &structs {
        if let (Some((name, _)), Ok(of)) = (named(item), driver::device::definition(item, &names)) {
            tokens.extend(definition::checks(item, &of, names.key(&name.to_string())));
        }
    }
    tokens
}
