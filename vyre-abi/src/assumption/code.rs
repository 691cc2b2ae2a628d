//! The form in which a kernel's description holds its assumption: a flat program of words of 64 bits, which a launch
//! evaluates without a search and without memory.
//!
//! It begins with a byte, the number of values. A word for each follows, some with a second one: a symbol, so that each is
//! read once, whatever the number of products that it is in; a constant of more than 24 bits; or the product of two values
//! before it. Then come the products of all inequalities, each a word: a constant times two values. One bit says that the
//! product is on the greater side, another one that the inequality ends with it. Value 0 is the number 1.

use super::{Inequality, Product, Symbol, quotient};

/// Limit of the values of an assumption.
pub const MAX_VALUES: usize = 32;

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

// The lowest byte of a value's word: an axis of the grid, or one of these.
const SHARED_BYTES: u8 = 3;
/// The size in bytes is in the next byte, then 16 bits of the pointer and 32 of the offset.
const ARGUMENT: u8 = 4;
/// The same, with a second word: what is added, and the binary logarithm of what divides.
const SHIFTED: u8 = 5;
/// The same, with what divides.
const DIVIDED: u8 = 6;
/// The number is the second word.
const CONSTANT: u8 = 7;
/// The numbers of two values are in the bytes 4 and 5.
const PRODUCT: u8 = 8;

// The lowest byte of a product's word. 24 bits of the constant follow, then the numbers of two values.
const GREATER: u8 = 1;
const LAST: u8 = 2;

/// The code of `1 <= 0`.
pub const NEVER: [u8; 9] = [0, LAST, 1, 0, 0, 0, 0, 0, 0];

/// Inequalities that all have to hold, as bytes for [`holds`]. `pointer` is the first pointer of a parameter among those of
/// a launch; a slice has a second one to its length. `None` for one with a constant that rustc supplies, a factor above
/// 2^64 that is no multiple of 2^32, or more than [`MAX_VALUES`].
pub fn encode(all: &[Inequality], pointer: &dyn Fn(u32) -> u32) -> Option<Vec<u8>> {
    let mut values = Values {
        pointer,
        known: vec![Value::Constant(1)],
        words: Vec::new(),
    };
    let mut products = Vec::new();
    for one in all {
        let sides = one.left.iter().map(|product| (product, 0));
        let sides = sides.chain(one.right.iter().map(|product| (product, GREATER)));
        let first = products.len();
        for (product, side) in sides {
            let mut word = values.product(product)?;
            word[0] = side;
            products.push(word);
        }
        if let Some(last) = products[first..].last_mut() {
            last[0] |= LAST;
        }
    }
    let mut code = vec![values.known.len() as u8 - 1];
    code.extend(values.words.into_iter().chain(products).flatten());
    Some(code)
}

/// A value of a program.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Symbol(Symbol),
    Constant(u64),
    Product(u8, u8),
}

/// The values of a program, and their words.
struct Values<'p> {
    pointer: &'p dyn Fn(u32) -> u32,
    known: Vec<Value>,
    words: Vec<[u8; 8]>,
}

impl Values<'_> {
    /// The word of a product.
    fn product(&mut self, product: &Product) -> Option<[u8; 8]> {
        let (mut factor, mut factors) = (product.factor, Vec::new());
        // Times a symbol it would not fit into the words of the evaluation.
        if factor >> 64 != 0 && factor.trailing_zeros() >= 32 && product.symbols.is_empty() {
            factors.push(self.number(Value::Constant(1 << 32))?);
            factor >>= 32;
        }
        let mut constant = u64::try_from(factor).ok()?;
        if constant >> 24 != 0 {
            factors.push(self.number(Value::Constant(constant))?);
            constant = 1;
        }
        for &symbol in &product.symbols {
            factors.push(self.number(Value::Symbol(symbol))?);
        }
        while let [a, b, _, ..] = factors[..] {
            factors[1] = self.number(Value::Product(a, b))?;
            factors.remove(0);
        }
        let [_, low, middle, high, ..] = (constant << 8).to_le_bytes();
        let factor = |at: usize| factors.get(at).copied().unwrap_or(0);
        Some([0, low, middle, high, factor(0), factor(1), 0, 0])
    }

    /// The number of a value.
    fn number(&mut self, value: Value) -> Option<u8> {
        if let Some(known) = self.known.iter().position(|known| *known == value) {
            return Some(known as u8);
        }
        match value {
            Value::Symbol(symbol) => self.symbol(symbol)?,
            Value::Constant(number) => self
                .words
                .extend([u64::from(CONSTANT).to_le_bytes(), number.to_le_bytes()]),
            Value::Product(a, b) => self.words.push([PRODUCT, 0, 0, 0, a, b, 0, 0]),
        }
        self.known.push(value);
        (self.known.len() <= MAX_VALUES).then_some(self.known.len() as u8 - 1)
    }

    /// Adds the words of a symbol.
    fn symbol(&mut self, symbol: Symbol) -> Option<()> {
        let (parameter, offset, bytes, more, by) = match symbol {
            Symbol::Grid(axis) => {
                self.words.push(u64::from(axis).to_le_bytes());
                return Some(());
            }
            Symbol::SharedBytes => {
                self.words.push(u64::from(SHARED_BYTES).to_le_bytes());
                return Some(());
            }
            Symbol::External(_) => return None,
            Symbol::Argument {
                parameter,
                offset,
                bytes,
                more,
                by,
            } => (parameter, offset, bytes, more, by),
        };
        // The parameter behind this one tells a slice.
        let first = (self.pointer)(parameter);
        let (pointer, offset) = match (self.pointer)(parameter + 1) - first {
            2 if offset == 8 => (first + 1, 0),
            _ => (first, offset),
        };
        let (kind, by) = match by {
            1 if more == 0 => (ARGUMENT, 0),
            by if by.is_power_of_two() => (SHIFTED, by.trailing_zeros()),
            by => (DIVIDED, by),
        };
        let [low, high] = u16::try_from(pointer).ok()?.to_le_bytes();
        let [o0, o1, o2, o3] = offset.to_le_bytes();
        self.words.push([kind, bytes as u8, low, high, o0, o1, o2, o3]);
        if kind != ARGUMENT {
            self.words.push((u64::from(by) << 32 | u64::from(more)).to_le_bytes());
        }
        Some(())
    }
}

/// True if all inequalities of [`encode`] hold for these numbers. Code that ends within one, and no code,
/// holds for none.
#[inline]
pub fn holds(code: &[u8], value: impl Fn(Source) -> u64) -> bool {
    compare(code, value, |less, greater| less <= greater).is_some()
}

/// The sides of the last inequality of [`encode`] for these numbers; `None` if one has more than 128 bits.
pub fn sides(code: &[u8], value: impl Fn(Source) -> u64) -> Option<(u128, u128)> {
    let mut found = None;
    compare(code, value, |less, greater| {
        found = Some((less, greater));
        true
    })?;
    found
}

/// `None` if two sides do not compare, a number does not fit, or the code is none.
#[inline]
fn compare(code: &[u8], value: impl Fn(Source) -> u64, holds: impl FnMut(u128, u128) -> bool) -> Option<()> {
    let (&values, code) = code.split_first()?;
    match code.as_chunks() {
        (words, []) => compare_all(values, words, value, holds),
        _ => None,
    }
}

#[inline]
fn compare_all(
    count: u8,
    code: &[[u8; 8]],
    value: impl Fn(Source) -> u64,
    mut holds: impl FnMut(u128, u128) -> bool,
) -> Option<()> {
    let mut words = code.iter().map(|&word| u64::from_le_bytes(word));
    let mut values = [1; MAX_VALUES];
    let factor = |values: &[u64; MAX_VALUES], number: u64| values[number as usize % MAX_VALUES];
    for number in 1..=usize::from(count) {
        let word = words.next()?;
        let kind = word as u8;
        values[number % MAX_VALUES] = match kind {
            0..SHARED_BYTES => value(Source::Grid(kind.into())),
            SHARED_BYTES => value(Source::SharedBytes),
            CONSTANT => words.next()?,
            PRODUCT => factor(&values, word >> 32).checked_mul(factor(&values, word >> 40))?,
            _ => {
                let scalar = value(Source::Argument {
                    pointer: usize::from((word >> 16) as u16),
                    offset: (word >> 32) as usize,
                    bytes: usize::from((word >> 8) as u8),
                });
                match kind {
                    ARGUMENT => scalar,
                    _ => {
                        let word = words.next()?;
                        let (more, by) = (word & u64::from(u32::MAX), word >> 32);
                        match kind {
                            SHIFTED => scalar.checked_add(more)? >> (by % 64),
                            _ => quotient(scalar, more, by)?,
                        }
                    }
                }
            }
        };
    }
    let (mut less, mut greater, mut is_closed) = (0u128, 0u128, count == 0);
    for word in words {
        let first = (word >> 8 & 0xff_ffff).checked_mul(factor(&values, word >> 32))?;
        let product = u128::from(first) * u128::from(factor(&values, word >> 40));
        match word & u64::from(GREATER) {
            0 => less = less.checked_add(product)?,
            _ => greater = greater.checked_add(product)?,
        }
        is_closed = word & u64::from(LAST) != 0;
        if is_closed {
            if !holds(less, greater) {
                return None;
            }
            (less, greater) = (0, 0);
        }
    }
    is_closed.then_some(())
}
