//! Algebraic data types: structs, enums, tuples, and core's `Option` and `Result`.
//!
//! A type with parameters has an entry for each place that names it, with the types of its fields there. Two
//! of these are the same type if their keys and arguments are.

use std::borrow::Cow;
use std::fmt;
use vyre_abi::list;

use proc_macro2::{Ident, Span};

use super::{Kind, Ty, Types, is_known};
use crate::errors::Code;
use crate::resolve::names::{Names, plain};
use crate::surface::Primitive;

/// A type with variants; a struct or tuple has one.
#[derive(Clone)]
pub(crate) struct Adt {
    pub(crate) name: Cow<'static, str>,
    /// Its unique key.
    pub(crate) key: u64,
    /// The names in sight where the user defines it.
    pub(crate) home: Option<Names>,
    pub(crate) form: Form,
    /// The alignment that a struct asks for, in bytes, else 1.
    pub(crate) align: u64,
    /// The type of the discriminant of a tagged enum that has a layout in memory, if that of its fields has one.
    pub(crate) tag: Option<Primitive>,
    /// True if `==` compares it part by part: it derives `PartialEq`.
    pub(crate) compares: bool,
    /// True if `<` compares it part by part: it derives `PartialOrd`.
    pub(crate) orders: bool,
    /// True if `{:?}` writes its names and fields: it derives `Debug`.
    pub(crate) shows: bool,
    /// True of a struct that has a counterpart of atomics: it derives `Atomics`.
    pub(crate) atomics: bool,
    /// The generic arguments, as those of a function's instance.
    pub(crate) arguments: Vec<Ty>,
    /// The span where the function itself names this instance, or calls one that does.
    pub(crate) named_at: Option<Span>,
    pub(crate) variants: Vec<Variant>,
}

/// The representation of values in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The fields of the only variant.
    Struct,
    /// The same, without a layout in memory that Rust defines.
    Tuple,
    /// The discriminant, a number of this type: no variant has fields. It is an `element` of buffers if it has a
    /// layout, and zero is one of its values.
    Fieldless { cell: Primitive, element: bool },
    /// The number of the variant, or its discriminant, then slots for the fields: see [`Slots`](super::slots::Slots).
    Tagged,
}

/// A variant.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: Cow<'static, str>,
    /// The discriminant, as bits of the cell or of the tag.
    pub(crate) bits: u64,
    pub(crate) fields: Vec<Field>,
}

/// A field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The name; of a tuple struct the number.
    pub(crate) name: Cow<'static, str>,
    pub(crate) ty: Ty,
}

/// A variant where it is mentioned: of a type whose arguments need not be known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) of: Ty,
    /// The key of the type.
    pub(crate) key: u64,
    pub(crate) variant: u32,
}

/// The keys of core's types, of which a tuple's has its arity added.
pub(crate) const ORDERING: u64 = 0;
pub(crate) const OPTION: u64 = 1;
pub(crate) const RESULT: u64 = 2;
pub(crate) const ARRAY: u64 = 3;
/// A pattern with `..`, whose type may have more parts.
pub(crate) const LEAST: u64 = 4;
pub(crate) const PHANTOM: u64 = 5;
/// `vyre::Atomic<T>` of a struct.
pub(crate) const ATOMIC: u64 = 6;
const TUPLE: u64 = 7;

/// Numbers from here on count the parts before the end.
pub(crate) const FROM_END: u32 = 1 << 31;

/// The number from the begin of a part among `count`, at least `count` if there are fewer.
pub(crate) fn from_begin(number: u32, count: u32) -> u32 {
    match number.checked_sub(FROM_END) {
        None => number,
        Some(back) => count.wrapping_sub(1).wrapping_sub(back),
    }
}

/// The numbers of their variants.
pub(crate) const NONE: u32 = 0;
pub(crate) const SOME: u32 = 1;
pub(crate) const OK: u32 = 0;
pub(crate) const ERR: u32 = 1;
pub(crate) const LESS: u32 = 0;
pub(crate) const EQUAL: u32 = 1;
pub(crate) const GREATER: u32 = 2;

impl Form {
    /// True for structs and tuples.
    pub(crate) fn is_product(self) -> bool {
        matches!(self, Form::Struct | Form::Tuple)
    }
}

impl Adt {
    /// A tuple of fields of these types.
    pub(crate) fn tuple(fields: Vec<Ty>) -> Self {
        let mut variant = Variant {
            name: Default::default(),
            bits: 0,
            fields: Vec::new(),
        };
        for (number, &ty) in fields.iter().enumerate() {
            let name = number.to_string().into();
            variant.fields.push(Field { name, ty });
        }
        Adt {
            name: Default::default(),
            key: TUPLE + fields.len() as u64,
            home: None,
            form: Form::Tuple,
            align: 1,
            tag: None,
            compares: true,
            orders: true,
            shows: true,
            atomics: false,
            arguments: fields,
            named_at: None,
            variants: vec![variant],
        }
    }

    /// The number of the variant called so.
    pub(crate) fn variant(&self, name: &Ident) -> Option<u32> {
        let name = plain(name);
        let found = self.variants.iter().position(|variant| variant.name == name);
        found.map(|number| number as u32)
    }

    /// The fields of a struct or tuple.
    pub(crate) fn fields(&self) -> &[Field] {
        match self.form.is_product() {
            true => &self.variants[0].fields,
            false => &[],
        }
    }

    /// The number of the field of a struct called so.
    pub(crate) fn field(&self, name: &Ident) -> Option<u32> {
        let name = plain(name);
        let found = self.fields().iter().position(|field| field.name == name);
        found.map(|number| number as u32)
    }
}

/// Sizes are counted up to here, which no memory has.
pub(super) const MOST_BYTES: u64 = 1 << 60;

/// Limit of the size of a field of a variant, in bytes: variants whose fields overlap are cut into scalars.
pub(crate) const MOST_OF_A_FIELD: u64 = 16 << 10;

/// Limit of the scalars compared by one `==`: each is a separate comparison.
const MOST_COMPARED: u64 = 64;

impl Types {
    /// The definition that a type is an instance of.
    pub(crate) fn adt(&self, ty: Ty) -> Option<&Adt> {
        match *self.kind(ty) {
            Kind::Adt(number) => Some(&self.adts[number]),
            _ => None,
        }
    }

    /// The representation of values of a type with variants.
    pub(crate) fn form(&self, kind: &Kind) -> Option<Form> {
        match *kind {
            Kind::Adt(number) => Some(self.adts[number].form),
            _ => None,
        }
    }

    /// The struct that a type is.
    pub(crate) fn as_struct(&self, ty: Ty) -> Option<&Adt> {
        self.adt(ty).filter(|of| of.form == Form::Struct)
    }

    /// The enum that a type is whose variants have fields.
    pub(crate) fn as_tagged(&self, ty: Ty) -> Option<&Adt> {
        self.adt(ty).filter(|of| of.form == Form::Tagged)
    }

    /// True if a type is an enum, core's included.
    pub(crate) fn is_enum(&self, kind: &Kind) -> bool {
        matches!(self.form(kind), Some(Form::Fieldless { .. } | Form::Tagged))
    }

    /// A new type with variants.
    pub(crate) fn define(&mut self, adt: Adt) -> Ty {
        self.adts.push(adt);
        self.add(Kind::Adt(self.adts.len() - 1))
    }

    /// A tuple of these types.
    pub(crate) fn tuple(&mut self, fields: Vec<Ty>) -> Ty {
        match fields.is_empty() {
            true => Ty::UNIT,
            false => self.define(Adt::tuple(fields)),
        }
    }

    /// The only variant of a tuple of these types.
    pub(crate) fn tuple_case(&mut self, fields: Vec<Ty>) -> Case {
        let key = TUPLE + fields.len() as u64;
        let of = self.tuple(fields);
        Case { of, key, variant: 0 }
    }

    /// An array as its only variant, whose fields are the elements.
    pub(crate) fn array_case(&mut self, element: Ty, length: u64) -> Case {
        Case {
            of: self.add(Kind::Array(element, length)),
            key: ARRAY,
            variant: 0,
        }
    }

    /// An array or slice of at least so many elements, of which some are counted from the end.
    pub(crate) fn least_case(&mut self, element: Ty, length: u64) -> Case {
        Case {
            key: LEAST,
            ..self.array_case(element, length)
        }
    }

    /// A tuple of which no more is known than that it has the parts that are named.
    pub(crate) fn open_case(&mut self) -> Case {
        Case {
            of: self.unknown(),
            key: LEAST,
            variant: 0,
        }
    }

    /// True if a type is a tuple.
    pub(crate) fn is_tuple(&self, ty: Ty) -> bool {
        self.adt(ty).is_some_and(|of| of.form == Form::Tuple)
    }

    /// `Option<T>`.
    pub(crate) fn option(&mut self, value: Ty) -> Ty {
        self.of_core(OPTION, "Option", [("None", None), ("Some", Some(value))])
    }

    /// `Result<T, E>`.
    pub(crate) fn result(&mut self, value: Ty, error: Ty) -> Ty {
        self.of_core(RESULT, "Result", [("Ok", Some(value)), ("Err", Some(error))])
    }

    /// `PhantomData<T>`: a struct without fields.
    pub(crate) fn phantom(&mut self, of: Ty) -> Ty {
        let ty = self.of_core(PHANTOM, "PhantomData", [("", None), ("", None)]);
        if let Kind::Adt(number) = *self.kind(ty) {
            let adt = &mut self.adts[number];
            adt.form = Form::Struct;
            adt.variants.truncate(1);
            adt.arguments = vec![of];
        }
        ty
    }

    /// `vyre::Atomic<T>`: a scalar, array or struct with an atomic in the place of each scalar. `None` of a type that has no
    /// such counterpart.
    pub(crate) fn atomic(&mut self, of: Ty) -> Option<Ty> {
        let kind = match *self.kind(of) {
            Kind::Refused => return Some(of),
            Kind::Primitive(cell) if !cell.scalar().is_half() && !cell.is_wide() => Kind::Atomic(cell),
            Kind::Array(element, length) => Kind::Array(self.atomic(element)?, length),
            Kind::Adt(number) if self.is_own(of) && self.placeholders.iter().all(|(it, _)| *it != number) => {
                let mut counterpart = self.as_struct(of).filter(|of| of.atomics)?.clone();
                for field in &mut counterpart.variants[0].fields {
                    field.ty = self.atomic(field.ty)?;
                }
                return Some(self.define(Adt {
                    name: Cow::Borrowed("Atomic"),
                    key: ATOMIC,
                    home: None,
                    compares: false,
                    orders: false,
                    shows: false,
                    arguments: vec![of],
                    named_at: None,
                    ..counterpart
                }));
            }
            _ => return None,
        };
        Some(self.add(kind))
    }

    /// `core::cmp::Ordering`.
    pub(crate) fn ordering(&mut self) -> Ty {
        let cell = Primitive::I8;
        let ty = self.of_core(ORDERING, "Ordering", [("Less", None), ("Equal", None)]);
        if let Kind::Adt(number) = *self.kind(ty) {
            let of = &mut self.adts[number];
            of.form = Form::Fieldless { cell, element: false };
            of.variants = list::map(&[("Less", -1i8), ("Equal", 0), ("Greater", 1)], |&(name, number)| {
                Variant {
                    name: Cow::Borrowed(name),
                    bits: u64::from(number as u8),
                    fields: Vec::new(),
                }
            });
        }
        ty
    }

    fn of_core(&mut self, key: u64, name: &'static str, variants: [(&'static str, Option<Ty>); 2]) -> Ty {
        let mut arguments = Vec::new();
        let variants = list::map(&variants, |&(name, held)| {
            arguments.extend(held);
            Variant {
                name: Cow::Borrowed(name),
                bits: 0,
                fields: match held {
                    Some(ty) => vec![Field { name: "0".into(), ty }],
                    None => Vec::new(),
                },
            }
        });
        self.define(Adt {
            name: Cow::Borrowed(name),
            key,
            home: None,
            form: Form::Tagged,
            align: 1,
            tag: None,
            compares: true,
            orders: true,
            shows: true,
            atomics: false,
            arguments,
            named_at: None,
            variants,
        })
    }

    /// A variant of a type.
    pub(crate) fn case(&self, of: Ty, variant: u32) -> Option<Case> {
        let key = self.adt(of)?.key;
        Some(Case { of, key, variant })
    }

    /// The types of the fields of a variant.
    pub(crate) fn fields_of(&self, case: Case) -> Vec<Ty> {
        if let Kind::Array(element, length) = *self.kind(case.of) {
            return vec![element; length as usize];
        }
        let variant = self.adt(case.of).map(|of| &of.variants[case.variant as usize]);
        variant.map_or_else(Vec::new, |variant| list::map(&variant.fields, |field| field.ty))
    }

    /// The code, fault and help for an instance of a struct, in a type, that has no defined layout.
    pub(crate) fn unfit(&self, ty: Ty) -> Option<(Code, String, String)> {
        if let Kind::Array(element, _) = *self.kind(ty) {
            return self.unfit(element);
        }
        let of = self.as_struct(ty)?;
        if of.arguments.iter().any(|&argument| self.is_open(argument)) {
            return None;
        }
        if let Some(inner) = of.fields().iter().find_map(|field| self.unfit(field.ty)) {
            return Some(inner);
        }
        if of.arguments.is_empty() {
            return None;
        }
        let shown = self.show(ty);
        if let Some(field) = of.fields().iter().find(|field| !self.is_field(field.ty)) {
            let fault = format!(
                "the field `{}` of `{shown}` cannot be `{}`",
                field.name,
                self.show(field.ty)
            );
            let help = "use scalars, arrays and structs marked `#[vyre::device]`".to_owned();
            return Some((Code::FieldType, fault, help));
        }
        None
    }

    /// True if values of a type have a defined layout in memory, and a content.
    pub(crate) fn is_data(&self, ty: Ty) -> bool {
        self.is_field(ty) && self.has_content(ty)
    }

    /// True if values of a type have a defined layout in memory, if only as a part of others.
    pub(crate) fn is_field(&self, ty: Ty) -> bool {
        self.is_made_of_data(ty, false)
    }

    /// True if lanes exchange values of a type, scalar by scalar: of those in memory, and of tuples.
    pub(crate) fn exchanges(&self, ty: Ty) -> bool {
        self.is_made_of_data(ty, true) && self.has_content(ty)
    }

    /// False for structs without fields, arrays of no elements, and what is made of these alone.
    fn has_content(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Adt(number) if self.placeholders.iter().any(|(it, _)| it == number) => true,
            Kind::Adt(number) if self.adts[*number].form.is_product() => {
                let mut fields = self.adts[*number].fields().iter();
                fields.any(|field| self.has_content(field.ty))
            }
            Kind::Array(element, length) => *length != 0 && self.has_content(*element),
            _ => true,
        }
    }

    fn is_made_of_data(&self, ty: Ty, tuples: bool) -> bool {
        let is_data = |kind: &Kind| match kind {
            Kind::Primitive(_) | Kind::Array(..) | Kind::Refused => true,
            // A parameter, where the type is defined.
            Kind::Unknown { .. } => true,
            Kind::Adt(number) => match self.adts[*number].form {
                Form::Struct => true,
                Form::Fieldless { element, .. } => element,
                Form::Tuple => tuples,
                Form::Tagged => self.adts[*number].tag.is_some() && self.has_small_fields(&self.adts[*number]),
            },
            _ => false,
        };
        !self.contains(ty, &|kind| !is_data(kind))
    }

    /// True if no field of an enum is known to be too large.
    fn has_small_fields(&self, of: &Adt) -> bool {
        let has = |variant: &Variant| variant.fields.iter().all(|field| self.is_small(field.ty));
        of.variants.iter().all(has)
    }

    /// False of a field of a variant that is known to be too large.
    pub(crate) fn is_small(&self, ty: Ty) -> bool {
        self.size_and_align(ty).0 <= MOST_OF_A_FIELD || self.is_open(ty)
    }

    /// The generic arguments of a type.
    pub(crate) fn arguments<'t>(&'t self, kind: &'t Kind) -> &'t [Ty] {
        match kind {
            Kind::Adt(number) => &self.adts[*number].arguments,
            _ => &[],
        }
    }

    /// True if an argument of a type is still undetermined.
    pub(crate) fn is_open(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Unknown { .. } => true,
            Kind::Array(element, length) => !is_known(self.length(*length)) || self.is_open(*element),
            kind => self.arguments(kind).iter().any(|&argument| self.is_open(argument)),
        }
    }

    /// The arguments of both, where they are instances of one type of the user.
    fn instances<'t>(&'t self, one: &'t Kind, other: &'t Kind) -> Option<(&'t [Ty], &'t [Ty])> {
        let key = |kind: &Kind| match *kind {
            Kind::Adt(number) => Some(self.adts[number].key),
            _ => None,
        };
        (key(one)? == key(other)?).then(|| (self.arguments(one), self.arguments(other)))
    }

    /// Makes the arguments of two instances of one type equal; false where they are none, or cannot be.
    pub(crate) fn unify_instances(&mut self, one: &Kind, other: &Kind) -> bool {
        let Some((left, right)) = self.instances(one, other) else {
            return false;
        };
        let (left, right) = (left.to_vec(), right.to_vec());
        for (one, other) in left.into_iter().zip(right) {
            if !self.unify(one, other) {
                return false;
            }
        }
        true
    }

    /// True if two kinds are instances of one type that may be the same.
    pub(crate) fn may_be_instances(&self, one: &Kind, other: &Kind) -> bool {
        // A parameter of the function that is read may be any type.
        let is_any = |ty| *self.kind(ty) == Kind::Refused;
        let may_be = |one, other| is_any(one) || is_any(other) || self.may_be(one, other);
        self.all_arguments(one, other, &may_be)
    }

    /// True if two kinds are instances of one type with the same arguments, which are known.
    pub(crate) fn same_instances(&self, one: &Kind, other: &Kind) -> bool {
        self.all_arguments(one, other, &|one, other| self.same(one, other))
    }

    /// True of two instances of one type if `holds` is true of each pair of arguments.
    fn all_arguments(&self, one: &Kind, other: &Kind, holds: &dyn Fn(Ty, Ty) -> bool) -> bool {
        let Some((left, right)) = self.instances(one, other) else {
            return false;
        };
        for (&one, &other) in left.iter().zip(right) {
            if !holds(one, other) {
                return false;
            }
        }
        true
    }

    /// Writes the name of a type with its arguments.
    pub(crate) fn write_instance(&self, f: &mut fmt::Formatter<'_>, name: &str, kind: &Kind) -> fmt::Result {
        f.write_str(name)?;
        let arguments = self.arguments(kind);
        for (index, &argument) in arguments.iter().enumerate() {
            f.write_str(if index == 0 { "<" } else { ", " })?;
            match *self.kind(argument) {
                Kind::Array(Ty::UNIT, length) if is_known(self.length(length)) => write!(f, "{}", self.length(length))?,
                Kind::Array(Ty::UNIT, _) => f.write_str("_")?,
                _ => write!(f, "{}", self.show(argument))?,
            }
        }
        f.write_str(if arguments.is_empty() { "" } else { ">" })
    }

    /// True if `==` compares values of a type part by part, and there are not too many parts.
    pub(crate) fn compares(&self, ty: Ty) -> bool {
        let by_parts = |kind: &Kind| match kind {
            Kind::Adt(number) => self.adts[*number].compares,
            Kind::Primitive(_) | Kind::Array(..) | Kind::Refused => true,
            Kind::Reference(_, mutable) => !mutable,
            _ => false,
        };
        !self.contains(ty, &|kind| !by_parts(kind)) && self.scalars(ty) <= MOST_COMPARED
    }

    /// True if `<` compares values of a type part by part, and there are not too many parts. The slots of a tagged enum
    /// are in the order of its fields only for core's.
    pub(crate) fn orders(&self, ty: Ty) -> bool {
        let by_parts = |kind: &Kind| match kind {
            Kind::Adt(number) => match &self.adts[*number] {
                of if of.form == Form::Tagged => of.home.is_none(),
                of => of.orders,
            },
            Kind::Primitive(_) | Kind::Array(..) | Kind::Refused => true,
            Kind::Reference(_, mutable) => !mutable,
            _ => false,
        };
        !self.contains(ty, &|kind| !by_parts(kind)) && (1..=MOST_COMPARED).contains(&self.scalars(ty))
    }

    /// Number of scalars in a value.
    pub(crate) fn scalars(&self, ty: Ty) -> u64 {
        let ty = self.by_value(ty);
        match *self.kind(ty) {
            Kind::Array(element, length) => self.scalars(element).saturating_mul(length),
            _ => match self.parts(ty) {
                Some(fields) => {
                    let mut count = 0u64;
                    for field in fields {
                        count = count.saturating_add(self.scalars(field));
                    }
                    count
                }
                None => 1,
            },
        }
    }

    /// The size and alignment of data in memory.
    pub(crate) fn size_and_align(&self, ty: Ty) -> (u64, u64) {
        if let Some(cell) = self.as_cell(ty) {
            let size = u64::from(cell.scalar().size());
            return (size, size);
        }
        if let Kind::Array(element, length) = *self.kind(ty) {
            let (size, align) = self.size_and_align(element);
            return (size.saturating_mul(length).min(MOST_BYTES), align);
        }
        if let Some(tag) = self.as_tagged(ty).and_then(|of| of.tag) {
            return self.layout_of_variants(ty, tag);
        }
        let mut align = match self.as_wide(ty) {
            Some(_) => 16,
            None => self.as_struct(ty).map_or(1, |of| of.align),
        };
        let mut end = 0;
        for field in self.fields(ty).unwrap_or_default() {
            let (start, size, of_field) = self.place_after(end, field);
            end = start.saturating_add(size).min(MOST_BYTES);
            align = align.max(of_field);
        }
        (end.next_multiple_of(align), align)
    }

    /// The offset of a field behind what ends at `end`, its size and its alignment, in bytes.
    pub(crate) fn place_after(&self, end: u64, field: Ty) -> (u64, u64, u64) {
        let (size, align) = self.size_and_align(field);
        (end.next_multiple_of(align), size, align)
    }
}
