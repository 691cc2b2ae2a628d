//! Methods and operators: rustc confirms that it takes those that vyre takes.
//!
//! For `x.area()` rustc looks through the types that `x` can be made to, in order: `T`, `&T`, `&mut T`, what `T` derefs
//! to, and so on. At each it takes a method of the type itself before one of a trait that is in scope. vyre knows
//! the methods of modules that are in sight, and not what is in scope. So beside the function stand *probes*, calls
//! that are never made:
//!
//! - At the last type before that of the method, a trait made here has a method of the name. Where rustc takes
//!   that one, there is no other there, nor at any type before.
//! - Of a method of a trait, the same at its own type, in a module where no trait is in scope: there is no method
//!   of the type itself.
//! - A hidden method of the trait, [`marker`], is there: so the trait is in scope, and another one besides would
//!   make the call ambiguous.
//!
//! A number without a type beside an operator has the type for which there is an `impl`, if there is one alone.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Item, ItemTrait, TraitItem, parse_quote};

use super::generic_probe;
use super::type_witness::{DOOR, tag};
use crate::library::methods::on;
use crate::resolve::impls::moved;
use crate::resolve::names::hash;
use crate::syntax::Receiver;
use crate::syntax::operator::Operator;
use crate::syntax::tree::Tree;
use crate::types::sum::Sum;
use crate::types::{Kind, Ty, Types, is_known};

/// A method that is called.
pub(crate) struct Method {
    pub(crate) name: Ident,
    /// What it is called on.
    pub(crate) on: Ty,
    pub(crate) takes: Receiver,
    /// Of a method of a trait, how that is known, and what the method takes besides the receiver.
    pub(crate) of_trait: Option<(Option<Ident>, Vec<Ty>)>,
}

/// A function of a trait that is called by the path of a type.
pub(crate) struct OfTrait {
    pub(crate) path: TokenStream,
    pub(crate) marker: Ident,
    pub(crate) of: Ty,
    pub(crate) takes: Vec<Ty>,
}

/// An operator with a number beside it whose type nothing tells.
pub(crate) struct Number {
    pub(crate) operator: Operator,
    pub(crate) assigns: bool,
    pub(crate) left: Ty,
    pub(crate) right: Ty,
    /// Whether the number stands on the left.
    pub(crate) is_left: bool,
    pub(crate) is_float: bool,
    pub(crate) span: Span,
}

/// What begins the names of hidden methods.
const MARKER: &str = "V0721_vyre_takes_this_for_a_method_of_";

/// The name of the hidden method by which a trait of the device is known.
fn marker(item: &ItemTrait) -> Ident {
    let start = item.ident.span().start();
    let file = item.ident.span().file();
    // The folder that the crate lies in does not count: the same sources make the same names everywhere.
    let mut parts = file.rsplit(['/', '\\']);
    let number = hash(&[
        &std::env::var("CARGO_PKG_NAME").unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        &format!("{}:{}", start.line, start.column),
    ]);
    format_ident!("{MARKER}{}_{number:016x}", item.ident, span = Span::call_site())
}

/// A trait with the hidden method.
pub(crate) fn marked(item: &mut ItemTrait) {
    let name = marker(item);
    item.items.push(parse_quote! {
        #[doc(hidden)]
        #[allow(non_snake_case)]
        fn #name(&self) where Self: ::core::marker::Sized {}
    });
}

/// The hidden method of a trait.
pub(crate) fn marker_of(item: &Item) -> Option<Ident> {
    let Item::Trait(item) = item else { return None };
    item.items.iter().rev().find_map(|member| match member {
        TraitItem::Fn(it) if it.sig.ident.to_string().starts_with(MARKER) => Some(it.sig.ident.clone()),
        _ => None,
    })
}

/// References around a value, the outermost first: `true` for `&mut`.
type References = Vec<bool>;

/// The types that a method is looked for at, up to that which it has: the last of those before, if there are any.
fn before(on: &[bool], takes: Receiver) -> Option<References> {
    let wanted: &[bool] = match takes {
        Receiver::Value => &[],
        Receiver::Shared => &[false],
        Receiver::Mutable => &[true],
    };
    let (mut last, mut seen) = (None, Vec::new());
    for start in 0..=on.len() {
        let value = &on[start..];
        for around in [None, Some(false), Some(true)] {
            let step: References = around.into_iter().chain(value.iter().copied()).collect();
            if step == wanted {
                return last;
            }
            // What is behind a shared reference is not borrowed so, which rustc says where it is. And what is found at
            // a type that comes twice is found where it comes first.
            let is_new = !seen.contains(&step);
            if is_new && (around != Some(true) || !on[..start].contains(&false)) {
                last = Some(step.clone());
            }
            seen.push(step);
        }
    }
    None
}

/// References, and what they refer to.
fn taken_apart(types: &Types, mut ty: Ty) -> (References, Ty) {
    let mut references = References::new();
    while let Kind::Reference(inner, mutable) = *types.kind(ty) {
        references.push(mutable);
        ty = inner;
    }
    (references, ty)
}

fn around(references: &[bool], inner: TokenStream) -> TokenStream {
    references.iter().rev().fold(inner, |inner, mutable| match mutable {
        true => quote!(&mut #inner),
        false => quote!(&#inner),
    })
}

/// An expression of a type, which is never evaluated.
fn example(types: &Types, ty: Ty) -> Option<TokenStream> {
    let door = Ident::new(DOOR, Span::call_site());
    let all = |list: &[Ty]| list.iter().map(|&ty| example(types, ty)).collect::<Option<Vec<_>>>();
    Some(match types.kind(ty) {
        Kind::Primitive(primitive) => {
            let name = Ident::new(primitive.name(), Span::call_site());
            match primitive.scalar().is_half() {
                true => quote!(#door::any::<::vyre::#name>()),
                false => quote!(#door::any::<::core::primitive::#name>()),
            }
        }
        Kind::Tuple(fields) => {
            let fields = all(fields)?;
            quote!((#(#fields,)*))
        }
        // What stands for a length.
        Kind::Array(Ty::UNIT, length) if is_known(types.length(*length)) => {
            let length = Literal::u64_unsuffixed(types.length(*length));
            quote!([(); #length])
        }
        Kind::Array(element, length) if is_known(types.length(*length)) => {
            let (element, length) = (
                example(types, *element)?,
                Literal::u64_unsuffixed(types.length(*length)),
            );
            quote!(#door::example::array::<_, #length>(#element))
        }
        Kind::Reference(inner, mutable) => match types.kind(*inner) {
            Kind::Slice(element) => {
                let element = example(types, *element)?;
                match mutable {
                    true => quote!(#door::example::slice_mut(#element)),
                    false => quote!(#door::example::slice(#element)),
                }
            }
            _ => {
                let inner = example(types, *inner)?;
                around(&[*mutable], inner)
            }
        },
        Kind::Enum(number) => own(types.enums[*number].key, Vec::new()),
        kind @ Kind::Struct(number) => match types.stand_ins.iter().find(|(known, _)| known == number) {
            Some((_, path)) => quote!(#door::any::<#path>()),
            None => own(types.structs[*number].key, all(types.arguments(kind))?),
        },
        kind @ Kind::Sum(Sum::Own(number), _) => own(types.sums[*number].key, all(types.arguments(kind))?),
        Kind::Sum(of, arguments) => {
            let (of, arguments) = (format_ident!("{}", format!("{of:?}").to_lowercase()), all(arguments)?);
            quote!(#door::example::#of(#(#arguments),*))
        }
        _ => return None,
    })
}

/// An expression of a type of the user.
fn own(key: u64, arguments: Vec<TokenStream>) -> TokenStream {
    let (door, key) = (Ident::new(DOOR, Span::call_site()), Literal::u64_unsuffixed(key));
    quote!(#door::example::own(#door::example::Key::<#key>, (#(#arguments,)*)))
}

/// A call that must lead to the method of a trait made here, at a type.
fn probe(types: &Types, method: &Method, at: &[bool]) -> Option<TokenStream> {
    let (_, base) = taken_apart(types, method.on);
    let (tag, name) = (tag(types, base)?, &method.name);
    let span = Span::call_site().located_at(name.span());
    let receiver = moved(example(types, method.on)?, name.span());
    let is_slice = matches!(types.kind(base), Kind::Slice(_));
    let unsized_too = is_slice.then(|| quote!(+ ?::core::marker::Sized));
    let at = around(at, quote!(T));
    let door = Ident::new(DOOR, span);
    let of = format_ident!("V0721_vyre_knows_no_other_method_{}", name, span = span);
    Some(quote_spanned! {span=>
        trait #of {
            fn #name(self) -> #door::example::Alone;
        }
        impl<T: #door::Ty<Tag = #tag> #unsized_too> #of for #at {
            fn #name(self) -> #door::example::Alone {
                #door::example::Alone
            }
        }
        let _ = || {
            #door::example::alone((#receiver).#name());
        };
    })
}

/// What rustc checks of the methods that a body calls.
pub(crate) fn probes(tree: &Tree) -> TokenStream {
    let (types, claims) = (&tree.types, &tree.claims);
    let door = Ident::new(DOOR, Span::call_site());
    let mut all = TokenStream::new();
    let mut known = Vec::new();
    for (number, method) in claims.methods.iter().enumerate() {
        let text = format!("{} {} {:?}", method.name, types.show(method.on), method.takes);
        if known.contains(&text) {
            continue;
        }
        known.push(text);
        let (references, base) = taken_apart(types, method.on);
        let at = match types.kind(base) {
            // It is a method of the slice that the array becomes in the end.
            Kind::Array(..) => Some(vec![!references.contains(&false)]),
            _ => before(&references, method.takes),
        };
        let at = match (types.kind(base), at.as_deref(), references.last()) {
            // No value is a slice.
            (Kind::Slice(_), Some([]), Some(&mutable)) => {
                let around = &references[..references.len() - 1];
                Some(vec![!around.contains(&false), mutable])
            }
            _ => at,
        };
        if let Some(at) = at
            && let Some(probe) = probe(types, method, &at)
        {
            all.extend(quote!(#[allow(warnings)] { #probe }));
        }
        let Some((marker, arguments)) = &method.of_trait else {
            continue;
        };
        let at: &[bool] = match method.takes {
            Receiver::Value => &[],
            Receiver::Shared => &[false],
            Receiver::Mutable => &[true],
        };
        // Nothing is known of parameters there; of their `impl`s this is checked where these stand.
        if !generic_probe::mentions(tree, base)
            && let Some(probe) = probe(types, method, at)
        {
            let name = format_ident!("__vyre_{number}");
            all.extend(quote! {
                #[allow(warnings)]
                mod #name {
                    use ::vyre::__private as #door;
                    fn probe() { #probe }
                }
            });
        }
        let arguments = arguments
            .iter()
            .map(|&ty| example(types, ty))
            .collect::<Option<Vec<_>>>();
        if let (Some(marker), Some(arguments), Some(receiver)) = (marker, arguments, example(types, base)) {
            let (name, whole) = (&method.name, around(&references, receiver.clone()));
            all.extend(in_scope(&receiver, &quote!((#whole).#name), &arguments, marker));
        }
    }
    for it in &claims.paths {
        let arguments = it
            .takes
            .iter()
            .map(|&ty| example(types, ty))
            .collect::<Option<Vec<_>>>();
        if let (Some(arguments), Some(of)) = (arguments, example(types, it.of)) {
            all.extend(in_scope(&of, &it.path, &arguments, &it.marker));
        }
    }
    all
}

/// What rustc checks of the numbers beside operators in a body.
pub(crate) fn numbers(tree: &Tree) -> TokenStream {
    let numbers = tree.claims.numbers.iter();
    numbers.filter_map(|number| of_number(&tree.types, number)).collect()
}

/// A call of a trait's hidden method beside that of another one.
fn in_scope(of: &TokenStream, called: &TokenStream, arguments: &[TokenStream], marker: &Ident) -> TokenStream {
    let last = called.clone().into_iter().last();
    let span = last.map_or_else(Span::call_site, |last| Span::call_site().located_at(last.span()));
    let (door, marker) = (Ident::new(DOOR, span), Ident::new(&marker.to_string(), span));
    // Where rustc finds nothing that is called so, which it says of the call, the second line is of no type.
    quote_spanned! {span=>
        #[allow(warnings)]
        let _ = || {
            let result = #called(#(#arguments),*);
            #door::example::both(#of, result).#marker();
        };
    }
}

fn of_number(types: &Types, number: &Number) -> Option<TokenStream> {
    let span = Span::call_site().located_at(number.span);
    let (door, one) = (Ident::new(DOOR, span), Ident::new("number", span));
    let of = if number.is_left { number.left } else { number.right };
    let tag = tag(types, of)?;
    let literal = match number.is_float {
        true => Literal::f64_unsuffixed(1.0),
        false => Literal::u64_unsuffixed(1),
    };
    let other = example(types, if number.is_left { number.right } else { number.left })?;
    let sign = sign(number.operator, number.assigns);
    let operation = match (number.is_left, number.assigns) {
        (true, true) => return None,
        (true, false) => quote_spanned!(span=> let _ = #one #sign #other;),
        (false, false) => quote_spanned!(span=> let _ = #other #sign #one;),
        (false, true) => quote_spanned!(span=> let mut value = #other; value #sign #one;),
    };
    Some(quote_spanned! {span=>
        #[allow(warnings)]
        let _ = || {
            let #one = #literal;
            #operation
            #door::is::<#tag, _>(&#one);
        };
    })
}

fn sign(operator: Operator, assigns: bool) -> TokenStream {
    match (operator, assigns) {
        (Operator::Add, false) => quote!(+),
        (Operator::Sub, false) => quote!(-),
        (Operator::Mul, false) => quote!(*),
        (Operator::Div, false) => quote!(/),
        (Operator::Rem, false) => quote!(%),
        (Operator::BitAnd, false) => quote!(&),
        (Operator::BitOr, false) => quote!(|),
        (Operator::BitXor, false) => quote!(^),
        (Operator::Shl, false) => quote!(<<),
        (Operator::Shr, false) => quote!(>>),
        (Operator::Add, true) => quote!(+=),
        (Operator::Sub, true) => quote!(-=),
        (Operator::Mul, true) => quote!(*=),
        (Operator::Div, true) => quote!(/=),
        (Operator::Rem, true) => quote!(%=),
        (Operator::BitAnd, true) => quote!(&=),
        (Operator::BitOr, true) => quote!(|=),
        (Operator::BitXor, true) => quote!(^=),
        (Operator::Shl, true) => quote!(<<=),
        (Operator::Shr, true) => quote!(>>=),
        (Operator::Eq, _) => quote!(==),
        (Operator::Ne, _) => quote!(!=),
        (Operator::Lt, _) => quote!(<),
        (Operator::Le, _) => quote!(<=),
        (Operator::Gt, _) => quote!(>),
        (Operator::Ge, _) => quote!(>=),
    }
}

impl Tree {
    /// Notes a method that is called; nothing where imports are seen.
    pub(crate) fn claim_method(&mut self, method: Method) {
        let is_same = |known: &Method| known.on == method.on && known.name == method.name;
        if !self.traits.here.complete && !self.claims.methods.iter().any(is_same) {
            self.claims.methods.push(method);
        }
    }

    /// Notes a method that Rust has, on receivers of this kind.
    pub(crate) fn claim_known(&mut self, name: &Ident, receiver: Ty, kind: u16) {
        let text = name.to_string();
        let takes = match (kind, text.as_str()) {
            (on::ATOMIC | on::BARRIER | on::MATRIX, _) => return,
            (on::SEQUENCE, name) if name.ends_with("_mut") => Receiver::Mutable,
            (on::SEQUENCE, "fill" | "swap" | "reverse" | "copy_from_slice")
            | (on::OPTION | on::RESULT, "take" | "replace" | "insert" | "get_or_insert" | "get_or_insert_with")
            | (on::OPTION | on::RESULT, "as_mut") => Receiver::Mutable,
            (on::SEQUENCE, _) => Receiver::Shared,
            (on::OPTION | on::RESULT, "is_some" | "is_none" | "is_ok" | "is_err" | "as_ref") => Receiver::Shared,
            _ => Receiver::Value,
        };
        // Where rustc looks at the value itself first, it finds the method there.
        if takes != Receiver::Value || matches!(self.types.kind(receiver), Kind::Reference(..)) {
            self.claim_method(Method {
                name: name.clone(),
                on: receiver,
                takes,
                of_trait: None,
            });
        }
    }

    /// Notes a function of a trait; nothing where imports are seen.
    pub(crate) fn claim_path(&mut self, path: OfTrait) {
        if !self.traits.here.complete {
            self.claims.paths.push(path);
        }
    }

    /// Notes a number beside an operator.
    pub(crate) fn claim_number(&mut self, number: Number) {
        self.claims.numbers.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_in_order() {
        assert_eq!(before(&[], Receiver::Value), None);
        assert_eq!(before(&[], Receiver::Shared), Some(vec![]));
        assert_eq!(before(&[], Receiver::Mutable), Some(vec![false]));
        assert_eq!(before(&[false], Receiver::Shared), None);
        assert_eq!(before(&[false], Receiver::Value), Some(vec![true, false]));
        assert_eq!(before(&[true], Receiver::Shared), Some(vec![]));
        assert_eq!(before(&[false, false], Receiver::Value), Some(vec![false]));
    }
}
