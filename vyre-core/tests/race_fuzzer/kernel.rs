//! Random kernels that write and read global and shared memory, with barriers, guards, loops, swaps and tickets. Each
//! statement that accesses memory has a line of its own.

use std::fmt::Write;

use vyre_test_support::random_program::Random;

/// The elements of the slice that threads share, and of the tile.
pub(crate) const LENGTH: u64 = 4096;
pub(crate) const TILE: u64 = 256;
/// Limit of the accesses of a kernel.
const ACCESSES: u32 = 7;

/// A kernel and its launch.
pub(crate) struct Kernel {
    pub(crate) text: String,
    /// The run of a launch that passes the counters twice: the second view is the first one.
    pub(crate) run: String,
    pub(crate) grid: [u32; 3],
    pub(crate) threads: u32,
    /// The parameters behind the slices: one of 32 bits, one of 64.
    pub(crate) scalars: [u64; 2],
    /// The counters of tickets, before the launch.
    pub(crate) counters: [u32; 2],
}

/// An expression and the greatest number that it can be.
type Number = (String, u64);

struct Writer<'r> {
    random: &'r mut Random,
    grid: [u32; 3],
    block: [u32; 3],
    scalars: [u64; 2],
    locals: String,
    body: String,
    depth: usize,
    line: u32,
    accesses: u32,
    /// Variables in sight.
    values: Vec<Number>,
    variables: u32,
    loops: u32,
    /// The last indices.
    last: Vec<Number>,
    has_return: bool,
    tickets: u32,
}

pub(crate) fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let block = match random.below(5) {
        0 => [32, 1, 1],
        1 => [[64, 1, 1], [96, 1, 1], [64, 2, 1]][random.below(3) as usize],
        2 => [8, 4, 1],
        3 => [4, 2, 3],
        _ => [16, 2, 1],
    };
    let grid = match random.below(4) {
        0 => [1, 1, 1],
        1 => [2, 1, 1],
        2 => [3, 1, 1],
        _ => [2, 2, 1],
    };
    // With some numbers products wrap back to where others are.
    let wide = [u64::MAX, u64::MAX - 1, 1 << 63, 1 << 62, u64::MAX << 32];
    let scalars = match random.once_in(6) {
        true => [1 + random.below(40), wide[random.index(wide.len())]],
        false => [1 + random.below(40), 1 + random.below(70)],
    };
    let mut writer = Writer {
        random: &mut random,
        grid,
        block,
        scalars,
        locals: String::new(),
        body: String::new(),
        depth: 0,
        line: 1,
        accesses: 0,
        values: Vec::new(),
        variables: 0,
        loops: 0,
        last: Vec::new(),
        has_return: false,
        tickets: 0,
    };
    writer.text("store acc = 1u32");
    if writer.random.once_in(2) {
        let place = writer.place(TILE);
        writer.store("shared::tile", &place);
    }
    writer.statements(3);
    while writer.accesses < 2 {
        writer.access();
    }
    writer.text("store sink[linear_index] = acc");
    let (locals, body) = (std::mem::take(&mut writer.locals), std::mem::take(&mut writer.body));
    let [x, y, z] = block;
    let text = format!(
        "vyre 1\nfile \"k\"\ntype &mut [u32]\ntype [u32; {TILE}]\ntype &[AtomicU32]\nshared tile: [u32; {TILE}]\n\
         kernel k(out: &mut [u32], sink: &mut [u32], p0: u32, p1: u64, next: &[AtomicU32], again: &[AtomicU32]) dimensions 3 block {x} {y} {z} {{\n entry k {{\n        \
         let acc: u32\n{locals}{body} }}\n}}\n"
    );
    Kernel {
        run: text.replace("again[", "next["),
        text,
        grid,
        threads: grid.iter().chain(&block).product(),
        scalars,
        counters: [
            random.below(9) as u32,
            if random.once_in(8) { u32::MAX - 40 } else { 0 },
        ],
    }
}

impl Writer<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    /// A line with a location of its own.
    fn text(&mut self, text: &str) {
        let line = self.line;
        self.line += 1;
        let _ = writeln!(self.body, "{:width$}{text}  @{line}:1", "", width = 4 * self.depth + 8);
    }

    /// A line that closes something.
    fn close(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:width$}{text}", "", width = 4 * self.depth + 8);
    }

    fn statements(&mut self, depth: u32) {
        let known = self.values.len();
        for _ in 0..2 + self.below(3) {
            match self.below(if depth == 0 { 5 } else { 9 }) {
                0 if self.random.once_in(3) => self.swap(),
                1 if self.random.once_in(4) => self.ticket(),
                2 if self.random.once_in(6) => self.narrow(),
                0 if self.random.once_in(5) => self.single(),
                1 if self.random.once_in(8) => self.claim(),
                0..=2 => self.access(),
                3..=4 => {
                    if self.depth == 0 || self.random.once_in(3) {
                        self.text("barrier");
                    } else {
                        self.access();
                    }
                }
                5..=6 => self.guarded(depth - 1),
                7 if self.loops < 2 => self.looped(depth - 1),
                8 if !self.has_return && self.random.once_in(4) => {
                    self.has_return = true;
                    let condition = self.condition();
                    self.text(&format!("if {condition} {{"));
                    // The values read before count.
                    self.text("    store sink[linear_index] = acc");
                    self.close("    return");
                    self.close("}");
                }
                _ => self.variable(),
            }
        }
        self.values.truncate(known);
    }

    fn variable(&mut self) {
        let (value, most) = self.number(2);
        let name = format!("v{}", self.named(value));
        self.values.push((name, most));
    }

    fn guarded(&mut self, depth: u32) {
        let condition = self.condition();
        self.text(&format!("if {condition} {{"));
        self.depth += 1;
        self.statements(depth);
        self.depth -= 1;
        if self.random.once_in(4) {
            self.close("} else {");
            self.depth += 1;
            self.statements(depth);
            self.depth -= 1;
        }
        self.close("}");
    }

    fn looped(&mut self, depth: u32) {
        let name = format!("i{}", self.loops);
        self.loops += 1;
        let _ = writeln!(self.locals, "        let {name}: u64");
        let (first, condition, next, most) = match self.below(4) {
            0..=1 => {
                let most = [16, 32][self.below(2) as usize];
                (
                    format!("{most}u64"),
                    format!("gt({name}, 0u64)"),
                    format!("div({name}, 2u64)"),
                    most,
                )
            }
            2 => {
                let (limit, step) = (1 + self.below(3), 1 + self.below(9));
                let condition = format!("lt({name}, {}u64)", limit * step);
                (
                    "0u64".to_owned(),
                    condition,
                    format!("add({name}, {step}u64)"),
                    limit * step,
                )
            }
            _ => {
                let first = self.leaf();
                let step = [1, 32, 64, 128][self.below(4) as usize];
                let limit = step * (1 + self.below(3));
                let condition = format!("lt({name}, {limit}u64)");
                (first.0, condition, format!("add({name}, {step}u64)"), limit)
            }
        };
        self.text(&format!("store {name} = {first}"));
        // The index of one of two buffers, which change places in each iteration.
        let now = self.random.once_in(3).then(|| {
            let first = match self.below(5) {
                0 => format!("rem({}, 2u64)", self.leaf().0),
                first => format!("{}u64", first % 2),
            };
            let now = format!("v{}", self.named(first));
            self.values.push((now.clone(), 1));
            now
        });
        self.text("loop {");
        self.depth += 1;
        self.close(&format!("if {condition} {{ }} else {{ break 0 }}"));
        self.values.push((name.clone(), most));
        self.statements(depth);
        self.values.pop();
        let is_late = self.random.once_in(6);
        if let Some(now) = now.as_ref().filter(|_| !is_late) {
            self.turn(now);
        }
        if self.random.once_in(2) {
            self.text("barrier");
        }
        if let Some(now) = now.as_ref().filter(|_| is_late) {
            self.turn(now);
        }
        self.text(&format!("store {name} = {next}"));
        self.depth -= 1;
        self.close("}");
    }

    /// Makes the other number of a number of one bit.
    fn turn(&mut self, now: &str) {
        match self.below(3) {
            0 => self.text(&format!("store {now} = xor({now}, 1u64)")),
            _ => self.text(&format!("store {now} = sub(1u64, {now})")),
        }
    }

    /// Accesses at an index of 32 bits, which may wrap.
    fn narrow(&mut self) {
        let of = match self.below(3) {
            0 => self.number(2).0,
            _ => "linear_index".to_owned(),
        };
        let factors = [1, 2, 3, 1 << 31, 1 << 30, (1 << 31) + 1, (1u64 << 31) + 2];
        let factor = factors[self.random.index(factors.len())];
        let first = self.below(3);
        let index = self.named(format!("cast u64(add(mul(cast u32({of}), {factor}u32), {first}u32))"));
        self.text(&format!("if lt(v{index}, {LENGTH}u64) {{"));
        self.depth += 1;
        for _ in 0..1 + self.below(2) {
            self.touch("out", LENGTH, &(format!("v{index}"), LENGTH - 1));
        }
        self.depth -= 1;
        self.close("}");
    }

    fn access(&mut self) {
        if self.accesses == ACCESSES {
            return;
        }
        let (object, length) = match self.below(2) {
            0 => ("out", LENGTH),
            _ => ("shared::tile", TILE),
        };
        let place = match self.last.last().cloned() {
            // One that was accessed before, or one next to it.
            Some((last, most)) if self.random.once_in(3) => {
                let distance = self.below(4);
                match self.below(3) {
                    0 if most + distance < length => (format!("add({last}, {distance}u64)"), most + distance),
                    1 if !self.values.is_empty() => {
                        let (other, more) = self.values[self.random.index(self.values.len())].clone();
                        (format!("add({last}, {other})"), most.saturating_add(more))
                    }
                    _ => (last, most),
                }
            }
            _ => self.place(length),
        };
        let place = if place.1 < length { place } else { self.place(length) };
        if place.1 >= length {
            return;
        }
        match self.below(2) {
            0 => self.store(object, &place),
            _ => {
                self.accesses += 1;
                self.text(&format!("store acc = add(mul(acc, 3u32), {object}[{}])", place.0));
            }
        }
        self.last.push(place);
    }

    /// Accesses to an element and its partner, mostly by one of the threads that could swap them.
    fn swap(&mut self) {
        let axes = self.axes();
        let (object, length) = [("out", LENGTH), ("shared::tile", TILE)][self.below(2) as usize];
        let own = match self.below(6) {
            0 => axes[self.random.index(axes.len())].clone(),
            1 => self.number(1),
            _ if object == "out" => ("linear_index".to_owned(), 1 << 9),
            // The number of a thread in its block.
            _ => {
                let [x, y, _] = self.block;
                let index = format!(
                    "add(cast u64(thread_index.x), mul({x}u64, add(cast u64(thread_index.y), mul({y}u64, cast \
                     u64(thread_index.z)))))"
                );
                (index, 63)
            }
        };
        let by = match self.below(3) {
            0 if !self.values.is_empty() => self.values[self.random.index(self.values.len())].clone(),
            1 => self.leaf(),
            _ => {
                let by = 1 << self.below(6);
                (format!("{by}u64"), by)
            }
        };
        let [mine, partner] = [self.named(own.0), self.variables].map(|number| format!("v{number}"));
        self.named(format!("xor({mine}, {})", by.0));
        let condition = match self.below(8) {
            0 => format!("ne({mine}, {partner})"),
            1 => format!("le({mine}, {partner})"),
            2..=3 => format!("gt({mine}, {partner})"),
            _ => format!("lt({mine}, {partner})"),
        };
        let most = (own.1 | by.1).next_power_of_two().saturating_mul(2);
        let factor = [1, 1, 1, 2, 3][self.below(5) as usize];
        let rest = match self.below(4) {
            0 => self.leaf(),
            1 => (format!("{}u64", factor - 1), factor - 1),
            _ => ("0u64".to_owned(), 0),
        };
        self.text(&format!("if {condition} {{"));
        self.depth += 1;
        for _ in 0..2 + self.below(2) {
            let number = if self.random.once_in(2) { &mine } else { &partner };
            let rest = if self.random.once_in(8) {
                ("1u64".to_owned(), 1)
            } else {
                rest.clone()
            };
            let place = format!("add(mul({number}, {factor}u64), {})", rest.0);
            let place = (place, (most.saturating_mul(factor)).saturating_add(rest.1));
            self.touch(object, length, &place);
        }
        self.depth -= 1;
        self.close("}");
    }

    /// Accesses of mostly one thread at indices that it has read.
    fn single(&mut self) {
        let axes = self.axes();
        let own = match self.below(5) {
            0 => axes[self.random.index(axes.len())].0.clone(),
            1 => self.number(1).0,
            2 => format!("add(linear_index, {})", self.leaf().0),
            _ => "linear_index".to_owned(),
        };
        let number = self.below(8);
        let condition = match self.below(4) {
            0 => format!("lt({own}, 1u64)"),
            1 if self.random.once_in(3) => format!("lt({own}, {}u64)", 1 + number),
            _ => format!("eq({own}, {number}u64)"),
        };
        let (object, length) = [("out", LENGTH), ("shared::tile", TILE)][self.below(2) as usize];
        self.text(&format!("if {condition} {{"));
        self.depth += 1;
        for _ in 0..2 + self.below(2) {
            let place = match self.below(3) {
                0 => self.leaf(),
                _ => (format!("rem(cast u64(acc), {length}u64)"), length - 1),
            };
            self.touch(object, length, &place);
        }
        self.depth -= 1;
        self.close("}");
    }

    /// An assertion that mostly holds.
    fn claim(&mut self) {
        let (value, most) = self.number(1);
        let limit = most.saturating_add(1).saturating_sub(self.below(40) / 39);
        self.text(&format!("assert le({value}, {limit}u64), panic \"no\""));
    }

    /// Accesses to the slots of a ticket, mostly within it. Its range is not known, so it may lead out of bounds.
    fn ticket(&mut self) {
        let name = format!("s{}", self.tickets);
        self.tickets += 1;
        let _ = writeln!(self.locals, "        let {name}: u32");
        let cell = match self.below(5) {
            0 => "1u64".to_owned(),
            1 => format!("rem({}, 2u64)", self.leaf().0),
            _ => "0u64".to_owned(),
        };
        let step = 1 + self.below(3);
        let view = if self.random.once_in(8) { "again" } else { "next" };
        let scope = if self.random.once_in(10) { "block" } else { "device" };
        let operation = match self.below(24) {
            0 => format!("exchange({view}[{cell}], {step}u32)"),
            1 => format!("max({view}[{cell}], {step}u32)"),
            2 => format!("add({view}[{cell}], cast u32({}))", self.leaf().0),
            3 => format!("sub({view}[{cell}], {step}u32)"),
            _ => format!("add({view}[{cell}], {step}u32)"),
        };
        self.text(&format!("atomic {name} = {operation} relaxed {scope}"));
        let factor = 1 + self.below(2);
        for _ in 0..1 + self.below(3) {
            let offset = match self.below(8) {
                0 => self.leaf().0,
                1 => format!("{}u64", factor * step),
                2 => format!("rem({}, {}u64)", self.leaf().0, factor * step),
                _ => format!("{}u64", self.below(factor * step)),
            };
            let place = match self.below(8) {
                // A number of the slot in two terms.
                0 => format!("add(mul(cast u64({name}), cast u64(p0)), cast u64({name}))"),
                1 => format!("add(mul(cast u64({name}), p1), mul(cast u64({name}), {factor}u64))"),
                _ => format!("add(mul(cast u64({name}), {factor}u64), {offset})"),
            };
            self.touch("out", LENGTH, &(place, 0));
        }
    }

    /// A new variable with a value.
    fn named(&mut self, value: String) -> u32 {
        let number = self.variables;
        self.variables += 1;
        let _ = writeln!(self.locals, "        let v{number}: u64");
        self.text(&format!("store v{number} = {value}"));
        number
    }

    /// A load or a store.
    fn touch(&mut self, object: &str, length: u64, place: &Number) {
        match self.random.once_in(2) {
            true => self.store(object, place),
            false if place.1 < length => {
                self.accesses += 1;
                self.text(&format!("store acc = add(mul(acc, 3u32), {object}[{}])", place.0));
            }
            false => {}
        }
    }

    fn store(&mut self, object: &str, (place, most): &Number) {
        let length = if object == "out" { LENGTH } else { TILE };
        if *most < length {
            self.accesses += 1;
            self.text(&format!("store {object}[{place}] = acc"));
        }
    }

    /// The number for which the second scalar counts in indices, which wrap with a greater one.
    fn factor(&self) -> u64 {
        if self.scalars[1] > 100 { 1 } else { self.scalars[1] }
    }

    fn axes(&self) -> Vec<Number> {
        let mut axes = Vec::new();
        for (kind, sizes) in [("thread_index", self.block), ("block_index", self.grid)] {
            for (axis, size) in ["x", "y", "z"].into_iter().zip(sizes) {
                if size > 1 {
                    axes.push((format!("cast u64({kind}.{axis})"), u64::from(size) - 1));
                }
            }
        }
        axes
    }

    /// An index in mixed radix, mostly with room for each digit.
    fn place(&mut self, length: u64) -> Number {
        if self.random.once_in(8) {
            return self.number(2);
        }
        let mut digits = self.axes();
        if length == TILE {
            digits
                .retain(|(name, _)| name.contains("thread") || name.contains("block_index") && self.random.once_in(8));
        }
        for value in self.values.clone() {
            if value.1 == 1 && self.random.once_in(2) {
                digits.push((format!("sub(1u64, {})", value.0), 1));
            } else if value.1 < 64 && self.random.once_in(3) {
                digits.push(value);
            }
        }
        if self.random.once_in(8) && !digits.is_empty() {
            let gone = self.random.index(digits.len());
            digits.remove(gone);
        }
        // The index along `x` as a tile of the warp, mostly, and a lane of it.
        if self.random.once_in(5)
            && let Some(at) = digits.iter().position(|(name, _)| name.contains("thread_index.x"))
        {
            let (name, most) = digits.remove(at);
            let lanes = [4, 8, 32, 32][self.below(4) as usize];
            if most >= lanes && !self.random.once_in(3) {
                digits.push((format!("div({name}, {lanes}u64)"), most / lanes));
            }
            let lane = "cast u64(lane_index)";
            digits.push(match lanes {
                32 => (lane.to_owned(), 31),
                lanes => (format!("rem({lane}, {lanes}u64)"), lanes - 1),
            });
        }
        if self.random.once_in(6) && !digits.is_empty() {
            let at = self.random.index(digits.len());
            let (name, most) = digits.remove(at);
            let by = [2, 4, 8, 32][self.below(4) as usize];
            digits.push((format!("div({name}, {by}u64)"), most / by));
            if !self.random.once_in(4) {
                digits.push((format!("rem({name}, {by}u64)"), most.min(by - 1)));
            }
        }
        self.radix(digits)
    }

    fn radix(&mut self, mut digits: Vec<Number>) -> Number {
        let first = match self.scalars[1] > 100 {
            true => self.below(40),
            false if self.random.once_in(3) => self.below(4),
            false => 0,
        };
        let (mut sum, mut most) = (format!("{first}u64"), first);
        let mut radix = if self.random.once_in(6) { 2 } else { 1 };
        while !digits.is_empty() {
            let at = self.random.index(digits.len());
            let (name, of) = digits.remove(at);
            let is_symbol = self.random.once_in(if self.scalars[1] > 100 { 3 } else { 12 });
            if is_symbol {
                sum = format!("add({sum}, mul({name}, p1))");
                most += of.saturating_mul(self.factor());
                radix = self.factor() * (of + 1);
                continue;
            }
            sum = format!("add({sum}, mul({name}, {radix}u64))");
            most += of.saturating_mul(radix);
            radix = match self.below(14) {
                0 => (radix * (of + 1)).max(2) - 1,
                1 => radix * (of + 1) + self.below(4),
                2 => (radix * of.div_ceil(2)).max(1),
                _ => radix * (of + 1),
            };
        }
        (sum, most)
    }

    fn number(&mut self, depth: u32) -> Number {
        if depth == 0 || self.random.once_in(4) {
            return self.leaf();
        }
        let (a, most) = self.number(depth - 1);
        match self.below(7) {
            0..=1 => {
                let (b, more) = self.number(depth - 1);
                (format!("add({a}, {b})"), most.saturating_add(more))
            }
            2 => {
                let factor = 1 + self.below(6);
                (format!("mul({a}, {factor}u64)"), most.saturating_mul(factor))
            }
            3 => {
                let by = 1 + self.below(20);
                match self.below(3) {
                    0 => (format!("div({a}, {by}u64)"), most / by),
                    1 => (format!("and({a}, {}u64)", u64::MAX << (by % 4)), most),
                    _ => (format!("rem({a}, {by}u64)"), most.min(by - 1)),
                }
            }
            4 => {
                let (b, more) = self.leaf();
                (
                    format!("xor({a}, {b})"),
                    (most | more).next_power_of_two().saturating_mul(2),
                )
            }
            5 => (format!("sub({most}u64, {a})"), most),
            _ => (format!("cast u64(cast u32({a}))"), most),
        }
    }

    fn leaf(&mut self) -> Number {
        let axes = self.axes();
        match self.below(8) {
            0..=3 => axes[self.random.index(axes.len())].clone(),
            4 if !self.values.is_empty() => self.values[self.random.index(self.values.len())].clone(),
            5 => match self.below(2) {
                0 => ("cast u64(p0)".to_owned(), self.scalars[0]),
                _ => ("p1".to_owned(), self.factor()),
            },
            6 => match self.below(2) {
                0 => ("cast u64(lane_index)".to_owned(), 31),
                _ => ("linear_index".to_owned(), 1 << 9),
            },
            _ => {
                let number = self.below(40);
                (format!("{number}u64"), number)
            }
        }
    }

    fn condition(&mut self) -> String {
        // One of the warps, mostly.
        if self.random.once_in(8) && self.block[0] >= 32 {
            let index = "cast u64(thread_index.x)";
            return match self.below(6) {
                0..=1 => format!("lt({index}, 32u64)"),
                2 => format!("ge({index}, 32u64)"),
                3 => format!("eq(div({index}, 32u64), {}u64)", self.below(2)),
                4 => format!("eq(rem(cast u64(lane_index), 8u64), {}u64)", self.below(8)),
                _ => format!("lt(sub({index}, {}u64), 32u64)", self.below(40)),
            };
        }
        let (a, most) = match self.below(3) {
            0 => self.number(1),
            _ => self.leaf(),
        };
        let limit = self.below(most.min(100) + 2);
        let (b, _) = self.leaf();
        match self.below(8) {
            0..=1 => format!("lt({a}, {b})"),
            2 => format!("lt(add({a}, 1u64), {b})"),
            3 => format!("ge({a}, {limit}u64)"),
            4 => format!("eq({a}, {limit}u64)"),
            5 => format!("eq({a}, 0u64)"),
            _ => format!("lt({a}, {limit}u64)"),
        }
    }
}
