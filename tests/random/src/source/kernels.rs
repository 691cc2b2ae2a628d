//! Random kernels of many threads, with accesses indexed by the thread and by loops: they test the
//! analysis of bounds checks, removed or hoisted before a launch.
//!
//! Each thread writes only its own elements, so that rustc's code may run the threads one after the
//! other. Lengths are small and near the numeric arguments, so that many launches fault.

use vyre_test_support::random_program::Random;

use super::Source;
use super::types::Prim;

/// A kernel and its launch dimensions.
#[derive(Clone, Debug)]
pub struct KernelSource {
    /// The kernel is the last item, after a host function that takes the numbers decoded by
    /// [`Shape::of`].
    pub source: Source,
    /// Threads of a block.
    pub block: u64,
    /// Blocks.
    pub grid: u64,
    /// The types of the elements of `x`, `w` and `y`.
    pub elements: [&'static str; 3],
}

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The lengths of `x`, `w` and `y`.
    pub lengths: [usize; 3],
    /// A small number.
    pub n: u64,
    /// Any number.
    pub q: u64,
    /// The seed of the elements.
    pub salt: u64,
}

impl Shape {
    /// Decodes four numbers.
    pub fn of([lengths, n, q, salt]: [u64; 4]) -> Shape {
        let part = |at: u32| ((lengths >> at) & 255) as usize;
        Shape {
            lengths: [part(0), part(8), part(16)],
            n,
            q,
            salt,
        }
    }

    /// The element of a slice, as computed by the host function.
    pub const fn element(&self, slice: u64, index: u64) -> u64 {
        (index + 64 * slice + self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 37
    }
}

/// Indices, with a small number at `#` and a loop counter at `k`.
const INDICES: &[&str] = &[
    "i",
    "i",
    "i + #",
    "i - #",
    "# * i + #",
    "# * i",
    "n - 1 - i",
    "x.len() - 1 - i",
    "i / #",
    "i ^ 1",
    "i % #",
    "i & 3",
    "i.min(n)",
    "i.saturating_sub(#)",
    "i.wrapping_sub(#)",
    "i + n",
    "i + q",
    "q - i",
    "q",
    "n",
    "#",
    "(i as u32 * # + #) as usize",
    "(i as i32 - #) as usize",
    "(n as u32 - i as u32) as usize",
    "i as u8 as usize",
    "i << 1 | 1",
    "(i + n) % w.len()",
    "i * n",
    "i * n + #",
    "(q as u32).wrapping_add(i as u32) as usize",
    "(q as i64 + i as i64) as usize",
];

const OF_LOOPS: &[&str] = &[
    "k",
    "k",
    "i + k",
    "# * i + k",
    "# * k + i",
    "i * n + k",
    "k * n + i",
    "k - #",
    "k + #",
    "n - k",
    "n - 1 - k",
    "(i + k) % x.len()",
    "i - k",
    "k / 2",
    "q + k",
    "(k as u32 + i as u32 * #) as usize",
    "(k as i32 - i as i32) as usize",
    "x.len() - k",
    "w.len() - 1 - k",
    "k * #",
];

const CONDITIONS: &[&str] = &[
    "i < n",
    "i + # < x.len()",
    "i > 0 && i + # < n",
    "# * i + # < x.len()",
    "n <= x.len()",
    "q < x.len()",
    "i + q < x.len()",
    "i < x.len() && i < w.len()",
    "i % 2 == 0",
    "i != n",
    "n < x.len() && i <= n",
    "i * n < w.len()",
    "(i as u32) < q as u32",
    "i >= #",
    "x.len() == w.len()",
    "n % # == 0 || i < #",
    "(#..n).contains(&i)",
    "q.wrapping_add(i) < n",
    "x.len() - n > i",
    "i <= x.len() - #",
    "!x.is_empty() && !w.is_empty()",
];

const LOOPS: &[&str] = &[
    "for k in 0..n",
    "for k in 0..#",
    "for k in #..n",
    "for k in 0..=#",
    "for k in i..n",
    "for k in 0..=n",
    "for k in (0..n).rev()",
    "for k in (0..n).step_by(#)",
    "for k in (#..=n).rev().step_by(#)",
    "for k in 0..x.len()",
    "for k in 1..w.len()",
    "for k in 0..w.len().saturating_sub(#)",
    "for k in i..x.len().min(40)",
    "for k in 0..i",
    "for k in 0..=i",
    "for k in i + 1..i + #",
    "for k in (i % 4..20).step_by(4)",
];

const FIRST: &[&str] = &[
    "if i >= y.len() { return; }",
    "if i >= n || i >= y.len() { return; }",
    "if n > x.len() { return; }",
    "assert!(n <= x.len());",
    "if i + # > y.len() { return; }",
    "",
];

struct Maker {
    random: Random,
    elements: [Prim; 3],
    loops: u32,
}

/// The kernel of a seed.
pub fn kernel_source(seed: u64) -> KernelSource {
    let mut random = Random::new(seed ^ 0x5eed);
    let types = [
        Prim::U8,
        Prim::I32,
        Prim::U32,
        Prim::F32,
        Prim::I64,
        Prim::U64,
        Prim::U16,
    ];
    let elements = [0; 3].map(|_| random.pick(&types));
    let (block, grid) = (random.pick(&[1, 2, 4, 8, 16]), 1 + random.below(3));
    let mut maker = Maker {
        random,
        elements,
        loops: 0,
    };
    let body = maker.body();
    let [x, w, y] = elements.map(Prim::name);
    let value = |slice: u64, of: &str| {
        format!(
            "(0..lengths >> {} & 255).map(|i| \
             ((i + {} + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 37) as {of}).collect()",
            slice * 8,
            slice * 64
        )
    };
    let bits = match y {
        "f32" => "bits32(*one)",
        _ => "*one as u64",
    };
    let text = format!(
        "use vyre::prelude::*;
fn bits32(x: f32) -> u64 {{ if x.is_nan() {{ 7 }} else {{ x.to_bits() as u64 }} }}
fn f(lengths: u64, n: u64, q: u64, salt: u64) -> u64 {{
    let (x, w): (Vec<{x}>, Vec<{w}>) = ({}, {});
    let mut y: Vec<{y}> = {};
    for i in 0..{} {{ super::vyre::at(i); k(&x, &w, &mut y, n as usize, q as usize); }}
    let mut h = 0u64;
    for one in &y {{ h = h.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ({bits}); }}
    h
}}
fn k(x: &[{x}], w: &[{w}], y: &mut [{y}], n: usize, q: usize) {{
let i = thread::index();
let mut acc = 1u64;
{body}}}
",
        value(0, x),
        value(1, w),
        value(2, y),
        block * grid,
    );
    let inputs = (0..8).map(|_| maker.input(block * grid)).collect();
    KernelSource {
        source: Source { text, inputs },
        block,
        grid,
        elements: [x, w, y],
    }
}

impl Maker {
    fn input(&mut self, threads: u64) -> [u64; 4] {
        let near = [
            0,
            1,
            2,
            threads / 2,
            threads,
            threads,
            threads + 1,
            2 * threads,
            3 * threads,
            4 * threads + 3,
        ];
        let mut one = || self.random.pick(&near) + self.random.below(2);
        let [x, w, n] = [one(), one(), one()];
        let y = match self.random.once_in(3) {
            true => self.random.pick(&near),
            false => 2 * threads + self.random.below(2),
        };
        let q = match self.random.below(4) {
            0 => self.random.bits(),
            1 => 0_u64.wrapping_sub(self.random.below(threads + 2)),
            2 => (1 << self.random.pick(&[31, 32, 63])) - self.random.below(3),
            _ => self.random.below(threads + 3),
        };
        // Nested loops over more iterations would take long.
        let [x, w] = [x.min(80), w.min(80)];
        [x | (w << 8) | (y << 16), n.min(60), q, self.random.below(1000)]
    }

    fn numbered(&mut self, template: &str) -> String {
        let mut text = template.to_owned();
        while text.contains('#') {
            text = text.replacen('#', &(1 + self.random.below(4)).to_string(), 1);
        }
        // In nested loops, any counter may be used.
        match self.loops {
            0 | 1 => text,
            loops => {
                let name = format!("k{}", 1 + self.random.below(loops.into()));
                let words = text.split('k').collect::<Vec<_>>();
                words.join(&name)
            }
        }
    }

    fn index(&mut self) -> String {
        let table = match self.loops > 0 && !self.random.once_in(4) {
            true => OF_LOOPS,
            false => INDICES,
        };
        let template = self.random.pick(table);
        self.numbered(template)
    }

    fn condition(&mut self) -> String {
        let template = self.random.pick(CONDITIONS);
        match self.loops > 0 && self.random.once_in(3) {
            true => {
                let index = self.index();
                format!("({index}) < {}.len()", self.random.pick(&["x", "w"]))
            }
            false => self.numbered(template),
        }
    }

    fn read(&mut self) -> String {
        let (name, prim) = self.random.pick(&[("x", 0), ("w", 1)]);
        let index = self.index();
        match self.elements[prim].is_float() {
            true => format!("{name}[{index}] as i64 as u64"),
            false => format!("{name}[{index}] as u64"),
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            4 | 5 => {
                let template = self.random.pick(LOOPS);
                let text = self.numbered(template);
                self.loops += 1;
                // The first has a plain name, and those in it numbers.
                let text = match self.loops {
                    1 => text.replace("for k", "for k1"),
                    _ => {
                        let (_, of) = text.split_once(" in ").unwrap_or_default();
                        format!("for k{} in {of}", self.loops)
                    }
                };
                let leave = match self.random.below(4) {
                    0 => format!(
                        "if {} {{ {}; }}",
                        self.condition(),
                        self.random.pick(&["continue", "break"])
                    ),
                    _ => String::new(),
                };
                let body = self.statements(depth - 1);
                self.loops -= 1;
                format!("{text} {{ let k = k{}; {leave} {body} }}\n", self.loops + 1)
            }
            6 => {
                let condition = self.condition();
                let (then, otherwise) = (self.statements(depth - 1), self.statements(depth - 1));
                match self.random.once_in(2) {
                    true => format!("if {condition} {{ {then} }}\n"),
                    false => format!("if {condition} {{ {then} }} else {{ {otherwise} }}\n"),
                }
            }
            7 => {
                let step = self.random.pick(&["1", "3", "(n % 4 + 1)", "(1 + i % 2)"]);
                let (start, name) = (
                    self.random.pick(&["i", "0", "i + 1", "n"]),
                    self.random.pick(&["x", "w"]),
                );
                let read = match self.elements[usize::from(name == "w")].is_float() {
                    true => format!("{name}[at] as i64 as u64"),
                    false => format!("{name}[at] as u64"),
                };
                let less = self.random.pick(&["", "", " + 1", " + 3"]);
                format!(
                    "let mut at = {start}; while at{less} < {name}.len() {{ acc = acc * 3 + ({read}); at += {step}; }}\n"
                )
            }
            8 => {
                let index = self.index();
                let length = self.random.pick(&["2", "n", "#"]);
                let length = self.numbered(length);
                let float = self.elements[0].is_float();
                let cast = if float { "as i64 as u64" } else { "as u64" };
                format!(
                    "let from = {index}; for one in &x[from..from + {length}] {{ acc = acc * 5 + (*one {cast}); }}\n"
                )
            }
            0 | 1 => {
                let read = self.read();
                let (place, _) = read.split_once("] as").unwrap_or_default();
                let (name, index) = place.split_once('[').unwrap_or_default();
                let condition = match self.random.once_in(3) {
                    true => self.condition(),
                    false => format!("({index}) < {name}.len()"),
                };
                format!("if {condition} {{ acc ^= {read}; }}\n")
            }
            _ => {
                let read = self.read();
                let op = self
                    .random
                    .pick(&["acc = acc * 31 + (", "acc ^= (", "acc = acc.rotate_left(5) - ("]);
                format!("{op}{read});\n")
            }
        }
    }

    fn body(&mut self) -> String {
        let first = self.random.pick(FIRST);
        let mut text = format!("{}\n", self.numbered(first));
        text += &self.statements(2);
        let y = self.elements[2].name();
        text += &match self.random.below(6) {
            0 => format!("y[i] += acc as {y};\n"),
            1 => format!("y[2 * i] = acc as {y}; y[2 * i + 1] = i as {y};\n"),
            2 => format!("if i < y.len() {{ y[i] = acc as {y}; }}\n"),
            3 => format!("if {} {{ y[i] = acc as {y}; }}\n", self.condition()),
            4 => format!("for k in 0..2 {{ y[2 * i + k] = acc as {y} + y[2 * i + k]; }}\n"),
            _ => format!("y[i] = acc as {y};\n"),
        };
        text
    }
}
