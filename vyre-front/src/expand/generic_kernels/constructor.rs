//! The function of a generic kernel's own name, which makes the launcher of the instance that its types tell.

use proc_macro2::TokenStream;
use quote::quote;

use super::Kernel;
use super::view::{View, bundle};
use crate::editor;

impl Kernel<'_> {
    /// The function: `instance` is the trait that `subject` has if there is an instance.
    pub(super) fn constructor(
        &self,
        fields: &[TokenStream],
        generics: &[TokenStream],
        clauses: &TokenStream,
        subject: &TokenStream,
        instance: &TokenStream,
    ) -> TokenStream {
        // Its type is the last that rustc learns.
        let last_view = self.parameters.iter().rposition(|(_, typed)| View::of(typed).is_some());
        let function = |is_shown: bool| {
            let (attributes, visibility, name) = (&self.item.attrs, &self.item.vis, &self.item.sig.ident);
            let holder = last_view.filter(|_| !is_shown);
            let (mut taken, mut given) = (TokenStream::new(), TokenStream::new());
            for (at, ((name, typed), field)) in self.parameters.iter().zip(fields).enumerate() {
                if let Some(view) = View::optional(typed) {
                    let buffer = view.buffer();
                    taken.extend(quote!(#name: ::core::option::Option<#buffer>,));
                    given.extend(quote!(#name.map(::core::convert::Into::into),));
                    continue;
                }
                if let Some(of) = bundle(typed) {
                    taken.extend(quote!(#name: impl ::vyre::Views<'v, #of>,));
                    given.extend(quote!(::vyre::Views::views(#name),));
                    continue;
                }
                let Some(view) = View::of(typed) else {
                    taken.extend(quote!(#name: #field,));
                    given.extend(quote!(#name,));
                    continue;
                };
                let (argument, view) = (view.argument(field, is_shown), view.given(name, is_shown));
                // The bound of the `where` clause, in a form that rustc reports once: see `vyre::__private::Via`.
                let once = (holder == Some(at)).then(|| {
                    let via = quote!(::vyre::__private::Via);
                    quote!(+ #via<(), To = impl #via<(), To = impl #via<#subject, To = #subject> + #via<#subject, To: #instance>>>)
                });
                taken.extend(quote!(#name: impl #argument #once,));
                given.extend(quote!(#view,));
            }
            let bound = holder.is_none().then(|| quote!(#subject: #instance,));
            quote! {
                #(#attributes)*
                #[allow(clippy::too_many_arguments, clippy::multiple_bound_locations)]
                #visibility fn #name<'v, #(#generics),*>(#taken) -> <#subject as #instance>::Launcher<'v>
                where
                    #bound
                    #clauses
                {
                    <#subject as #instance>::__launcher(#given)
                }
            }
        };
        if editor::is_here() || editor::is_rustdoc() {
            return function(true);
        }
        let used = function(false);
        match self.is_file {
            true => {
                let shown = function(true);
                quote!(#[cfg(doc)] #shown #[cfg(not(doc))] #used)
            }
            false => used,
        }
    }
}
