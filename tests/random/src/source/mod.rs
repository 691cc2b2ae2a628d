//! Random Rust programs from a seed, for the front end: its results are compared with rustc's for
//! the same text.
//!
//! A program has items and a function `f` of four `u64`, whose result is a digest of all variables
//! at the end. rustc accepts nearly all programs; [`rustc`] drops the others. Unspecified behaviour
//! is avoided as follows:
//!
//! - loops have small constant trip counts, and functions call only earlier ones;
//! - the bits of a float go through `bits32` and `bits64`, for which all NaNs are equal;
//! - the sign of a NaN, which rustc leaves open, is not observed, and zero is added to `min` and `max` of floats.
//!
//! Borrows are tracked: borrowed variables are not mentioned meanwhile, or not assigned to.

mod behaviour;
mod calls;
mod chains;
mod exprs;
mod items;
pub mod kernels;
mod library;
mod matches;
mod methods;
mod places;
pub mod rustc;
mod shared;
pub mod shrink;
mod stmts;
mod types;
pub mod vyre;

use vyre_test_support::random_program::Random;

use items::Items;
use types::{Prim, Ty};

/// Limit of the non-leaf expressions of a statement.
const FUEL: u32 = 18;

/// A program in Rust.
#[derive(Clone, Debug)]
pub struct Source {
    /// Items beside the kernel and `f`, with vyre's attributes.
    pub text: String,
    /// The arguments of the calls of `f`.
    pub inputs: Vec<[u64; 4]>,
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Ty,
    /// True if it may be assigned to.
    mutable: bool,
}

/// The generator of a program.
struct Maker {
    random: Random,
    items: Items,
    variables: Vec<Variable>,
    /// Names of borrowed variables; true if mutably.
    borrowed: Vec<(String, bool)>,
    /// Labels of the enclosing loops; true if `continue` may name them.
    loops: Vec<(String, bool)>,
    /// The result type of the function, if `return` is allowed.
    result: Option<Ty>,
    fuel: u32,
    labels: u32,
    /// Depth of nested statements.
    nesting: u32,
}

/// The program of a seed.
pub fn source(seed: u64) -> Source {
    let mut maker = Maker {
        random: Random::new(seed),
        items: Items::default(),
        variables: Vec::new(),
        borrowed: Vec::new(),
        loops: Vec::new(),
        result: None,
        fuel: FUEL,
        labels: 0,
        nesting: 0,
    };
    maker.make_items();
    let body = maker.main_body();
    let text = format!(
        "use vyre::prelude::*;\n{}#[vyre::device] fn f(a: u64, b: u64, c: u64, d: u64) -> u64 {{\n{body}}}\n",
        maker.items.text
    );
    let inputs = (0..6).map(|row| [0; 4].map(|_: u64| maker.input(row))).collect();
    Source { text, inputs }
}

impl Maker {
    fn input(&mut self, row: u64) -> u64 {
        match (row, self.random.below(4)) {
            (0, _) => 0,
            (1, _) => self.random.below(8),
            (_, 0) => self.random.bits() >> self.random.below(64),
            (_, 1) => self
                .random
                .pick(&[u64::MAX, 1 << 63, 0x7fff_ffff, 0x8000_0000, 0x3f80_0000, 0xffff_ff80]),
            (_, 2) => (self.random.below(20) as f64 * 0.75 - 5.0).to_bits(),
            _ => self.random.bits(),
        }
    }

    fn refuel(&mut self) {
        self.fuel = FUEL;
    }

    /// A label of its own.
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("'l{}", self.labels)
    }

    /// A name that may shadow others.
    fn name(&mut self) -> String {
        let plain = ["x", "y", "z", "n", "acc", "t", "v", "w"];
        self.random.pick(&plain).to_owned()
    }

    fn main_body(&mut self) -> String {
        let mut text = String::new();
        for input in ["a", "b", "c", "d"] {
            self.add(input, Ty::Prim(Prim::U64), false);
        }
        for number in 0..4 {
            // Depends on all inputs.
            let prim = self.prim();
            let input = self.random.pick(&["a", "b", "c", "d"]);
            let value = match prim {
                Prim::Bool => format!("{input} % 2 == 1"),
                Prim::F32 => format!("f32::from_bits({input} as u32)"),
                Prim::F64 => format!("f64::from_bits({input})"),
                _ => format!("{input} as {}", prim.name()),
            };
            let name = format!("p{number}");
            text += &format!("let mut {name} = {value};\n");
            self.add(&name, Ty::Prim(prim), true);
        }
        self.result = Some(Ty::Prim(Prim::U64));
        for _ in 0..3 + self.random.below(3) {
            text += &self.declaration();
        }
        text += &self.statements(7, 3);
        text += "let mut h = 0u64;\n";
        // The variables in scope at the end.
        for variable in self.visible(|_| true) {
            text += &self.digest(&variable.name, &variable.ty.clone(), "");
        }
        text + "h\n"
    }

    fn add(&mut self, name: &str, ty: Ty, mutable: bool) {
        let name = name.to_owned();
        self.variables.push(Variable { name, ty, mutable });
    }

    /// The variables that a name refers to and that are not borrowed mutably.
    fn visible(&self, fits: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        let mut seen: Vec<&str> = Vec::new();
        let mut found = Vec::new();
        for variable in self.variables.iter().rev() {
            if seen.contains(&variable.name.as_str()) {
                continue;
            }
            seen.push(&variable.name);
            let hidden = self
                .borrowed
                .iter()
                .any(|(name, mutable)| *mutable && *name == variable.name);
            if !hidden && fits(variable) {
                found.push(variable.clone());
            }
        }
        found
    }

    /// Those of them that may be assigned to.
    fn assignable(&self, fits: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        let free = |variable: &Variable| self.borrowed.iter().all(|(name, _)| *name != variable.name);
        self.visible(|variable| variable.mutable && free(variable) && fits(variable))
    }

    /// Runs `act` while a variable is borrowed.
    fn borrowing<R>(&mut self, name: &str, mutable: bool, act: impl FnOnce(&mut Self) -> R) -> R {
        self.borrowed.push((name.to_owned(), mutable));
        let result = act(self);
        self.borrowed.pop();
        result
    }

    /// Runs `act` in a new scope.
    fn scoped<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let variables = self.variables.len();
        let result = act(self);
        self.variables.truncate(variables);
        result
    }

    /// Statements that add a value to the digest `h`.
    fn digest(&mut self, place: &str, ty: &Ty, indent: &str) -> String {
        let mix = |value: String| format!("{indent}h = h.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ({value});\n");
        match ty {
            Ty::Prim(Prim::F32) => mix(format!("bits32({place})")),
            Ty::Prim(Prim::F64) => mix(format!("bits64({place})")),
            Ty::Prim(_) => mix(format!("{place} as u64")),
            Ty::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts
                    .map(|(number, part)| self.digest(&format!("{place}.{number}"), part, indent))
                    .collect()
            }
            Ty::Array(element, length) => {
                let elements = (0..*length).map(|index| self.digest(&format!("{place}[{index}]"), element, indent));
                elements.collect()
            }
            Ty::Struct(number) => {
                let fields = self.items.structs[*number].fields.clone();
                let fields = fields.iter();
                fields
                    .map(|(field, ty)| self.digest(&format!("{place}.{field}"), ty, indent))
                    .collect()
            }
            Ty::Option(inner) => {
                let inside = self.digest("it", inner, indent);
                format!("if let Some(it) = {place} {{ {inside} }} else {{ h = h.wrapping_add(77); }}\n")
            }
            Ty::Result(inner, other) => {
                let (inside, wrong) = (self.digest("it", inner, indent), self.digest("it", other, indent));
                format!(
                    "match {place} {{ Ok(it) => {{ {inside} }} Err(it) => {{ h = h.wrapping_add(78); {wrong} }} }}\n"
                )
            }
            Ty::Enum(number) => {
                let definition = self.items.enums[*number].clone();
                let mut text = format!("match {place} {{\n");
                for (index, variant) in definition.variants.iter().enumerate() {
                    let names: Vec<String> = (0..variant.fields.len()).map(|field| format!("e{field}")).collect();
                    let pattern = variant.with(&definition.name, &names);
                    let inside: String = names
                        .iter()
                        .zip(&variant.fields)
                        .map(|(name, ty)| self.digest(name, ty, indent))
                        .collect();
                    text += &format!("{pattern} => {{ h = h.wrapping_mul(31).wrapping_add({index}); {inside} }}\n");
                }
                text + "}\n"
            }
        }
    }
}
