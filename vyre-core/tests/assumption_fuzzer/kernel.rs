//! Random kernels that read slices at indices made of threads, blocks, loops and parameters, with and without guards, and
//! store a sum, so that nothing is read in vain.

use std::fmt::Write;

use vyre_core::ir::Scalar;
use vyre_test_support::random_program::Random;

/// The slices, each of which one access reads.
pub(crate) const SLICES: usize = 4;
/// The bytes of their elements.
pub(crate) const SIZES: [u64; SLICES] = [1, 4, 1, 4];
/// Limit of the iterations of a loop.
const TRIPS: u64 = 6;

/// A kernel and its launch.
pub(crate) struct Kernel {
    pub(crate) text: String,
    pub(crate) grid: [u32; 3],
    /// The parameters behind the slices.
    pub(crate) scalars: Vec<(Scalar, u64)>,
}

struct Writer<'r> {
    random: &'r mut Random,
    scalars: Vec<(Scalar, u64)>,
    locals: String,
    body: String,
    depth: usize,
    sites: usize,
    loops: u32,
    /// The loops around.
    counters: u32,
    /// The names of values that can be read, all `u64`.
    values: Vec<String>,
    /// The last number that a condition has compared.
    tested: Option<(String, usize)>,
}

pub(crate) fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let mut pick = |choices: &[u32]| choices[random.below(choices.len() as u64) as usize];
    let block = [pick(&[1, 4, 8, 16, 32]), pick(&[1, 1, 2, 4]), pick(&[1, 1, 1, 2])];
    let grid = [pick(&[1, 2, 3, 4]), pick(&[1, 1, 2]), pick(&[1, 1, 1, 2])];
    let scalars = (0..4).map(|_| {
        let bits = match random.below(12) {
            0 => u64::MAX - random.below(4),
            1 => (1 << 32) - 1 - random.below(4),
            2 => (1 << 31) - random.below(3),
            // Few, and a multiple of 2^32, in quotients by powers of two.
            3 => (random.below(24) << 32 | random.below(9)) << random.below(5),
            4..=5 => 1 << random.below(7),
            _ => random.below(24),
        };
        match random.below(5) {
            0..=1 => (Scalar::U32, bits & 0xffff_ffff),
            2 => (Scalar::I32, bits & 0xffff_ffff),
            _ => (Scalar::U64, bits),
        }
    });
    let scalars = scalars.collect();
    let mut writer = Writer {
        random: &mut random,
        scalars,
        locals: "        let s: u32\n".to_owned(),
        body: String::new(),
        depth: 0,
        sites: 0,
        loops: 0,
        counters: 0,
        values: Vec::new(),
        tested: None,
    };
    writer.statements(3);
    while writer.sites == 0 {
        writer.access();
    }
    let (locals, body) = (writer.locals, writer.body);
    let scalars = writer.scalars;
    let mut parameters = (0..SLICES)
        .map(|number| format!("x{number}: &[{}]", ["u8", "u32"][number % 2]))
        .collect::<Vec<_>>();
    parameters.extend(
        (0..)
            .zip(&scalars)
            .map(|(number, (scalar, _))| format!("p{number}: {}", scalar.name())),
    );
    parameters.push("y: &mut [u32]".to_owned());
    let [x, y, z] = block;
    let text = format!(
        "vyre 1\ntype &[u8]\ntype &[u32]\ntype &mut [u32]\nkernel k({}) dimensions 3 block {x} {y} {z} {{\n entry k {{\n{locals}{body}        store y[unchecked 0u64] = s\n }}\n}}\n",
        parameters.join(", ")
    );
    Kernel { text, grid, scalars }
}

impl Writer<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:width$}{text}", "", width = 4 * self.depth + 8);
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.below(2) {
            let known = self.values.len();
            match self.below(if depth == 0 { 3 } else { 8 }) {
                0..=2 => self.access(),
                3..=5 => {
                    let condition = self.condition();
                    self.line(&format!("if {condition} {{"));
                    self.depth += 1;
                    self.statements(depth - 1);
                    self.depth -= 1;
                    self.line("}");
                }
                _ if self.loops < 2 => self.counted(depth - 1),
                _ => self.access(),
            }
            self.values.truncate(known);
        }
    }

    /// A loop over a range, in steps, whose iterations are few.
    fn counted(&mut self, depth: u32) {
        let number = self.loops;
        self.loops += 1;
        let (counter, trip) = (format!("i{number}"), format!("t{number}"));
        let _ = writeln!(self.locals, "        let {counter}: u64\n        let {trip}: u32");
        let step = [1, 1, 2, 3, 4, 8][self.below(6) as usize];
        let first = match self.below(4) {
            0 => self.number(1),
            1 => format!("{}u64", self.below(4)),
            _ => "0u64".to_owned(),
        };
        let limit = match self.below(3) {
            0 => format!("{}u64", step * (1 + self.below(TRIPS))),
            _ => self.parameter(),
        };
        self.line(&format!("store {counter} = {first}"));
        self.line(&format!("store {trip} = 0u32"));
        self.line("loop {");
        self.depth += 1;
        let mut tests = [
            format!("if lt({counter}, {limit}) {{ }} else {{ break 0 }}"),
            format!("if lt({trip}, {TRIPS}u32) {{ }} else {{ break 0 }}"),
        ];
        // The first one bounds its counter.
        if self.random.once_in(2) {
            tests.reverse();
        }
        tests.iter().for_each(|test| self.line(test));
        self.values.push(counter.clone());
        let around = std::mem::replace(&mut self.counters, number + 1);
        self.statements(depth);
        self.counters = around;
        self.depth -= 1;
        self.line("} step {");
        self.line(&format!("    store {counter} = add({counter}, {step}u64)"));
        self.line(&format!("    store {trip} = add({trip}, 1u32)"));
        self.line("}");
    }

    fn access(&mut self) {
        if self.sites == SLICES {
            return;
        }
        let number = self.sites;
        self.sites += 1;
        let index = match self.tested.clone() {
            Some((tested, values)) if values <= self.values.len() && self.random.once_in(2) => {
                let distance = self.below(4);
                match self.below(5) {
                    0 => format!("add({tested}, {distance}u64)"),
                    1 => format!("sub({tested}, {distance}u64)"),
                    2 => {
                        let (width, column) = (self.parameter(), self.leaf());
                        format!("add(mul({tested}, {width}), {column})")
                    }
                    _ => tested,
                }
            }
            _ if self.random.once_in(3) => self.word(),
            _ => self.number(3),
        };
        self.line(&format!("store s = add(s, cast u32(x{number}[{index}]))"));
    }

    /// A sum of words, of which some wrap.
    fn word(&mut self) -> String {
        let of = match self.random.once_in(2) {
            true => self.parameter(),
            false => self.number(2),
        };
        let mut word = format!("cast u32({of})");
        for _ in 0..1 + self.below(3) {
            let part = match self.below(4) {
                0 if self.counters > 0 => format!("t{}", self.counters - 1),
                1 => format!("{}u32", u32::MAX - self.below(4) as u32),
                _ => format!("{}u32", self.below(9)),
            };
            let operation = ["add", "add", "sub"][self.below(3) as usize];
            word = format!("{operation}({word}, {part})");
        }
        format!("cast u64({word})")
    }

    /// A parameter as a `u64`.
    fn parameter(&mut self) -> String {
        let number = self.below(self.scalars.len() as u64) as usize;
        match self.scalars[number].0 {
            Scalar::U64 => format!("p{number}"),
            _ => format!("cast u64(p{number})"),
        }
    }

    fn leaf(&mut self) -> String {
        let axis = ["x", "x", "y", "z"][self.below(4) as usize];
        match self.below(11) {
            0..=1 => format!("cast u64(thread_index.{axis})"),
            2 => format!("cast u64(block_index.{axis})"),
            3..=4 => format!("global_index.{axis}"),
            5 if !self.values.is_empty() => {
                let at = self.random.index(self.values.len());
                self.values[at].clone()
            }
            6..=7 => self.parameter(),
            8 => format!("length(x{})", self.below(SLICES as u64)),
            9 => format!(
                "cast u64(cast u32(div({}, {}u64)))",
                self.parameter(),
                1 << self.below(5)
            ),
            _ => format!("{}u64", self.below(20)),
        }
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.once_in(4) {
            return self.leaf();
        }
        let a = self.number(depth - 1);
        match self.below(16) {
            0..=2 => format!("add({a}, {})", self.number(depth - 1)),
            3..=4 => format!("mul({a}, {})", self.parameter()),
            5 => format!("mul({a}, {}u64)", 1 + self.below(9)),
            6 => format!("sub({a}, {}u64)", self.below(4)),
            7 => format!("sub({a}, {})", self.leaf()),
            8 => format!("div({a}, {}u64)", 1 + self.below(9)),
            9 if self.random.once_in(2) => format!("rem({a}, {}u64)", 1 + self.below(9)),
            9 => format!("rem({a}, {})", self.leaf()),
            10 => format!("min({a}, {})", self.leaf()),
            11 => format!("max({a}, {})", self.leaf()),
            12 => {
                let amounts = [0, 1, 2, 3, 4, 5, 31, 33, 61, 62, 63];
                format!("shl({a}, {}u32)", amounts[self.below(amounts.len() as u64) as usize])
            }
            13 => format!("and({a}, {}u64)", (1u64 << self.below(6)) - 1),
            14 => format!("cast u64(cast i32({a}))"),
            _ => format!(
                "cast u64(add(cast u32({a}), mul(cast u32({}), cast u32({}))))",
                self.leaf(),
                self.parameter()
            ),
        }
    }

    fn condition(&mut self) -> String {
        let a = match self.random.once_in(4) {
            true => self.word(),
            false => self.number(2),
        };
        let b = self.leaf();
        self.tested = Some((a.clone(), self.values.len()));
        let distance = self.below(4);
        match self.below(8) {
            0..=2 => format!("lt({a}, {b})"),
            3 => format!("lt(add({a}, {distance}u64), {b})"),
            4 => format!("lt(sub({a}, {distance}u64), {b})"),
            5 => format!("ge({a}, {distance}u64)"),
            6 => format!("le({b}, {a})"),
            _ => format!("lt({a}, {}u64)", self.below(30)),
        }
    }
}
