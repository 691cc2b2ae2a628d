//! Assumptions about a launch: inequalities between sums of products of numbers that are the same for all its threads.
//!
//! The compiler finds them, an entry of a kernel may rely on them, and the host evaluates them before it launches that
//! entry. Sums have 128 bits, and products what 64 bits times 64 bits have. One that needs more makes the inequality false.

mod code;

use std::fmt::{self, Write};

pub use code::{MAX_VALUES, NEVER, Source, encode, holds, sides};

/// A number that is the same for the whole launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The unsigned scalar at a byte offset of a parameter, and the length of a slice at 8: `(scalar + more) / by`.
    Argument {
        /// The index of the parameter.
        parameter: u32,
        /// The offset in bytes.
        offset: u32,
        /// The size of the scalar in bytes.
        bytes: u32,
        /// Added to the scalar.
        more: u32,
        /// Divides the sum, which is rounded down; not zero.
        by: u32,
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

/// A sum of products that has to be at most another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inequality {
    /// The smaller one.
    pub left: Vec<Product>,
    /// The greater one.
    pub right: Vec<Product>,
}

impl Symbol {
    /// The scalar at a byte offset of a parameter.
    pub fn argument(parameter: u32, offset: u32, bytes: u32) -> Symbol {
        Symbol::Argument {
            parameter,
            offset,
            bytes,
            more: 0,
            by: 1,
        }
    }

    /// The number itself, from that of the argument.
    fn number(self, value: u64) -> Option<u64> {
        match self {
            Symbol::Argument { more, by, .. } => quotient(value, more.into(), by.into()),
            _ => Some(value),
        }
    }

    fn write(self, names: &[String], out: &mut String) -> fmt::Result {
        match self {
            Symbol::Argument {
                parameter,
                offset,
                more,
                by,
                ..
            } => {
                let name = names.get(parameter as usize).map_or("?", String::as_str);
                out.push_str(if by > 1 { "(" } else { "" });
                out.push_str(if by > 1 && more > 0 { "(" } else { "" });
                match offset {
                    0 => out.push_str(name),
                    8 => write!(out, "{name}.len()")?,
                    offset => write!(out, "{name}[byte {offset}]")?,
                }
                match (more, by) {
                    (_, 0..=1) => Ok(()),
                    (0, by) => write!(out, " / {by})"),
                    (more, by) => write!(out, " + {more}) / {by})"),
                }
            }
            Symbol::Grid(axis) => write!(out, "grid.{}", ["x", "y", "z"][axis as usize]),
            Symbol::SharedBytes => write!(out, "shared_bytes"),
            Symbol::External(number) => write!(out, "constant {number}"),
        }
    }
}

impl Product {
    /// A constant.
    pub fn constant(factor: u128) -> Product {
        Product {
            factor,
            symbols: Vec::new(),
        }
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
            symbol.write(names, out)?;
        }
        Ok(())
    }
}

impl Inequality {
    /// True if it holds for these numbers of [`Symbol`]s; `None` if one of them is not known. That of an argument is the
    /// scalar.
    pub fn holds(&self, value: &dyn Fn(Symbol) -> Option<u64>) -> Option<bool> {
        let sum = |products: &[Product]| {
            let mut sum = Some(0u128);
            for product in products {
                let mut number = Some(product.factor);
                for &symbol in &product.symbols {
                    let by = symbol.number(value(symbol)?);
                    number = number.and_then(|number| times(number, by?));
                }
                sum = sum.and_then(|sum| sum.checked_add(number?));
            }
            Some(sum)
        };
        Some(matches!((sum(&self.left)?, sum(&self.right)?), (Some(left), Some(right)) if left <= right))
    }

    /// The text, with the names of the parameters: `32 * grid.x <= width`.
    pub fn text(&self, names: &[String]) -> String {
        let mut out = String::new();
        for (separator, products) in [("", &self.left), (" <= ", &self.right)] {
            out.push_str(separator);
            for (number, product) in products.iter().enumerate() {
                out.push_str(if number > 0 { " + " } else { "" });
                // Writing to a string does not fail.
                let _ = product.write(names, &mut out);
            }
            out.push_str(if products.is_empty() { "0" } else { "" });
        }
        out
    }
}

/// `(value + more) / by`; `None` if the sum is above 2^64.
#[inline]
fn quotient(value: u64, more: u64, by: u64) -> Option<u64> {
    let sum = value.checked_add(more)?;
    Some(if by > 1 { sum / by } else { sum })
}

/// A product with a factor of 64 bits; `None` if the other one has more, too.
#[inline]
fn times(number: u128, by: u64) -> Option<u128> {
    let number = u64::try_from(number).ok()?;
    Some(u128::from(number) * u128::from(by))
}

#[cfg(test)]
mod tests;
