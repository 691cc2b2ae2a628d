//! Patterns that take structs apart.

use syn::{Pat, PatStruct, PatTupleStruct};

use super::Reader;
use super::tree::{Origin, Pattern};

impl Reader<'_> {
    /// `Particle { position, mass: m, .. }` in a `let`.
    pub(super) fn struct_pattern(&mut self, pattern: &PatStruct, origin: Origin) -> Pattern {
        if self.is_refutable(&pattern.path, &Pat::Struct(pattern.clone())) {
            pattern.fields.iter().for_each(|field| self.refuse_names(&field.pat));
            return Pattern::Ignore;
        }
        let Some((ty, parts)) = self.struct_parts(pattern) else {
            pattern.fields.iter().for_each(|field| self.refuse_names(&field.pat));
            return Pattern::Ignore;
        };
        let parts = parts
            .into_iter()
            .map(|(number, part)| (number, self.pattern(part, origin)));
        Pattern::Struct(ty, parts.collect())
    }

    /// `Meters(m)` in a `let`.
    pub(super) fn tuple_struct_pattern(&mut self, pattern: &PatTupleStruct, origin: Origin) -> Pattern {
        if self.is_refutable(&pattern.path, &Pat::TupleStruct(pattern.clone())) {
            pattern.elems.iter().for_each(|part| self.refuse_names(part));
            return Pattern::Ignore;
        }
        let Some((ty, parts)) = self.tuple_struct_parts(pattern) else {
            pattern.elems.iter().for_each(|part| self.refuse_names(part));
            return Pattern::Ignore;
        };
        let parts = parts
            .into_iter()
            .map(|(number, part)| (number, self.pattern(part, origin)));
        Pattern::Struct(ty, parts.collect())
    }

    /// The struct that a pattern names, and its fields by number with their patterns.
    pub(super) fn struct_parts<'p>(
        &mut self,
        pattern: &'p PatStruct,
    ) -> Option<(crate::types::Ty, Vec<(u32, &'p Pat)>)> {
        let of = self.struct_type(&pattern.path)?;
        pattern.fields.iter().for_each(|field| self.attributes(&field.attrs));
        let parts: Option<Vec<_>> = pattern
            .fields
            .iter()
            .map(|field| Some((self.field_number(of, &field.member)?, &*field.pat)))
            .collect();
        let all = self.tree.types.fields_of(of).len();
        let parts = parts.filter(|parts| parts.len() == all || pattern.rest.is_some());
        if parts.is_none() {
            self.errors.leave_to_rustc();
        }
        Some((of.of, parts?))
    }

    /// As `struct_parts`, of a tuple struct.
    pub(super) fn tuple_struct_parts<'p>(
        &mut self,
        pattern: &'p PatTupleStruct,
    ) -> Option<(crate::types::Ty, Vec<(u32, &'p Pat)>)> {
        let of = self.struct_type(&pattern.path)?;
        let fields = self.tree.types.as_struct(of.of)?.fields();
        let is_tuple = fields[0].name == "0";
        match parts_with_rest(pattern.elems.iter(), fields.len()).filter(|_| is_tuple) {
            Some(parts) => Some((of.of, parts)),
            None => {
                self.errors.leave_to_rustc();
                None
            }
        }
    }
}

/// The parts of a tuple of so many fields, by number; `..` stands for those in its place. `None`
/// where there are too many or too few.
pub(super) fn parts_with_rest<'p>(parts: impl Iterator<Item = &'p Pat>, count: usize) -> Option<Vec<(u32, &'p Pat)>> {
    let parts: Vec<&Pat> = parts.collect();
    let rest = parts.iter().position(|part| matches!(part, Pat::Rest(_)));
    let (before, after) = match rest {
        None => (&parts[..], &[][..]),
        Some(at) => (&parts[..at], &parts[at + 1..]),
    };
    let given = before.len() + after.len();
    if given > count || rest.is_none() && given < count {
        return None;
    }
    let numbers = (0..before.len()).chain(count - after.len()..count);
    Some(
        numbers
            .map(|number| number as u32)
            .zip(before.iter().chain(after).copied())
            .collect(),
    )
}
