//! Random kernels, and the numbers that their indices are.

use vyre_test_support::random::Random;

/// A thread of a block.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub(crate) index: usize,
    x: u64,
    y: u64,
}

/// The numbers that are the same for all lanes: index of the block, counter of the loop, argument.
pub(crate) struct Numbers {
    block: u64,
    counter: u64,
    width: u64,
}

impl Numbers {
    pub(crate) const ZERO: Numbers = Numbers {
        block: 0,
        counter: 0,
        width: 0,
    };
    /// Rows are far apart, and begin at sectors.
    pub(crate) const ANY: Numbers = Numbers {
        block: 3,
        counter: 5,
        width: 1 << 32,
    };
}

/// An index.
#[derive(Clone)]
pub(crate) enum Expression {
    X,
    Y,
    Lane,
    Linear,
    Block,
    Counter,
    Width,
    Constant(u64),
    Binary(char, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// The number for a thread; `None` if it is too large.
    pub(crate) fn value(&self, thread: Thread, numbers: &Numbers) -> Option<u64> {
        Some(match self {
            Expression::X => thread.x,
            Expression::Y => thread.y,
            Expression::Lane => thread.index as u64 % 32,
            Expression::Linear => thread.index as u64,
            Expression::Block => numbers.block,
            Expression::Counter => numbers.counter,
            Expression::Width => numbers.width,
            Expression::Constant(number) => *number,
            Expression::Binary(op, a, b) => {
                let (a, b) = (a.value(thread, numbers)?, b.value(thread, numbers)?);
                match op {
                    '+' => a.checked_add(b)?,
                    '*' => a.checked_mul(b)?,
                    '/' => a / b,
                    '%' => a % b,
                    '^' => a ^ b,
                    '&' => a & b,
                    '|' => a | b,
                    '<' => a.checked_mul(1 << b)?,
                    _ => a >> b,
                }
            }
        })
    }

    fn source(&self, block: [u64; 2]) -> String {
        match self {
            Expression::X => "tx".to_owned(),
            Expression::Y => "ty".to_owned(),
            Expression::Lane => "lane::index()".to_owned(),
            Expression::Linear => format!("(ty * {} + tx)", block[0]),
            Expression::Block => "block::idx().x".to_owned(),
            Expression::Counter => "k".to_owned(),
            Expression::Width => "w".to_owned(),
            Expression::Constant(number) => number.to_string(),
            Expression::Binary(op, a, b) => {
                let op = match op {
                    '<' => "<<".to_owned(),
                    '>' => ">>".to_owned(),
                    op => op.to_string(),
                };
                format!("({} {op} {})", a.source(block), b.source(block))
            }
        }
    }

    fn with(self, op: char, other: Expression) -> Expression {
        Expression::Binary(op, Box::new(self), Box::new(other))
    }
}

/// A kernel that loads from global and from shared memory, maybe under a condition.
pub(crate) struct Kernel {
    block: [u64; 2],
    /// Bytes of an element.
    pub(crate) bytes: u64,
    pub(crate) global: Expression,
    pub(crate) shared: Expression,
    /// An expression, a comparison, and a number.
    pub(crate) condition: Option<(Expression, &'static str, u64)>,
}

impl Kernel {
    pub(crate) fn threads(&self) -> impl Iterator<Item = Thread> + use<> {
        let [x, y] = self.block;
        (0..x * y).map(move |index| Thread {
            index: index as usize,
            x: index % x,
            y: index / x,
        })
    }

    /// True if a thread takes the branch.
    pub(crate) fn takes(&self, thread: Thread) -> bool {
        let Some((a, op, b)) = &self.condition else { return true };
        let a = a.value(thread, &Numbers::ZERO).unwrap_or(0);
        match *op {
            "<" => a < *b,
            ">=" => a >= *b,
            _ => a == *b,
        }
    }

    pub(crate) fn source(&self) -> String {
        let [x, y] = self.block;
        let (ty, length) = if self.bytes == 8 { ("f64", 4096) } else { ("f32", 8192) };
        let condition = match &self.condition {
            Some((a, op, b)) => format!("if {} {op} {b} ", a.source(self.block)),
            None => String::new(),
        };
        let (global, shared) = (self.global.source(self.block), self.shared.source(self.block));
        format!(
            "#[vyre::kernel(block = [{x}, {y}])]
fn k(w: usize, n: usize, x: &[{ty}], out: &mut [{ty}]) {{
    let tile = shared::<[{ty}; {length}]>();
    let (tx, ty) = (thread::idx().x, thread::idx().y);
    tile[tx] = 1.0;
    block::sync();
    let mut sum = 0.0;
    {condition}{{
        for k in 0..n {{
            sum += x[{global}];
            sum += tile[{shared}];
        }}
        out[0] = sum;
    }}
}}
"
        )
    }
}

/// A sum, product or other function of the index of the thread.
fn of_thread(random: &mut Random, depth: u32) -> Expression {
    let leaves = [
        Expression::X,
        Expression::X,
        Expression::X,
        Expression::Y,
        Expression::Lane,
        Expression::Linear,
    ];
    if depth == 0 || random.once_in(4) {
        return leaves[random.index(leaves.len())].clone();
    }
    let a = of_thread(random, depth - 1);
    let b = match random.once_in(3) {
        true => of_thread(random, depth - 1),
        false => Expression::Constant(random.pick(&[0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33])),
    };
    match random.below(12) {
        0..3 => a.with('+', b),
        3..6 => a.with(
            '*',
            Expression::Constant(random.pick(&[1, 2, 3, 4, 5, 8, 16, 17, 32, 33])),
        ),
        6 => a.with('/', Expression::Constant(random.pick(&[2, 3, 4, 8, 16, 32]))),
        7 => a.with('%', Expression::Constant(random.pick(&[2, 3, 4, 5, 8, 16, 32]))),
        8 => a.with('^', b),
        9 => a.with(random.pick(&['&', '|']), b),
        10 => a.with('<', Expression::Constant(random.below(6))),
        _ => a.with('>', Expression::Constant(random.below(6))),
    }
}

/// The same, plus multiples of numbers that are the same for all lanes: those of the block and the loop are multiples of
/// 64 elements, as those of rows are.
fn index(random: &mut Random, has_width: bool) -> Expression {
    let mut index = of_thread(random, 3);
    let factors = [Expression::Block, Expression::Counter];
    for factor in factors {
        if random.once_in(2) {
            let multiple = 64 * (1 + random.below(4));
            let term = match random.once_in(2) {
                true => factor.with('*', Expression::Constant(multiple)),
                false => Expression::Constant(multiple).with('*', factor),
            };
            index = index.with('+', term);
        }
    }
    if has_width && random.once_in(3) {
        let of = of_thread(random, 1);
        index = index.with('+', of.with('*', Expression::Width));
    }
    // Quotients and bits of the whole.
    match random.below(10) {
        0 if !has_width => index.with('>', Expression::Constant(random.below(4))),
        1 if !has_width => index.with('&', Expression::Constant(random.pick(&[31, 63]))),
        _ => index,
    }
}

pub(crate) fn random(seed: u64) -> Kernel {
    let random = &mut Random::new(seed);
    let block = random.pick(&[
        [32, 1],
        [64, 1],
        [256, 1],
        [32, 8],
        [16, 16],
        [8, 8],
        [8, 4],
        [64, 4],
        [5, 7],
        [48, 2],
    ]);
    Kernel {
        block,
        bytes: random.pick(&[4, 4, 8]),
        global: index(random, true),
        shared: index(random, false),
        condition: random.once_in(2).then(|| {
            let (a, op) = (of_thread(random, 2), random.pick(&["<", ">=", "=="]));
            (a, op, random.pick(&[0, 1, 2, 3, 8, 16, 31, 40]))
        }),
    }
}
