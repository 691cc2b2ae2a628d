//! Immediates from their text form.

use super::{Immediates, Number, Word};

/// The immediates that stand in a text.
#[derive(Debug)]
pub struct ImmediateReader<'t> {
    words: Vec<&'t str>,
    numbers: Vec<i128>,
    next_word: usize,
    next_number: usize,
    /// The first error.
    wrong: Option<String>,
}

impl<'t> ImmediateReader<'t> {
    pub fn new(words: Vec<&'t str>, numbers: Vec<i128>) -> Self {
        ImmediateReader {
            words,
            numbers,
            next_word: 0,
            next_number: 0,
            wrong: None,
        }
    }

    /// The first error of the operation's immediates, or that some are left.
    pub fn finish(self) -> Result<(), String> {
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
