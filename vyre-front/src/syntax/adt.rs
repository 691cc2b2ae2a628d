//! Definitions of structs, enums and aliases.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, Item, ItemEnum, ItemStruct, LitInt, Meta, Path, Token};
use vyre_ir::ir::{Constant, SHARED_ALIGN};

use super::Reader;
use super::assoc_path::split;
use super::generic_function::Generic;
use super::generic_type::{Given, parameters};
use super::outer_item::Outside;
use super::passes::Passes;
use super::res::{Reason, Res};
use super::tree::Tree;
use super::variant::Named;
use crate::editor;
use crate::errors::{Code, Errors, meant};
use crate::resolve::items::named;
use crate::resolve::names::{Names, plain};
use crate::resolve::source_scan::Surroundings;
use crate::resolve::spelling::is_capitalized;
use crate::surface::Primitive;
use crate::types::adt::{Adt, Field, Form, MOST_OF_A_FIELD, OPTION, Variant};
use crate::types::{Kind, Ty};

/// Reads the struct, enum or alias `item`, with `names` in scope at its definition, as a type of a
/// tree, with its parameters bound.
pub(crate) fn definition(
    passes: &'static Passes,
    item: &Item,
    names: &Names,
    errors: &mut Errors,
) -> (Tree, Ty, Vec<(Ident, Generic)>) {
    let mut reader = Reader::new(passes, String::new(), names, errors);
    reader.is_device = true;
    reader.item = named(item).map(|(name, _)| name.clone());
    // No other item has been read, so any key will do.
    let (bound, ty) = match parameters(item) {
        Some(generics) => reader.template(item, generics, names, 0),
        None => (Vec::new(), reader.define(item, names.clone(), 0)),
    };
    (reader.tree, ty, bound)
}

impl Reader<'_> {
    /// The type of the user that a path names, or `None` where it names none that vyre sees.
    pub(super) fn defined(&mut self, path: &Path) -> Option<Ty> {
        self.defined_if(path, self.names_type(path))
    }

    /// As [`defined`](Self::defined), of a path that stands for a type by its place.
    pub(super) fn defined_type(&mut self, path: &Path) -> Option<Ty> {
        // Others are misspelt, or of another language.
        let is_there = |file: Surroundings| match path.get_ident().map(plain) {
            Some(name) if meant(&name).is_some() => file.imports_own(&name),
            Some(name) => !file.lacks(&name),
            None => true,
        };
        self.defined_if(
            path,
            self.names_type(path) || self.file_of_types().is_some_and(is_there),
        )
    }

    /// True if a path, which might be that of a module, is that of a type: its name begins with a capital, or there is such a
    /// type.
    pub(super) fn names_type(&self, path: &Path) -> bool {
        let Some(name) = path.segments.last().map(|last| plain(&last.ident)) else {
            return false;
        };
        let is_capital = is_capitalized(&name);
        if is_capital || Primitive::from_name(&name).is_some() {
            return is_capital;
        }
        let has = |file: Surroundings| {
            !file.defines("mod", &name) && ["struct", "enum", "type"].iter().any(|it| file.defines(it, &name))
        };
        match self.names.find_path(path) {
            Some(found) => matches!(found.item, Item::Struct(_) | Item::Enum(_) | Item::Type(_)),
            None => self.file_of_types().is_some_and(has),
        }
    }

    /// The file around the item, which may be an instance of a generic kernel.
    fn file_of_types(&self) -> Option<Surroundings> {
        let instance = || Surroundings::of_instance(self.item.as_ref().filter(|_| !editor::is_here())?);
        self.file().or_else(instance)
    }

    /// True if a path looks like that of something that a type has: `Vec3::length`.
    pub(super) fn is_of_type(&self, path: &Path) -> bool {
        split(path).is_some_and(|(before, _)| self.names_type(&before))
    }

    /// The primitive type before the last name of a path, by its own name or by an alias: `f32::max`, `Real::max`.
    pub(super) fn primitive_before(&mut self, path: &Path) -> Option<Primitive> {
        let last = &path.segments.iter().rev().nth(1)?.ident;
        let primitive = Primitive::from_name(&last.to_string());
        let (prefix, _) = split(path)?;
        if primitive.is_some() || !self.names_type(&prefix) {
            return primitive;
        }
        match self.leads_to(&prefix) {
            Outside::Found(item, ..) if matches!(*item, Item::Type(_)) => {
                let ty = self.as_type(|reader| reader.defined(&prefix))?;
                self.tree.types.as_primitive(ty)
            }
            _ => None,
        }
    }

    fn defined_if(&mut self, path: &Path, is_type: bool) -> Option<Ty> {
        let resolved = self.imported(path);
        let path = resolved.as_ref().unwrap_or(path);
        let last = path.segments.last()?;
        let before = path.segments.len() - 1;
        if path
            .segments
            .iter()
            .take(before)
            .any(|segment| !segment.arguments.is_none())
        {
            return None;
        }
        match self.leads_to(path) {
            Outside::Found(item, names, key) => match (&*item, parameters(&item)) {
                (Item::Struct(_) | Item::Enum(_) | Item::Type(_), Some(generics)) => {
                    Some(self.instance_of(&item, generics, names, key, path))
                }
                (Item::Struct(_) | Item::Enum(_) | Item::Type(_), None) => {
                    if !last.arguments.is_none() {
                        self.errors.mismatch();
                    }
                    Some(self.define(&item, names, key))
                }
                _ => None,
            },
            Outside::Refused => {
                self.errors.elsewhere();
                Some(Ty::REFUSED)
            }
            Outside::Elsewhere if is_type && may_be_type(path) => {
                self.want(path);
                Some(Ty::REFUSED)
            }
            Outside::Elsewhere | Outside::Missing | Outside::Unmarked => None,
        }
    }

    /// Reads the definition of a type.
    pub(super) fn define(&mut self, item: &Item, names: Names, key: u64) -> Ty {
        if let Some(&(_, known)) = self.tree.types.defined.iter().find(|(known, _)| *known == key) {
            return known;
        }
        // A type that holds itself is refused by rustc.
        let number = self.tree.types.defined.len();
        self.tree.types.defined.push((key, Ty::REFUSED));
        let before = self.errors.count();
        let ty = self.elsewhere(names, |reader| match item {
            Item::Struct(item) => reader.define_struct(item, key, Given::default()),
            Item::Enum(item) => reader.define_enum(item, key, Given::default()),
            Item::Type(item) => reader.ty(&item.ty),
            _ => Ty::REFUSED,
        });
        let ty = if self.errors.count() == before { ty } else { Ty::REFUSED };
        self.tree.types.defined[number].1 = ty;
        ty
    }

    /// True if a type is marked; refuses it where it is not.
    pub(super) fn is_marked(&mut self, name: &Ident, attributes: &[Attribute]) -> bool {
        let is_marked = !self.names.is_unmarked(attributes);
        if !is_marked {
            self.errors.refuse(
                Code::Struct,
                name.span(),
                format_args!("`{name}` is used in a kernel, and is not a device type"),
                "mark it `#[vyre::device]`",
            );
        }
        is_marked
    }

    /// The type of an item, of this form, of a tagged enum with the type of its discriminants, and with these variants.
    pub(super) fn defined_as(
        &mut self,
        name: &Ident,
        attributes: &[Attribute],
        key: u64,
        given: Given,
        (form, tag): (Form, Option<Primitive>),
        variants: Vec<Variant>,
    ) -> Ty {
        let home = Some(self.names.clone());
        self.tree.types.define(Adt {
            name: plain(name).into(),
            key,
            home,
            form,
            align: alignment(attributes),
            tag,
            compares: derives(attributes, "PartialEq"),
            orders: derives(attributes, "PartialOrd"),
            shows: derives(attributes, "Debug"),
            atomics: derives(attributes, "Atomics"),
            arguments: given.arguments,
            named_at: given.named_at,
            variants,
        })
    }

    /// The fields of a struct or variant, whose types `fits` accepts.
    fn fields_of(&mut self, fields: &Fields, fits: fn(&mut Self, Ty, &syn::Type) -> bool) -> Vec<Field> {
        let mut read = Vec::with_capacity(fields.len());
        for (number, field) in fields.iter().enumerate() {
            self.no_cfg(&field.attrs);
            let mut ty = self.ty(&field.ty);
            if ty != Ty::REFUSED && !fits(self, ty, &field.ty) {
                ty = Ty::REFUSED;
            }
            if let Some(name) = field.ident.as_ref().filter(|name| *name == "_") {
                self.errors.refuse_all(
                    Code::TypeParts,
                    name,
                    "a field has a name",
                    "write one in place of `_`, such as `unused`",
                );
                ty = Ty::REFUSED;
            }
            let name = match &field.ident {
                Some(name) => plain(name).into(),
                None => number.to_string().into(),
            };
            read.push(Field { name, ty });
        }
        read
    }

    pub(super) fn define_struct(&mut self, item: &ItemStruct, key: u64, given: Given) -> Ty {
        let name = &item.ident;
        if !self.is_marked(name, &item.attrs) {
            return Ty::REFUSED;
        }
        self.struct_layout(item);
        let variant = Variant {
            name: Default::default(),
            bits: 0,
            fields: self.fields_of(&item.fields, |reader, ty, at| {
                reader.field(Code::FieldType, ty, at, "a field of a struct")
            }),
        };
        self.defined_as(name, &item.attrs, key, given, (Form::Struct, None), vec![variant])
    }

    /// Refuses parts that may be left out, where a build script does not know whether they are.
    pub(super) fn no_cfg(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                self.errors.refuse_all(
                    Code::TypeParts,
                    attribute,
                    "this `cfg` is not decided here: cargo tells a build script of the target and the features alone",
                    "put `#[cfg]` on the whole type, and define it twice",
                );
            }
        }
    }

    /// Refuses a `repr` by which the layout is not C's, or the alignment one that devices do not have.
    fn struct_layout(&mut self, item: &ItemStruct) {
        for repr in listed(&item.attrs, "repr") {
            let path = repr.path();
            if path.is_ident("align") {
                if aligned(&repr).is_none() {
                    self.errors.refuse_all(
                        Code::Representation,
                        &repr,
                        format_args!("a device struct is aligned to a power of two of bytes, at most {SHARED_ALIGN}"),
                        "write `#[repr(C, align(16))]`: no access of a thread is wider",
                    );
                }
                continue;
            }
            let known = path.is_ident("C") || path.is_ident("transparent") && item.fields.len() == 1;
            if !known {
                self.errors.refuse_all(
                    Code::Representation,
                    path,
                    "a device struct has the layout of C",
                    "write `#[repr(C)]`, or leave `repr` out",
                );
            }
        }
    }

    /// Refuses a type whose values have no defined layout in memory, or no content; false where it does.
    pub(super) fn data(&mut self, code: Code, ty: Ty, at: &syn::Type, what: &str) -> bool {
        let fits = self.tree.types.is_data(ty);
        self.in_memory(fits, code, ty, at, what)
    }

    /// The same for a part of what lies in memory, which need not have a content.
    fn field(&mut self, code: Code, ty: Ty, at: &syn::Type, what: &str) -> bool {
        let fits = self.tree.types.is_field(ty);
        self.in_memory(fits, code, ty, at, what)
    }

    fn in_memory(&mut self, fits: bool, code: Code, ty: Ty, at: &syn::Type, what: &str) -> bool {
        let types = &self.tree.types;
        if let Some((code, fault, help)) = types.unfit(ty) {
            self.errors.refuse_all(code, at, fault, help);
            return false;
        }
        if fits {
            return true;
        }
        let shown = types.show(ty).to_string();
        let help = match types.kind(ty) {
            _ if types.is_tuple(ty) => {
                "define a struct, marked `#[vyre::device]`: Rust says nothing about the layout of tuples"
            }
            Kind::Adt(number) if matches!(types.adts[*number].form, Form::Fieldless { .. }) => {
                match types.adts[*number].variants.iter().any(|it| it.bits == 0) {
                    true => "write `#[repr(u32)]` above the enum",
                    false => "let one of its variants be 0, of an enum with `#[repr(u32)]`: a buffer begins with zeros",
                }
            }
            Kind::Atomic(_) => {
                "use the plain integer, and derive `vyre::Atomics`: a kernel takes such a struct with atomics as `&[Atomic<T>]`"
            }
            Kind::Array(element, _) if matches!(types.kind(*element), Kind::Atomic(_)) => {
                "pass a slice of all atomics, `x: &[AtomicU32]`, and index it by row and column: `x[row * columns + column]`"
            }
            Kind::Reference(inner, _) if matches!(types.kind(*inner), Kind::Slice(..)) => {
                "pass the slice as a parameter of its own, or in a struct of slices, which has a lifetime and is a parameter of \
                 kernels: `struct Mesh<'a> { x: &'a [f32] }`"
            }
            Kind::Reference(..) => "use an index into a slice",
            Kind::Array(..) if types.is_field(ty) => "it has no content that memory could hold: leave it out",
            Kind::Adt(number) if types.adts[*number].form == Form::Struct && types.is_field(ty) => {
                "it has no content that memory could hold: leave it out, or give it a field"
            }
            Kind::Token => "keep it in a variable until the thread waits",
            Kind::Adt(number) if types.adts[*number].key == OPTION => {
                "write `vyre::Maybe<T>`, an `Option` with a layout: `maybe.get()` and `Maybe::from(option)` convert"
            }
            Kind::Adt(number) if types.adts[*number].tag.is_some() => {
                "its variants hold scalars, arrays and types marked `#[vyre::device]`, no tuples, references and `Option`s"
            }
            Kind::Adt(number) if types.adts[*number].home.is_some() => {
                "derive `Clone` and `Copy`, below `#[vyre::device]`, and let one of its variants have the discriminant 0"
            }
            Kind::Adt(_) => "pass a device enum with such variants",
            _ => "use scalars, arrays and structs marked `#[vyre::device]`",
        };
        self.errors
            .refuse_all(code, at, format_args!("{what} cannot be `{shown}`"), help);
        false
    }

    pub(super) fn define_enum(&mut self, item: &ItemEnum, key: u64, given: Given) -> Ty {
        let name = &item.ident;
        if !self.is_marked(name, &item.attrs) {
            return Ty::REFUSED;
        }
        if item.variants.is_empty() {
            self.errors.refuse(
                Code::TypeParts,
                name.span(),
                "a device enum has variants",
                "use an integer",
            );
            return Ty::REFUSED;
        }
        item.variants.iter().for_each(|variant| self.no_cfg(&variant.attrs));
        if item.variants.iter().any(|it| !matches!(it.fields, Fields::Unit)) {
            return self.define_tagged(item, key, given);
        }
        if !item.generics.params.is_empty() {
            self.errors.refuse_all(
                Code::GenericType,
                &item.generics,
                "an enum whose variants have no fields has no parameters in a kernel",
                "leave them out",
            );
            return Ty::REFUSED;
        }
        let reprs = reprs(&item.attrs);
        let Some(cell) = self.discriminant_type(&reprs, Primitive::Isize) else {
            return Ty::REFUSED;
        };
        let Some(numbers) = self.discriminants(item, cell) else {
            return Ty::REFUSED;
        };
        let variants = item.variants.iter().zip(numbers).map(|(variant, bits)| Variant {
            name: plain(&variant.ident).into(),
            bits,
            fields: Vec::new(),
        });
        let variants: Vec<Variant> = variants.collect();
        let element = !reprs.is_empty() && variants.iter().any(|variant| variant.bits == 0);
        self.defined_as(
            name,
            &item.attrs,
            key,
            given,
            (Form::Fieldless { cell, element }, None),
            variants,
        )
    }

    /// The type of the discriminants of an enum with these `repr`s.
    fn discriminant_type(&mut self, reprs: &[Path], unsaid: Primitive) -> Option<Primitive> {
        let cell = match reprs.first() {
            None => Some(unsaid),
            Some(path) => path
                .get_ident()
                .and_then(|name| Primitive::from_name(&name.to_string())),
        };
        let cell = cell.filter(|cell| cell.scalar().is_integer() && !cell.is_wide() && reprs.len() < 2);
        if cell.is_none() {
            self.errors.refuse_all(
                Code::Representation,
                &reprs[0],
                "a device enum has the layout of an integer",
                "write `#[repr(u32)]`",
            );
        }
        cell
    }

    /// The discriminants of the variants, as bits; `None` if one is refused.
    fn discriminants(&mut self, item: &ItemEnum, cell: Primitive) -> Option<Vec<u64>> {
        let mut numbers = Vec::with_capacity(item.variants.len());
        let mut next = 0u64;
        for variant in &item.variants {
            if let Some((_, discriminant)) = &variant.discriminant {
                next = self.discriminant(discriminant, Ty::primitive(cell))?;
            }
            numbers.push(Constant::new(cell.scalar(), next).bits);
            next = next.wrapping_add(1);
        }
        Some(numbers)
    }

    /// An enum whose variants have fields. The attribute gives it a `repr` if it has none.
    fn define_tagged(&mut self, item: &ItemEnum, key: u64, given: Given) -> Ty {
        let Some(tag) = self.discriminant_type(&reprs(&item.attrs), Primitive::U32) else {
            return Ty::REFUSED;
        };
        let Some(numbers) = self.discriminants(item, tag) else {
            return Ty::REFUSED;
        };
        let mut variants = Vec::with_capacity(item.variants.len());
        for (variant, &bits) in item.variants.iter().zip(&numbers) {
            let fields = self.fields_of(&variant.fields, |reader, ty, at| {
                let has_slot = reader.tree.types.has_slot(ty);
                if !has_slot {
                    reader.errors.refuse_all(
                        Code::FieldType,
                        at,
                        format_args!("a field of a variant cannot be `{}`", reader.tree.types.show(ty)),
                        "use scalars, tuples, arrays, and types marked `#[vyre::device]`",
                    );
                    return false;
                }
                let is_small = reader.tree.types.is_small(ty);
                if !is_small {
                    let size = reader.tree.types.size_and_align(ty).0;
                    reader.errors.refuse_all(
                        Code::FieldType,
                        at,
                        format_args!(
                            "a field of a variant has at most {MOST_OF_A_FIELD} bytes, and this one has {size}"
                        ),
                        "keep large arrays in a buffer, and in the variant where they begin",
                    );
                }
                is_small
            });
            variants.push(Variant {
                name: plain(&variant.ident).into(),
                bits,
                fields,
            });
        }
        // New buffers hold zeros, and what lies in buffers is copied.
        let is_element = numbers.contains(&0) && derives(&item.attrs, "Copy");
        let tag = is_element.then_some(tag);
        self.defined_as(&item.ident, &item.attrs, key, given, (Form::Tagged, tag), variants)
    }

    /// A variant of an enum without fields, or `None` where the path names none.
    pub(super) fn variant(&mut self, path: &Path) -> Option<Res> {
        let (prefix, last) = split(path)?;
        if prefix.segments.is_empty() {
            return None;
        }
        let ty = self.defined(&prefix)?;
        if ty == Ty::REFUSED {
            return Some(Res::Constructor(Named::Refused));
        }
        let of = self.tree.types.adt(ty);
        let of = of.filter(|of| matches!(of.form, Form::Fieldless { .. }));
        if let Some(variant) = of.and_then(|of| of.variant(&last)) {
            return self.tree.types.case(ty, variant).map(Named::Case).map(Res::Constructor);
        }
        // Else a constant whose value rustc supplies, or something that is no value.
        self.names.complete.then_some(Res::Unresolved(Reason::NoItem(ty)))
    }
}

/// True if a path that leads elsewhere, and stands for a type, may name one of the user.
pub(crate) fn may_be_type(path: &Path) -> bool {
    const KNOWN: [&str; 16] = words![
        Arc BTreeMap Box Err HashMap Index3 None Ok Option Ordering PhantomData Rc Result Self String Vec
    ];
    let last = path.segments.last().map(|last| plain(&last.ident));
    last.is_some_and(|name| !KNOWN.contains(&name.as_str()))
}

/// The alignment that attributes ask for, in bytes, else 1.
fn alignment(attributes: &[Attribute]) -> u64 {
    let all = listed(attributes, "repr").into_iter();
    let asked = all.filter(|repr| repr.path().is_ident("align"));
    asked.filter_map(|repr| aligned(&repr)).max().unwrap_or(1)
}

/// The bytes of `align(N)`, if a device has that alignment.
fn aligned(repr: &Meta) -> Option<u64> {
    let bytes: LitInt = repr.require_list().ok()?.parse_args().ok()?;
    let bytes = bytes.base10_parse::<u64>().ok()?;
    (bytes.is_power_of_two() && bytes <= SHARED_ALIGN).then_some(bytes)
}

/// The contents of the `repr`s of an item.
fn reprs(attributes: &[Attribute]) -> Vec<Path> {
    listed(attributes, "repr")
        .iter()
        .map(|meta| meta.path().clone())
        .collect()
}

/// True if an attribute derives a trait of the language, whose meaning is then known.
fn derives(attributes: &[Attribute], name: &str) -> bool {
    let derived = listed(attributes, "derive");
    derived
        .iter()
        .any(|meta| meta.path().segments.last().is_some_and(|segment| segment.ident == name))
}

/// The list in the attributes of a name.
fn listed(attributes: &[Attribute], name: &str) -> Vec<Meta> {
    let mut all = Vec::new();
    for attribute in attributes {
        if attribute.path().is_ident(name)
            && let Ok(list) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        {
            all.extend(list);
        }
    }
    all
}
