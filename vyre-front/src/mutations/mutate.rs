//! Small changes of tokens.

use std::collections::BTreeMap;

use proc_macro2::{Group, TokenStream, TokenTree};
use vyre_test_support::random;

use super::corpus::Unit;

/// Draws numbers.
pub(super) struct Random(random::Random);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(random::Random::new(seed))
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.index(n.max(1))
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    fn word(&mut self) -> u64 {
        [0; 2]
            .into_iter()
            .fold(0, |word, _: u8| (word << 32) | (self.below(1 << 31) as u64 * 2))
    }
}

/// A number that goes with a text and another number (FNV-1a).
pub(super) fn hash(text: &str, number: u64) -> u64 {
    let bytes = text.bytes().chain(number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Things from which one is drawn: what is added later changes few draws, and its place among the others none.
struct Drawn<T> {
    /// By a number of the text and of how often it was there before.
    by_hash: BTreeMap<u64, T>,
    counts: BTreeMap<u64, u64>,
}

impl<T> Drawn<T> {
    const NONE: Self = Drawn {
        by_hash: BTreeMap::new(),
        counts: BTreeMap::new(),
    };

    fn add(&mut self, text: &str, thing: T) {
        let count = self.counts.entry(hash(text, 0)).or_insert(0);
        *count += 1;
        self.by_hash.insert(hash(text, *count), thing);
    }

    fn draw(&self, random: &mut Random) -> Option<&T> {
        let next = self.by_hash.range(random.word()..).next();
        next.or(self.by_hash.first_key_value()).map(|(_, thing)| thing)
    }
}

/// Replacements of tokens.
pub(super) struct Pool {
    /// The single tokens of all kernels: names, marks, numbers, groups.
    tokens: Drawn<TokenTree>,
    /// Their statements.
    statements: Drawn<TokenStream>,
    /// Types, operators and expressions in which mistakes are made.
    pieces: Vec<TokenStream>,
}

/// Fragments that represent classes of user input.
const PIECES: &[&str] = &[
    "u8",
    "i8",
    "u16",
    "i64",
    "u64",
    "usize",
    "isize",
    "f32",
    "f64",
    "bool",
    "u128",
    "char",
    "&str",
    "String",
    "()",
    "(u32, f32)",
    "[f32; 4]",
    "[u8; 0]",
    "&[f32]",
    "&mut [u32]",
    "&mut u32",
    "Option<u32>",
    "Result<u32, f32>",
    "Vec<f32>",
    "Box<u32>",
    "*const f32",
    "impl Fn(u32) -> u32",
    "dyn Fn()",
    "fn(u32)",
    "AtomicU32",
    "&[AtomicU64]",
    "[[f32; 8]; 8]",
    "Self",
    "_",
    "!",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "&",
    "|",
    "<<",
    ">>",
    "&&",
    "||",
    "==",
    "!=",
    "<",
    ">=",
    "+=",
    "<<=",
    "=",
    "!",
    "..",
    "..=",
    "?",
    "as u8",
    "as f32",
    "as usize",
    "as bool",
    "0",
    "1",
    "255u8",
    "-1",
    "1u64 << 40",
    "18446744073709551615",
    "1e300",
    "0.5f32",
    "'a'",
    "b'a'",
    "\"text\"",
    "b\"bytes\"",
    "1_000_000_007",
    "0x1p3",
    "return",
    "return 1",
    "break",
    "continue",
    "break 'outer",
    "'outer: loop",
    "loop {}",
    "if true",
    "else",
    "match",
    "unsafe",
    "async",
    "const",
    "move",
    "mut",
    "ref",
    "let",
    "static X: u32 = 1;",
    "fn inner() {}",
    "use super::*;",
    "#[cfg(test)]",
    "#[each]",
    "let x;",
    "let (a, b) = (1, 2);",
    "let [p, q] = [1u32, 2];",
    "let f = |v: u32| v + 1;",
    "|a, b| a",
    "thread::index()",
    "thread::idx().x",
    "block::sync();",
    "grid::sync();",
    "warp::sum(1u32)",
    "warp::shuffle(1.0f32, 3)",
    "lane::index()",
    "shared::<[u32; 64]>()",
    "shared::slice::<f32>(8)",
    "shared::dynamic::<u32>()",
    "Some(1)",
    "None",
    "Ok::<u32, u32>(2)",
    "x[0]",
    "x.len()",
    "y[1] = 2;",
    ".0",
    ".x",
    ".unwrap()",
    ".iter()",
    ".min(1)",
    ".sqrt()",
    ".abs()",
    ".wrapping_add(1)",
    ".fetch_add(1, Ordering::Relaxed)",
    ".load(Ordering::SeqCst)",
    "::<u32>",
    "::<4>",
    "assert!(true, \"no {}\", 1);",
    "println!(\"{:?}\", 1);",
    "panic!(\"stop\");",
    "vec![1]",
    "format!(\"\")",
    "matches!(1, 0..=3)",
    "u32::MAX",
    "f32::INFINITY",
    "f64::consts::PI",
    "core::mem::swap",
    "std::cmp::max(1, 2)",
    "-9223372036854775808i64",
    "[1; 3]",
    "[1u32, 2][0]",
    "{ 1 }",
    "(1, 2).0",
    "x as *const u32",
    "&x[1..]",
    "&mut y[0]",
    "*y",
    "for i in 0..4 {}",
    "while false {}",
    "if let Some(v) = None {}",
    "cluster::sync();",
    "pipeline::commit();",
    "mma::C::<f64, 8, 8>::zero()",
    "warp::tile::<8>()",
    "block::barrier::<1, 64>()",
    "shared::barriers::<1, 32>()",
    "ptx!(\"nop;\")",
    "Slice2<'_, f32>",
    "a[[0, 1]]",
];

impl Pool {
    pub(super) fn of(units: &[Unit]) -> Self {
        let mut pool = Pool {
            tokens: Drawn::NONE,
            statements: Drawn::NONE,
            pieces: PIECES.iter().filter_map(|piece| piece.parse().ok()).collect(),
        };
        for unit in units {
            pool.add(unit.kernel.clone());
            unit.items.iter().for_each(|item| pool.add(item.clone()));
        }
        pool
    }

    fn add(&mut self, stream: TokenStream) {
        let mut statement = TokenStream::new();
        for token in stream {
            statement.extend([token.clone()]);
            let ends = match &token {
                TokenTree::Punct(mark) => mark.as_char() == ';',
                TokenTree::Group(group) => {
                    self.add(group.stream());
                    group.delimiter() == proc_macro2::Delimiter::Brace
                }
                _ => false,
            };
            if ends {
                self.statements
                    .add(&statement.to_string(), std::mem::take(&mut statement));
            }
            self.tokens.add(&token.to_string(), token);
        }
    }

    /// A token of the kind of another.
    fn alike(&self, token: &TokenTree, random: &mut Random) -> Option<TokenTree> {
        let kind = std::mem::discriminant(token);
        (0..200)
            .filter_map(|_| self.tokens.draw(random))
            .find(|other| std::mem::discriminant(*other) == kind)
            .cloned()
    }
}

/// The stream with a change at one place, mostly inside of its groups.
pub(super) fn mutate(stream: TokenStream, pool: &Pool, random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = stream.into_iter().collect();
    if tokens.is_empty() {
        return random.of(&pool.pieces).cloned().unwrap_or_default();
    }
    let at = random.below(tokens.len());
    // Tokens inside a group are reached through it: large groups are entered more often.
    let groups = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        TokenTree::Group(group) => Some((at, group.stream().into_iter().count())),
        _ => None,
    });
    let largest = groups.max_by_key(|&(_, count)| count);
    let inside = match (&tokens[at], largest) {
        (TokenTree::Group(_), _) => random.below(8) != 0,
        (_, Some(_)) => random.below(3) != 0,
        _ => false,
    };
    let at = match (&tokens[at], largest) {
        (TokenTree::Group(_), _) => at,
        (_, Some((largest, _))) if inside => largest,
        _ => at,
    };
    if let (true, TokenTree::Group(group)) = (inside, &tokens[at]) {
        tokens[at] = TokenTree::Group(Group::new(group.delimiter(), mutate(group.stream(), pool, random)));
        return tokens.into_iter().collect();
    }
    let other = random.below(tokens.len());
    match random.below(12) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let next = (at + 1) % tokens.len();
            tokens.swap(at, next);
        }
        3 => tokens.swap(at, other),
        4 => {
            let (from, to) = (at.min(other), at.max(other));
            drop(tokens.drain(from..to));
        }
        5 => {
            let (from, to) = (at.min(other), at.max(other));
            let again = tokens[from..to].to_vec();
            drop(tokens.splice(to..to, again));
        }
        6 => {
            let statement = pool.statements.draw(random).cloned().unwrap_or_default();
            // After the end of a statement, if there is one.
            let ends = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
            let at = tokens[at..].iter().position(ends).map_or(at, |found| at + found + 1);
            drop(tokens.splice(at..at, statement));
        }
        7 | 8 => {
            let piece = random.of(&pool.pieces).cloned().unwrap_or_default();
            let end = at + random.below(2);
            drop(tokens.splice(at..end, piece));
        }
        // A token of its own kind leaves most functions whole.
        _ => {
            if let Some(token) = pool.alike(&tokens[at], random) {
                tokens[at] = token;
            }
        }
    }
    tokens.into_iter().collect()
}
