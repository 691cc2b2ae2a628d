//! Patterns and matches.

use super::exprs::{Written, binds};
use super::types::{Prim, Ty};
use super::{Maker, Variable};

impl Maker {
    /// A pattern of this type; its bindings are appended to `bound`.
    pub(super) fn pattern(&mut self, ty: &Ty, bound: &mut Vec<Variable>, depth: u32) -> String {
        if self.random.once_in(5) {
            return self.binding(ty, bound);
        }
        let deeper = depth.saturating_sub(1);
        match ty {
            Ty::Prim(prim) => self.of_prim(*prim, bound),
            _ if depth == 0 => "_".to_owned(),
            Ty::Option(inner) => match self.random.once_in(3) {
                true => "None".to_owned(),
                false => format!("Some({})", self.pattern(inner, bound, deeper)),
            },
            Ty::Result(inner, other) => match self.random.once_in(2) {
                true => format!("Ok({})", self.pattern(inner, bound, deeper)),
                false => format!("Err({})", self.pattern(other, bound, deeper)),
            },
            Ty::Enum(number) => {
                let definition = self.items.enums[*number].clone();
                let variant = &definition.variants[self.random.below(definition.variants.len() as u64) as usize];
                let fields: Vec<String> = variant
                    .fields
                    .iter()
                    .map(|ty| self.pattern(ty, bound, deeper))
                    .collect();
                variant.with(&definition.name, &fields)
            }
            _ => self.composed(ty, bound, |maker, ty, bound| maker.pattern(ty, bound, deeper)),
        }
    }

    /// An irrefutable pattern.
    pub(super) fn irrefutable(&mut self, ty: &Ty, bound: &mut Vec<Variable>, depth: u32) -> String {
        if depth == 0
            || self.random.once_in(4)
            || matches!(ty, Ty::Prim(_) | Ty::Enum(_) | Ty::Option(_) | Ty::Result(..))
        {
            return self.binding(ty, bound);
        }
        self.composed(ty, bound, |maker, ty, bound| maker.irrefutable(ty, bound, depth - 1))
    }

    /// A pattern of a tuple, array or struct, composed of patterns of its fields.
    fn composed(
        &mut self,
        ty: &Ty,
        bound: &mut Vec<Variable>,
        mut part: impl FnMut(&mut Self, &Ty, &mut Vec<Variable>) -> String,
    ) -> String {
        match ty {
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| part(self, ty, bound)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|_| part(self, element, bound)).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Struct(number) => {
                let definition = self.items.structs[*number].clone();
                let fields: Vec<String> = definition.fields.iter().map(|(_, ty)| part(self, ty, bound)).collect();
                definition.with(&fields)
            }
            _ => "_".to_owned(),
        }
    }

    fn binding(&mut self, ty: &Ty, bound: &mut Vec<Variable>) -> String {
        let name = format!("b{}", bound.len());
        if self.random.once_in(4) {
            return "_".to_owned();
        }
        let mutable = self.random.once_in(4);
        bound.push(Variable {
            name: name.clone(),
            ty: ty.clone(),
            mutable,
        });
        if mutable { format!("mut {name}") } else { name }
    }

    fn of_prim(&mut self, prim: Prim, bound: &mut Vec<Variable>) -> String {
        if prim.is_float() {
            return self.binding(&Ty::Prim(prim), bound);
        }
        if prim == Prim::Bool {
            return self.random.once_in(2).to_string();
        }
        match self.random.below(5) {
            0 => self.range(prim),
            1 => format!("({} | {})", self.range(prim), self.number(prim)),
            2 => {
                let name = format!("b{}", bound.len());
                bound.push(Variable {
                    name: name.clone(),
                    ty: Ty::Prim(prim),
                    mutable: false,
                });
                format!("{name} @ ({} | {})", self.range(prim), self.number(prim))
            }
            3 => {
                let fits = self.items.constants.iter().filter(|(_, ty)| *ty == Ty::Prim(prim));
                let fits: Vec<String> = fits.map(|(name, _)| name.clone()).collect();
                fits.first().cloned().unwrap_or_else(|| self.number(prim))
            }
            _ => self.number(prim),
        }
    }

    fn number(&mut self, prim: Prim) -> String {
        let value = self.random.below(if self.random.clone().once_in(2) { 4 } else { 100 });
        match prim.is_signed() && self.random.once_in(3) {
            true => format!("-{value}"),
            false => value.to_string(),
        }
    }

    fn range(&mut self, prim: Prim) -> String {
        let low = self.random.below(20) as i64 - if prim.is_signed() { 12 } else { 0 };
        let high = low + 1 + self.random.below(90) as i64;
        match self.random.below(5) {
            0 => format!("({low}..)"),
            1 => format!("(..={high})"),
            2 => format!("({low}..{high})"),
            3 => format!("{}::MIN..={high}", prim.name()),
            _ => format!("{low}..={high}"),
        }
    }

    /// The arms of a `match`; the last one is irrefutable. `body` generates the right sides.
    fn arms(&mut self, ty: &Ty, mut body: impl FnMut(&mut Self) -> String) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let mut bound = Vec::new();
            let mut pattern = self.pattern(ty, &mut bound, 2);
            // rustc evaluates a guard once per matching alternative, which is visible if a guard
            // has effects.
            let guarded = self.random.once_in(3);
            if bound.is_empty() && !guarded {
                let mut others = Vec::new();
                let other = self.pattern(ty, &mut others, 1);
                if others.is_empty() {
                    pattern = format!("{pattern} | {other}");
                }
            }
            let arm = self.scoped(|maker| {
                maker.variables.extend(bound);
                let guard = match guarded {
                    true => format!(" if {}", maker.condition(2).within(1)),
                    false => String::new(),
                };
                format!("{pattern}{guard} => {{ {} }}\n", body(maker))
            });
            text += &arm;
        }
        let mut bound = Vec::new();
        let last = self.irrefutable(ty, &mut bound, 1);
        let arm = self.scoped(|maker| {
            maker.variables.extend(bound);
            body(maker)
        });
        text + &format!("{last} => {{ {arm} }}\n")
    }

    pub(super) fn match_statement(&mut self, depth: u32) -> String {
        let ty = self.ty(2);
        let value = self.value(&ty, 2).text;
        let value = self.ascribed(&ty, &value);
        let arms = self.arms(&ty, |maker| maker.statements(3, depth));
        format!("match {value} {{ {arms} }}\n")
    }

    /// `match` with values.
    pub(super) fn choice(&mut self, result: &Ty, depth: u32) -> Written {
        let ty = self.ty(1);
        let deeper = depth.saturating_sub(1);
        let value = match self.place(&ty) {
            Some(place) => place,
            None => {
                let value = self.value(&ty, deeper).text;
                self.ascribed(&ty, &value)
            }
        };
        let arms = self.arms(&ty, |maker| maker.value(result, deeper).text);
        Written::new(format!("match {value} {{ {arms} }}"), binds::LOOSE)
    }

    /// `matches!`.
    pub(super) fn matches(&mut self, depth: u32) -> Written {
        let ty = self.ty(1);
        let value = match self.place(&ty) {
            Some(place) => place,
            None => {
                let value = self.value(&ty, depth).text;
                self.ascribed(&ty, &value)
            }
        };
        let mut bound = Vec::new();
        let pattern = self.pattern(&ty, &mut bound, 2);
        let guard = self.scoped(|maker| {
            maker.variables.extend(bound);
            match maker.random.once_in(3) {
                true => format!(" if {}", maker.condition(depth.min(1)).within(1)),
                false => String::new(),
            }
        });
        Written::tight(format!("matches!({value}, {pattern}{guard})"))
    }
}
