//! Types that are found out: variables, and what makes two types the same.

use super::{Kind, Ty, Types, VARIABLE};
use crate::surface::Primitive;

impl Types {
    /// Binds the variables of both so that they are equal, or says that they cannot be.
    #[must_use]
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> bool {
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
                self.entries[b.0 as usize] = Kind::Unknown { diverges: one || other };
                true
            }
            (Kind::Unknown { .. }, _) => !self.mentions(b, a) && self.bind(a, b),
            (_, Kind::Unknown { .. }) => !self.mentions(a, b) && self.bind(b, a),
            (Kind::Integer, Kind::Integer) | (Kind::Float, Kind::Float) => self.bind(a, b),
            (Kind::Integer, Kind::Primitive(p)) if p.scalar().is_integer() => self.bind(a, b),
            (Kind::Primitive(p), Kind::Integer) if p.scalar().is_integer() => self.bind(b, a),
            (Kind::Float, Kind::Primitive(p)) if p.has_literals() => self.bind(a, b),
            (Kind::Primitive(p), Kind::Float) if p.has_literals() => self.bind(b, a),
            (Kind::Array(left, m), Kind::Array(right, n)) => self.same_length(m, n) && self.unify(left, right),
            (Kind::Group(one, m), Kind::Group(other, n)) => {
                one == other && m.into_iter().zip(n).all(|(m, n)| self.same_length(m, n))
            }
            (Kind::Fragment(one, left, m, n), Kind::Fragment(other, right, p, q)) => {
                one == other && self.same_length(m, p) && self.same_length(n, q) && self.unify(left, right)
            }
            (Kind::Slice(left, m), Kind::Slice(right, n))
            | (Kind::Reference(left, m), Kind::Reference(right, n))
            | (Kind::Matrix(left, m), Kind::Matrix(right, n)) => m == n && self.unify(left, right),
            (left, right) => left == right || self.unify_instances(&left, &right),
        }
    }

    /// True for the type of an expression from which control does not come, as long as nothing else determines it.
    pub(crate) fn is_never(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Unknown { diverges: true })
    }

    /// Gives a variable that nothing determines the type of such an expression.
    pub(crate) fn make_never(&mut self, ty: Ty) {
        let root = self.find(ty);
        if let entry @ Kind::Unknown { .. } = &mut self.entries[root.0 as usize] {
            *entry = Kind::Unknown { diverges: true };
        }
    }

    /// A length that inference determines.
    pub(crate) fn unknown_length(&mut self) -> u64 {
        self.lengths.push(None);
        VARIABLE + self.lengths.len() as u64 - 1
    }

    /// The length of an array, if it is known.
    pub(crate) fn length_of(&self, ty: Ty) -> Option<u64> {
        match *self.kind(ty) {
            Kind::Array(_, length) => Some(self.length(length)).filter(|&length| length < VARIABLE),
            _ => None,
        }
    }

    /// The representative of a length.
    pub(crate) fn length(&self, mut length: u64) -> u64 {
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

    /// True if `variable` is a part of `ty`; binding it to `ty` would make an endless type.
    fn mentions(&self, ty: Ty, variable: Ty) -> bool {
        let ty = self.find(ty);
        match &self.entries[ty.0 as usize] {
            _ if ty == variable => true,
            Kind::Array(inner, _)
            | Kind::Slice(inner, _)
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

    /// Number of types so far, for [`Types::default_literals`].
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Gives undetermined literals their default types, as Rust does: `i32`, `f64`; and arrays the
    /// values of their length variables. Only types younger than the first `first` ones: a constant
    /// may be read while a body is incomplete, and later code may determine the types of the body's
    /// literals.
    pub(crate) fn default_literals(&mut self, first: usize) {
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
                Kind::Unknown { diverges: true } => *entry = Kind::Link(Ty::UNIT),
                _ => {}
            }
        }
    }
}
