//! Function calls with their borrows, and closures.

use super::Maker;
use super::exprs::{Written, binds};
use super::items::Taken;
use super::types::{Prim, Ty};

impl Maker {
    /// A call of a function of the program.
    pub(super) fn call(&mut self, result: &Ty, depth: u32) -> Option<Written> {
        let fits = self
            .items
            .functions
            .iter()
            .filter(|function| function.result == *result);
        let fitting: Vec<_> = fits.cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = &fitting[self.random.below(fitting.len() as u64) as usize];
        let mut arguments = Vec::new();
        // Variables borrowed for one argument are not used in others.
        let borrowed = self.borrowed.len();
        for taken in &function.parameters {
            let argument = match taken {
                Taken::Value(_) => String::new(),
                Taken::MutReference(ty) => {
                    let fitting = self.assignable(|variable| variable.ty == *ty);
                    let Some(variable) = fitting.first() else {
                        self.borrowed.truncate(borrowed);
                        return None;
                    };
                    self.borrowed.push((variable.name.clone(), true));
                    format!("&mut {}", variable.name)
                }
                Taken::Reference(ty) => {
                    let fitting = self.visible(|variable| variable.ty == *ty);
                    let Some(variable) = fitting.first() else {
                        self.borrowed.truncate(borrowed);
                        return None;
                    };
                    self.borrowed.push((variable.name.clone(), false));
                    format!("&{}", variable.name)
                }
                Taken::Slice(ty) => {
                    let is_array = |of: &Ty| matches!(of, Ty::Array(element, _) if **element == *ty);
                    let fitting = self.visible(|variable| is_array(&variable.ty));
                    let Some(variable) = fitting.first() else {
                        self.borrowed.truncate(borrowed);
                        return None;
                    };
                    let variable = variable.clone();
                    self.borrowed.push((variable.name.clone(), false));
                    match variable.ty {
                        Ty::Array(_, length) if self.random.once_in(2) => {
                            format!("&{}[{}]", variable.name, self.range_within(length))
                        }
                        _ => format!("&{}", variable.name),
                    }
                }
            };
            arguments.push(argument);
        }
        for (argument, taken) in arguments.iter_mut().zip(&function.parameters) {
            if let Taken::Value(ty) = taken {
                *argument = self.value(ty, depth).text;
            }
        }
        self.borrowed.truncate(borrowed);
        Some(Written::tight(format!("{}({})", function.name, arguments.join(", "))))
    }

    /// A call of one of the generic functions, some with closures.
    pub(super) fn helper(&mut self, prim: Prim, depth: u32) -> Written {
        let name = prim.name();
        let one = self.expr(prim, depth, true).text;
        match self.random.below(5) {
            0 => {
                let elements: Vec<String> = (0..2).map(|_| self.expr(prim, depth, true).text).collect();
                let index = self.expr(Prim::Usize, depth, true).text;
                Written::tight(format!("pick::<{name}, 3>([{one}, {}], {index})", elements.join(", ")))
            }
            1 if prim.is_integer() => {
                let is_array = |ty: &Ty| matches!(ty, Ty::Array(element, _) if **element == Ty::Prim(prim));
                match self.visible(|variable| is_array(&variable.ty)).first() {
                    Some(array) => Written::tight(format!("sum(&{}, {one})", array.name)),
                    None => Written::tight(format!("larger::<{name}>({one}, {one})")),
                }
            }
            2 => {
                let body = self.in_closure(|maker| {
                    maker.add("it", Ty::Prim(prim), false);
                    maker.expr(prim, depth, true).text
                });
                let one = self.typed(prim, &one);
                Written::tight(format!("twice({one}, |it: {name}| {body})"))
            }
            3 => {
                let body = self.in_closure(|maker| {
                    maker.add("it", Ty::Prim(prim), false);
                    maker.expr(prim, depth, true).text
                });
                let other = self.expr(prim, depth, true).within(4);
                let text = format!(
                    "{{ let closed = |it: {name}| -> {name} {{ {body} }}; let first: {name} = closed({one}); \
                     if first == {other} {{ closed(first) }} else {{ first }} }}"
                );
                Written::new(text, binds::LOOSE)
            }
            _ => {
                let other = self.expr(prim, depth, true).text;
                Written::tight(format!("larger::<{name}>({one}, {other})"))
            }
        }
    }

    /// A value whose type is written.
    fn typed(&mut self, prim: Prim, value: &str) -> String {
        match self.random.once_in(2) {
            true => format!("{{ let one: {} = {value}; one }}", prim.name()),
            false => format!("({value}) as {}", prim.name()),
        }
    }

    /// Runs `act` in a capturing context: it assigns to no variable and does not leave surrounding
    /// loops or functions.
    pub(super) fn in_closure<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let (loops, result) = (std::mem::take(&mut self.loops), self.result.take());
        let borrowed = self.borrowed.len();
        let names: Vec<String> = self
            .visible(|_| true)
            .into_iter()
            .map(|variable| variable.name)
            .collect();
        self.borrowed.extend(names.into_iter().map(|name| (name, false)));
        let value = self.scoped(act);
        self.borrowed.truncate(borrowed);
        (self.loops, self.result) = (loops, result);
        value
    }
}
