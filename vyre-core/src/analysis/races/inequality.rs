//! Conditions of a launch: products of parameters, lengths and extents of the grid, of which one is at most another.

use std::fmt::{self, Write};

/// A number that is the same for the whole launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The scalar at a byte offset of a parameter; the length of a slice is at 8.
    Argument {
        /// The index of the parameter.
        parameter: u32,
        /// The offset in bytes.
        offset: u32,
    },
    /// The blocks of the grid along an axis.
    Grid(u32),
    /// The bytes of dynamic shared memory.
    SharedBytes,
    /// A constant that rustc supplies.
    External(u32),
}

/// A constant times symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The constant.
    pub factor: u128,
    /// The symbols, sorted.
    pub symbols: Vec<Symbol>,
}

/// A product that has to be at most another one, without wrapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inequality {
    /// The smaller one.
    pub left: Product,
    /// The greater one.
    pub right: Product,
}

impl Product {
    fn value(&self, value: &dyn Fn(Symbol) -> Option<u64>) -> Option<u128> {
        let mut product = self.factor;
        for &symbol in &self.symbols {
            product = product.saturating_mul(value(symbol)?.into());
        }
        Some(product)
    }

    fn write(&self, names: &[String], out: &mut String) -> fmt::Result {
        if self.factor != 1 || self.symbols.is_empty() {
            match self.factor.is_power_of_two() && self.factor > 1 << 16 {
                true => write!(out, "2^{}", self.factor.trailing_zeros())?,
                false => write!(out, "{}", self.factor)?,
            }
        }
        for (number, symbol) in self.symbols.iter().enumerate() {
            if number > 0 || self.factor != 1 {
                out.push_str(" * ");
            }
            match *symbol {
                Symbol::Argument { parameter, offset } => {
                    let name = names.get(parameter as usize).map_or("?", String::as_str);
                    match offset {
                        0 => out.push_str(name),
                        8 => write!(out, "{name}.len()")?,
                        offset => write!(out, "{name}[byte {offset}]")?,
                    }
                }
                Symbol::Grid(axis) => write!(out, "grid.{}", ["x", "y", "z"][axis as usize])?,
                Symbol::SharedBytes => out.push_str("shared_bytes"),
                Symbol::External(number) => write!(out, "constant {number}")?,
            }
        }
        Ok(())
    }
}

impl Inequality {
    /// The same with the constants on one side.
    pub(super) fn reduced(mut self) -> Inequality {
        if self.right.symbols.is_empty() && !self.left.symbols.is_empty() {
            self.right.factor /= self.left.factor.max(1);
            self.left.factor = 1;
        } else {
            let common = gcd(self.left.factor, self.right.factor).max(1);
            self.left.factor /= common;
            self.right.factor /= common;
        }
        self
    }

    /// True if it holds for these numbers; `None` if one of them is not known.
    pub fn holds(&self, value: &dyn Fn(Symbol) -> Option<u64>) -> Option<bool> {
        Some(self.left.value(value)? <= self.right.value(value)?)
    }

    /// The text, with the names of the parameters: `32 * grid.x <= width`.
    pub fn text(&self, names: &[String]) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.left.write(names, &mut out);
        out.push_str(" <= ");
        let _ = self.right.write(names, &mut out);
        out
    }
}

/// Adds a condition to others, of which none follows from another one: a grid has at least one block along each axis.
pub(super) fn add(all: &mut Vec<Inequality>, one: &Inequality) {
    let one = one.clone().reduced();
    if all.iter().any(|known| implies(known, &one)) {
        return;
    }
    all.retain(|known| !implies(&one, known));
    all.push(one);
}

/// True if one condition holds wherever another one does, because its smaller product is smaller.
fn implies(strong: &Inequality, weak: &Inequality) -> bool {
    let mut more = strong.left.symbols.clone();
    for symbol in &weak.left.symbols {
        match more.iter().position(|other| other == symbol) {
            Some(at) => drop(more.remove(at)),
            None => return false,
        }
    }
    let are_grids = more.iter().all(|symbol| matches!(symbol, Symbol::Grid(_)));
    let (left, right) = (strong.left.factor, strong.right.factor);
    are_grids && left >= weak.left.factor && right <= weak.right.factor && strong.right.symbols == weak.right.symbols
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
