//! Immediates: the fields of operations that are not operands, with their visitor and text form.
//!
//! An operation is written as its name, then words after dots, then numbers in brackets:
//! `named_barrier.wait[1, 64]`, `load.constant.f32[16]`. One visitor of its fields serves both
//! directions, so printer and parser agree.

use std::fmt::{self, Write};

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
pub(crate) struct ImmediateWriter<'o> {
    out: &'o mut String,
    /// Number of immediates in the brackets.
    numbers: u32,
}

impl<'o> ImmediateWriter<'o> {
    pub(crate) fn new(out: &'o mut String) -> Self {
        ImmediateWriter { out, numbers: 0 }
    }

    /// Ends the brackets.
    pub(crate) fn close(self) {
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

/// The immediates that stand in a text.
pub(crate) struct ImmediateReader<'t> {
    words: Vec<&'t str>,
    numbers: Vec<i128>,
    next_word: usize,
    next_number: usize,
    /// The first error.
    wrong: Option<String>,
}

impl<'t> ImmediateReader<'t> {
    pub(crate) fn new(words: Vec<&'t str>, numbers: Vec<i128>) -> Self {
        ImmediateReader {
            words,
            numbers,
            next_word: 0,
            next_number: 0,
            wrong: None,
        }
    }

    /// The first error of the operation's immediates, or that some are left.
    pub(crate) fn finish(self) -> Result<(), String> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        if let Some(word) = self.words.get(self.next_word) {
            return Err(format!("the operation takes no `.{word}` here"));
        }
        match self.numbers.get(self.next_number) {
            Some(number) => Err(format!("the operation takes no `{number}` in its brackets")),
            None => Ok(()),
        }
    }

    fn fail(&mut self, wrong: String) {
        self.wrong.get_or_insert(wrong);
    }
}

impl Immediates for ImmediateReader<'_> {
    fn word<W: Word>(&mut self, word: &mut W) {
        let given = self.words.get(self.next_word).copied();
        if let Some(found) = given.and_then(W::of) {
            *word = found;
            self.next_word += 1;
        } else if let Some(left_out) = W::of("") {
            *word = left_out;
        } else {
            self.fail(format!("`{}` does not fit here", given.unwrap_or("nothing")));
        }
    }

    fn flag(&mut self, name: &'static str, flag: &mut bool) {
        *flag = self.words.get(self.next_word) == Some(&name);
        self.next_word += usize::from(*flag);
    }

    fn number<N: Number>(&mut self, number: &mut N) {
        match self.numbers.get(self.next_number).copied().and_then(N::of) {
            Some(found) => *number = found,
            None => self.fail("a number in brackets is missing or does not fit".to_owned()),
        }
        self.next_number += 1;
    }

    fn offset(&mut self, offset: &mut i32) {
        match self.numbers.get(self.next_number) {
            Some(_) => self.number(offset),
            None => *offset = 0,
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
