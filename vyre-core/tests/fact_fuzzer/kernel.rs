//! Random kernels whose values are affine in threads, blocks and loops, with guards, quotients and remainders.

use std::fmt::Write;

use vyre_core::ir::Scalar;
use vyre_test_support::random_program::Random;

/// Limit of the threads of a grid.
const THREADS: u32 = 256;
/// Limit of the iterations of a loop.
const TRIPS: u64 = 4;

/// A kernel and its launch.
pub(crate) struct Kernel {
    pub(crate) seed: u64,
    pub(crate) text: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// The parameters behind the slice.
    pub(crate) scalars: Vec<(Scalar, u64)>,
}

/// A kernel under construction.
struct Writer<'r> {
    random: &'r mut Random,
    scalars: Vec<(Scalar, u64)>,
    grid: [u32; 3],
    block: [u32; 3],
    locals: String,
    body: String,
    depth: usize,
    sites: u32,
    loops: u32,
    /// The last index, and the number of variables that it may have read.
    last: Option<(String, usize)>,
    /// The number that the last condition has compared.
    tested: Option<String>,
    /// The variables that can be read, with the greatest number of each.
    values: Vec<(String, u64)>,
}

pub(crate) fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let sizes = |random: &mut Random, choices: &[u32]| choices[random.below(choices.len() as u64) as usize];
    let block = match random.below(4) {
        0 => [sizes(&mut random, &[32, 64, 96]), 1, 1],
        1 => [sizes(&mut random, &[16, 32, 7]), sizes(&mut random, &[2, 3]), 1],
        2 => [
            sizes(&mut random, &[1, 4, 5]),
            sizes(&mut random, &[2, 4]),
            sizes(&mut random, &[1, 2, 3]),
        ],
        _ => [sizes(&mut random, &[1, 2, 3, 8, 33]), 1, 1],
    };
    let mut grid = [1, 1, 1];
    for (axis, blocks) in grid.iter_mut().enumerate() {
        if axis == 0 || random.once_in(3) {
            *blocks = sizes(&mut random, &[1, 2, 3, 4]);
        }
    }
    while grid.iter().chain(&block).product::<u32>() > THREADS {
        let largest = (0..3).max_by_key(|&axis| grid[axis]).unwrap_or(0);
        if grid[largest] == 1 {
            break;
        }
        grid[largest] -= 1;
    }
    let scalar = |random: &mut Random| {
        let bits = match random.below(4) {
            0 => 1 + random.below(4),
            1 => 1 << random.below(9),
            2 => 1 + random.below(100),
            _ => 1 + random.below(20),
        };
        (if random.once_in(3) { Scalar::U64 } else { Scalar::U32 }, bits)
    };
    let scalars = (0..3).map(|_| scalar(&mut random)).collect();
    let mut writer = Writer {
        random: &mut random,
        scalars,
        grid,
        block,
        locals: String::new(),
        body: String::new(),
        depth: 0,
        sites: 0,
        loops: 0,
        last: None,
        tested: None,
        values: Vec::new(),
    };
    writer.statements(3);
    if writer.sites == 0 {
        writer.site();
    }
    let (locals, body) = (std::mem::take(&mut writer.locals), std::mem::take(&mut writer.body));
    let scalars = writer.scalars;
    let mut parameters = String::from("out: &mut [u32]");
    for (number, (scalar, _)) in scalars.iter().enumerate() {
        let _ = write!(parameters, ", p{number}: {}", scalar.name());
    }
    let [x, y, z] = block;
    let text = format!(
        "vyre 1\ntype &mut [u32]\nkernel k({parameters}) dimensions 3 block {x} {y} {z} {{\n entry k {{\n{locals}{body} }}\n}}\n"
    );
    Kernel {
        seed,
        text,
        grid,
        block,
        scalars,
    }
}

impl Writer<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:width$}{text}", "", width = 4 * self.depth + 8);
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.below(3) {
            let known = self.values.len();
            match self.below(if depth == 0 { 3 } else { 6 }) {
                0..=1 => self.site(),
                2 => self.variable(),
                3..=4 => {
                    let condition = self.condition();
                    self.line(&format!("if {condition} {{"));
                    self.depth += 1;
                    self.statements(depth - 1);
                    self.depth -= 1;
                    self.values.truncate(known);
                    if self.random.once_in(4) {
                        self.line("} else {");
                        self.depth += 1;
                        self.statements(depth - 1);
                        self.depth -= 1;
                        self.values.truncate(known);
                    }
                    self.line("}");
                }
                _ if self.loops < 2 && self.sites < 6 => self.counted(depth - 1),
                _ => self.site(),
            }
        }
    }

    fn variable(&mut self) {
        let (value, most) = self.number(3);
        let name = format!(
            "v{}",
            self.values.len() + 10 * self.sites as usize + 100 * self.loops as usize
        );
        if self.locals.contains(&format!(" {name}:")) {
            return;
        }
        let _ = writeln!(self.locals, "        let {name}: u64");
        self.line(&format!("store {name} = {value}"));
        self.values.push((name, most));
    }

    /// A loop whose iterations are counted beside its own counter.
    fn counted(&mut self, depth: u32) {
        let number = self.loops;
        self.loops += 1;
        let (counter, trip) = (format!("i{number}"), format!("t{number}"));
        let _ = writeln!(self.locals, "        let {counter}: u64\n        let {trip}: u32");
        let step = match self.below(3) {
            0 => 1 + self.below(8),
            1 => 1 << self.below(6),
            _ => 1,
        };
        let first = match self.below(3) {
            0 => self.number(1),
            _ => {
                let first = self.below(4);
                (format!("{first}u64"), first)
            }
        };
        let most = first.1.saturating_add(step * TRIPS);
        let limit = match self.below(3) {
            0 => format!("{}u64", first.1.min(1000) + step * (1 + self.below(TRIPS - 1))),
            1 => format!("add({}, {}u64)", first.0, step * (1 + self.below(TRIPS - 1))),
            _ => {
                let (limit, _) = self.number(1);
                limit
            }
        };
        self.line(&format!("store {counter} = {}", first.0));
        self.line(&format!("store {trip} = 0u32"));
        self.line("loop {");
        self.depth += 1;
        self.line(&format!("if lt({counter}, {limit}) {{ }} else {{ break 0 }}"));
        self.line(&format!("if lt({trip}, {TRIPS}u32) {{ }} else {{ break 0 }}"));
        let known = self.values.len();
        self.values.push((counter.clone(), most));
        self.statements(depth);
        self.values.truncate(known);
        self.depth -= 1;
        self.line("} step {");
        self.line(&format!("    store {counter} = add({counter}, {step}u64)"));
        self.line(&format!("    store {trip} = add({trip}, 1u32)"));
        self.line("}");
    }

    fn site(&mut self) {
        if self.sites == 6 {
            return;
        }
        let number = self.sites;
        self.sites += 1;
        let value = match self.below(4) {
            0 => match self.tested.clone() {
                Some(tested) if self.random.once_in(2) => {
                    let distance = self.below(5);
                    match self.below(3) {
                        0 => format!("add({tested}, {distance}u64)"),
                        1 => format!("sub({tested}, {distance}u64)"),
                        _ => tested,
                    }
                }
                _ => self.number(4).0,
            },
            1 => match self.last.clone() {
                Some((last, variables)) if variables <= self.values.len() => {
                    let distance = if self.random.once_in(3) {
                        self.below(100)
                    } else {
                        self.below(4)
                    };
                    format!("add({last}, {distance}u64)")
                }
                _ => self.place(),
            },
            _ => self.place(),
        };
        self.last = Some((value.clone(), self.values.len()));
        let value = if self.random.once_in(4) {
            format!("cast u64(cast u32({value}))")
        } else {
            value
        };
        let trips: Vec<String> = (0..2)
            .map(|number| match number < self.loops {
                true => format!("t{number}"),
                false => "0u32".to_owned(),
            })
            .collect();
        let mut index = String::new();
        for kind in ["thread_index", "block_index"] {
            for axis in ["x", "y", "z"] {
                let _ = write!(index, "{kind}.{axis}, ");
            }
        }
        self.line(&format!(
            "print \"{number} {}{{u32}} {{u32}} {{u64}}\\n\", {index}{}, {value}",
            "{u32} ".repeat(6),
            trips.join(", ")
        ));
    }

    /// The axes along which there are several threads, and the number along each.
    fn axes(&self) -> Vec<(String, u64)> {
        let mut axes = Vec::new();
        for (kind, sizes) in [("thread_index", self.block), ("block_index", self.grid)] {
            for (axis, size) in ["x", "y", "z"].into_iter().zip(sizes) {
                if size > 1 {
                    axes.push((format!("cast u64({kind}.{axis})"), size.into()));
                }
            }
        }
        axes
    }

    /// An index in mixed radix, of some axes and counters in any order, mostly with enough room for each.
    fn place(&mut self) -> String {
        let mut digits = self.axes();
        if digits.is_empty() || self.random.once_in(8) {
            return self.number(3).0;
        }
        for (name, most) in self.values.clone() {
            if most < 1000 && self.random.once_in(2) {
                digits.push((name, most + 1));
            }
        }
        if self.random.once_in(6) {
            let gone = self.below(digits.len() as u64) as usize;
            digits.remove(gone);
        }
        // A thread is a quotient and a remainder, or two axes are one index.
        if self.random.once_in(4) && !digits.is_empty() {
            let at = self.below(digits.len() as u64) as usize;
            let (name, size) = digits.remove(at);
            let by = [2, 3, 4, 8, 32][self.below(5) as usize];
            digits.push((format!("div({name}, {by}u64)"), size.div_ceil(by)));
            digits.push((format!("rem({name}, {by}u64)"), by.min(size)));
        }
        let mut sum = format!("{}u64", self.below(5));
        let mut radix = 1 + self.below(2) * self.below(4);
        while !digits.is_empty() {
            let at = self.below(digits.len() as u64) as usize;
            let (name, size) = digits.remove(at);
            sum = format!("add({sum}, mul({name}, {radix}u64))");
            radix = match self.below(12) {
                0 => radix * size - 1,
                1 => radix * size + self.below(5),
                2 => radix * (size / 2),
                _ => radix * size,
            };
            radix = radix.max(1);
        }
        sum
    }

    /// A number and a bound of it, of operations nested to a depth.
    fn number(&mut self, depth: u32) -> (String, u64) {
        if depth == 0 || self.random.once_in(4) {
            return self.leaf();
        }
        let (a, most) = self.number(depth - 1);
        match self.below(8) {
            0..=1 => {
                let (b, more) = self.number(depth - 1);
                (format!("add({a}, {b})"), most.saturating_add(more))
            }
            2 => {
                let factor = 1 + self.below(9);
                (format!("mul({a}, {factor}u64)"), most.saturating_mul(factor))
            }
            3 => {
                let number = self.below(3);
                let (scalar, bits) = self.scalars[number as usize];
                let factor = if scalar == Scalar::U32 {
                    format!("cast u64(p{number})")
                } else {
                    format!("p{number}")
                };
                (format!("mul({a}, {factor})"), most.saturating_mul(bits))
            }
            4 => {
                let by = 1 + self.below(40);
                match self.below(2) {
                    0 => (format!("div({a}, {by}u64)"), most / by),
                    _ => (format!("rem({a}, {by}u64)"), by - 1),
                }
            }
            5 => {
                let bits = self.below(6);
                match self.below(4) {
                    0 => (format!("shl({a}, {bits}u32)"), most.saturating_mul(1 << bits)),
                    1 => (format!("shr({a}, {bits}u32)"), most >> bits),
                    2 => (format!("and({a}, {}u64)", u64::MAX << bits), most),
                    _ => (format!("and({a}, {}u64)", (1 << bits) - 1), (1 << bits) - 1),
                }
            }
            6 => {
                let taken = self.below(5);
                (format!("sub({a}, {taken}u64)"), u64::MAX)
            }
            _ => (format!("cast u64(cast u32({a}))"), most.min(u32::MAX.into())),
        }
    }

    fn leaf(&mut self) -> (String, u64) {
        let axes = self.axes();
        match self.below(8) {
            0..=3 if !axes.is_empty() => {
                let (name, size) = axes[self.below(axes.len() as u64) as usize].clone();
                (name, size - 1)
            }
            4 if !self.values.is_empty() => {
                let at = self.random.index(self.values.len());
                self.values[at].clone()
            }
            5 => {
                let number = self.below(3);
                let (scalar, bits) = self.scalars[number as usize];
                match scalar {
                    Scalar::U32 => (format!("cast u64(p{number})"), bits),
                    _ => (format!("p{number}"), bits),
                }
            }
            6 => match self.below(3) {
                0 => ("cast u64(lane_index)".to_owned(), 31),
                1 => ("global_index.x".to_owned(), 1 << 10),
                _ => ("linear_index".to_owned(), 1 << 10),
            },
            _ => {
                let number = self.below(70);
                (format!("{number}u64"), number)
            }
        }
    }

    fn condition(&mut self) -> String {
        let ((a, most), (b, _)) = (self.number(2), self.leaf());
        let limit = if most < 1000 {
            self.below(most + 2)
        } else {
            self.below(100)
        };
        self.tested = Some(a.clone());
        let taken = self.below(5);
        match self.below(7) {
            0 => format!("lt({a}, {b})"),
            1 => format!("lt(add({a}, 1u64), {b})"),
            6 => format!("lt(sub({a}, {taken}u64), {b})"),
            2 => format!("ge({a}, {limit}u64)"),
            3 => format!("eq({a}, {limit}u64)"),
            4 => format!("ne({a}, 0u64)"),
            _ => format!("lt({a}, {limit}u64)"),
        }
    }
}
