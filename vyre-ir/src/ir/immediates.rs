//! Immediates: the fields of operations that are not operands, with their visitor and text form.
//!
//! An operation is written as its name, then words after dots, then numbers in brackets:
//! `named_barrier.wait[1, 64]`, `load.constant.f32[16]`. One visitor of its fields serves both
//! directions, so printer and parser agree.

#[cfg(feature = "programs")]
mod reader;

use std::fmt::{self, Write};

#[cfg(feature = "programs")]
pub use reader::ImmediateReader;

use super::{Access, AtomicOp, BinaryOp, Intrinsic, MatrixLoad, MemoryOrder, MemoryScope, Product, Scalar, Shuffle};

/// Visits the fields of an operation that are not operands: words first, then numbers.
pub trait Immediates {
    /// A word from a fixed set.
    fn word<W: Word>(&mut self, word: &mut W);
    /// An optional word.
    fn flag(&mut self, name: &'static str, flag: &mut bool);
    /// A number.
    fn number<N: Number>(&mut self, number: &mut N);
    /// A number that is omitted if it is 0; must be the last.
    fn offset(&mut self, offset: &mut i32);
}

/// A field written as a word.
pub trait Word: Copy {
    /// The word; empty for an omitted one.
    fn text(self) -> &'static str;
    /// The value of a word.
    fn of(text: &str) -> Option<Self>;
}

/// A field written as a number.
pub trait Number: Copy {
    /// The number.
    fn get(self) -> i128;
    /// The value of a number, if it fits.
    fn of(number: i128) -> Option<Self>;
}

macro_rules! words {
    ($($word:ident)*) => {
        $(impl Word for $word {
            fn text(self) -> &'static str {
                self.name()
            }
            fn of(text: &str) -> Option<Self> {
                $word::from_name(text)
            }
        })*
    };
}
words! { Scalar BinaryOp AtomicOp MemoryOrder MemoryScope Shuffle Product MatrixLoad }

impl Word for Access {
    fn text(self) -> &'static str {
        self.name()
    }
    fn of(text: &str) -> Option<Self> {
        Access::ALL.iter().copied().find(|access| access.name() == text)
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {
        $(impl Number for $number {
            fn get(self) -> i128 {
                self.into()
            }
            fn of(number: i128) -> Option<Self> {
                number.try_into().ok()
            }
        })*
    };
}
numbers! { u8 u32 u64 i32 }

/// Writes immediates.
#[derive(Debug)]
pub struct ImmediateWriter<'o> {
    out: &'o mut String,
    /// Number of immediates in the brackets.
    numbers: u32,
}

impl<'o> ImmediateWriter<'o> {
    pub fn new(out: &'o mut String) -> Self {
        ImmediateWriter { out, numbers: 0 }
    }

    /// Ends the brackets.
    pub fn close(self) {
        if self.numbers > 0 {
            self.out.push(']');
        }
    }
}

impl Immediates for ImmediateWriter<'_> {
    fn word<W: Word>(&mut self, word: &mut W) {
        if !word.text().is_empty() {
            self.out.push('.');
            self.out.push_str(word.text());
        }
    }

    fn flag(&mut self, name: &'static str, flag: &mut bool) {
        if *flag {
            self.out.push('.');
            self.out.push_str(name);
        }
    }

    fn number<N: Number>(&mut self, number: &mut N) {
        self.out.push_str(if self.numbers == 0 { "[" } else { ", " });
        self.numbers += 1;
        // Writing to a string does not fail.
        let _ = write!(self.out, "{}", number.get());
    }

    fn offset(&mut self, offset: &mut i32) {
        if *offset != 0 {
            self.number(offset);
        }
    }
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.row().name.to_owned();
        let mut writer = ImmediateWriter::new(&mut text);
        { *self }.immediates(&mut writer);
        writer.close();
        f.write_str(&text)
    }
}
