//! Types as tokens: tags, which rustc compares, and example values, which are never evaluated.

use proc_macro2::{Ident, Literal, Span};
use vyre_abi::list;

use crate::code::{Code, code};
use crate::surface::Primitive;
use crate::syntax::Generic;
use crate::types::adt::Form;
use crate::types::{Kind, Ty, Types, is_known};

/// The name under which a body sees what witnesses are made of.
pub(crate) const DOOR: &str = "__vyre";

/// The tag of a type; `None` for types whose witness would say nothing.
pub(crate) fn tag(types: &Types, ty: Ty) -> Option<Code> {
    tag_of(types, ty, &[])
}

/// The tag of a type that may hold the parameters that are bound to variables.
pub(crate) fn tag_of(types: &Types, ty: Ty, bound: &[(Ident, Generic)]) -> Option<Code> {
    let span = Span::call_site();
    let door = &Ident::new(DOOR, span);
    let tag = |ty| tag_of(types, ty, bound);
    let all = |list: &[Ty]| list::try_map(list, |&ty| tag(ty));
    Some(match types.kind(ty) {
        Kind::Primitive(primitive) => {
            let name = Ident::new(tag_name(*primitive), span);
            code!(span=> #door::tag::#name)
        }
        Kind::Token => code!(span=> #door::tag::Token),
        Kind::Atomic(cell) => {
            let name = Ident::new(tag_name(*cell), Span::call_site());
            code!(span=> #door::tag::Atomic<#door::tag::#name>)
        }
        Kind::Array(element, length) => {
            let (element, length) = (tag(*element)?, length_of(types, *length, bound));
            code!(span=> #door::tag::Array<#element, #length>)
        }
        &Kind::Slice(element, false) => {
            let element = tag(element)?;
            code!(span=> #door::tag::Slice<#element>)
        }
        &Kind::Slice(element, true) => {
            let element = tag(element)?;
            code!(span=> #door::tag::AnySlice<#element>)
        }
        Kind::Group(group, numbers) => {
            let name = Ident::new(group.name(), Span::call_site());
            let numbers = list::map(&numbers[..group.numbers()], |&number| Literal::u64_unsuffixed(number));
            code!(span=> #door::tag::#name<#numbers>)
        }
        &Kind::Fragment(role, element, rows, columns) => {
            let element = match types.kind(element) {
                Kind::Tf32 => code!(span=> #door::tag::Tf32),
                _ => tag(element)?,
            };
            let length = |length| Literal::u64_unsuffixed(types.length(length));
            let (rows, columns) = (length(rows), length(columns));
            let role = Ident::new(&format!("{role:?}"), Span::call_site());
            code!(span=> #door::tag::#role<#element, #rows, #columns>)
        }
        Kind::Adt(number) => match &types.adts[*number] {
            of if of.form == Form::Tuple => {
                let fields = all(&of.arguments).filter(|fields| !fields.is_empty())?;
                let fields = with_commas(fields);
                code!(span=> (#fields))
            }
            of if of.home.is_some() => own_tag(of.key, &of.arguments, types, bound)?,
            of => {
                let (name, arguments) = (Ident::new(&of.name, span), all(&of.arguments)?);
                code!(span=> #door::tag::#name<#arguments>)
            }
        },
        Kind::Unknown { .. } => {
            let is_it = |generic: &Generic| matches!(generic, Generic::Type(it) if types.find(*it) == types.find(ty));
            let (name, _) = bound.iter().find(|(_, generic)| is_it(generic))?;
            code!(span=> <#name as #door::Ty>::Tag)
        }
        _ => return None,
    })
}

/// The tag of a field of a struct of slices; of a matrix that of its elements.
pub(crate) fn tag_of_field(types: &Types, ty: Ty) -> Option<Code> {
    let span = Span::call_site();
    let door = &Ident::new(DOOR, span);
    match *types.kind(ty) {
        Kind::Reference(inner, mutable) => {
            let name = Ident::new(if mutable { "Mut" } else { "Ref" }, span);
            let inner = tag(types, inner)?;
            Some(code!(span=> #door::tag::#name<#inner>))
        }
        Kind::Matrix(element, _) => tag(types, element),
        _ => tag(types, ty),
    }
}

/// A length, which may be a parameter.
fn length_of(types: &Types, length: u64, bound: &[(Ident, Generic)]) -> Code {
    let length = types.length(length);
    let is_it = |generic: &Generic| matches!(generic, Generic::Length(it) if types.length(*it) == length);
    match bound.iter().find(|(_, generic)| is_it(generic)) {
        Some((name, _)) => Code::tree(name.clone().into()),
        None => Code::tree(Literal::u64_unsuffixed(length).into()),
    }
}

/// The tag of a type of the user, and of an instance of one with parameters.
fn own_tag(key: u64, arguments: &[Ty], types: &Types, bound: &[(Ident, Generic)]) -> Option<Code> {
    let span = Span::call_site();
    let (door, key) = (&Ident::new(DOOR, span), Literal::u64_unsuffixed(key));
    if arguments.is_empty() {
        return Some(code!(span=> #door::tag::Own<#key>));
    }
    let arguments = list::try_map(arguments, |&argument| match *types.kind(argument) {
        Kind::Array(Ty::UNIT, length) => {
            let length = length_of(types, length, bound);
            Some(code!(span=> #door::tag::Array<(), #length>))
        }
        _ if types.is_unit(argument) => Some(code!(span=> ())),
        _ => tag_of(types, argument, bound),
    });
    let arguments = with_commas(arguments?);
    Some(code!(span=> #door::tag::Instance<#key, (#arguments)>))
}

/// Parts of a tuple, of which each has a comma.
fn with_commas(parts: Vec<Code>) -> Code {
    let span = Span::call_site();
    let mut all = Code::default();
    for part in parts {
        all.append(code!(span=> #part,));
    }
    all
}

fn tag_name(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "Bool",
        Primitive::I8 => "I8",
        Primitive::I16 => "I16",
        Primitive::I32 => "I32",
        Primitive::I64 => "I64",
        Primitive::Isize => "Isize",
        Primitive::U8 => "U8",
        Primitive::U16 => "U16",
        Primitive::U32 => "U32",
        Primitive::U64 => "U64",
        Primitive::Usize => "Usize",
        Primitive::F16 => "F16",
        Primitive::BF16 => "BF16",
        Primitive::F32 => "F32",
        Primitive::F64 => "F64",
        Primitive::U128 => "U128",
        Primitive::I128 => "I128",
    }
}

/// References around a value, the outermost first: `true` for `&mut`.
pub(super) type References = Vec<bool>;

/// References, and what they refer to.
pub(super) fn peeled(types: &Types, mut ty: Ty) -> (References, Ty) {
    let mut references = References::new();
    while let Kind::Reference(inner, mutable) = *types.kind(ty) {
        references.push(mutable);
        ty = inner;
    }
    (references, ty)
}

pub(super) fn around(references: &[bool], mut inner: Code) -> Code {
    let span = Span::call_site();
    for mutable in references.iter().rev() {
        inner = match mutable {
            true => code!(span=> &mut #inner),
            false => code!(span=> &#inner),
        };
    }
    inner
}

/// An expression of a type, which is never evaluated.
pub(super) fn example(types: &Types, ty: Ty) -> Option<Code> {
    let span = Span::call_site();
    let door = &Ident::new(DOOR, span);
    let all = |list: &[Ty]| list::try_map(list, |&ty| example(types, ty));
    Some(match types.kind(ty) {
        Kind::Primitive(primitive) => {
            let name = Ident::new(primitive.name(), Span::call_site());
            match primitive.scalar().is_half() {
                true => code!(span=> #door::any::<::vyre::#name>()),
                false => code!(span=> #door::any::<::core::primitive::#name>()),
            }
        }
        // A placeholder for a length.
        Kind::Array(Ty::UNIT, length) if is_known(types.length(*length)) => {
            let length = Literal::u64_unsuffixed(types.length(*length));
            code!(span=> [(); #length])
        }
        Kind::Array(element, length) if is_known(types.length(*length)) => {
            let (element, length) = (
                example(types, *element)?,
                Literal::u64_unsuffixed(types.length(*length)),
            );
            code!(span=> #door::example::array::<_, #length>(#element))
        }
        Kind::Reference(inner, mutable) => match types.kind(*inner) {
            Kind::Slice(element, any) => {
                let element = example(types, *element)?;
                match (any, mutable) {
                    (false, true) => code!(span=> #door::example::slice_mut(#element)),
                    (false, false) => code!(span=> #door::example::slice(#element)),
                    (true, true) => code!(span=> #door::example::any_slice_mut(#element)),
                    (true, false) => code!(span=> #door::example::any_slice(#element)),
                }
            }
            _ => {
                let inner = example(types, *inner)?;
                around(&[*mutable], inner)
            }
        },
        Kind::Adt(number) => {
            let of = &types.adts[*number];
            let arguments = all(&of.arguments)?;
            match types.placeholders.iter().find(|(known, _)| known == number) {
                Some((_, path)) => {
                    let path = Code::of(path);
                    code!(span=> #door::any::<#path>())
                }
                None if of.form == Form::Tuple => {
                    let arguments = with_commas(arguments);
                    code!(span=> (#arguments))
                }
                None if of.home.is_some() => own(of.key, arguments),
                None => {
                    let name = Ident::new(&of.name.to_lowercase(), span);
                    code!(span=> #door::example::#name(#arguments))
                }
            }
        }
        _ => return None,
    })
}

/// An expression of a type of the user.
fn own(key: u64, arguments: Vec<Code>) -> Code {
    let span = Span::call_site();
    let (door, key, arguments) = (
        &Ident::new(DOOR, span),
        Literal::u64_unsuffixed(key),
        with_commas(arguments),
    );
    code!(span=> #door::example::own(#door::example::Key::<#key>, (#arguments)))
}
