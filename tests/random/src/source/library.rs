//! Library methods of options, results and slices, from tables of templates.
//!
//! A template has placeholders for expressions of type `$T`, a number or `bool`: `$e` an
//! expression, `$i` one that may mention `it`, `$j` one that may mention `it` and `at`, `$o` an
//! `Option` and `$r` a `Result` of it, `$a` the name of an array. `$c` is a condition, `$k` one
//! that may mention `it`, `$u` a `u32`, `$z` a `usize`, `$n` a small number, and `$R` a range that
//! mostly fits the array.

use super::Maker;
use super::types::{Prim, Ty};

/// Expressions of any type.
const ANY: &[&str] = &[
    "$o.unwrap_or($e)",
    "$o.unwrap_or_default()",
    "$o.unwrap_or_else(|| $e)",
    "$o.map_or($e, |it| $i)",
    "$o.map_or_else(|| $e, |it| $i)",
    "$o.map(|it| $i).unwrap_or($e)",
    "$o.and_then(|it| if $k { Some($i) } else { None }).unwrap_or($e)",
    "$o.filter(|&it| $k).unwrap_or($e)",
    "$o.or($o).unwrap_or($e)",
    "$o.or_else(|| $o).unwrap_or($e)",
    "$o.and($o).xor($o).unwrap_or($e)",
    "$o.zip($o).map_or($e, |(it, at)| $j)",
    "$o.ok_or($u).map_or_else(|it: u32| $e, |it| $i)",
    "$o.ok_or_else(|| $u).unwrap_or($e)",
    "($c).then_some($i0).unwrap_or($e)",
    "($c).then(|| $i0).unwrap_or_else(|| $e)",
    "Some($o).flatten().unwrap_or($e)",
    "{ let mut held: Option<$T> = $o; let it = held.take().unwrap_or($e); if held.is_none() { it } else { $e } }",
    "{ let mut held: Option<$T> = $o; let old = held.replace($e); if old.is_some() { $e } else { held.unwrap_or($e) } }",
    "$r.unwrap_or($e)",
    "$r.unwrap_or_default()",
    "$r.unwrap_or_else(|at| $e)",
    "$r.map(|it| $i).unwrap_or($e)",
    "$r.map_err(|at| at ^ $u).map_or($e, |it| $i)",
    "$r.map_or_else(|at| $e, |it| $i)",
    "$r.and_then(|it| if $k { Ok($i) } else { Err($u) }).unwrap_or($e)",
    "$r.or_else(|at| if at > 9 { { let held: Result<$T, u32> = Ok($e); held } } else { Err(at) }).unwrap_or($e)",
    "$r.or($r).and($r).unwrap_or($e)",
    "$r.ok().unwrap_or($e)",
    "match $r { Ok(it) if $k => $i, Err(0..=7) => $i0, Err(_) | Ok(_) => $e }",
    "if let Some(it) = $o && $k && let Ok(at) = $r { $j } else { $e }",
    "{ let Some(it) = $o else { panic!(\"none\") }; $i }",
    "{ let part = &$a[$R]; part[$z % part.len()] }",
    "{ let part = &$a[$R]; if let 1..=2 = part.len() { part[part.len() - 1] } else { $e } }",
    "pick([$e, $e], $z)",
    "first(&$a[$R], $e)",
];

/// Boolean expressions; `$T` is any integer type.
const CONDITIONS: &[&str] = &[
    "$o.is_some()",
    "$o.is_none()",
    "$o.is_some_and(|it| $k)",
    "$o.is_none_or(|it| $k)",
    "$r.is_ok()",
    "$r.is_err()",
    "$r.is_ok_and(|it| $k)",
    "$r.is_err_and(|at| at % 2 == 0)",
    "$r.err().is_some()",
    "$a.contains(&$e)",
    "$a[$R].contains(&$e)",
    "$a.starts_with(&[$e])",
    "$a[$R].ends_with(&[$e, $e])",
    "$a.is_sorted()",
    "$a[$R].is_empty()",
    "$o == Some($e)",
    "$r != Ok($e)",
    "$a.partition_point(|&it| $k) > $z",
];

/// Statements that change an array.
const CHANGES: &[&str] = &[
    "$a.fill($e);",
    "$a[$R].fill($e);",
    "$a.reverse();",
    "$a[$R].reverse();",
    "$a.swap($z % $a.len(), $z % $a.len());",
    "{ let given: [$T; 3] = [$e, $e, $e]; $a[..1].copy_from_slice(&given[1..2]); }",
    "{ let part = &mut $a[$R]; let at = $z; if at < part.len() { part[at] = $e; } }",
    "for it in $a[$R].iter_mut() { *it = { let it = *it; $i }; }",
    "for (at, it) in $a[$R].iter().enumerate() { assert!(at < 5); let _ = it; }",
    "raise(&mut $a[$R], $e);",
];

/// Functions that the templates call.
pub(super) const FUNCTIONS: &str = "#[vyre::device] fn first<T: Copy>(of: &[T], other: T) -> T {
    if of.is_empty() { other } else { of[0] }
}
#[vyre::device] fn raise<T: Copy>(of: &mut [T], by: T) { let last = of.len() - 1; of[last] = by; }
";

impl Maker {
    /// A library expression.
    pub(super) fn library(&mut self, prim: Prim, depth: u32) -> Option<String> {
        if prim == Prim::Bool && !self.random.once_in(3) {
            let of = self.random.pick(&Prim::INTEGERS);
            let template = self.random.pick(CONDITIONS);
            return self.filled(template, of, depth);
        }
        let template = self.random.pick(ANY);
        self.filled(template, prim, depth)
    }

    /// A statement that changes an array by a library method.
    pub(super) fn change(&mut self) -> String {
        let template = self.random.pick(CHANGES);
        let is_array = |ty: &Ty| matches!(ty, Ty::Array(of, _) if matches!(**of, Ty::Prim(_)));
        let arrays = self.assignable(|variable| is_array(&variable.ty));
        if arrays.is_empty() {
            return String::new();
        }
        let array = arrays[self.random.below(arrays.len() as u64) as usize].clone();
        let Ty::Array(of, length) = &array.ty else {
            return String::new();
        };
        let Ty::Prim(prim) = **of else { return String::new() };
        self.borrowing(&array.name.clone(), true, |maker| {
            maker.with_array(template, prim, 2, Some((array.name.clone(), *length)))
        })
        .map_or(String::new(), |text| format!("{text}\n"))
    }

    fn filled(&mut self, template: &str, prim: Prim, depth: u32) -> Option<String> {
        let mut array = None;
        if template.contains("$a") {
            let wanted = |ty: &Ty| matches!(ty, Ty::Array(of, _) if **of == Ty::Prim(prim));
            let found = self.visible(|variable| wanted(&variable.ty)).into_iter().next()?;
            if let Ty::Array(_, length) = found.ty {
                array = Some((found.name, length));
            }
        }
        let borrowed = self.borrowed.len();
        self.borrowed
            .extend(array.iter().map(|(name, _)| (name.clone(), false)));
        let text = self.with_array(template, prim, depth, array);
        self.borrowed.truncate(borrowed);
        text
    }

    fn with_array(&mut self, template: &str, prim: Prim, depth: u32, array: Option<(String, u64)>) -> Option<String> {
        let mut parts = template.split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (hole, mut rest) = part.split_at(1);
            let depth = depth.min(1);
            text += &match hole {
                "T" => prim.name().to_owned(),
                "e" => self.expr(prim, depth, true).text,
                "i" if rest.starts_with('0') => {
                    rest = &rest[1..];
                    self.within_closure(&[], |maker| maker.expr(prim, depth, false).text)
                }
                "i" => self.within_closure(&[("it", prim)], |maker| maker.expr(prim, depth, false).text),
                "j" => self.within_closure(&[("it", prim), ("at", prim)], |maker| {
                    maker.expr(prim, depth, false).text
                }),
                "k" => self.within_closure(&[("it", prim)], |maker| maker.condition(depth).within(4)),
                "c" => self.condition(depth).text,
                "u" => self.expr(Prim::U32, depth, false).text,
                "z" => format!("({})", self.expr(Prim::Usize, depth, false).text),
                "n" => self.random.below(4).to_string(),
                "o" => self.given(&Ty::Option(Box::new(Ty::Prim(prim))), depth),
                "r" => self.given(
                    &Ty::Result(Box::new(Ty::Prim(prim)), Box::new(Ty::Prim(Prim::U32))),
                    depth,
                ),
                "a" => array.as_ref()?.0.clone(),
                _ => self.range_within(array.as_ref()?.1),
            };
            text += rest;
        }
        Some(text)
    }

    /// A value whose type does not depend on the context.
    fn given(&mut self, ty: &Ty, depth: u32) -> String {
        let value = self.value(ty, depth).text;
        format!("({})", self.ascribed(ty, &value))
    }

    /// Runs `act` in a context with these parameters and without assignments.
    fn within_closure<R>(&mut self, parameters: &[(&str, Prim)], act: impl FnOnce(&mut Self) -> R) -> R {
        self.in_closure(|maker| {
            for (name, prim) in parameters {
                maker.add(name, Ty::Prim(*prim), false);
            }
            act(maker)
        })
    }

    /// A range that fits a length, most of the time.
    pub(super) fn range_within(&mut self, length: u64) -> String {
        let end = self.random.below(length + 1).max(1);
        let start = self.random.below(end);
        let wild = u64::from(self.random.once_in(40));
        match self.random.below(6) {
            0 => format!("{start}.."),
            1 => format!("..{}", end + wild),
            2 => format!("{start}..={}", end - 1 + wild),
            3 => "..".to_owned(),
            4 => {
                let any = self.leaf(Prim::Usize, true).within(9);
                format!("{any} % {}..{end}", end + wild)
            }
            _ => format!("{start}..{}", end + wild),
        }
    }
}
