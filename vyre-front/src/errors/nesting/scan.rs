//! What the syntax of a group costs, token by token.

use proc_macro2::{Delimiter, Spacing, TokenTree};

// The costs are KiB of stack in a build without optimisation, as measured with the forms of the tests.

/// Brackets: a function in a function, or the parameters of the type of one.
pub(super) const GROUP: usize = 46;
/// `<..>` around types.
const ANGLES: usize = 54;
/// `&`, `*` and `->`, which may belong to types.
const POINTER: usize = 40;
/// Forms that extend to the end of a statement: `return`, `match`, `=`, `..`, closures.
const REST: usize = 24;
/// `-` and `!`.
const SIGN: usize = 6;
/// `::`, each of which is a tree in the tree of a `use`.
const PATH: usize = 5;
/// An operator that has all before it as its operand.
const PART: usize = 1;

/// The depth of the statements of a group, or of what stands in angle brackets.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// The deepest of those before.
    before: usize,
    /// What is nested to the right around the current operand.
    right: usize,
    /// The operators on the left of the current operand, with their operands.
    left: usize,
    /// The operators that the current operand begins with.
    signs: usize,
    /// The rest of the current operand.
    operand: usize,
}

impl Frame {
    fn value(&self) -> usize {
        self.left.max(self.signs + self.operand)
    }

    fn cost(&self) -> usize {
        self.before.max(self.right + self.value())
    }

    /// An operator between operands.
    fn binary(&mut self) {
        (self.left, self.signs, self.operand) = (self.value() + PART, 0, 0);
    }

    /// An operator before all that follows.
    fn rest(&mut self) {
        *self = Frame {
            before: self.cost(),
            right: self.right + self.signs + PART + REST,
            ..Frame::default()
        };
    }

    /// The end of a statement, or of an element of a list.
    fn end(&mut self) {
        *self = Frame {
            before: self.cost(),
            ..Frame::default()
        };
    }

    /// The same with something of a cost in the current operand.
    fn containing(&self, cost: usize) -> Frame {
        let operand = self.operand.max(cost);
        Frame { operand, ..*self }
    }
}

/// The walk over the tokens of a group.
pub(super) struct Scan {
    /// The statements of the group, and in them those of the open angle brackets.
    frames: Vec<Frame>,
    /// True for each `<` and `>` around types.
    angles: Vec<bool>,
    after_value: bool,
    /// True after braces that end a statement.
    ended: bool,
    /// The marks to come of the last operator.
    skipped: usize,
    /// The last token: a mark, or `a` for a word, or `e` for `else`.
    last: char,
    /// True if words are read. Otherwise each may be one that begins an expression, so the cost may be too high.
    exact: bool,
}

impl Scan {
    pub(super) fn of(tokens: &[TokenTree], exact: bool) -> Self {
        Scan {
            frames: vec![Frame::default()],
            angles: angles(tokens, exact),
            after_value: false,
            ended: false,
            skipped: 0,
            last: ' ',
            exact,
        }
    }

    /// The cost so far.
    pub(super) fn cost(&self) -> usize {
        let mut inside = 0;
        for frame in self.frames[1..].iter().rev() {
            inside = frame.containing(inside).cost() + ANGLES;
        }
        self.frames[0].containing(inside).cost()
    }

    /// Takes the cost of the group that was the last token.
    pub(super) fn contains(&mut self, cost: usize) {
        let top = self.top();
        *top = top.containing(cost);
    }

    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Counts the token at a position.
    pub(super) fn count(&mut self, tokens: &[TokenTree], at: usize, is_attribute: bool) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if std::mem::take(&mut self.ended) {
            self.end();
        }
        let last = std::mem::replace(&mut self.last, ' ');
        match &tokens[at] {
            TokenTree::Punct(mark) if self.angles[at] => self.angle(mark.as_char()),
            TokenTree::Punct(mark) => {
                self.last = mark.as_char();
                let text = joined(&tokens[at..], &self.angles[at..]);
                self.operator(&text, last);
            }
            TokenTree::Ident(word) => {
                self.last = 'a';
                match self.exact {
                    true => self.word(&word.to_string(), last),
                    false => {
                        self.top().rest();
                        self.after_value = true;
                    }
                }
            }
            TokenTree::Literal(_) => self.after_value = true,
            TokenTree::Group(_) if is_attribute => {}
            TokenTree::Group(group) => {
                let is_brace = group.delimiter() == Delimiter::Brace;
                if self.after_value && !is_brace {
                    self.top().operand += PART;
                }
                self.after_value = true;
                self.ended = is_brace && ends_statement(tokens.get(at + 1), self.exact);
            }
        }
    }

    fn end(&mut self) {
        self.top().end();
        self.after_value = false;
    }

    /// `<` or `>` around types.
    fn angle(&mut self, mark: char) {
        if mark == '<' {
            self.frames.push(Frame::default());
        } else if self.frames.len() > 1
            && let Some(inner) = self.frames.pop()
        {
            self.contains(inner.cost() + ANGLES);
        }
        self.after_value = mark == '>';
    }

    fn word(&mut self, word: &str, last: char) {
        self.after_value = false;
        match word {
            "as" => self.top().binary(),
            "else" => {
                self.top().binary();
                self.last = 'e';
            }
            // It goes on with what has begun before.
            "if" if last == 'e' => {}
            "return" | "break" | "yield" | "become" | "if" | "while" | "match" | "in" | "box" => self.top().rest(),
            "mut" | "const" | "dyn" | "impl" | "ref" | "let" | "move" | "async" | "unsafe" | "static" | "where" => {}
            // A lifetime or label is no value.
            _ => self.after_value = last != '\'',
        }
    }

    /// An operator, or another mark, at the beginning of a text.
    fn operator(&mut self, text: &[u8], last: char) {
        let begins = |all: &[&str]| all.iter().find(|it| text.starts_with(it.as_bytes())).map(|it| it.len());
        // In the order in which rustc would see them: the longer ones first.
        let operator = match self.after_value {
            true => begins(&[
                "<<=", ">>=", "...", "..=", "->", "=>", "::", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "..",
            ])
            .or_else(|| begins(&["+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="])),
            false => begins(&["...", "..=", "->", "=>", "::", "==", ".."]),
        };
        let length = operator.unwrap_or(1);
        let (value, exact) = (self.after_value, self.exact);
        self.after_value = false;
        self.skipped = length - 1;
        // A word that may be one that begins an expression, before what may be a sign.
        let unsure = !exact && last == 'a';
        let top = self.top();
        match &text[..length] {
            b";" | b"," | b"=>" => self.end(),
            b"->" => {
                top.rest();
                top.right += POINTER;
            }
            b"#" | b"$" | b"~" | b"\'" | b":" => {}
            b"?" => {
                top.operand += PART;
                self.after_value = true;
            }
            b"." => top.operand += PART,
            b"::" => top.operand += PATH,
            b"!" if value => self.after_value = true,
            b"-" | b"!" if !value => top.signs += SIGN,
            b"&" | b"*" if !value => top.signs += POINTER,
            b"-" | b"&" | b"*" if unsure => {
                top.rest();
                top.signs += POINTER;
            }
            b"|" if !value || unsure => top.rest(),
            b"=" | b"@" | b".." | b"..=" | b"..." => top.rest(),
            [.., b'='] if !matches!(&text[..length], b"==" | b"!=" | b"<=" | b">=") => top.rest(),
            _ => top.binary(),
        }
    }
}

/// The marks that `tokens` begin with, as far as they are joined, an operator is long, and none is an angle bracket.
fn joined(tokens: &[TokenTree], angles: &[bool]) -> [u8; 3] {
    let mut text = [b' '; 3];
    for (at, (token, is_angle)) in text.iter_mut().zip(tokens.iter().zip(angles)) {
        let TokenTree::Punct(mark) = token else { break };
        if *is_angle {
            break;
        }
        *at = u8::try_from(mark.as_char()).unwrap_or(b' ');
        if mark.spacing() == Spacing::Alone {
            break;
        }
    }
    text
}

/// True if a statement ends with braces before this token.
fn ends_statement(next: Option<&TokenTree>, exact: bool) -> bool {
    match next {
        // The condition of an `if` may have braces.
        None | Some(TokenTree::Group(_)) => false,
        Some(TokenTree::Punct(mark)) => matches!(mark.as_char(), '#' | '\''),
        Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Ident(word)) => exact && !["else", "as", "in"].iter().any(|it| word == it),
    }
}

/// The `<` and `>` that are brackets, and no operators: each has its partner in the same statement.
fn angles(tokens: &[TokenTree], exact: bool) -> Vec<bool> {
    let (mut found, mut open) = (vec![false; tokens.len()], Vec::new());
    let mut last = ' ';
    for (at, token) in tokens.iter().enumerate() {
        let before = std::mem::replace(&mut last, ' ');
        match token {
            TokenTree::Punct(mark) => match mark.as_char() {
                ';' => open.clear(),
                '<' => open.push(at),
                '>' if before == '=' => open.clear(),
                '>' if before == '-' => {}
                '>' => {
                    if let Some(partner) = open.pop() {
                        (found[partner], found[at]) = (true, true);
                    }
                }
                other if mark.spacing() == Spacing::Joint => last = other,
                _ => {}
            },
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace && ends_statement(tokens.get(at + 1), exact) =>
            {
                open.clear();
            }
            _ => {}
        }
    }
    found
}
