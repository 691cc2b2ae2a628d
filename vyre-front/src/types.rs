//! Types of the front end: Rust's own, with variables that inference binds.
//!
//! A [`Ty`] is an entry of a union-find table. Binding a variable links its entry to another one,
//! so every holder of the variable sees the type.

pub(crate) mod adt;
pub(crate) mod cells;
pub(crate) mod fragment;
pub(crate) mod group;
mod shown;
pub(crate) mod slots;
mod unify;

use proc_macro2::TokenStream;
use vyre_abi::list;
use vyre_ir::ir::Role;

use crate::resolve::names::Names;
use crate::surface::Primitive;

use adt::{ATOMIC, Adt, Form, Variant};
use group::Group;

/// A type or type variable: an entry of [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ty(u32);

/// The type of slices that integers of all types index.
pub(crate) const ANY_SLICE: &str = "Slice";

/// The types of matrices, to read and to write.
pub(crate) const MATRICES: [&str; 2] = ["Slice2", "SliceMut2"];

/// The kind of a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A variable: any type. Where nothing determines it and `diverges`, it is the type of an
    /// expression that never yields a value.
    Unknown { diverges: bool },
    /// The variable of an integer literal without suffix.
    Integer,
    /// The variable of a float literal without suffix.
    Float,
    /// The same as another entry.
    Link(Ty),
    /// A primitive.
    Primitive(Primitive),
    /// `[T; N]`. A length from [`VARIABLE`] on is a variable, which inference binds.
    Array(Ty, u64),
    /// `[T]`, or `Slice<T>` where true, behind a reference.
    Slice(Ty, bool),
    /// `&T`, or `&mut T` where true.
    Reference(Ty, bool),
    /// `Slice2<'_, T>`, or `SliceMut2<'_, T>` where true.
    Matrix(Ty, bool),
    /// An atomic type such as `AtomicU32`.
    Atomic(Primitive),
    /// `shared::Barrier`: a cell as those of `AtomicU64`.
    Barrier,
    /// `shared::Token`: the state of a barrier when the thread arrived, and the barrier's number.
    Token,
    /// A struct, enum or tuple, by its number in [`Types::adts`]. The empty tuple is the unit type.
    Adt(usize),
    /// A fragment type such as `mma::A<T, M, K>`: the role, the element type, rows and columns.
    /// These are lengths, as of an array.
    Fragment(Role, Ty, u64, u64),
    /// `mma::Tf32`.
    Tf32,
    /// vyre's `Index3`: three `usize`.
    Index3,
    /// A closure, by its number in [`Types::closures`].
    Closure(usize),
    /// A group of threads. Its numbers may be variables, as lengths of arrays.
    Group(Group, [u64; 2]),
    /// The type of what was refused. Agrees with every type, so that one fault is reported once.
    Refused,
}

/// The first of the variables for lengths: no array is that long.
const VARIABLE: u64 = 1 << 63;

/// True if a length is no variable.
pub(crate) fn is_known(length: u64) -> bool {
    length < VARIABLE
}

/// All types of one kernel.
pub(crate) struct Types {
    entries: Vec<Kind>,
    /// The bindings of length variables: another length, variable or not.
    lengths: Vec<Option<u64>>,
    pub(crate) adts: Vec<Adt>,
    pub(crate) closures: Vec<Signature>,
    /// The placeholder structs for unknown types, and their names.
    pub(crate) placeholders: Vec<(usize, TokenStream)>,
    /// The user's types so far, by their keys.
    pub(crate) defined: Vec<(u64, Ty)>,
}

/// The signature of a closure.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The unique key of its type.
    pub(crate) key: u64,
    pub(crate) parameters: Vec<Ty>,
    pub(crate) result: Ty,
    /// The parameter types of its captures: values and references.
    pub(crate) captures: Vec<Ty>,
}

impl Ty {
    pub(crate) const BOOL: Ty = Ty::primitive(Primitive::Bool);
    pub(crate) const U32: Ty = Ty::primitive(Primitive::U32);
    pub(crate) const USIZE: Ty = Ty::primitive(Primitive::Usize);
    pub(crate) const UNIT: Ty = Ty(Primitive::ALL.len() as u32);
    pub(crate) const REFUSED: Ty = Ty(Ty::UNIT.0 + 1);
    pub(crate) const INDEX3: Ty = Ty(Ty::UNIT.0 + 2);
    /// `Slice<u32>`.
    pub(crate) const ANY_SLICE: Ty = Ty(Ty::UNIT.0 + 3);

    /// The entry of a primitive.
    pub(crate) const fn primitive(primitive: Primitive) -> Ty {
        Ty(primitive as u32)
    }
}

impl Types {
    /// The primitives and the other types at fixed entries.
    pub(crate) fn new() -> Self {
        let mut entries = list::map(&Primitive::ALL, |&primitive| Kind::Primitive(primitive));
        entries.extend([Kind::Adt(0), Kind::Refused, Kind::Index3, Kind::Slice(Ty::U32, true)]);
        Types {
            entries,
            lengths: Vec::new(),
            adts: vec![Adt::tuple(Vec::new())],
            closures: Vec::new(),
            placeholders: Vec::new(),
            defined: Vec::new(),
        }
    }

    /// A new entry.
    pub(crate) fn add(&mut self, kind: Kind) -> Ty {
        self.entries.push(kind);
        Ty(self.entries.len() as u32 - 1)
    }

    /// A new variable.
    pub(crate) fn unknown(&mut self) -> Ty {
        self.add(Kind::Unknown { diverges: false })
    }

    /// The type of an expression that never yields a value: a variable, since it fits everywhere.
    pub(crate) fn never(&mut self) -> Ty {
        self.add(Kind::Unknown { diverges: true })
    }

    /// The representative of `ty`.
    pub(crate) fn find(&self, mut ty: Ty) -> Ty {
        while let Kind::Link(next) = self.entries[ty.0 as usize] {
            ty = next;
        }
        ty
    }

    /// The kind of `ty`, as far as it is known.
    pub(crate) fn kind(&self, ty: Ty) -> &Kind {
        &self.entries[self.find(ty).0 as usize]
    }

    /// The primitive that `ty` is, or `None`.
    pub(crate) fn as_primitive(&self, ty: Ty) -> Option<Primitive> {
        match self.kind(ty) {
            Kind::Primitive(primitive) => Some(*primitive),
            _ => None,
        }
    }

    /// The primitive that represents values of `ty` in a program: for an enum that of its
    /// discriminants.
    pub(crate) fn as_cell(&self, ty: Ty) -> Option<Primitive> {
        match (self.kind(ty), self.form(self.kind(ty))) {
            (&Kind::Primitive(primitive), _) => Some(primitive).filter(|it| !it.is_wide()),
            (_, Some(Form::Fieldless { cell, .. })) => Some(cell),
            _ => None,
        }
    }

    /// The integer of 128 bits that `ty` is, or `None`.
    pub(crate) fn as_wide(&self, ty: Ty) -> Option<Primitive> {
        self.as_primitive(ty).filter(|it| it.is_wide())
    }

    /// The fields of a tuple or struct, or the words of an integer of 128 bits, the low one first.
    pub(crate) fn fields(&self, ty: Ty) -> Option<Vec<Ty>> {
        match self.kind(ty) {
            Kind::Token => Some(vec![Ty::primitive(Primitive::U64); 2]),
            Kind::Primitive(Primitive::U128) => Some(vec![Ty::primitive(Primitive::U64); 2]),
            Kind::Primitive(Primitive::I128) => {
                Some(vec![Ty::primitive(Primitive::U64), Ty::primitive(Primitive::I64)])
            }
            _ => {
                let of = self.adt(ty).filter(|of| of.form.is_product())?;
                Some(list::map(of.fields(), |field| field.ty))
            }
        }
    }

    /// True if `holds` is true of `ty` or of a part of it.
    pub(crate) fn contains(&self, ty: Ty, holds: &dyn Fn(&Kind) -> bool) -> bool {
        let kind = self.kind(ty);
        holds(kind)
            || match kind {
                Kind::Array(inner, _)
                | Kind::Slice(inner, _)
                | Kind::Reference(inner, _)
                | Kind::Matrix(inner, _)
                | Kind::Fragment(_, inner, ..) => self.contains(*inner, holds),
                Kind::Adt(number) => {
                    let has = |variant: &Variant| variant.fields.iter().any(|field| self.contains(field.ty, holds));
                    self.adts[*number].variants.iter().any(has)
                }
                _ => false,
            }
    }

    /// A struct without fields as a placeholder for an unknown type.
    pub(crate) fn placeholder(&mut self, name: String, key: u64, path: TokenStream) -> Ty {
        self.placeholders.push((self.adts.len(), path));
        self.define(Adt {
            align: 1,
            tag: None,
            name: name.into(),
            key,
            home: Some(Names::default()),
            form: Form::Struct,
            compares: true,
            orders: true,
            shows: true,
            atomics: false,
            arguments: Vec::new(),
            named_at: None,
            variants: vec![Variant {
                name: Default::default(),
                bits: 0,
                fields: Vec::new(),
            }],
        })
    }

    /// The names in sight where a type of the user is defined.
    pub(crate) fn home(&self, ty: Ty) -> Option<&Names> {
        self.adt(ty)?.home.as_ref()
    }

    /// True if a type is one of the user.
    pub(crate) fn is_own(&self, ty: Ty) -> bool {
        self.home(ty).is_some()
    }

    /// True if `==` of a type of the user is no comparison part by part.
    pub(crate) fn has_own_equality(&self, ty: Ty) -> bool {
        let is_in_mod = |of: &Adt| of.home.as_ref().is_some_and(Names::is_device_mod);
        self.adt(ty).is_some_and(|of| !of.compares && is_in_mod(of))
    }

    /// True if a type is a number, a `bool`, or an array of these.
    pub(crate) fn is_number_or_array(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Primitive(_) => true,
            Kind::Array(element, _) => self.is_number_or_array(element),
            _ => false,
        }
    }

    /// The number of which a type is made, and the lengths of the arrays around it, the outermost first.
    pub(crate) fn numbers(&self, mut ty: Ty) -> Option<(Primitive, Vec<u64>)> {
        let mut lengths = Vec::new();
        while let Kind::Array(element, length) = *self.kind(ty) {
            lengths.push(length);
            ty = element;
        }
        Some((self.as_primitive(ty)?, lengths))
    }

    /// True if two types are the same, as far as they are known.
    pub(crate) fn may_be(&self, one: Ty, other: Ty) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Kind::Refused, _) | (_, Kind::Refused) => false,
            (Kind::Unknown { .. }, _) | (_, Kind::Unknown { .. }) => true,
            (Kind::Integer, Kind::Integer) | (Kind::Float, Kind::Float) => true,
            (Kind::Integer, Kind::Primitive(p)) | (Kind::Primitive(p), Kind::Integer) => p.scalar().is_integer(),
            (Kind::Float, Kind::Primitive(p)) | (Kind::Primitive(p), Kind::Float) => p.scalar().is_float(),
            (&Kind::Array(one, m), &Kind::Array(other, n)) => {
                let (m, n) = (self.length(m), self.length(n));
                (m == n || m >= VARIABLE || n >= VARIABLE) && self.may_be(one, other)
            }
            (&Kind::Slice(one, m), &Kind::Slice(other, n)) => m == n && self.may_be(one, other),
            (Kind::Fragment(..), Kind::Fragment(..)) => true,
            (&Kind::Matrix(one, m), &Kind::Matrix(other, n)) => m == n && self.may_be(one, other),
            (&Kind::Reference(one, m), &Kind::Reference(other, n)) => m == n && self.may_be(one, other),
            (one, other) => one == other || self.may_be_instances(one, other),
        }
    }

    /// True if values of `ty` have no content: it is the unit type, or that of a group.
    pub(crate) fn is_unit(&self, ty: Ty) -> bool {
        self.find(ty) == Ty::UNIT || matches!(self.kind(ty), Kind::Group(..))
    }

    /// True if variables may hold values of the type.
    pub(crate) fn is_plain(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Primitive(_) | Kind::Index3 | Kind::Group(..) | Kind::Fragment(..) | Kind::Token | Kind::Refused => {
                true
            }
            Kind::Adt(number) => match &self.adts[*number] {
                of if of.home.is_some() => true,
                of if of.key == ATOMIC => false,
                of => of.arguments.iter().all(|&part| self.is_plain(self.by_value(part))),
            },
            Kind::Array(element, _) => self.is_plain(self.by_value(*element)),
            _ => false,
        }
    }

    /// The type that represents a part of a value: for a shared reference to a value that value itself, which does not
    /// change as long as the reference lives.
    pub(crate) fn by_value(&self, mut ty: Ty) -> Ty {
        while let Kind::Reference(inner, false) = *self.kind(ty)
            && !matches!(self.kind(inner), Kind::Slice(..))
        {
            ty = inner;
        }
        ty
    }

    /// True of atomics and barriers, and of arrays and structs of them: memory whose values are not loaded.
    pub(crate) fn is_cell(&self, mut ty: Ty) -> bool {
        while let Kind::Array(element, _) = *self.kind(ty) {
            ty = element;
        }
        matches!(self.kind(ty), Kind::Atomic(_) | Kind::Barrier) || self.adt(ty).is_some_and(|of| of.key == ATOMIC)
    }

    /// True if a type, or a part of it, is neither a value nor a representation of one.
    pub(crate) fn is_place(&self, ty: Ty) -> bool {
        self.contains(ty, &|kind| {
            matches!(
                kind,
                Kind::Slice(..)
                    | Kind::Reference(_, true)
                    | Kind::Matrix(..)
                    | Kind::Atomic(_)
                    | Kind::Barrier
                    | Kind::Closure(_)
            )
        })
    }

    /// The number of the closure that `ty` is, or that it refers to.
    pub(crate) fn as_closure(&self, ty: Ty) -> Option<usize> {
        match *self.kind(self.referent(ty)) {
            Kind::Closure(number) => Some(number),
            _ => None,
        }
    }

    /// The target type behind all references of `ty`.
    pub(crate) fn referent(&self, mut ty: Ty) -> Ty {
        while let Kind::Reference(inner, _) = self.kind(ty) {
            ty = *inner;
        }
        ty
    }

    /// True if it is a reference.
    pub(crate) fn is_reference(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Reference(..))
    }

    /// True for a slice behind any references.
    pub(crate) fn is_slice(&self, ty: Ty) -> bool {
        matches!(self.kind(self.referent(ty)), Kind::Slice(..))
    }

    /// True for a `Slice` behind any references.
    pub(crate) fn is_any_slice(&self, ty: Ty) -> bool {
        matches!(self.kind(self.referent(ty)), Kind::Slice(_, true))
    }

    /// True for a mutable matrix behind any references.
    pub(crate) fn is_written(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Reference(inner, mutable) => mutable && self.is_written(inner),
            Kind::Matrix(_, writes) => writes,
            _ => true,
        }
    }

    /// True for a matrix behind any references.
    pub(crate) fn is_matrix(&self, ty: Ty) -> bool {
        matches!(self.kind(self.referent(ty)), Kind::Matrix(..))
    }
}

/// The fault of a float of 16 bits if the feature `half` is not enabled.
pub(crate) const NO_HALF: &str = "half precision is a feature of vyre that is not enabled";
pub(crate) const NO_HALF_HELP: &str = "enable the feature `half` of vyre: `features = [\"half\"]` in Cargo.toml";

/// The atomic types with the primitives that their cells hold.
pub(crate) const ATOMICS: [(&str, Primitive); 15] = [
    ("AtomicU32", Primitive::U32),
    ("AtomicI32", Primitive::I32),
    ("AtomicU64", Primitive::U64),
    ("AtomicI64", Primitive::I64),
    ("AtomicUsize", Primitive::Usize),
    ("AtomicIsize", Primitive::Isize),
    ("AtomicF32", Primitive::F32),
    ("AtomicF64", Primitive::F64),
    ("AtomicBool", Primitive::Bool),
    ("AtomicU8", Primitive::U8),
    ("AtomicI8", Primitive::I8),
    ("AtomicU16", Primitive::U16),
    ("AtomicI16", Primitive::I16),
    // These hold two.
    ("AtomicF16x2", Primitive::F16),
    ("AtomicBF16x2", Primitive::BF16),
];

/// The name of an atomic type.
pub(crate) fn atomic_name(primitive: Primitive) -> &'static str {
    ATOMICS
        .iter()
        .find(|&&(_, cell)| cell == primitive)
        .map_or("atomic", |&(name, _)| name)
}

/// The primitive in the cells of an atomic type. Half precision requires that feature.
pub(crate) fn atomic_cell(name: &str) -> Option<Primitive> {
    let cell = ATOMICS.iter().find(|&&(known, _)| known == name).map(|&(_, cell)| cell);
    cell.filter(|cell| cfg!(feature = "half") || !cell.scalar().is_half())
}
