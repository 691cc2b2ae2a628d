//! Places: variables and their parts.

use super::Maker;
use super::exprs::{Written, binds};
use super::types::{Prim, Ty};

impl Maker {
    /// A place of this type to read.
    pub(super) fn place(&mut self, wanted: &Ty) -> Option<String> {
        let roots = self.visible(|variable| self.reaches(&variable.ty, wanted));
        let mut found: Vec<(String, Ty)> = roots.into_iter().map(|root| (root.name, root.ty)).collect();
        let tables = self
            .items
            .constants
            .iter()
            .filter(|(_, ty)| ty != wanted && self.reaches(ty, wanted));
        found.extend(tables.cloned());
        if found.is_empty() {
            return None;
        }
        let number = self.random.below(found.len() as u64) as usize;
        let (name, ty) = found.swap_remove(number);
        Some(self.walk(name, ty, wanted))
    }

    /// True if a value of one type contains one of another.
    pub(super) fn reaches(&self, from: &Ty, wanted: &Ty) -> bool {
        from == wanted || self.parts(from).iter().any(|(_, part)| self.reaches(part, wanted))
    }

    /// The projections of a type, except indices.
    fn parts(&self, ty: &Ty) -> Vec<(String, Ty)> {
        match ty {
            Ty::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts
                    .map(|(number, part)| (format!(".{number}"), part.clone()))
                    .collect()
            }
            Ty::Struct(number) => {
                let fields = self.items.structs[*number].fields.iter();
                fields.map(|(name, ty)| (format!(".{name}"), ty.clone())).collect()
            }
            Ty::Array(element, _) => vec![(String::new(), (**element).clone())],
            _ => Vec::new(),
        }
    }

    /// Extends a place to a part of the wanted type.
    pub(super) fn walk(&mut self, mut text: String, mut ty: Ty, wanted: &Ty) -> String {
        loop {
            let mut next = self.parts(&ty);
            next.retain(|(_, part)| self.reaches(part, wanted));
            if next.is_empty() || ty == *wanted && self.random.once_in(2) {
                return text;
            }
            let (step, part) = next.swap_remove(self.random.below(next.len() as u64) as usize);
            text += &match &ty {
                Ty::Array(_, length) => format!("[{}]", self.index(*length)),
                _ => step,
            };
            ty = part;
        }
    }

    /// An index below a length, most of the time.
    fn index(&mut self, length: u64) -> String {
        if self.random.once_in(3) || self.fuel == 0 {
            return self.random.below(length).to_string();
        }
        self.fuel -= 1;
        let index = match self.random.below(3) {
            0 => self.expr(Prim::Usize, 1, true),
            _ => {
                let from = self.random.pick(&Prim::INTEGERS);
                let operand = self.leaf(from, false).within(binds::CAST);
                Written::new(format!("{operand} as usize"), binds::CAST)
            }
        };
        match self.random.once_in(60) {
            true => format!("{} % {}", index.within(9), length + 1),
            false => format!("{} % {length}", index.within(9)),
        }
    }
}
