//! Assumptions about a launch: inequalities between sums of products of numbers that are the same for all its threads.
//!
//! The compiler finds them, an entry of a kernel may rely on them, and the host evaluates them before it launches that
//! entry. Sums have 128 bits, and products what 64 bits times 64 bits have. One that needs more makes the inequality false.

use std::fmt::{self, Write};

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

/// A number that an encoded assumption asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The unsigned scalar of a size in bytes, at an offset behind a pointer of the launch's arguments.
    Argument {
        /// The index of the pointer.
        pointer: usize,
        /// The offset in bytes.
        offset: usize,
        /// 1, 2, 4 or 8.
        bytes: usize,
    },
    /// The blocks of the grid along an axis.
    Grid(usize),
    /// The bytes of dynamic shared memory.
    SharedBytes,
}

/// The sources' numbers in the code: those of arguments are last, twice each, the second one with a sum and a divisor.
const GRID: u64 = 0;
const SHARED_BYTES: u64 = 3;
const ARGUMENT: u64 = 4;
/// More than a scalar has bytes: times an offset, plus the bytes, is one number.
const OFFSET: u64 = 16;
/// More than a sum has products: times those on the left, plus those on the right, is one number.
const SIDE: u64 = 16;

/// The code of `1 <= 0`.
pub const NEVER: [u8; 2] = [SIDE as u8, 0];

/// Inequalities that all have to hold, as bytes for [`holds`]. `pointer` is the first pointer of a parameter among those of
/// a launch; a slice has a second one to its length. `None` for one with a constant that rustc supplies, or a factor above
/// 2^64.
pub fn encode(all: &[Inequality], pointer: &dyn Fn(u32) -> u32) -> Option<Vec<u8>> {
    let mut code = Vec::new();
    for one in all {
        number(&mut code, SIDE * one.left.len() as u64 + one.right.len() as u64);
        if one.right.len() as u64 >= SIDE {
            return None;
        }
        for product in one.left.iter().chain(&one.right) {
            let has_factor = product.factor != 1;
            number(&mut code, 2 * product.symbols.len() as u64 + u64::from(has_factor));
            if has_factor {
                number(&mut code, u64::try_from(product.factor).ok()?);
            }
            for &symbol in &product.symbols {
                match symbol {
                    Symbol::Grid(axis) => number(&mut code, GRID + u64::from(axis)),
                    Symbol::SharedBytes => number(&mut code, SHARED_BYTES),
                    Symbol::External(_) => return None,
                    Symbol::Argument {
                        parameter,
                        offset,
                        bytes,
                        more,
                        by,
                    } => {
                        // The parameter behind this one tells a slice.
                        let first = pointer(parameter);
                        let (pointer, offset) = match pointer(parameter + 1) - first {
                            2 if offset == 8 => (first + 1, 0),
                            _ => (first, offset),
                        };
                        let is_quotient = more != 0 || by > 1;
                        number(&mut code, ARGUMENT + 2 * u64::from(pointer) + u64::from(is_quotient));
                        number(&mut code, OFFSET * u64::from(offset) + u64::from(bytes));
                        if is_quotient {
                            number(&mut code, more.into());
                            number(&mut code, by.into());
                        }
                    }
                }
            }
        }
    }
    Some(code)
}

/// True if all inequalities of [`encode`] hold for these numbers.
#[inline]
pub fn holds(mut code: &[u8], value: impl Fn(Source) -> u64) -> bool {
    while !code.is_empty() {
        let sides = next(&mut code);
        let left = sum(&mut code, sides / SIDE, &value);
        let right = sum(&mut code, sides % SIDE, &value);
        if !matches!((left, right), (Some(left), Some(right)) if left <= right) {
            return false;
        }
    }
    true
}

/// The next sum; `None` if it is above 2^128.
#[inline]
fn sum(code: &mut &[u8], products: u64, value: &impl Fn(Source) -> u64) -> Option<u128> {
    let mut sum = Some(0u128);
    for _ in 0..products {
        let symbols = next(code);
        let mut product = Some(1);
        if symbols % 2 == 1 {
            product = Some(next(code).into());
        }
        for _ in 0..symbols / 2 {
            let source = next(code);
            let by = match source {
                SHARED_BYTES => Some(value(Source::SharedBytes)),
                0..SHARED_BYTES => Some(value(Source::Grid((source - GRID) as usize))),
                _ => {
                    let place = next(code);
                    let (offset, bytes) = ((place / OFFSET) as usize, (place % OFFSET) as usize);
                    let pointer = ((source - ARGUMENT) / 2) as usize;
                    let scalar = value(Source::Argument { pointer, offset, bytes });
                    match (source - ARGUMENT) % 2 {
                        0 => Some(scalar),
                        _ => {
                            let (more, by) = (next(code), next(code));
                            quotient(scalar, more, by)
                        }
                    }
                }
            };
            product = product.and_then(|product| times(product, by?));
        }
        sum = sum.and_then(|sum| sum.checked_add(product?));
    }
    sum
}

/// Appends a number, seven bits a byte.
fn number(code: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        code.push(number as u8 | 128);
        number >>= 7;
    }
    code.push(number as u8);
}

/// Takes a number off the front; zero at the end.
#[inline]
fn next(code: &mut &[u8]) -> u64 {
    if let [byte @ 0..128, rest @ ..] = *code {
        *code = rest;
        return u64::from(*byte);
    }
    let (mut number, mut shift) = (0, 0);
    while let [byte, rest @ ..] = *code {
        *code = rest;
        number |= u64::from(byte & 127) << shift;
        if *byte < 128 {
            break;
        }
        shift = (shift + 7) % 64;
    }
    number
}

#[cfg(test)]
mod tests;
