//! Mnemonics and immediates.

use super::line::Line;
use super::{Parsed, Reader};
use crate::ssa::op::Op;
use crate::ssa::syntax::{Immediates, Number, Word, immediates, mnemonic, samples};

impl Reader {
    /// An operation with its operands.
    pub(super) fn operation(&mut self, line: &mut Line<'_>) -> Parsed<Op> {
        let text = line.until_space_or_bracket();
        let mut words = text.split('.');
        let name = words.next().unwrap_or_default();
        let mut op = samples()
            .into_iter()
            .find(|op| mnemonic(op) == name)
            .ok_or_else(|| format!("`{name}` is no operation"))?;
        let mut numbers = Vec::new();
        if line.eat("[") {
            while !line.eat("]") {
                numbers.push(line.signed()?);
                line.eat(",");
            }
        }
        let mut given = Given {
            words: words.collect(),
            numbers,
            next_word: 0,
            next_number: 0,
            wrong: None,
        };
        immediates(&mut op, &mut given);
        given.finish()?;
        let (mut first, mut result) = (true, Ok(()));
        op.visit_inline(&mut |operand| {
            if result.is_err() {
                return;
            }
            if !std::mem::replace(&mut first, false) {
                result = line.expect(",");
            }
            match result.clone().and_then(|()| self.operand(line)) {
                Ok(value) => *operand = value,
                Err(error) => result = Err(error),
            }
        });
        result?;
        if let Op::Product { operands, .. } | Op::Ptx { operands, .. } = &mut op {
            let mut list = Vec::new();
            while !line.is_empty() && !line.is_span() {
                list.push(self.operand(line)?);
                line.eat(",");
            }
            *operands = self.function.lists.add(&list);
        }
        Ok(op)
    }
}

/// The immediates that stand in the text.
struct Given<'t> {
    words: Vec<&'t str>,
    numbers: Vec<i64>,
    next_word: usize,
    next_number: usize,
    /// The first thing that was wrong.
    wrong: Option<String>,
}

impl Given<'_> {
    fn finish(self) -> Parsed<()> {
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

impl Immediates for Given<'_> {
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
