//! The types of CPU bodies.
//!
//! Most scalars, arrays and the unit type are Rust's own; structs and tuples become `repr(C)` structs,
//! whose layout is that of the program; a cell of atomic type is its scalar; references are raw
//! pointers, and slices a pointer and a length.

use proc_macro2::{Ident, Literal, Span};
use vyre_abi::list;
use vyre_ir::ir::{Scalar, Type, TypeId, Types};

use crate::code::{Code, code};

/// The struct that represents a struct or tuple.
pub(super) fn aggregate(ty: TypeId, span: Span) -> Ident {
    Ident::new(&format!("__T{}", ty.index()), span)
}

/// Field `index` of a struct or tuple.
pub(super) fn field(index: usize, span: Span) -> Ident {
    Ident::new(&format!("f{index}"), span)
}

/// The type of a scalar. Floats of 16 bits are vyre's own: bodies do without the crate `half`.
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F16 => "__F16",
        Scalar::BF16 => "__BF16",
        other => other.name(),
    }
}

/// A type. `usize` is `u64`, as in the program.
pub(super) fn ty(types: &Types, id: TypeId, span: Span) -> Code {
    match &types[id] {
        Type::Atomic(scalar) if scalar.is_half() => {
            let name = Ident::new(scalar_name(*scalar), span);
            code!(span=> [#name; 2])
        }
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            let name = Ident::new(scalar_name(*scalar), span);
            code!(span=> #name)
        }
        Type::Tuple(fields) if fields.is_empty() => code!(span=> ()),
        Type::Tuple(_) | Type::Struct { .. } => {
            let name = aggregate(id, span);
            code!(span=> #name)
        }
        Type::Array { element, length } => {
            let (element, length) = (ty(types, *element, span), Literal::u64_unsuffixed(*length));
            code!(span=> [#element; #length])
        }
        Type::Reference { pointee, .. } => {
            let pointee = ty(types, *pointee, span);
            code!(span=> *mut #pointee)
        }
        Type::Slice { element, .. } => {
            let element = ty(types, *element, span);
            code!(span=> __Slice<#element>)
        }
    }
}

/// True if a type contains a scalar, reference or slice for which `holds` is true.
fn contains(types: &Types, id: TypeId, holds: &impl Fn(&Type) -> bool) -> bool {
    match &types[id] {
        Type::Tuple(fields) => fields.iter().any(|&field| contains(types, field, holds)),
        Type::Struct { fields, .. } => fields.iter().any(|field| contains(types, field.ty, holds)),
        Type::Array { element, .. } => contains(types, *element, holds),
        leaf => holds(leaf),
    }
}

/// True if values of a type may be in memory shared with other blocks: it has no reference or
/// slice.
pub(super) fn is_memory(types: &Types, id: TypeId) -> bool {
    !contains(types, id, &|leaf| {
        matches!(leaf, Type::Reference { .. } | Type::Slice { .. })
    })
}

/// True if a type has invalid bit patterns.
pub(super) fn has_bool(types: &Types, id: TypeId) -> bool {
    contains(types, id, &|leaf| matches!(leaf, Type::Scalar(Scalar::Bool)))
}

/// The type of a field.
pub(super) fn part(of: &Type, field: u32) -> Option<TypeId> {
    match of {
        Type::Tuple(fields) => fields.get(field as usize).copied(),
        Type::Struct { fields, .. } => fields.get(field as usize).map(|field| field.ty),
        _ => None,
    }
}

/// The structs for the structs and tuples of a program.
pub(super) fn definitions(types: &Types) -> Code {
    let span = Span::mixed_site();
    let mut code = Code::default();
    for (id, of) in types.iter() {
        let fields: Vec<TypeId> = match of {
            Type::Tuple(fields) if !fields.is_empty() => fields.clone(),
            Type::Struct { fields, .. } => list::map(fields, |field| field.ty),
            _ => continue,
        };
        let name = &aggregate(id, span);
        let (mut declared, mut loads, mut stores) = (Vec::new(), Vec::new(), Code::default());
        for (index, &of) in fields.iter().enumerate() {
            let (field, ty) = (&field(index, span), ty(types, of, span));
            declared.push(code!(span=> #field: #ty));
            loads.push(code!(span=> #field: __v::load(&raw const (*pointer).#field)));
            stores.append(code!(span=> __v::store(value.#field, &raw mut (*pointer).#field);));
        }
        if let Type::Struct { align, .. } = of
            && *align > 1
        {
            let align = Literal::u64_unsuffixed(*align);
            code.append(code!(span=> #[repr(align(#align))]));
        }
        code.append(code! {span=>
            #[repr(C)]
            struct #name { #declared }
            #[allow(clippy::expl_impl_clone_on_copy)]
            impl __v::Clone for #name {
                fn clone(&self) -> Self { *self }
            }
            impl __v::Copy for #name {}
        });
        if is_memory(types, id) {
            code.append(code! {span=>
                unsafe impl __v::Memory for #name {
                    unsafe fn load(pointer: *const Self) -> Self {
                        unsafe { #name { #loads } }
                    }
                    unsafe fn store(value: Self, pointer: *mut Self) {
                        unsafe { #stores }
                    }
                }
            });
        }
    }
    code
}
