//! Inference of variants with fields.

use super::Inference;
use crate::syntax::tree::Expr;
use crate::types::sum::{Case, Sum};
use crate::types::{Kind, Ty};

impl Inference<'_> {
    /// The type of a variant, with arguments that are not known yet, and the types of its fields.
    fn case(&mut self, case: Case) -> (Ty, Vec<Ty>) {
        let count = match case.of {
            Sum::Option => 1,
            Sum::Result => 2,
            Sum::Own(_) => 0,
        };
        let arguments = (0..count).map(|_| self.tree.types.unknown()).collect();
        let ty = self.tree.types.add(Kind::Sum(case.of, arguments));
        let mut variants = self.tree.types.variants(ty).unwrap_or_default();
        (ty, variants.swap_remove(case.variant as usize))
    }

    /// `Some(x)`.
    pub(super) fn make(&mut self, case: Case, given: &mut [(u32, Expr)]) -> Ty {
        let (ty, fields) = self.case(case);
        for (number, value) in given {
            let found = self.expr(value, None);
            self.coerce(found, fields[*number as usize]);
        }
        ty
    }

    /// Whether a value is of a variant.
    pub(super) fn is(&mut self, value: &mut Expr, case: Case) -> Ty {
        let found = self.expr(value, None);
        let found = self.through_reference_of(value, found);
        let (ty, _) = self.case(case);
        self.agree(found, ty);
        Ty::BOOL
    }

    /// A field of a value that is of a variant.
    pub(super) fn payload(&mut self, value: &mut Expr, case: Case, number: u32) -> Ty {
        let found = self.expr(value, None);
        let found = self.through_reference_of(value, found);
        let (ty, fields) = self.case(case);
        self.agree(found, ty);
        fields[number as usize]
    }
}
