//! Statements.

use super::Maker;
use super::exprs::binds;
use super::types::{Prim, Ty};

impl Maker {
    /// Some statements, which may declare variables for those that follow.
    pub(super) fn statements(&mut self, most: u64, depth: u32) -> String {
        if self.nesting > 5 {
            return String::new();
        }
        self.nesting += 1;
        let fuel = self.fuel;
        let mut text = String::new();
        for _ in 0..self.random.below(most + 1) {
            if depth > 0 {
                self.refuel();
            }
            text += &self.statement(depth);
        }
        self.fuel = fuel;
        self.nesting -= 1;
        text
    }

    /// Statements in a nested scope.
    fn inner(&mut self, most: u64, depth: u32) -> String {
        self.scoped(|maker| maker.statements(most, depth))
    }

    /// Runs `act` inside a loop.
    pub(super) fn inside_loop<R>(&mut self, label: Option<&str>, act: impl FnOnce(&mut Self) -> R) -> R {
        self.loops.push((label.unwrap_or_default().to_owned(), true));
        let result = act(self);
        self.loops.pop();
        result
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.declaration(),
                _ => self.assignment(),
            };
        }
        let deeper = depth - 1;
        match self.random.below(28) {
            0..4 => self.declaration(),
            4 | 5 => {
                let condition = self.condition(3).within(1);
                let then = self.inner(3, deeper);
                match self.random.below(3) {
                    0 => format!("if {condition} {{ {then} }}\n"),
                    1 => format!("if {condition} {{ {then} }} else {{ {} }}\n", self.inner(3, deeper)),
                    _ => {
                        let second = self.condition(2).within(1);
                        let (middle, last) = (self.inner(2, deeper), self.inner(2, deeper));
                        format!("if {condition} {{ {then} }} else if {second} {{ {middle} }} else {{ {last} }}\n")
                    }
                }
            }
            6 => self.counted(deeper),
            7 => self.bounded(deeper),
            8 => self.over_elements(deeper),
            9 => self.leave(),
            10 => self.match_statement(deeper),
            11 => self.if_let(deeper),
            12 => self.let_else(),
            13 => self.by_reference(deeper),
            14 => self.exchange(),
            15 => self.changing_closure(deeper),
            16 => self.later(),
            17 => self.taken_apart(),
            18 => self.call_statement(),
            19 | 20 => self.change(),
            21 if self.result.is_some() => self.tile(deeper),
            22 if self.result.is_some() => self.cells(deeper),
            _ => self.assignment(),
        }
    }

    /// A variable with a value, of a type that may be written.
    pub(super) fn declaration(&mut self) -> String {
        let ty = self.ty(2);
        let written = self.written(&ty);
        let mutable = !self.random.once_in(3);
        let prefix = if mutable { "mut " } else { "" };
        let (annotation, value) = match &ty {
            // Only the value determines the type: so it is written with suffixes.
            Ty::Prim(prim) if self.random.once_in(2) => (String::new(), self.expr(*prim, 3, false).text),
            // The value has a known type.
            _ => (format!(": {written}"), self.value(&ty, 3).text),
        };
        let name = self.name();
        self.add(&name, ty, mutable);
        format!("let {prefix}{name}{annotation} = {value};\n")
    }

    /// A variable initialised in each branch.
    fn later(&mut self) -> String {
        let ty = self.ty(1);
        let condition = self.condition(2).within(1);
        let (one, other) = (self.value(&ty, 2).text, self.value(&ty, 2).text);
        let (name, written) = (self.name(), self.written(&ty));
        // The name refers to another variable in the condition and the values.
        let late = self.label().trim_start_matches('\'').to_owned();
        self.add(&name, ty, false);
        format!(
            "let {late}: {written};\nif {condition} {{ {late} = {one}; }} else {{ {late} = {other}; }}\n\
             let {name} = {late};\n"
        )
    }

    /// `let (x, [y, _]) = ..`.
    fn taken_apart(&mut self) -> String {
        let parts: Vec<Ty> = (0..2 + self.random.below(2)).map(|_| self.ty(1)).collect();
        let ty = Ty::Tuple(parts);
        let value = self.value(&ty, 2).text;
        let mut bound = Vec::new();
        let pattern = self.irrefutable(&ty, &mut bound, 2);
        let written = self.written(&ty);
        self.variables.extend(bound);
        format!("let {pattern}: {written} = {value};\n")
    }

    fn assignment(&mut self) -> String {
        let prim = self.prim();
        let ty = match self.random.below(4) {
            0 => self.ty(1),
            _ => Ty::Prim(prim),
        };
        let Some(target) = self.target(&ty) else {
            return String::new();
        };
        if let Ty::Prim(prim) = ty
            && !self.random.once_in(3)
        {
            return self.compound(&target, prim);
        }
        let value = self.value(&ty, 3).text;
        format!("{target} = {value};\n")
    }

    /// A place that may be assigned to.
    fn target(&mut self, ty: &Ty) -> Option<String> {
        let mut fitting = self.assignable(|variable| self.reaches(&variable.ty, ty));
        if fitting.is_empty() {
            return None;
        }
        let variable = fitting.swap_remove(self.random.below(fitting.len() as u64) as usize);
        Some(self.walk(variable.name, variable.ty, ty))
    }

    fn compound(&mut self, target: &str, prim: Prim) -> String {
        let (op, value) = match prim {
            Prim::Bool => {
                let op = self.random.pick(&["&=", "|=", "^="]);
                (op, self.expr(prim, 2, true).text)
            }
            _ if prim.is_float() => {
                let op = self.random.pick(&["+=", "-=", "*=", "/=", "%="]);
                (op, self.expr(prim, 2, true).text)
            }
            _ => match self.random.below(4) {
                0 => {
                    let any = self.random.pick(&Prim::INTEGERS);
                    let op = self.random.pick(&["<<=", ">>="]);
                    (op, self.expr(any, 2, false).text)
                }
                1 => {
                    let op = self.random.pick(&["/=", "%="]);
                    (op, self.divisor(prim, 2))
                }
                _ => {
                    let op = self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                    (op, self.expr(prim, 2, true).text)
                }
            },
        };
        format!("{target} {op} {value};\n")
    }

    /// `(x, y) = (y, x + 1)`.
    fn exchange(&mut self) -> String {
        let (one, other) = (self.prim(), self.prim());
        let (Some(first), Some(second)) = (self.target(&Ty::Prim(one)), self.target(&Ty::Prim(other))) else {
            return String::new();
        };
        let (left, right) = (self.expr(one, 2, true).text, self.expr(other, 2, true).text);
        match self.random.below(3) {
            0 => format!("({first}, _) = ({left}, {right});\n"),
            1 => format!("(({first}, _), {second}) = (({left}, {left}), {right});\n"),
            _ => format!("({first}, {second}) = ({left}, {right});\n"),
        }
    }

    fn call_statement(&mut self) -> String {
        if self.items.functions.is_empty() {
            return String::new();
        }
        let number = self.random.below(self.items.functions.len() as u64) as usize;
        let result = self.items.functions[number].result.clone();
        match self.call(&result, 2) {
            Some(call) => {
                let name = self.name();
                self.add(&name, result, false);
                format!("let {name} = {};\n", call.text)
            }
            None => String::new(),
        }
    }

    /// `for` over a range.
    fn counted(&mut self, depth: u32) -> String {
        let prim = self.random.pick(&Prim::INTEGERS);
        let name = self.name();
        let (first, count) = (self.random.below(3), self.random.below(5));
        let start = match self.random.below(3) {
            0 if prim.is_signed() => format!("-{first}"),
            1 => format!("{first}{}", prim.name()),
            _ => first.to_string(),
        };
        let end = match self.random.below(3) {
            0 => {
                let any = self.leaf(prim, true).within(9);
                format!("({any} % 5 + {first})")
            }
            _ => format!("{}{}", first + count, prim.name()),
        };
        let dots = self.random.pick(&["..", "..="]);
        let range = format!("{start}{dots}{end}");
        let range = match self.random.below(6) {
            0 => format!("({range}).rev()"),
            1 => format!("({range}).step_by({})", 1 + self.random.below(3)),
            2 => format!("({range}).rev().step_by({})", 1 + self.random.below(3)),
            _ => range,
        };
        let label = self.maybe_label();
        let body = self.scoped(|maker| {
            maker.add(&name, Ty::Prim(prim), false);
            maker.inside_loop(label.as_deref(), |maker| maker.statements(3, depth))
        });
        format!("{}for {name} in {range} {{ {body} }}\n", prefix(&label))
    }

    fn maybe_label(&mut self) -> Option<String> {
        self.random.once_in(2).then(|| self.label())
    }

    /// `while` or `loop`, with a small trip count.
    fn bounded(&mut self, depth: u32) -> String {
        let counter = self.label().trim_start_matches('\'').to_owned();
        let most = 1 + self.random.below(4);
        let label = self.maybe_label();
        let condition = self.condition(2).within(1);
        let body = self.scoped(|maker| maker.inside_loop(label.as_deref(), |maker| maker.statements(3, depth)));
        let label = prefix(&label);
        match self.random.below(3) {
            0 => format!(
                "let mut {counter} = 0;\n{label}while {counter} < {most} && ({condition}) {{ {counter} += 1; {body} }}\n"
            ),
            1 => {
                format!("let mut {counter} = 0;\n{label}while {{ {counter} += 1; {counter} < {most} }} {{ {body} }}\n")
            }
            _ => format!(
                "let mut {counter} = 0;\n{label}loop {{ {counter} += 1; if {counter} > {most} || {condition} {{ break; }} {body} }}\n"
            ),
        }
    }

    /// `for` over the elements of an array.
    fn over_elements(&mut self, depth: u32) -> String {
        let is_array = |ty: &Ty| matches!(ty, Ty::Array(..));
        let changes = self.random.once_in(2);
        let mut fitting = match changes {
            true => self.assignable(|variable| is_array(&variable.ty)),
            false => self.visible(|variable| is_array(&variable.ty)),
        };
        if fitting.is_empty() {
            return String::new();
        }
        let array = fitting.swap_remove(self.random.below(fitting.len() as u64) as usize);
        let Ty::Array(element, _) = array.ty.clone() else {
            return String::new();
        };
        let name = self.name();
        let label = self.maybe_label();
        let numbered = self.random.once_in(3);
        let backwards = !numbered && self.random.once_in(3);
        let (over, item) = match (changes, self.random.below(3)) {
            (true, 0) if !numbered && !backwards => (format!("&mut {}", array.name), format!("(*{name})")),
            (true, _) => (format!("{}.iter_mut()", array.name), format!("(*{name})")),
            (false, 0) if !numbered && !backwards => (array.name.clone(), name.clone()),
            (false, 1) if !numbered && !backwards => (format!("&{}", array.name), format!("(*{name})")),
            (false, _) => (format!("{}.iter()", array.name), format!("(*{name})")),
        };
        let over = match (numbered, backwards) {
            (true, _) => format!("{over}.enumerate()"),
            (_, true) => format!("{over}.rev()"),
            _ => over,
        };
        let body = self.scoped(|maker| {
            if numbered {
                maker.add("at", Ty::Prim(Prim::Usize), false);
            }
            // The name of the item shadows others by itself.
            maker.add(&name, Ty::Prim(Prim::Bool), false);
            maker.borrowed.push((name.clone(), true));
            maker.add(&item, (*element).clone(), changes);
            if item == name {
                maker.borrowed.pop();
            }
            let body = maker.borrowing(&array.name, changes, |maker| {
                maker.inside_loop(label.as_deref(), |maker| maker.statements(3, depth))
            });
            if item != name {
                maker.borrowed.pop();
            }
            body
        });
        let pattern = if numbered { format!("(at, {name})") } else { name };
        format!("{}for {pattern} in {over} {{ {body} }}\n", prefix(&label))
    }

    /// `break`, `continue` or `return`.
    fn leave(&mut self) -> String {
        let condition = self.condition(2).within(1);
        if self.loops.is_empty() || self.random.once_in(6) {
            let Some(ty) = self.result.clone().filter(|_| self.random.once_in(3)) else {
                return String::new();
            };
            let value = self.value(&ty, 2).text;
            return format!("if {condition} {{ return {value}; }}\n");
        }
        let number = self.random.below(self.loops.len() as u64) as usize;
        let (label, _) = self.loops[number].clone();
        let what = self.random.pick(&["break", "continue"]);
        // Without a label, the innermost loop is left.
        format!("if {condition} {{ {what} {label}; }}\n")
    }

    /// A variable that refers to another one, or to a part of it.
    fn by_reference(&mut self, depth: u32) -> String {
        let ty = self.ty(1);
        let mutable = self.random.once_in(2);
        let mut fitting = match mutable {
            true => self.assignable(|variable| self.reaches(&variable.ty, &ty)),
            false => self.visible(|variable| self.reaches(&variable.ty, &ty)),
        };
        if fitting.is_empty() {
            return String::new();
        }
        let variable = fitting.swap_remove(self.random.below(fitting.len() as u64) as usize);
        let place = self.walk(variable.name.clone(), variable.ty, &ty);
        let name = self.label().trim_start_matches('\'').to_owned();
        let body = self.scoped(|maker| {
            maker.add(&format!("(*{name})"), ty.clone(), mutable);
            maker.borrowing(&variable.name, mutable, |maker| maker.statements(3, depth))
        });
        let kind = if mutable { "&mut " } else { "&" };
        // The statements may not assign to it, and then its old value is still there.
        format!("{{ let {name} = {kind}{place}; {body} let _ = *{name}; }}\n")
    }

    /// A mutating closure, called a few times.
    fn changing_closure(&mut self, depth: u32) -> String {
        let (loops, result) = (std::mem::take(&mut self.loops), self.result.take());
        let count = self.random.below(4);
        let body = self.scoped(|maker| {
            maker.add("turn", Ty::Prim(Prim::U32), false);
            maker.statements(3, depth.min(1))
        });
        (self.loops, self.result) = (loops, result);
        match self.random.once_in(2) {
            true => format!("times({count}, |turn| {{ {body} }});\n"),
            false => {
                let name = self.label().trim_start_matches('\'').to_owned();
                format!("{{ let mut {name} = |turn: u32| {{ {body} }}; {name}({count}); {name}(7); }}\n")
            }
        }
    }

    /// `if let` and `while let`.
    fn if_let(&mut self, depth: u32) -> String {
        let ty = self.ty(2);
        let value = self.value(&ty, 2).within(binds::UNARY);
        let mut bound = Vec::new();
        let pattern = self.pattern(&ty, &mut bound, 2);
        let (chained, then) = self.scoped(|maker| {
            maker.variables.extend(bound);
            let chained = maker.random.once_in(3).then(|| maker.condition(2).within(3));
            (chained, maker.statements(3, depth))
        });
        let otherwise = self.inner(2, depth);
        let value = self.ascribed(&ty, &value);
        if self.random.once_in(4) {
            let counter = self.label().trim_start_matches('\'').to_owned();
            return format!(
                "let mut {counter} = 0;\nwhile let {pattern} = {value} {{ {counter} += 1; if {counter} > 3 {{ break; }} }}\n"
            );
        }
        if let Some(chained) = chained {
            return format!("if let {pattern} = {value} && {chained} {{ {then} }} else {{ {otherwise} }}\n");
        }
        format!("if let {pattern} = {value} {{ {then} }} else {{ {otherwise} }}\n")
    }

    fn let_else(&mut self) -> String {
        let Some(result) = self.result.clone().filter(|_| self.random.once_in(2)) else {
            return String::new();
        };
        let ty = self.ty(2);
        let value = self.value(&ty, 2).text;
        let otherwise = self.value(&result, 2).text;
        let mut bound = Vec::new();
        let pattern = self.pattern(&ty, &mut bound, 2);
        self.variables.extend(bound);
        let written = self.written(&ty);
        format!("let {pattern}: {written} = ({value}) else {{ return {otherwise}; }};\n")
    }

    /// A value whose type is written beside it.
    pub(super) fn ascribed(&mut self, ty: &Ty, value: &str) -> String {
        let written = self.written(ty);
        format!("{{ let given: {written} = {value}; given }}")
    }
}

fn prefix(label: &Option<String>) -> String {
    label.as_ref().map_or_else(String::new, |label| format!("{label}: "))
}
