//! A module of types with behaviour: a trait of the program's own with constants and provided functions, types that
//! implement it, generic types; and constants that functions compute.

use super::Maker;
use super::types::{Prim, Ty};

/// The signature of the module's trait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behaviour {
    /// The result of its functions.
    result: Prim,
    /// Their parameter.
    by: Prim,
    /// The fields of its types, and a number that implements it.
    field: Prim,
}

/// Expressions of type `$A` that use the module: `$B` is a parameter of its functions, `$X` a
/// field, `$Y` a number that implements the trait.
const USES: &[&str] = &[
    "Both { x: $X, y: $X }.made($B)",
    "One($X).doubled($B)",
    "Both::fresh($B).doubled($B)",
    "Kind::made(&One::fresh($B), $B)",
    "Kind::made(&$Y, $B)",
    "<One as Kind>::SIZE",
    "Both::SIZE",
    "all([One($X), One($X), One::fresh($B)], $B)",
    "all([Both::fresh($B)], $B)",
    "all([$Y, $Y], $B)",
    "{ let mut it = Both::fresh($B); it.changed($B); it.doubled($B) }",
    "{ let mut it = [One($X), One::fresh($B)]; it[$Z % 2].changed($B); it[0].made($B) }",
    "Pair::new($A, $A).swapped().a",
    "Pair { a: $A, b: $A }.map(|it| $I).b",
    "{ let mut pair: Pair<$T> = Pair::new($A, $A); pair.set($A); if pair == pair.swapped() { pair.a } else { pair.b } }",
    "{ let either: Either<$T, bool> = if $C { Either::Left($A) } else { Either::Right($C) }; either.left_or($A) }",
    "match (if $C { Either::Left($A) } else { Either::Right(Pair::new($A, $A)) }) {
        Either::Left(it) if $C => it, Either::Right(Pair { a, .. }) => a, _ => $A }",
    "step($A, $A)",
    "TABLE[$Z % 4]",
    "TABLE.iter().copied().fold($A, step)",
];

/// Templates of constant functions, with numbers at `$`.
const CONSTANTS: &[&str] = &[
    "$.wrapping_add($)",
    "$.wrapping_sub($)",
    "$.wrapping_mul($)",
    "($ ^ $)",
    "($ & $ | $)",
    "(!$)",
    "$.rotate_left(3)",
    "$.wrapping_shl(5)",
    "$.saturating_sub($)",
    "$.overflowing_mul($).0",
    "($.leading_zeros() as $T)",
    "(if $ > $ { $ } else { $ })",
    "(match $ { 0..=9 => $, it if it % 2 == 0 => $, _ => $ })",
    "(match $.checked_add($) { Some(it) => it, None => $ })",
    "{ let mut it: $T = $; while it > 9 { it = it / 2 ^ 1; } it }",
];

impl Maker {
    pub(super) fn make_behaviour(&mut self) {
        let [result, field] = [0; 2].map(|_| self.random.pick(&Prim::INTEGERS));
        let by = self.prim();
        let of = Behaviour { result, by, field };
        let (a, b, x) = (result.name(), by.name(), field.name());
        let own = [("x", field), ("y", field), ("by", by)];
        let one = [("x", field), ("by", by)];
        let provided = [("made", result), ("size", result), ("by", by)];
        let [first, second, third] = [&own[..], &one, &one].map(|names| self.body(result, names));
        let [from_both, from_one, from_number] = [&own[..], &one, &one].map(|names| self.body(field, names));
        let fresh: Vec<String> = (0..4).map(|_| self.body(field, &own[2..])).collect();
        let doubled = [0; 2].map(|_| self.body(result, &provided));
        let folded = self.body(result, &[("sum", result), ("made", result)]);
        let sizes = [0; 3].map(|_| self.literal(result, true));
        let overridden = match self.random.once_in(2) {
            true => format!(
                "fn doubled(&self, by: {b}) -> {a} {{ let (made, size) = (self.made(by), Self::SIZE); {} }}",
                doubled[1]
            ),
            false => String::new(),
        };
        let step = self.computed(result, &["one", "other"]);
        let next = self.computed(result, &["before"]);
        let start = self.random.below(100);
        self.items.text += &format!(
            "#[vyre::device] mod kinds {{
    use super::*;
    pub trait Kind: Copy {{
        const SIZE: {a};
        fn made(&self, by: {b}) -> {a};
        fn doubled(&self, by: {b}) -> {a} {{ let (made, size) = (self.made(by), Self::SIZE); {} }}
        fn changed(&mut self, by: {b});
        fn fresh(by: {b}) -> Self;
    }}
    #[derive(Clone, Copy)] pub struct Both {{ pub x: {x}, pub y: {x} }}
    impl Kind for Both {{
        const SIZE: {a} = {};
        fn made(&self, by: {b}) -> {a} {{ let (x, y) = (self.x, self.y); {first} }}
        fn changed(&mut self, by: {b}) {{ let Both {{ x, y }} = *self; self.y = {{ {from_both} }}; }}
        fn fresh(by: {b}) -> Self {{ Both {{ x: {{ {} }}, y: {{ {} }} }} }}
    }}
    #[derive(Clone, Copy)] pub struct One(pub {x});
    impl Kind for One {{
        const SIZE: {a} = {};
        fn made(&self, by: {b}) -> {a} {{ let x = self.0; {second} }}
        {overridden}
        fn changed(&mut self, by: {b}) {{ let x = self.0; *self = One({{ {from_one} }}); }}
        fn fresh(by: {b}) -> Self {{ Self({{ {} }}) }}
    }}
    impl Kind for {x} {{
        const SIZE: {a} = {};
        fn made(&self, by: {b}) -> {a} {{ let x = *self; {third} }}
        fn changed(&mut self, by: {b}) {{ let x = *self; *self = {{ {from_number} }}; }}
        fn fresh(by: {b}) -> Self {{ {} }}
    }}
    pub fn all<K: Kind, const N: usize>(of: [K; N], by: {b}) -> {a} {{
        let mut sum: {a} = K::SIZE;
        for one in of {{ let made = one.made(by); sum = {{ {folded} }}; }}
        sum
    }}
    #[derive(Clone, Copy, PartialEq)] pub struct Pair<T> {{ pub a: T, pub b: T }}
    impl<T: Copy> Pair<T> {{
        pub fn new(a: T, b: T) -> Self {{ Self {{ a, b }} }}
        pub fn swapped(self) -> Self {{ Pair {{ a: self.b, b: self.a }} }}
        pub fn map(self, f: impl Fn(T) -> T) -> Self {{ Self::new(f(self.a), f(self.b)) }}
        pub fn set(&mut self, to: T) {{ self.a = to; }}
    }}
    #[derive(Clone, Copy)] pub enum Either<A, B> {{ Left(A), Right(B) }}
    impl<A: Copy, B: Copy> Either<A, B> {{
        pub fn left_or(self, other: A) -> A {{ match self {{ Either::Left(a) => a, Either::Right(_) => other }} }}
    }}
}}
use kinds::{{all, Both, Either, Kind, One, Pair}};
#[vyre::device] const fn step(one: {a}, other: {a}) -> {a} {{ {step} }}
#[vyre::device] const fn table() -> [{a}; 4] {{
    let mut all = [{start}{a}; 4];
    let mut i = 1;
    while i < 4 {{ let before = all[i - 1]; all[i] = step({next}, i as {a}); i += 1; }}
    all
}}
#[vyre::device] const TABLE: [{a}; 4] = table();
",
            doubled[0], sizes[0], fresh[0], fresh[1], sizes[1], fresh[2], sizes[2], fresh[3],
        );
        self.items.behaviour = Some(of);
    }

    /// A value that uses only these names, preceded by statements.
    fn body(&mut self, result: Prim, names: &[(&str, Prim)]) -> String {
        let outside = std::mem::take(&mut self.variables);
        names
            .iter()
            .for_each(|(name, prim)| self.add(name, Ty::Prim(*prim), false));
        self.refuel();
        let statements = self.statements(1, 1);
        self.refuel();
        let value = self.expr(result, 2, true).text;
        self.variables = outside;
        format!("{statements}{value}")
    }

    /// A constant expression.
    fn computed(&mut self, prim: Prim, names: &[&str]) -> String {
        let mut text = "$".to_owned();
        for _ in 0..6 {
            let with = self.random.pick(CONSTANTS);
            let with = with.replace("$T", prim.name());
            match self.random.once_in(3) {
                true => text = text.replacen('$', self.random.pick(names), 1),
                false => text = text.replacen('$', &with, 1),
            }
        }
        while text.contains('$') {
            let leaf = match self.random.once_in(2) {
                true => self.random.pick(names).to_owned(),
                false => format!("{}{}", self.random.below(100), prim.name()),
            };
            text = text.replacen('$', &leaf, 1);
        }
        text
    }

    /// A use of the module with this type.
    pub(super) fn behaved(&mut self, prim: Prim, depth: u32) -> Option<String> {
        let of = self.items.behaviour.filter(|of| of.result == prim)?;
        let depth = depth.min(1);
        let mut parts = self.random.pick(USES).split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (hole, rest) = part.split_at(1);
            text += &match hole {
                "A" => self.expr(prim, depth, false).text,
                "B" => self.expr(of.by, depth, false).text,
                "X" => self.expr(of.field, depth, false).text,
                "Y" => {
                    let value = self.expr(of.field, depth, false).text;
                    format!("({})", self.ascribed(&Ty::Prim(of.field), &value))
                }
                "I" => self.in_closure(|maker| {
                    maker.add("it", Ty::Prim(prim), false);
                    maker.expr(prim, depth, false).text
                }),
                "C" => self.condition(depth).text,
                "Z" => format!("({})", self.expr(Prim::Usize, depth, false).text),
                _ => prim.name().to_owned(),
            };
            text += rest;
        }
        Some(text)
    }
}
