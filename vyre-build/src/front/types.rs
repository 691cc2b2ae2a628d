//! Types of the front end: Rust's own, with variables that inference binds.
//!
//! A [`Ty`] is an entry of a union-find table. Binding a variable links its entry to another one,
//! so every holder of the variable sees the type.

use std::fmt;

use proc_macro2::TokenStream;
use vyre_core::ir::Role;

use super::Names;
use super::defined::{Enum, Struct};
use super::groups::Group;
use super::parameter::MATRICES;
use super::sums::{Data, Sum};
use crate::surface::Primitive;

/// A type or type variable: an entry of [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ty(u32);

/// What a type is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
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
    /// A tuple; the empty one is the unit type.
    Tuple(Vec<Ty>),
    /// `[T; N]`. A length from [`VARIABLE`] on is a variable, which inference binds.
    Array(Ty, u64),
    /// `[T]`, behind a reference.
    Slice(Ty),
    /// `&T`, or `&mut T` where true.
    Reference(Ty, bool),
    /// `Slice2<'_, T>`, or `SliceMut2<'_, T>` where true.
    Matrix(Ty, bool),
    /// `AtomicU32` and its like.
    Atomic(Primitive),
    /// `shared::Barrier`: a cell as those of `AtomicU64`.
    Barrier,
    /// `shared::Token`: the state of a barrier when the thread arrived, and the barrier's number.
    Token,
    /// A struct of the user, by its number in [`Types::structs`].
    Struct(usize),
    /// An enum of the user, by its number in [`Types::enums`].
    Enum(usize),
    /// `mma::A<T, M, K>` and its like: which matrix, its elements, rows and columns. These are lengths, as of
    /// an array.
    Fragment(Role, Ty, u64, u64),
    /// `mma::Tf32`.
    Tf32,
    /// The `Index3` of the vocabulary: three `usize`.
    Index3,
    /// A closure, by its number in [`Types::closures`].
    Closure(usize),
    /// A group of threads. Its numbers may be variables, as lengths of arrays.
    Group(Group, [u64; 2]),
    /// One of several variants with fields, and the arguments of the type: `Option<T>`.
    Sum(Sum, Vec<Ty>),
    /// The type of what was refused. Agrees with every type, so that one fault is reported once.
    Refused,
}

/// The first of the lengths that stand for others: no array is so long.
const VARIABLE: u64 = 1 << 63;

/// Whether a length is no variable.
pub(super) fn is_known(length: u64) -> bool {
    length < VARIABLE
}

/// All types of one kernel.
pub(super) struct Types {
    entries: Vec<Kind>,
    /// What the variables among lengths stand for: another length, variable or not.
    lengths: Vec<Option<u64>>,
    pub(super) structs: Vec<Struct>,
    pub(super) enums: Vec<Enum>,
    pub(super) sums: Vec<Data>,
    pub(super) closures: Vec<Signature>,
    /// The structs that stand in for types of which nothing is known, and what these are called.
    pub(super) stand_ins: Vec<(usize, TokenStream)>,
    /// The user's types so far, by their keys.
    pub(super) defined: Vec<(u64, Ty)>,
}

/// What a closure takes and yields.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// Tells it from all other closures and types.
    pub(super) key: u64,
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Ty,
    /// As what its function takes that which it has captured: values and references.
    pub(super) captures: Vec<Ty>,
}

impl Ty {
    pub(super) const BOOL: Ty = Ty::primitive(Primitive::Bool);
    pub(super) const U32: Ty = Ty::primitive(Primitive::U32);
    pub(super) const USIZE: Ty = Ty::primitive(Primitive::Usize);
    pub(super) const UNIT: Ty = Ty(Primitive::ALL.len() as u32);
    pub(super) const REFUSED: Ty = Ty(Ty::UNIT.0 + 1);
    pub(super) const INDEX3: Ty = Ty(Ty::UNIT.0 + 2);

    /// The entry of a primitive.
    pub(super) const fn primitive(primitive: Primitive) -> Ty {
        Ty(primitive as u32)
    }
}

impl Types {
    /// The primitives and the other types at fixed entries.
    pub(super) fn new() -> Self {
        let mut entries: Vec<Kind> = Primitive::ALL.into_iter().map(Kind::Primitive).collect();
        entries.extend([Kind::Tuple(Vec::new()), Kind::Refused, Kind::Index3]);
        Types {
            entries,
            lengths: Vec::new(),
            structs: Vec::new(),
            enums: Vec::new(),
            sums: Vec::new(),
            closures: Vec::new(),
            stand_ins: Vec::new(),
            defined: Vec::new(),
        }
    }

    /// A new entry.
    pub(super) fn add(&mut self, kind: Kind) -> Ty {
        self.entries.push(kind);
        Ty(self.entries.len() as u32 - 1)
    }

    /// A new variable.
    pub(super) fn unknown(&mut self) -> Ty {
        self.add(Kind::Unknown { diverges: false })
    }

    /// The type of an expression that never yields a value: a variable, since it fits everywhere.
    pub(super) fn never(&mut self) -> Ty {
        self.add(Kind::Unknown { diverges: true })
    }

    /// The entry that `ty` stands for.
    pub(super) fn find(&self, mut ty: Ty) -> Ty {
        while let Kind::Link(next) = self.entries[ty.0 as usize] {
            ty = next;
        }
        ty
    }

    /// What `ty` is, as far as that is known.
    pub(super) fn kind(&self, ty: Ty) -> &Kind {
        &self.entries[self.find(ty).0 as usize]
    }

    /// The primitive that `ty` is, or `None`.
    pub(super) fn as_primitive(&self, ty: Ty) -> Option<Primitive> {
        match self.kind(ty) {
            Kind::Primitive(primitive) => Some(*primitive),
            _ => None,
        }
    }

    /// The primitive that stands for values of `ty` in a program: of an enum that of its
    /// discriminants.
    pub(super) fn as_cell(&self, ty: Ty) -> Option<Primitive> {
        match *self.kind(ty) {
            Kind::Primitive(primitive) => Some(primitive),
            Kind::Enum(number) => Some(self.enums[number].cell),
            _ => None,
        }
    }

    /// The fields of a tuple or struct.
    pub(super) fn fields(&self, ty: Ty) -> Option<Vec<Ty>> {
        match self.kind(ty) {
            Kind::Tuple(fields) => Some(fields.clone()),
            Kind::Token => Some(vec![Ty::primitive(Primitive::U64); 2]),
            Kind::Struct(number) => Some(self.structs[*number].fields.iter().map(|field| field.ty).collect()),
            _ => None,
        }
    }

    /// Whether `holds` is true of `ty` or of a part of it.
    pub(super) fn contains(&self, ty: Ty, holds: &dyn Fn(&Kind) -> bool) -> bool {
        let kind = self.kind(ty);
        holds(kind)
            || match kind {
                Kind::Array(inner, _)
                | Kind::Slice(inner)
                | Kind::Reference(inner, _)
                | Kind::Matrix(inner, _)
                | Kind::Fragment(_, inner, ..) => self.contains(*inner, holds),
                Kind::Sum(..) => {
                    let mut variants = self.variants(ty).into_iter().flatten();
                    variants.any(|fields| fields.iter().any(|&field| self.contains(field, holds)))
                }
                _ => self
                    .fields(ty)
                    .is_some_and(|fields| fields.iter().any(|&field| self.contains(field, holds))),
            }
    }

    /// A struct without fields that stands in for a type of which nothing is known.
    pub(super) fn stand_in(&mut self, name: String, key: u64, path: TokenStream) -> Ty {
        self.stand_ins.push((self.structs.len(), path));
        self.structs.push(Struct {
            name,
            key,
            home: Names::default(),
            compares: true,
            shows: true,
            arguments: Vec::new(),
            named_at: None,
            fields: Vec::new(),
        });
        self.add(Kind::Struct(self.structs.len() - 1))
    }

    /// The names in sight where a type of the user is defined.
    pub(super) fn home(&self, ty: Ty) -> Option<&Names> {
        match *self.kind(ty) {
            Kind::Struct(number) => Some(&self.structs[number].home),
            Kind::Enum(number) => Some(&self.enums[number].home),
            Kind::Sum(Sum::Own(number), _) => Some(&self.sums[number].home),
            _ => None,
        }
    }

    /// Whether a type is one of the user.
    pub(super) fn is_own(&self, ty: Ty) -> bool {
        self.home(ty).is_some()
    }

    /// Whether `==` of a type of the user is no comparison part by part.
    pub(super) fn has_own_equality(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Struct(number) => !self.structs[number].compares && self.structs[number].home.is_device_mod(),
            Kind::Enum(number) => !self.enums[number].compares && self.enums[number].home.is_device_mod(),
            Kind::Sum(Sum::Own(number), _) => !self.sums[number].compares && self.sums[number].home.is_device_mod(),
            _ => false,
        }
    }

    /// Whether a type is a number, a `bool`, or an array of these.
    pub(super) fn is_number_or_array(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Primitive(_) => true,
            Kind::Array(element, _) => self.is_number_or_array(element),
            _ => false,
        }
    }

    /// The number of which a type is made, and the lengths of the arrays around it, the outermost first.
    pub(super) fn numbers(&self, mut ty: Ty) -> Option<(Primitive, Vec<u64>)> {
        let mut lengths = Vec::new();
        while let Kind::Array(element, length) = *self.kind(ty) {
            lengths.push(length);
            ty = element;
        }
        Some((self.as_primitive(ty)?, lengths))
    }

    /// Whether two types are the same, as far as they are known.
    pub(super) fn may_be(&self, one: Ty, other: Ty) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Kind::Refused, _) | (_, Kind::Refused) => false,
            (Kind::Unknown { .. }, _) | (_, Kind::Unknown { .. }) => true,
            (Kind::Integer, Kind::Integer) | (Kind::Float, Kind::Float) => true,
            (Kind::Integer, Kind::Primitive(p)) | (Kind::Primitive(p), Kind::Integer) => p.scalar().is_integer(),
            (Kind::Float, Kind::Primitive(p)) | (Kind::Primitive(p), Kind::Float) => p.scalar().is_float(),
            (Kind::Tuple(one), Kind::Tuple(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(&one, &other)| self.may_be(one, other))
            }
            (&Kind::Array(one, m), &Kind::Array(other, n)) => {
                let (m, n) = (self.length(m), self.length(n));
                (m == n || m >= VARIABLE || n >= VARIABLE) && self.may_be(one, other)
            }
            (Kind::Sum(one, left), Kind::Sum(other, right)) if one == other => {
                left.iter().zip(right).all(|(&one, &other)| self.may_be(one, other))
            }
            (&Kind::Slice(one), &Kind::Slice(other)) => self.may_be(one, other),
            (Kind::Fragment(..), Kind::Fragment(..)) => true,
            (&Kind::Matrix(one, m), &Kind::Matrix(other, n)) => m == n && self.may_be(one, other),
            (&Kind::Reference(one, m), &Kind::Reference(other, n)) => m == n && self.may_be(one, other),
            (one, other) => one == other || self.may_be_instances(one, other),
        }
    }

    /// Whether values of `ty` have no content: it is the unit type, or that of a group.
    pub(super) fn is_unit(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Tuple(fields) => fields.is_empty(),
            kind => matches!(kind, Kind::Group(..)),
        }
    }

    /// Whether variables may hold values of the type.
    pub(super) fn is_plain(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            Kind::Primitive(_)
            | Kind::Index3
            | Kind::Struct(_)
            | Kind::Enum(_)
            | Kind::Group(..)
            | Kind::Fragment(..)
            | Kind::Token
            | Kind::Refused => true,
            Kind::Tuple(parts) | Kind::Sum(_, parts) => parts.iter().all(|&part| self.is_plain(self.by_value(part))),
            Kind::Array(element, _) => self.is_plain(*element),
            _ => false,
        }
    }

    /// What holds the place of a part of a value: of a shared reference to a value that value itself, which does not
    /// change as long as the reference lives.
    pub(super) fn by_value(&self, mut ty: Ty) -> Ty {
        while let Kind::Reference(inner, false) = *self.kind(ty)
            && !matches!(self.kind(inner), Kind::Slice(_))
        {
            ty = inner;
        }
        ty
    }

    /// Whether a type, or a part of it, is no value, nor stands for one.
    pub(super) fn is_place(&self, ty: Ty) -> bool {
        self.contains(ty, &|kind| {
            matches!(
                kind,
                Kind::Slice(_)
                    | Kind::Reference(_, true)
                    | Kind::Matrix(..)
                    | Kind::Atomic(_)
                    | Kind::Barrier
                    | Kind::Closure(_)
            )
        })
    }

    /// The number of the closure that `ty` is, or that it refers to.
    pub(super) fn as_closure(&self, ty: Ty) -> Option<usize> {
        match *self.kind(self.referent(ty)) {
            Kind::Closure(number) => Some(number),
            _ => None,
        }
    }

    /// What lies behind all references of `ty`.
    pub(super) fn referent(&self, mut ty: Ty) -> Ty {
        while let Kind::Reference(inner, _) = self.kind(ty) {
            ty = *inner;
        }
        ty
    }

    /// Whether it is a reference.
    pub(super) fn is_reference(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Reference(..))
    }

    /// Whether it is a slice, behind any references.
    pub(super) fn is_slice(&self, ty: Ty) -> bool {
        matches!(self.kind(self.referent(ty)), Kind::Slice(_))
    }

    /// Whether a matrix may be written, behind any references.
    pub(super) fn is_written(&self, ty: Ty) -> bool {
        match *self.kind(ty) {
            Kind::Reference(inner, mutable) => mutable && self.is_written(inner),
            Kind::Matrix(_, writes) => writes,
            _ => true,
        }
    }

    /// Whether `ty` is a matrix, behind any references.
    pub(super) fn is_matrix(&self, ty: Ty) -> bool {
        matches!(self.kind(self.referent(ty)), Kind::Matrix(..))
    }

    /// Binds the variables of both so that they are equal, or says that they cannot be.
    #[must_use]
    pub(super) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        let (left, right) = (self.entries[a.0 as usize].clone(), self.entries[b.0 as usize].clone());
        match (left, right) {
            (Kind::Refused, Kind::Unknown { .. }) => self.bind(b, a),
            (Kind::Unknown { .. }, Kind::Refused) => self.bind(a, b),
            (Kind::Refused, _) | (_, Kind::Refused) => true,
            (Kind::Unknown { diverges: one }, Kind::Unknown { diverges: other }) => {
                self.entries[a.0 as usize] = Kind::Link(b);
                self.entries[b.0 as usize] = Kind::Unknown { diverges: one && other };
                true
            }
            (Kind::Unknown { .. }, _) => !self.mentions(b, a) && self.bind(a, b),
            (_, Kind::Unknown { .. }) => !self.mentions(a, b) && self.bind(b, a),
            (Kind::Integer, Kind::Integer) | (Kind::Float, Kind::Float) => self.bind(a, b),
            (Kind::Integer, Kind::Primitive(p)) if p.scalar().is_integer() => self.bind(a, b),
            (Kind::Primitive(p), Kind::Integer) if p.scalar().is_integer() => self.bind(b, a),
            (Kind::Float, Kind::Primitive(p)) if p.has_literals() => self.bind(a, b),
            (Kind::Primitive(p), Kind::Float) if p.has_literals() => self.bind(b, a),
            (Kind::Tuple(left), Kind::Tuple(right)) => {
                left.len() == right.len() && left.iter().zip(&right).all(|(&l, &r)| self.unify(l, r))
            }
            (Kind::Sum(one, left), Kind::Sum(other, right)) if one == other => {
                left.iter().zip(&right).all(|(&l, &r)| self.unify(l, r))
            }
            (Kind::Array(left, m), Kind::Array(right, n)) => self.same_length(m, n) && self.unify(left, right),
            (Kind::Group(one, m), Kind::Group(other, n)) => {
                one == other && m.into_iter().zip(n).all(|(m, n)| self.same_length(m, n))
            }
            (Kind::Fragment(one, left, m, n), Kind::Fragment(other, right, p, q)) => {
                one == other && self.same_length(m, p) && self.same_length(n, q) && self.unify(left, right)
            }
            (Kind::Slice(left), Kind::Slice(right)) => self.unify(left, right),
            (Kind::Reference(left, m), Kind::Reference(right, n)) | (Kind::Matrix(left, m), Kind::Matrix(right, n)) => {
                m == n && self.unify(left, right)
            }
            (left, right) => left == right || self.unify_instances(&left, &right),
        }
    }

    /// A length that inference determines.
    pub(super) fn unknown_length(&mut self) -> u64 {
        self.lengths.push(None);
        VARIABLE + self.lengths.len() as u64 - 1
    }

    /// The length of an array, if it is known.
    pub(super) fn length_of(&self, ty: Ty) -> Option<u64> {
        match *self.kind(ty) {
            Kind::Array(_, length) => Some(self.length(length)).filter(|&length| length < VARIABLE),
            _ => None,
        }
    }

    /// The length that a length stands for.
    pub(super) fn length(&self, mut length: u64) -> u64 {
        while let Some(&Some(next)) = length
            .checked_sub(VARIABLE)
            .and_then(|it| self.lengths.get(it as usize))
        {
            length = next;
        }
        length
    }

    fn same_length(&mut self, one: u64, other: u64) -> bool {
        let (one, other) = (self.length(one), self.length(other));
        let (variable, value) = if one >= VARIABLE { (one, other) } else { (other, one) };
        if one != other && variable >= VARIABLE {
            self.lengths[(variable - VARIABLE) as usize] = Some(value);
        }
        one == other || variable >= VARIABLE
    }

    /// Whether `variable` is a part of `ty`; binding it to `ty` would make an endless type.
    fn mentions(&self, ty: Ty, variable: Ty) -> bool {
        let ty = self.find(ty);
        match &self.entries[ty.0 as usize] {
            _ if ty == variable => true,
            Kind::Tuple(fields) => fields.iter().any(|&field| self.mentions(field, variable)),
            Kind::Array(inner, _)
            | Kind::Slice(inner)
            | Kind::Reference(inner, _)
            | Kind::Matrix(inner, _)
            | Kind::Fragment(_, inner, ..) => self.mentions(*inner, variable),
            kind => self
                .arguments(kind)
                .iter()
                .any(|&argument| self.mentions(argument, variable)),
        }
    }

    fn bind(&mut self, variable: Ty, to: Ty) -> bool {
        self.entries[variable.0 as usize] = Kind::Link(to);
        true
    }

    /// How many types there are so far, for [`Types::default_literals`].
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Gives literals that nothing determined their default types, as Rust does: `i32`, `f64`; and
    /// arrays the lengths that their variables stand for. Only what is younger than the `first` types: a constant may
    /// be read in the midst of a body, of which more is to come that tells the types of its literals.
    pub(super) fn default_literals(&mut self, first: usize) {
        for number in first..self.entries.len() {
            match self.entries[number] {
                Kind::Array(element, length) => self.entries[number] = Kind::Array(element, self.length(length)),
                Kind::Group(group, numbers) => {
                    self.entries[number] = Kind::Group(group, numbers.map(|number| self.length(number)));
                }
                _ => {}
            }
        }
        for entry in &mut self.entries[first..] {
            match entry {
                Kind::Integer => *entry = Kind::Primitive(Primitive::I32),
                Kind::Float => *entry = Kind::Primitive(Primitive::F64),
                Kind::Unknown { diverges: true } => *entry = Kind::Tuple(Vec::new()),
                _ => {}
            }
        }
    }

    /// The type as Rust writes it, for messages.
    pub(super) fn show(&self, ty: Ty) -> impl fmt::Display {
        Shown(self, ty)
    }
}

struct Shown<'t>(&'t Types, Ty);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown(types, ty) = self;
        match types.kind(ty) {
            Kind::Unknown { .. } | Kind::Link(_) | Kind::Refused => f.write_str("_"),
            Kind::Integer => f.write_str("{integer}"),
            Kind::Float => f.write_str("{float}"),
            Kind::Primitive(primitive) => f.write_str(primitive.name()),
            Kind::Tuple(fields) => {
                f.write_str("(")?;
                for (index, &field) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", types.show(field))?;
                }
                f.write_str(if fields.len() == 1 { ",)" } else { ")" })
            }
            Kind::Array(element, length) => write!(f, "[{}; {length}]", types.show(*element)),
            &Kind::Fragment(role, element, rows, columns) => {
                let (element, rows, columns) = (types.show(element), types.length(rows), types.length(columns));
                write!(f, "mma::{role:?}<{element}, {rows}, {columns}>")
            }
            Kind::Tf32 => f.write_str("mma::Tf32"),
            Kind::Slice(element) => write!(f, "[{}]", types.show(*element)),
            Kind::Reference(inner, false) => write!(f, "&{}", types.show(*inner)),
            Kind::Reference(inner, true) => write!(f, "&mut {}", types.show(*inner)),
            Kind::Matrix(element, writes) => {
                write!(f, "{}<'_, {}>", MATRICES[usize::from(*writes)], types.show(*element))
            }
            Kind::Atomic(primitive) => f.write_str(atomic_name(*primitive)),
            Kind::Barrier => f.write_str("shared::Barrier"),
            Kind::Token => f.write_str("shared::Token"),
            kind @ Kind::Struct(number) => types.write_instance(f, &types.structs[*number].name, kind),
            Kind::Enum(number) => f.write_str(&types.enums[*number].name),
            Kind::Index3 => f.write_str("Index3"),
            Kind::Closure(_) => f.write_str("closure"),
            Kind::Group(group, numbers) => {
                write!(f, "{}<", group.name())?;
                for (index, number) in numbers.iter().take(group.numbers()).enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{number}")?;
                }
                f.write_str(">")
            }
            kind @ Kind::Sum(Sum::Own(number), _) => types.write_instance(f, &types.sums[*number].name, kind),
            kind @ Kind::Sum(sum, _) => types.write_instance(f, &format!("{sum:?}"), kind),
        }
    }
}

/// What is wrong with a float of 16 bits where the feature `half` is not enabled.
pub(super) const NO_HALF: &str = "half precision is a feature of vyre that is not enabled";
pub(super) const NO_HALF_HELP: &str = "enable the feature `half` of vyre: `features = [\"half\"]` in Cargo.toml";

/// The atomic types with the primitives that their cells hold.
pub(super) const ATOMICS: [(&str, Primitive); 15] = [
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
pub(super) fn atomic_name(primitive: Primitive) -> &'static str {
    ATOMICS
        .iter()
        .find(|&&(_, cell)| cell == primitive)
        .map_or("atomic", |&(name, _)| name)
}

/// The primitive in the cells of an atomic type. Those of half precision are known with that feature alone.
pub(super) fn atomic_cell(name: &str) -> Option<Primitive> {
    let cell = ATOMICS.iter().find(|&&(known, _)| known == name).map(|&(_, cell)| cell);
    cell.filter(|cell| cfg!(feature = "half") || !cell.scalar().is_half())
}
