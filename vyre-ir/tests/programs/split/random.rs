//! Random nests of loops and branches with barriers: the parts do what the whole does.

use std::fmt::Write;

use super::parts;

/// A generator of statements in which all threads take the same road, and write elements of their own between barriers.
struct Source {
    state: u64,
    text: String,
    /// The loops around the statement, by the numbers of their counters.
    loops: Vec<u32>,
    counters: u32,
    barriers: u32,
}

impl Source {
    /// A number below `end`, by splitmix64.
    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A value that is the same for all threads.
    fn uniform(&mut self) -> String {
        match (self.below(4), self.loops.len() as u64) {
            (0, loops @ 1..) => {
                let around = self.below(loops) as usize;
                format!("c{}", self.loops[around])
            }
            (1, _) => "n".to_owned(),
            (2, _) => "same".to_owned(),
            _ => format!("{}u32", self.below(4)),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let (a, b) = (self.uniform(), self.uniform());
        match self.below(if depth == 0 { 6 } else { 11 }) {
            0 => self.line(&format!("store own = add(mul(own, 3u32), {a})")),
            1 => self.line(&format!("store same = xor(add(same, {a}), {b})")),
            2 => self.line("store x[i] = add(x[i], own)"),
            3 => {
                // All read what another thread has written, and meet before it is written again.
                self.line("grid_barrier");
                self.line("store own = xor(own, x[sub(11u64, i)])");
                self.line("grid_barrier");
                self.barriers += 2;
            }
            4 => self.line("store shared::tile[rem(i, 4u64)] = own"),
            5 => self.line("store own = add(own, shared::tile[rem(i, 4u64)])"),
            6 => {
                self.line(&format!("if lt({a}, {b}) {{"));
                self.block(depth - 1);
                self.line("} else {");
                self.block(depth - 1);
                self.line("}");
            }
            7 if !self.loops.is_empty() => {
                let around = self.below(self.loops.len() as u64);
                let jump = ["break", "continue"][self.below(2) as usize];
                self.line(&format!("if eq({a}, {b}) {{ {jump} {around} }}"));
            }
            _ => {
                let counter = self.counters;
                self.counters += 1;
                let trips = 1 + self.below(3);
                self.line(&format!("store c{counter} = 0u32"));
                self.line(&format!("loop {{ if ge(c{counter}, {trips}u32) {{ break 0 }}"));
                self.loops.push(counter);
                self.block(depth - 1);
                self.line("} step {");
                if self.below(4) == 0 {
                    self.line("grid_barrier");
                    self.barriers += 1;
                }
                self.line(&format!("store c{counter} = add(c{counter}, 1u32) }}"));
                self.loops.pop();
            }
        }
    }
}

#[test]
fn random_nests_are_cut() {
    let mut most = 0;
    for seed in 0..300 {
        let mut source = Source {
            state: seed,
            text: String::new(),
            loops: Vec::new(),
            counters: 0,
            barriers: 0,
        };
        source.line("store i = linear_index\nstore own = x[i]\nstore same = a[1u64]");
        source.line("store shared::tile[rem(i, 4u64)] = 0u32");
        source.block(3);
        source.line("store x[i] = add(x[i], own)\nif eq(i, 0u64) { store x[i] = add(x[i], same) }");
        let mut locals = "let i: u64\nlet own: u32\nlet same: u32\n".to_owned();
        for counter in 0..source.counters {
            writeln!(locals, "let c{counter}: u32").expect("a string takes all");
        }
        let (count, _) = parts(&(locals + &source.text));
        assert_eq!(count as u32, 1 + source.barriers, "{}", source.text);
        most = most.max(count);
    }
    assert!(most > 8, "{most} parts at most");
}
