//! Chains of iterators.

use super::Maker;
use super::types::{Prim, Ty};

/// The items of a chain so far.
struct Items {
    text: String,
    /// The parameter names of a closure, and their types.
    names: Vec<(&'static str, Prim)>,
    pattern: &'static str,
}

impl Maker {
    /// A chain that ends in a number or `bool`.
    pub(super) fn chain(&mut self, prim: Prim, depth: u32) -> Option<String> {
        let borrowed = self.borrowed.len();
        let text = self.chained(prim, depth);
        self.borrowed.truncate(borrowed);
        text
    }

    fn chained(&mut self, prim: Prim, depth: u32) -> Option<String> {
        let (mut text, first) = self.source()?;
        for _ in 0..self.random.below(3) {
            let count = self.random.below(4);
            text += &match self.random.below(4) {
                0 if text.ends_with("copied()") || text.ends_with(')') && !text.contains(".step_by") => {
                    ".rev()".to_owned()
                }
                1 => format!(".skip({count})"),
                2 => format!(".take({})", count + 1),
                _ => format!(".step_by({})", count + 1),
            };
        }
        let mut items = Items {
            text,
            names: vec![("it", first)],
            pattern: "it",
        };
        match self.random.below(5) {
            0 => {
                let (other, second) = self.source()?;
                items.text += &format!(".zip({other})");
                (items.names, items.pattern) = (vec![("it", first), ("at", second)], "(it, at)");
            }
            1 => {
                items.text += ".enumerate()";
                (items.names, items.pattern) = (vec![("at", Prim::Usize), ("it", first)], "(at, it)");
            }
            _ => {}
        }
        for _ in 0..self.random.below(3) {
            match self.random.below(4) {
                0 | 1 => {
                    let condition = self.about(&items, |maker| maker.condition(depth).text);
                    let adapter = self.random.pick(&["filter", "filter", "take_while"]);
                    items.text += &format!(".{adapter}(|&{}| {condition})", items.pattern);
                }
                _ => {
                    let to = self.prim();
                    self.mapped(&mut items, to, depth);
                }
            }
        }
        self.ended(items, prim, depth)
    }

    /// The source of a chain: a range, or an array or a part of one.
    fn source(&mut self) -> Option<(String, Prim)> {
        if self.random.once_in(3) {
            let prim = self.random.pick(&Prim::INTEGERS);
            let (name, first) = (prim.name(), self.random.below(4));
            let end = first + self.random.below(6);
            let dots = self.random.pick(&["..", "..="]);
            return Some((format!("({first}{name}{dots}{end})"), prim));
        }
        let is_array = |ty: &Ty| matches!(ty, Ty::Array(of, _) if matches!(**of, Ty::Prim(_)));
        let arrays = self.visible(|variable| is_array(&variable.ty));
        if arrays.is_empty() {
            return None;
        }
        let array = arrays[self.random.below(arrays.len() as u64) as usize].clone();
        let Ty::Array(of, length) = &array.ty else { return None };
        let Ty::Prim(prim) = **of else { return None };
        self.borrowed.push((array.name.clone(), false));
        let part = match self.random.once_in(3) {
            true => format!("[{}]", self.range_within(*length)),
            false => String::new(),
        };
        let copied = self.random.pick(&["copied", "cloned"]);
        Some((format!("{}{part}.iter().{copied}()", array.name), prim))
    }

    /// Runs `act` inside a closure over the items.
    fn about<R>(&mut self, items: &Items, act: impl FnOnce(&mut Self) -> R) -> R {
        self.in_closure(|maker| {
            for (name, prim) in &items.names {
                maker.add(name, Ty::Prim(*prim), false);
            }
            act(maker)
        })
    }

    fn mapped(&mut self, items: &mut Items, to: Prim, depth: u32) {
        let value = self.about(items, |maker| maker.expr(to, depth, false).text);
        items.text += &format!(".map(|{}| {value})", items.pattern);
        (items.names, items.pattern) = (vec![("it", to)], "it");
    }

    fn ended(&mut self, mut items: Items, prim: Prim, depth: u32) -> Option<String> {
        let name = prim.name();
        let way = self.random.below(6);
        match prim {
            Prim::Bool if way < 4 => {
                let condition = self.about(&items, |maker| maker.condition(depth).text);
                let method = self.random.pick(&["any", "all"]);
                return Some(format!("{}.{method}(|{}| {condition})", items.text, items.pattern));
            }
            Prim::Usize if way < 2 => return Some(format!("{}.count()", items.text)),
            Prim::Usize if way < 4 => {
                let condition = self.about(&items, |maker| maker.condition(depth).text);
                return Some(format!(
                    "{}.position(|{}| {condition}).unwrap_or(7)",
                    items.text, items.pattern
                ));
            }
            _ => {}
        }
        if way == 0 || prim == Prim::Bool {
            let start = self.expr(prim, depth, false).text;
            let step = self.about(&items, |maker| {
                maker.add("sum", Ty::Prim(prim), false);
                maker.expr(prim, depth, false).text
            });
            return Some(format!("{}.fold({start}, |sum, {}| {step})", items.text, items.pattern));
        }
        if way == 1 {
            let (condition, value) = self.about(&items, |maker| {
                (maker.condition(depth).within(1), maker.expr(prim, depth, false).text)
            });
            let other = self.expr(prim, depth, true).text;
            return Some(format!(
                "{}.find_map(|{}| if {condition} {{ Some({value}) }} else {{ None }}).unwrap_or({other})",
                items.text, items.pattern
            ));
        }
        if items.names != [("it", prim)] {
            self.mapped(&mut items, prim, depth);
        }
        let other = self.expr(prim, depth, true).text;
        Some(match self.random.below(6) {
            0 => format!("{}.product::<{name}>()", items.text),
            1 if prim.is_integer() => format!("{}.min().unwrap_or({other})", items.text),
            2 if prim.is_integer() => format!("{}.max().unwrap_or({other})", items.text),
            3 => format!("{}.last().unwrap_or({other})", items.text),
            4 => {
                let condition = self.about(&items, |maker| maker.condition(depth).text);
                format!("{}.find(|&it| {condition}).unwrap_or({other})", items.text)
            }
            _ => format!("{}.sum::<{name}>()", items.text),
        })
    }
}
