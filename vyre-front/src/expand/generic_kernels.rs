//! Generic kernels: `#[vyre::kernel(T = [f32, f64], N = [16, 32])] fn name<T: Float, const N: usize>(..)`.
//!
//! The body becomes a generic device function, and each instance a kernel that calls it with its types
//! and lengths, so that all that a kernel is and all that rustc and vyre check holds for instances too.
//! The name of the kernel itself becomes a function that picks the instance by the types of its
//! arguments: a trait has an implementation for each. It is the trait of the first type parameter, `T: SaxpyInstance<N>`,
//! which generic functions around the kernel have as a bound; of `()` if there are only lengths. [`constructor`] has
//! the bound in a form in which rustc reports a missing instance once.

mod constructor;
mod names;
mod view;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, format_ident, quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, FnArg, GenericParam, Generics, ItemFn, Lifetime, Pat, PatType, Token, Type, TypeParamBound,
    WherePredicate,
};
#[cfg(any(feature = "files", test))]
use syn::{File, Item};

use self::names::Value;
use self::view::{View, bundle};
use crate::editor;
use crate::errors::{self, Code, Diagnostic};
use crate::options::Setting;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::{attributes, chains};
use crate::syntax::constant::find_name;
use crate::syntax::instance::Instance;
use crate::syntax::launcher_name;
use crate::syntax::parameter::{self, option};
use crate::syntax::signature::camel_case;
use vyre_abi::list;

/// The most instances of one kernel: each is compiled.
const MOST: usize = 64;

/// The items that replace a generic kernel, in a file or in place; `None` if it is not generic, or if a parameter has no
/// instances.
pub(crate) fn instances(
    options: &TokenStream,
    item: &TokenStream,
    is_file: bool,
    errors: &mut Vec<Diagnostic>,
) -> Option<TokenStream> {
    if !may_be_generic(item) {
        return None;
    }
    let item: ItemFn = syn::parse2(item.clone()).ok()?;
    // They are refused with the rest of the signature.
    if item
        .attrs
        .iter()
        .any(|it| attributes::is_kernel(it) || attributes::is_device(it))
    {
        return None;
    }
    let settings = Punctuated::<Setting, Token![,]>::parse_terminated
        .parse2(options.clone())
        .ok()?;
    let (mut axes, mut count) = (Vec::new(), 1);
    for parameter in &item.sig.generics.params {
        let (name, is_length) = match parameter {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(parameter) => (&parameter.ident, false),
            // Only integers and `bool` are lengths of instances.
            GenericParam::Const(parameter) if !matches!(parameter.ty, Type::Path(_)) => return None,
            GenericParam::Const(parameter) => (&parameter.ident, true),
        };
        let given = settings.iter().find(|setting| setting.name == *name)?;
        let Some(Expr::Array(values)) = &given.value else {
            return None;
        };
        let instance = Instance::of(parameter)?;
        let mut known = Vec::new();
        for value in &values.elems {
            known.push(names::value(value, is_length).filter(|_| instance.is(value))?);
        }
        if known.is_empty() {
            return None;
        }
        refuse_repeated(&mut known, errors);
        count *= known.len();
        axes.push((name.clone(), is_length, known));
    }
    if axes.is_empty() || count > MOST {
        return None;
    }
    let mut rest = Vec::new();
    for setting in &settings {
        if !axes.iter().any(|(name, ..)| setting.name == *name) {
            rest.push(setting);
        }
    }
    Kernel::of(&item, &axes, is_file).map(|kernel| kernel.items(&rest, errors))
}

/// Refuses instances that are listed twice, and leaves one of each.
fn refuse_repeated(values: &mut Vec<Value>, errors: &mut Vec<Diagnostic>) {
    let mut known: Vec<String> = Vec::new();
    values.retain(|value| {
        let text = value.tokens.to_string();
        let is_new = !known.contains(&text);
        if is_new {
            known.push(text);
        } else {
            errors.push(errors::spanned(
                Code::RepeatedOption,
                &value.tokens,
                format_args!("the instance `{}` is listed twice", value.shown()),
                "leave one of them out",
            ));
        }
        is_new
    });
}

/// True if `<` follows the name of the function: most kernels are not parsed here.
fn may_be_generic(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    tokens.find(chains::is_fn);
    matches!(tokens.nth(1), Some(TokenTree::Punct(mark)) if mark.as_char() == '<')
}

type Axis = (Ident, bool, Vec<Value>);

/// A generic kernel.
struct Kernel<'i> {
    item: &'i ItemFn,
    axes: &'i [Axis],
    /// The name of the device function that is its body.
    body: Ident,
    /// The trait that finds an instance.
    finder: Ident,
    /// The parameter that has the trait, if one is a type.
    subject: Option<&'i Ident>,
    parameters: Vec<(Ident, &'i PatType)>,
    /// True if it goes to a file, which rustc reads as rustdoc does.
    is_file: bool,
}

impl<'i> Kernel<'i> {
    fn of(item: &'i ItemFn, axes: &'i [Axis], is_file: bool) -> Option<Self> {
        let name = &item.sig.ident;
        let mut parameters = Vec::new();
        for input in &item.sig.inputs {
            let FnArg::Typed(typed) = input else { return None };
            let Pat::Ident(pattern) = &*typed.pat else { return None };
            parameters.push((editor::added_name(&pattern.ident), typed));
        }
        let camel = camel_case(&name.to_string());
        Some(Kernel {
            item,
            axes,
            body: format_ident!("__{}", editor::added_name(name)),
            finder: Ident::new(&format!("{camel}Instance"), Span::call_site()),
            subject: axes.iter().find(|(_, is_length, _)| !is_length).map(|(name, ..)| name),
            parameters,
            is_file,
        })
    }

    /// The span of names that are derived from the kernel's.
    fn span(&self) -> Span {
        editor::added(self.item.sig.ident.span())
    }

    /// Every choice of one value for each parameter.
    fn choices(&self) -> Vec<Vec<&'i Value>> {
        let mut choices = vec![Vec::new()];
        for (_, _, values) in self.axes {
            let mut longer = Vec::new();
            for choice in &choices {
                for value in values {
                    let mut choice = choice.clone();
                    choice.push(value);
                    longer.push(choice);
                }
            }
            choices = longer;
        }
        choices
    }

    fn items(&self, options: &[&Setting], errors: &mut Vec<Diagnostic>) -> TokenStream {
        let launcher = options.iter().find(|setting| setting.name == "launcher");
        let launcher = match launcher.and_then(|setting| setting.value.as_ref()) {
            Some(Expr::Path(path)) => path.path.get_ident().cloned(),
            _ => None,
        };
        let camel = camel_case(&self.item.sig.ident.to_string());
        let mut launcher = launcher.unwrap_or_else(|| Ident::new(&camel, self.item.sig.ident.span()));
        if let Some(hidden) = self.hidden(&launcher) {
            errors.push(launcher_name::error(&launcher, &hidden, ", .."));
            // The bound, and callers, find what they name all the same. The body may be called `__T`.
            launcher = format_ident!("__{}Kernel", launcher, span = launcher.span());
        }
        let mut others = Vec::new();
        for setting in options {
            if setting.name == "launcher" {
                continue;
            }
            if let Some((name, span)) = self.type_named(setting) {
                let (code, what, help) = match setting.name == "contract" || setting.name == "fast_math" {
                    true => (
                        Code::OptionWithValue,
                        "this option is a `bool`",
                        "`true`, or a parameter `const FUSE: bool`",
                    ),
                    false => (
                        Code::BlockExtents,
                        "an extent of the block is a number",
                        "a literal, or a parameter `const N: usize`",
                    ),
                };
                let (fault, help) = (format!("{what}, and `{name}` is a type"), format!("write {help}"));
                errors.push(errors::diagnostic(code, span, fault, help));
                continue;
            }
            let (name, value, rest) = (&setting.name, setting.value.iter(), &setting.rest);
            // Missing values are refused by the instances.
            others.push(quote!(#name #(= #value)* #rest));
        }
        let others = quote!(#(#others),*);
        let mut items = self.device_function();
        for choice in self.choices() {
            items.extend(self.instance(&choice, &launcher, &others));
        }
        items.extend(self.face(&launcher));
        items
    }

    /// A parameter that is a type, and where an option names it.
    fn type_named(&self, setting: &Setting) -> Option<(&Ident, Span)> {
        let mut types = self.axes.iter().filter(|(_, is_length, _)| !is_length);
        types.find_map(|(name, ..)| {
            Some((
                name,
                find_name(setting.value.to_token_stream(), &mut |word| word == name)?.span(),
            ))
        })
    }

    /// The thing that a launcher of this name would hide, as the end of a sentence.
    fn hidden(&self, launcher: &Ident) -> Option<String> {
        if self.axes.iter().any(|(name, ..)| name == launcher) {
            return Some("as one of its parameters is".to_owned());
        }
        if self.bounds_name(launcher) {
            return Some("as a bound of its parameters is".to_owned());
        }
        let is_conditional = self.item.attrs.iter().any(is_cfg);
        let around = (!is_conditional && !editor::is_here()).then(|| Surroundings::of(&self.item.sig.ident));
        launcher_name::hidden(launcher, &around.flatten()?)
    }

    /// True if a bound of the parameters is this name.
    fn bounds_name(&self, launcher: &Ident) -> bool {
        let generics = &self.item.sig.generics;
        let is_it =
            |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if bound.path.is_ident(launcher));
        for parameter in generics.type_params() {
            if parameter.bounds.iter().any(is_it) {
                return true;
            }
        }
        if let Some(clause) = &generics.where_clause {
            for predicate in &clause.predicates {
                if let WherePredicate::Type(predicate) = predicate
                    && predicate.bounds.iter().any(is_it)
                {
                    return true;
                }
            }
        }
        false
    }

    fn device_function(&self) -> TokenStream {
        let mut function = self.item.clone();
        function.attrs.retain(is_cfg);
        function.vis = syn::Visibility::Inherited;
        function.sig.ident = Ident::new(&self.body.to_string(), self.span());
        outlive(&mut function.sig.generics);
        let (mut as_options, mut flags) = (TokenStream::new(), Vec::new());
        for (at, input) in function.sig.inputs.iter_mut().enumerate() {
            let FnArg::Typed(typed) = input else { continue };
            typed.attrs.clear();
            // As the instances, which take none.
            if let (Some(value), Pat::Ident(pattern)) = (option(&typed.ty).cloned(), &*typed.pat) {
                let (name, mutable) = (&pattern.ident, pattern.mutability.is_some());
                let slice = optional_slice(&typed.ty);
                as_options.extend(match slice {
                    Some(_) => {
                        let flag = flag(name);
                        flags.push((at, syn::parse_quote!(#flag: bool)));
                        parameter::as_optional_slice(name, mutable, &flag)
                    }
                    None => parameter::as_option(name, mutable),
                });
                *typed.ty = slice.cloned().unwrap_or_else(|| parameter::maybe(&value));
                *typed.pat = syn::Pat::Ident(syn::PatIdent {
                    mutability: None,
                    ..pattern.clone()
                });
            }
        }
        for (at, flag) in flags.into_iter().rev() {
            function.sig.inputs.insert(at + 1, flag);
        }
        if !as_options.is_empty() {
            let statements: syn::Block = syn::parse_quote!({ #as_options });
            function.block.stmts.splice(0..0, statements.stmts);
        }
        quote!(#[::vyre::device(kernel_body)] #function)
    }

    fn instance(&self, choice: &[&Value], launcher: &Ident, options: &TokenStream) -> TokenStream {
        let (name, launcher) = (self.instance_name(choice), self.instance_launcher(choice, launcher));
        let parameters = self.parameters.iter().map(|(name, typed)| {
            let (attributes, ty) = (&typed.attrs, self.with(choice, typed.ty.to_token_stream()));
            quote!(#(#attributes)* #name: #ty)
        });
        let arguments = self.parameters.iter().map(|(name, typed)| match option(&typed.ty) {
            Some(Type::Reference(_)) => {
                let flag = flag(name);
                quote!(#name, #flag)
            }
            Some(_) => quote_spanned!(typed.ty.span()=> ::vyre::Maybe::new(#name)),
            None => quote!(#name),
        });
        let values = choice.iter().map(|value| &value.tokens);
        let (visibility, body, output) = (&self.item.vis, &self.body, &self.item.sig.output);
        // An extent of the block may be a parameter.
        let options = self.with(choice, options.clone());
        let cfg = attributes::cfg(&self.item.attrs);
        let docs = format!(" The instance {} of [`{}`].", self.shown(choice), self.item.sig.ident);
        quote! {
            #(#cfg)*
            #[doc = #docs]
            #[::vyre::kernel(launcher = #launcher, #options)]
            #visibility fn #name(#(#parameters),*) #output {
                #body::<#(#values),*>(#(#arguments),*)
            }
        }
    }

    /// The tokens with the values of a choice in the place of the parameters.
    fn with(&self, choice: &[&Value], tokens: TokenStream) -> TokenStream {
        replaced(tokens, &|word| {
            let axis = self.axes.iter().position(|(name, ..)| name == word)?;
            Some(choice[axis].tokens.clone())
        })
    }

    /// The tokens within the trait, where the parameter that has it is `Self`.
    fn of_trait(&self, tokens: TokenStream) -> TokenStream {
        replaced(tokens, &|word| (self.subject == Some(word)).then(|| quote!(Self)))
    }

    /// The function of the kernel's own name, which picks an instance, the launcher's name, and the trait with its
    /// implementations.
    fn face(&self, launcher: &Ident) -> TokenStream {
        let (finder, visibility) = (&self.finder, &self.item.vis);
        let own = &self.item.sig.generics;
        let generics = list::map(self.axes, |axis| declared(axis, own));
        let clauses = match &own.where_clause {
            Some(clause) => clause.predicates.to_token_stream(),
            None => TokenStream::new(),
        };
        let fields = list::map(&self.parameters, |(_, typed)| field(typed));
        let cfg = attributes::cfg(&self.item.attrs);
        let name = &self.item.sig.ident;
        let subject = self.subject.map_or_else(|| quote!(()), |subject| quote!(#subject));
        let mut arguments = list::map(self.axes, |(name, ..)| name);
        arguments.retain(|name| self.subject != Some(*name));
        let arguments = (!arguments.is_empty()).then(|| quote!(<#(#arguments),*>));
        let instance = quote!(#finder #arguments);
        let values = list::map(&self.choices()[0], |value| value.shown());
        let docs = format!(
            " The launcher of an instance of [`{name}`](fn@{name}), which its types tell: `{launcher}::<{}>::dispatch(..)`.",
            values.join(", ")
        );
        let finding = self.finding(&fields, &generics, &clauses, arguments.as_ref());
        let implementations = self.implementations(&fields, launcher, arguments.as_ref());
        let constructor = self.constructor(&fields, &generics, &clauses, &subject, &instance);
        quote! {
            #constructor
            #(#cfg)*
            #[doc = #docs]
            #[allow(type_alias_bounds)]
            #visibility type #launcher<'v, #(#generics),*> = <#subject as #instance>::Launcher<'v>;
            #finding
            #implementations
        }
    }

    /// The trait that finds an instance.
    fn finding(
        &self,
        fields: &[TokenStream],
        generics: &[TokenStream],
        clauses: &TokenStream,
        arguments: Option<&TokenStream>,
    ) -> TokenStream {
        let (name, finder, visibility) = (&self.item.sig.ident, &self.finder, &self.item.vis);
        let cfg = attributes::cfg(&self.item.attrs);
        let parameters = self.parameters.iter().map(|(name, _)| name);
        let shown = |(name, ..): &Axis| match self.subject == Some(name) {
            true => format!("{name} = {{Self}}"),
            false => format!("{name} = {{{name}}}"),
        };
        let wanted = list::map(self.axes, shown);
        let message = format!("{}: `{name}` has no instance `{}`", Code::NoInstance, wanted.join(", "));
        let known = list::map(&self.choices(), |choice| self.shown(choice));
        let label = format!("its instances are {}", known.join(", "));
        let subject = self.subject.map_or_else(|| "()".to_owned(), Ident::to_string);
        let arguments = arguments.map_or_else(String::new, |it| it.to_string().replace(' ', "").replace(',', ", "));
        let bound = format!("`{subject}: {finder}{arguments}`");
        let note = format!(
            "help: name the instance at the kernel: `#[vyre::kernel({} = [..])]`; a generic function has the bound {bound}",
            self.axes[0].0
        );
        let docs = format!(" The bound of functions that are generic as [`{name}`](fn@{name}) is: {bound}.");
        let launcher_docs = format!(" The launcher of the instance of [`{name}`](fn@{name}).");
        let (mut of_subject, mut others) = (quote!('static), Vec::new());
        for ((name, ..), declared) in self.axes.iter().zip(generics) {
            let declared = self.of_trait(declared.clone());
            match self.subject == Some(name) {
                // `Self: 'static + Bound`
                true => of_subject = declared.into_iter().skip(2).collect(),
                false => others.push(declared),
            }
        }
        if self
            .subject
            .is_some_and(|subject| self.parameters.iter().any(|(_, typed)| is_buffer(typed, subject)))
        {
            of_subject.extend(quote!(+ ::vyre::Element));
        }
        let clauses = self.of_trait(clauses.clone());
        let fields = fields.iter().map(|field| self.of_trait(field.clone()));
        quote! {
            #(#cfg)*
            #[doc = #docs]
            #[allow(clippy::multiple_bound_locations)]
            #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
            #visibility trait #finder<#(#others),*>: #of_subject
            where
                #clauses
            {
                #[doc = #launcher_docs]
                type Launcher<'v>: ::vyre::Kernel;
                #[doc(hidden)]
                #[allow(clippy::too_many_arguments)]
                fn __launcher<'v>(#(#parameters: #fields),*) -> Self::Launcher<'v>;
            }
        }
    }

    /// The instances.
    fn implementations(
        &self,
        fields: &[TokenStream],
        launcher: &Ident,
        arguments: Option<&TokenStream>,
    ) -> TokenStream {
        let finder = &self.finder;
        let parameters = list::map(&self.parameters, |(name, _)| name);
        let is_view = |typed| View::of(typed).or(View::optional(typed)).is_some() || bundle(typed).is_some();
        let has_view = self.parameters.iter().any(|(_, typed)| is_view(typed));
        let lifetime = has_view.then(|| quote!(<'v>));
        let subject = self.subject.map_or_else(|| quote!(()), |subject| quote!(#subject));
        let mut implementations = TokenStream::new();
        for choice in &self.choices() {
            let cfg = attributes::cfg(&self.item.attrs);
            let fields = list::map(fields, |field| self.with(choice, field.clone()));
            let own = self.instance_launcher(choice, launcher);
            let values = self.parameters.iter().map(|(name, typed)| match option(&typed.ty) {
                Some(value) if !matches!(value, Type::Reference(_)) => quote!(#name: ::vyre::Maybe::new(#name)),
                _ => quote!(#name),
            });
            let subject = self.with(choice, subject.clone());
            let arguments = arguments.map(|arguments| self.with(choice, arguments.clone()));
            // rustc would say again at `Self` that a bound excludes the instance.
            let result = match &lifetime {
                Some(lifetime) => quote!(#own #lifetime),
                None => quote!(Self::Launcher<'v>),
            };
            // The message has the list of instances, in the words of the kernel.
            implementations.extend(quote! {
                #(#cfg)*
                #[diagnostic::do_not_recommend]
                impl #finder #arguments for #subject {
                    type Launcher<'v> = #own #lifetime;
                    fn __launcher<'v>(#(#parameters: #fields),*) -> #result { #own { #(#values),* } }
                }
            });
        }
        implementations
    }
}

/// The tokens with others in the place of some words.
fn replaced(tokens: TokenStream, by: &dyn Fn(&Ident) -> Option<TokenStream>) -> TokenStream {
    let mut done = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => match by(&word) {
                Some(tokens) => done.extend(tokens),
                None => done.append(word),
            },
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replaced(group.stream(), by));
                inner.set_span(group.span());
                done.append(inner);
            }
            token => done.append(token),
        }
    }
    done
}

/// A parameter with its bounds, on which the types of parameters may depend.
fn declared((name, is_length, _): &Axis, own: &Generics) -> TokenStream {
    if *is_length {
        let ty = own.const_params().find(|it| it.ident == *name).map(|it| &it.ty);
        return quote!(const #name: #ty);
    }
    let mut declared = quote!(#name: 'static);
    if let Some(parameter) = own.type_params().find(|it| it.ident == *name) {
        for bound in &parameter.bounds {
            declared.extend(quote!(+ #bound));
        }
    }
    declared
}

/// True if a parameter is a buffer of elements of a type.
fn is_buffer(typed: &PatType, of: &Ident) -> bool {
    let Some(view) = View::of(typed) else { return false };
    let mut tokens = view.element.to_token_stream().into_iter();
    matches!((tokens.next(), tokens.next()), (Some(TokenTree::Ident(word)), None) if word == *of)
}

/// The type that a launcher holds for a parameter.
fn field(typed: &PatType) -> TokenStream {
    if let Some(view) = View::optional(typed) {
        let (name, element) = (Ident::new(view.name, Span::call_site()), view.element);
        return quote!(::core::option::Option<::vyre::#name<'v, #element>>);
    }
    if let Some(of) = bundle(typed) {
        return quote!(<#of as ::vyre::Bundle>::Views<'v>);
    }
    match View::of(typed) {
        Some(View { name, element, .. }) => {
            let name = Ident::new(name, Span::call_site());
            quote!(::vyre::#name<'v, #element>)
        }
        None => typed.ty.to_token_stream(),
    }
}

/// The slice in an `Option`.
fn optional_slice(ty: &Type) -> Option<&Type> {
    option(ty).filter(|ty| matches!(ty, Type::Reference(_)))
}

/// The parameter that tells whether such a slice is there.
fn flag(name: &Ident) -> Ident {
    format_ident!("{}_is_some", name)
}

/// Adds `'static` to the bounds of the types, which those of instances have: shared memory has no elements that borrow.
fn outlive(generics: &mut Generics) {
    let Generics {
        params, where_clause, ..
    } = generics;
    for parameter in params {
        let GenericParam::Type(parameter) = parameter else {
            continue;
        };
        // Clippy wants the bounds of a type in one place.
        let mut bounds = &mut parameter.bounds;
        if let Some(clause) = where_clause {
            for predicate in &mut clause.predicates {
                if let WherePredicate::Type(predicate) = predicate
                    && let Type::Path(path) = &predicate.bounded_ty
                    && path.path.is_ident(&parameter.ident)
                {
                    bounds = &mut predicate.bounds;
                    break;
                }
            }
        }
        bounds.push(TypeParamBound::Lifetime(Lifetime::new("'static", Span::call_site())));
    }
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// The items of a file, with their instances in the place of generic kernels.
#[cfg(any(feature = "files", test))]
pub(crate) fn instanced(items: Vec<Item>, errors: &mut Vec<Diagnostic>) -> Vec<Item> {
    let mut done = Vec::new();
    for item in items {
        match item {
            Item::Fn(mut function) => match function.attrs.iter().position(crate::resolve::attributes::is_kernel) {
                Some(at) => {
                    let attribute = function.attrs.remove(at);
                    let options = match &attribute.meta {
                        syn::Meta::List(list) => list.tokens.clone(),
                        _ => TokenStream::new(),
                    };
                    let found = instances(&options, &function.to_token_stream(), true, errors);
                    match found.map(syn::parse2::<File>) {
                        Some(Ok(file)) => done.extend(file.items),
                        _ => {
                            function.attrs.insert(at, attribute);
                            done.push(Item::Fn(function));
                        }
                    }
                }
                None => done.push(Item::Fn(function)),
            },
            Item::Mod(mut module) => {
                if let Some((_, items)) = &mut module.content {
                    *items = instanced(std::mem::take(items), errors);
                }
                done.push(Item::Mod(module));
            }
            other => done.push(other),
        }
    }
    done
}
