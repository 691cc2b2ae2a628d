//! Functions that mention names of vyre's prelude, in a module that does not import them.
//!
//! rustc would take `thread::index()` for a function of a crate `thread`. So the import is asked for, once in a module, and
//! the function read as if it were there.

use proc_macro2::{TokenStream, TokenTree};
use syn::{GenericParam, ItemFn};
use vyre_abi::list;

use crate::errors::{self, Code};
use crate::resolve::chains::function_of;
use crate::resolve::declared;
use crate::resolve::source_scan::Surroundings;
use crate::rustc::mentions;

/// The error of a function whose names are not imported, and the function with their whole paths.
pub(super) fn imported(item: TokenStream) -> (TokenStream, TokenStream) {
    match refused(&item) {
        Some((error, lacking)) => {
            let lacking: Vec<&str> = list::map(&lacking, String::as_str);
            (error, mentions::imported(item, &lacking))
        }
        None => (TokenStream::new(), item),
    }
}

/// The error, if it is the first of the module, and the names that are not imported.
fn refused(item: &TokenStream) -> Option<(TokenStream, Vec<String>)> {
    let function = function_of(item)?;
    let around = Surroundings::of(&function)?;
    let reach = around.reach()?;
    let mentioned = mentions::of_prelude(item.clone());
    let names: Vec<String> = list::map(&mentioned, ToString::to_string);
    let names: Vec<&str> = list::map(&names, String::as_str);
    let mut lacking = around.lacking(&names, reach);
    if !lacking.is_empty() && around.imports_host() {
        // The host has these too.
        lacking.retain(|name| !matches!(*name, "Slice" | "Slice2" | "SliceMut2"));
    }
    if may_define(item, &lacking) {
        return None;
    }
    let first = mentioned.iter().find(|name| lacking.contains(&&*name.to_string()))?;
    let module = around.module();
    let place = if module.is_some() { "module" } else { "file" };
    let fault = format!("`{first}` is a name of vyre's that is not imported");
    let help = format!("write `use vyre::prelude::*;` at the top of this {place}");
    let error = match declared::is_first_unimported(&function, module) {
        true => errors::diagnostic(Code::NotImported, first.span(), fault, help).to_compile_error(),
        false => TokenStream::new(),
    };
    let lacking = list::map(&lacking, |&name| name.to_owned());
    Some((error, lacking))
}

/// True if one of the names may be that of a generic parameter, or of an item or import in the body.
fn may_define(item: &TokenStream, names: &[&str]) -> bool {
    let is_named = |parameter: &GenericParam| match parameter {
        GenericParam::Type(parameter) => names.iter().any(|name| parameter.ident == name),
        _ => false,
    };
    match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function.sig.generics.params.iter().any(is_named) || has_items(item.clone()),
        Err(_) => true,
    }
}

fn has_items(tokens: TokenStream) -> bool {
    const WORDS: [&str; 8] = ["enum", "macro_rules", "mod", "struct", "trait", "type", "union", "use"];
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => WORDS.iter().any(|it| word == it),
        TokenTree::Group(group) => has_items(group.stream()),
        _ => false,
    })
}
