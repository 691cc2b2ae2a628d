//! The text of a kernel.

use vyre_test_support::random_program::Random;

use super::{Elements, Form};

pub(super) struct Maker {
    random: Random,
    block: [u64; 2],
    elements: Elements,
    /// The loops around the statement.
    loops: usize,
    /// True in a branch or loop that varies.
    varies: bool,
    /// The shared array that is written until the next barrier, and at which element by each thread.
    written: Option<(&'static str, String)>,
    /// The element of `y` and `z` that is the thread's own.
    own: [String; 2],
    has_shared: bool,
    waits: bool,
    exchanges: bool,
    /// True if stores may be to any element.
    is_wild: bool,
    /// True if there is little that lanes do not run: loops and jumps that vary, and atomics.
    is_tame: bool,
}

/// Elements of the thread, each by a permutation of all threads.
const OWN: &[&str] = &[
    "i",
    "i",
    "i",
    "w * h - 1 - i",
    "i ^ 1",
    "i + 5",
    "same",
    "r * w + c",
    "c * h + r",
];

/// The same of a block.
const OWN_OF_BLOCK: &[&str] = &[
    "t",
    "t",
    "t",
    "THREADS - 1 - t",
    "t ^ 1",
    "(t + 3) % THREADS",
    "(t + n as usize) % THREADS",
];

/// Indices that are small enough for a long slice.
const INDICES: &[&str] = &[
    "i",
    "i",
    "i",
    "i + #",
    "i + k",
    "t",
    "t + k",
    "k",
    "k * 2 + t",
    "THREADS - 1 - t",
    "w * h - 1 - i",
    "i ^ 1",
    "i / 2",
    "i % #",
    "i % 17",
    "i / 16",
    "b % 16 + i",
    "n as usize",
    "n as usize + i",
    "lane::index()",
    "i.min(w)",
    "c",
    "r",
    "r * w + c",
    "(i + k).saturating_sub(#)",
    "c.max(#) + r * w",
    "(r + #).min(h) * w + c",
    "a as usize % 32",
    "t % 32 + k",
    "i * 2 + #",
    "i % w",
    "i / w",
    "block::idx().x + i",
    "i - i % 4",
];

/// Indices that often are out of bounds.
const BEYOND: &[&str] = &[
    "i - #",
    "i - k",
    "b",
    "i * 3 + k",
    "t - 1",
    "a as usize",
    "i + w",
    "n as usize - k",
];

/// Conditions that are the same for all threads of a block.
const UNIFORM: &[&str] = &[
    "n > #",
    "n % 2 == 0",
    "w > 40",
    "block::idx().x == 0",
    "x.len() > w * h + #",
    "k > 1 && n > 2",
    "k < #",
    "n == 3 || k == 2",
];

/// Conditions that vary.
const VARYING: &[&str] = &[
    "t < #",
    "t > 20",
    "i < w",
    "i + # < x.len()",
    "t % 2 == 0",
    "a % 3 == 1",
    "p",
    "g > 1.5",
    "lane::index() < #",
    "c > #",
    "i >= k",
    "b % 4 == k",
    "r < h - 1 && c > 0",
    "i < y.len()",
    "s < 0",
    "t == 7",
    "i % w < 5",
];

impl Maker {
    pub(super) fn new(seed: u64) -> Maker {
        let mut random = Random::new(seed ^ 0xf0_2a5);
        let block = random.pick(&[
            [32, 1],
            [64, 1],
            [40, 1],
            [48, 1],
            [96, 1],
            [10, 1],
            [16, 4],
            [32, 2],
            [8, 4],
            [16, 3],
            [20, 2],
        ]);
        let elements = [
            random.pick(&["u32", "u32", "i32", "u8", "u64", "f32", "u16"]),
            random.pick(&["u32", "u32", "i32", "f32", "u64", "u8"]),
            random.pick(&["f32", "u32", "i64", "u16"]),
        ];
        let own = [(); 2].map(|()| random.pick(OWN).to_owned());
        let (is_wild, is_tame) = (random.once_in(6), !random.once_in(3));
        Maker {
            random,
            block,
            elements,
            loops: 0,
            varies: false,
            written: None,
            own,
            has_shared: false,
            waits: false,
            exchanges: false,
            is_wild,
            is_tame,
        }
    }

    pub(super) fn form(mut self) -> Form {
        let [width, height] = self.block;
        let threads = width * height;
        let with_shared = !self.random.once_in(3);
        let mut body = String::new();
        if with_shared {
            body += "cells[t] = i as u32 * 7;\nparts[t] = t as f32 * 0.5;\nblock::sync();\n";
            (self.waits, self.has_shared) = (true, true);
        }
        for _ in 0..2 + self.random.below(4) {
            body += &self.statement(3);
        }
        for of in 0..2 {
            if self.random.once_in(2) {
                body += &self.store(of);
            }
        }
        if self.random.once_in(2) {
            body += "if i < y.len() { y[same] = (a ^ s as u32) as Y; }\n";
        }
        let own = match self.own[0].as_str() {
            "same" => "i".to_owned(),
            other => other.to_owned(),
        };
        let body = body.replace(
            "y[same]",
            &format!("y[{}]", if own == self.own[0] { own } else { "same".into() }),
        );
        let shared = match with_shared {
            true => format!("let cells = shared::<[u32; {threads}]>(); let parts = shared::<[f32; {threads}]>();"),
            false => String::new(),
        };
        let indices = match height {
            1 => "let i = thread::index(); let t = thread::idx().x; let (c, r) = (i, 0);".to_owned(),
            _ => format!(
                "let (c, r) = thread::index_2d(); let i = r * w + c; let t = thread::idx().y * {width} + thread::idx().x;"
            ),
        };
        let [x, y, z] = self.elements;
        let text = format!(
            "fn k(x: &[{x}], n: u32, w: usize, h: usize, counts: &[AtomicU32], y: &mut [{y}], z: &mut [{z}]) {{\n\
             //futures\n{shared}\n{indices}\n\
             let same = i; let k = 0usize; let (mut a, mut b, mut g, mut s, mut p) = (n, i, 1.0f32, 3i32, false);\n\
             let mut q = [n, 1, 2, i as u32];\n{body}\
             if same < z.len() {{ z[OWN] = (a.wrapping_add(b as u32) ^ g.to_bits() ^ s as u32 ^ q[1] ^ q[3] ^ p as u32) as {z}; }}\n}}\n"
        )
        .replace("OWN", &self.own[1])
        .replace("THREADS", &threads.to_string())
        .replace(" as Y", &format!(" as {y}"));
        let options = match height {
            1 => format!("block = {width}"),
            _ => format!("block = [{width}, {height}]"),
        };
        Form {
            text,
            options,
            block: self.block,
            waits: self.waits,
            exchanges: self.exchanges,
            elements: self.elements,
        }
    }

    fn filled(&mut self, template: &str) -> String {
        let mut text = template.to_owned();
        while text.contains('#') {
            text = text.replacen('#', &(1 + self.random.below(4)).to_string(), 1);
        }
        text
    }

    fn of(&mut self, table: &[&'static str]) -> String {
        let template = self.random.pick(table);
        self.filled(template)
    }

    fn index(&mut self) -> String {
        let table = if self.random.once_in(40) { BEYOND } else { INDICES };
        self.of(table)
    }

    fn condition(&mut self) -> String {
        match self.random.below(5) {
            0 => self.of(UNIFORM),
            1 => format!("{} < {}", self.word(1), self.word(1)),
            _ => self.of(VARYING),
        }
    }

    /// A read of a slice or of shared memory, as a word.
    fn read(&mut self) -> String {
        let index = self.index();
        let cast = if self.elements[0] == "f32" {
            "as i32 as u32"
        } else {
            "as u32"
        };
        match self.random.below(8) {
            0 if self.has_shared => self.read_shared("cells"),
            1 if self.has_shared => format!("{}.to_bits()", self.read_shared("parts")),
            2 => format!("(if ({index}) < x.len() {{ x[{index}] {cast} }} else {{ 9 }})"),
            3 => format!("(x[({index}) % x.len()] {cast})"),
            4 => format!("(x[({index}).min(x.len() - 1)] {cast})"),
            5 if !self.is_wild => {
                let own = self.own[0].clone();
                let cast = if self.elements[1] == "f32" {
                    "as i32 as u32"
                } else {
                    "as u32"
                };
                format!("(y[{own}] {cast})")
            }
            _ => format!("(x[{index}] {cast})"),
        }
    }

    fn read_shared(&mut self, array: &'static str) -> String {
        match &self.written {
            Some((written, own)) if *written == array => format!("{array}[{own}]"),
            _ => {
                let index = self.of(INDICES);
                match self.random.once_in(3) {
                    true => {
                        let own = self.of(OWN_OF_BLOCK);
                        format!("{array}[{own}]")
                    }
                    false => format!("{array}[({index}) % THREADS]"),
                }
            }
        }
    }

    /// A word.
    fn word(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self
                .random
                .pick(&[
                    "a",
                    "a",
                    "n",
                    "(i as u32)",
                    "(b as u32)",
                    "7",
                    "(lane::index() as u32)",
                    "q[1]",
                    "(k as u32)",
                    "q[t % 4]",
                    "(t as u32)",
                ])
                .to_owned();
        }
        let less = depth - 1;
        match self.random.below(12) {
            0 | 1 => self.read(),
            2 => format!("({} * {})", self.word(less), self.word(less)),
            3 => format!("({} ^ {})", self.word(less), self.word(less)),
            4 => format!("({} - {})", self.word(less), self.word(less)),
            5 => format!("({} / ({} | 1))", self.word(less), self.word(less)),
            6 => format!("({} % ({} % 8 + 2))", self.word(less), self.word(less)),
            7 => format!("{}.min({})", self.word(less), self.word(less)),
            8 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.condition(),
                self.word(less),
                self.word(less)
            ),
            9 => format!("({} >> 3)", self.word(less)),
            10 if self.random.once_in(12) => format!("({} / {})", self.word(less), self.word(less)),
            _ => format!("({} + {})", self.word(less), self.word(less)),
        }
    }

    fn float(&mut self) -> String {
        match self.random.below(5) {
            0 => format!("({} as i32 as f32)", self.word(1)),
            1 => "g * 0.5 + 1.0".to_owned(),
            2 if self.has_shared => self.read_shared("parts"),
            3 => format!("(if {} {{ g }} else {{ {} as f32 }})", self.condition(), self.word(0)),
            _ => "g.mul_add(0.75, 2.0)".to_owned(),
        }
    }

    fn store(&mut self, of: usize) -> String {
        let own = match (self.is_wild, of) {
            (true, 0) => self.of(INDICES),
            _ => self.own[of].clone(),
        };
        let more = if self.random.once_in(4) { "w * h + 6 + " } else { "" };
        let (name, ty) = (["y", "z"][of], self.elements[1 + of]);
        let value = self.word(2);
        match self.random.below(3) {
            0 => format!("{name}[{own}] += {value} as {ty};\n"),
            1 if !self.is_wild => format!("{name}[{more}({own})] = {value} as {ty};\n"),
            _ => format!("{name}[{own}] = {value} as {ty};\n"),
        }
    }

    fn store_shared(&mut self) -> String {
        if self.written.is_none() {
            let array = self.random.pick(&["cells", "parts"]);
            let own = self.of(OWN_OF_BLOCK);
            self.written = Some((array, own));
        }
        let Some((array, own)) = self.written.clone() else {
            return String::new();
        };
        match array {
            "cells" => {
                let value = self.word(2);
                let op = self.random.pick(&["=", "=", "+=", "^="]);
                format!("cells[{own}] {op} {value};\n")
            }
            _ => {
                let value = self.float();
                format!("parts[{own}] = {value};\n")
            }
        }
    }

    fn assignment(&mut self) -> String {
        match self.random.below(9) {
            0 | 1 => {
                let op = self.random.pick(&["=", "+=", "^=", "*="]);
                format!("a {op} {};\n", self.word(2))
            }
            2 => format!("b = {};\n", self.index()),
            3 => format!("g = {};\n", self.float()),
            4 => format!("s = s * 3 - {} as i32;\n", self.word(1)),
            5 => format!("p = {};\n", self.condition()),
            6 => format!(
                "q[{}] = {};\n",
                self.random.pick(&["1", "t % 4", "k % 4", "3"]),
                self.word(1)
            ),
            7 => format!("b += {} as usize % 5;\n", self.word(1)),
            _ => format!("a = a * 5 + {};\n", self.read()),
        }
    }

    fn exchange(&mut self) -> String {
        self.waits = true;
        self.exchanges = true;
        let value = self.word(1);
        let condition = self.condition();
        let amount = self
            .random
            .pick(&["1", "2", "5", "16", "k", "n as usize", "t % 3", "31"]);
        match self.random.below(12) {
            0 => format!("a = warp::shuffle_up({value}, {amount});\n"),
            1 => format!("a ^= warp::shuffle_down({value}, {amount});\n"),
            2 => format!("a += warp::shuffle_xor({value}, {amount});\n"),
            3 => format!("a = warp::shuffle({value}, {amount});\n"),
            4 => format!("a = warp::sum({value});\n"),
            5 => format!(
                "g = warp::sum(g) * 0.125 + {};\n",
                self.random.pick(&["1.0", "t as f32"])
            ),
            6 => format!("a ^= warp::ballot({condition});\n"),
            7 => format!("p = warp::any({condition});\n"),
            8 => format!("s = warp::min(s ^ {value} as i32);\n"),
            9 => format!("a += warp::inclusive_sum({value} % 64);\n"),
            10 => format!("a ^= warp::match_any({value} % 4);\n"),
            _ => "a = warp::shuffle_xor(a, 1) + warp::shuffle_xor(s, 8) as u32;\n".to_owned(),
        }
    }

    /// A barrier, with which another shared array may be written.
    fn barrier(&mut self) -> String {
        self.waits = true;
        self.written = None;
        match self.random.below(5) {
            0 => format!("a += block::sync_count({}) as u32;\n", self.condition()),
            _ => "block::sync();\n".to_owned(),
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }

    /// The statements of a branch or loop that all threads take together, where barriers may stand in it.
    fn together(&mut self, depth: u32, head: &str, is_loop: bool) -> String {
        let syncs = self.waits && !self.varies && self.random.once_in(2);
        if !syncs {
            let (waits, varies) = (self.waits, std::mem::replace(&mut self.varies, true));
            let inside = self.inside(depth, is_loop);
            (self.waits, self.varies) = (waits, varies);
            return format!("{head} {{ {inside} }}\n");
        }
        let before = self.barrier();
        let inside = self.inside(depth, is_loop);
        let (last, after) = (self.barrier(), self.barrier());
        format!("{before}{head} {{ {inside}{last} }}\n{after}")
    }

    fn inside(&mut self, depth: u32, is_loop: bool) -> String {
        if !is_loop {
            return self.statements(depth);
        }
        self.loops += 1;
        let leaves = match self.random.below(4) {
            0 => format!(
                "if {} {{ {}; }}\n",
                if self.varies && self.random.once_in(3) {
                    self.condition()
                } else {
                    self.of(UNIFORM)
                },
                self.random.pick(&["continue", "break"])
            ),
            _ => String::new(),
        };
        let inside = self.statements(depth);
        self.loops -= 1;
        format!("{leaves}{inside}")
    }

    fn statement(&mut self, depth: u32) -> String {
        let most = if depth == 0 { 7 } else { 17 };
        match self.random.below(most) {
            0 | 1 => self.assignment(),
            2 if self.has_shared => self.store_shared(),
            3 => self.store(0),
            4 if !self.varies => self.exchange(),
            5 if !self.varies && self.waits => self.barrier(),
            6 => match self.random.below(4) {
                0 if !self.is_tame => format!(
                    "counts[({}) % 16].fetch_add({}, Ordering::Relaxed);\n",
                    self.index(),
                    self.word(1)
                ),
                1 => format!("assert!({} != 77777);\n", self.word(1)),
                _ => self.store(1),
            },
            7 if self.loops == 0 && !self.varies => {
                let condition = match self.is_tame {
                    true => self
                        .random
                        .pick(&["i >= y.len()", "i + # >= x.len()", "n == 7", "i >= w * h"]),
                    false => self.random.pick(&["t >= 30", "a % 8 == 5", "i > w * h - #", "t == 3"]),
                };
                let condition = self.filled(condition);
                format!("if {condition} {{ return; }}\n")
            }
            8 | 9 => {
                let condition = self.of(UNIFORM);
                let then = self.together(depth - 1, &format!("if {condition}"), false);
                match self.random.once_in(3) {
                    true => {
                        let otherwise = self.assignment();
                        let then = then.trim_end();
                        match then.ends_with('}') {
                            true => format!("{then} else {{ {otherwise} }}\n"),
                            false => format!("{then}\n{otherwise}"),
                        }
                    }
                    false => then,
                }
            }
            10 => {
                let condition = self.condition();
                let varies = std::mem::replace(&mut self.varies, true);
                let (then, otherwise) = (self.statements(depth - 1), self.statements(depth - 1));
                self.varies = varies;
                match self.random.once_in(2) {
                    true => format!("if {condition} {{ {then} }}\n"),
                    false => format!("if {condition} {{ {then} }} else {{ {otherwise} }}\n"),
                }
            }
            11 | 12 => {
                let range = self.random.pick(&[
                    "0..4usize",
                    "0..n as usize",
                    "1..n as usize + 2",
                    "0..3usize",
                    "0..=2usize",
                ]);
                self.together(depth - 1, &format!("for k in {range}"), true)
            }
            13 if !self.is_tame => {
                let range = self
                    .random
                    .pick(&["0..t % 4", "0..b % 3", "t % 3..6", "0..lane::index() % 5"]);
                let varies = std::mem::replace(&mut self.varies, true);
                let inside = self.inside(depth - 1, true);
                self.varies = varies;
                format!("for k in {range} {{ {inside} }}\n")
            }
            14 => {
                let inside = self.together(depth - 1, "while k > 0", true);
                match inside.split_once("while k > 0 {") {
                    Some((before, rest)) => {
                        format!(
                            "{before}{{ let mut left = 8usize; while left > 0 {{ left /= 2; let k = left; {rest} }}\n"
                        )
                    }
                    None => inside,
                }
            }
            // Some threads go round more often than others, as where a block fills an array wider than itself.
            15 => {
                let start = self.random.pick(&["t", "c", "t + 3", "lane::index()"]);
                let most = self.filled("30 + # * 7");
                let step = self.random.pick(&["8", "32", "64"]);
                let varies = std::mem::replace(&mut self.varies, true);
                let inside = self.inside(depth - 1, true);
                self.varies = varies;
                format!("let mut e = {start};\nwhile e < {most} {{ let k = e; e += {step}; {inside} }}\n")
            }
            // A tame kernel changes the counts nowhere else.
            16 if self.is_tame => {
                let index = self.index();
                let load = format!("counts[({index}) % 16].load(Ordering::Relaxed);\n");
                let used = self.random.pick(&["a ^= ", "a ^= ", "a ^= ", "let _ = "]);
                format!("{used}{load}")
            }
            _ => self.assignment(),
        }
    }
}
