//! Shared memory and atomics, with a single thread.

use super::Maker;
use super::types::{Prim, Ty};

/// Operations that change a cell and return its old value.
const OLD: &[&str] = &[
    "swap",
    "fetch_add",
    "fetch_sub",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "fetch_nand",
    "fetch_min",
    "fetch_max",
];

impl Maker {
    /// Shared memory with numbers, fully written before it is read.
    pub(super) fn tile(&mut self, depth: u32) -> String {
        let (prim, length) = (self.prim(), 1 + self.random.below(3));
        let tile = self.label().trim_start_matches('\'').to_owned();
        let mut text = format!("let {tile} = shared::<[{}; {length}]>();\n", prim.name());
        for index in 0..length {
            text += &format!("{tile}[{index}] = {};\n", self.expr(prim, 2, true).text);
        }
        let body = self.scoped(|maker| {
            maker.add(&tile, Ty::Array(Box::new(Ty::Prim(prim)), length), true);
            maker.statements(4, depth)
        });
        format!("{{ {text} block::sync();\n{body} block::sync(); }}\n")
    }

    /// Shared memory with atomics.
    pub(super) fn cells(&mut self, depth: u32) -> String {
        let prim = self.random.pick(&Prim::INTEGERS);
        let name = prim.name();
        let cell = format!("Atomic{}{}", name[..1].to_uppercase(), &name[1..]);
        let length = 1 + self.random.below(3);
        let cells = self.label().trim_start_matches('\'').to_owned();
        let mut text = format!("let {cells} = shared::<[{cell}; {length}]>();\n");
        for index in 0..length {
            let value = self.expr(prim, 1, true).text;
            text += &format!("{cells}[{index}].store({value}, Ordering::Relaxed);\n");
        }
        text += "block::sync();\n";
        let body = self.scoped(|maker| {
            let mut text = String::new();
            for _ in 0..1 + maker.random.below(4) {
                let at = format!("{cells}[{} % {length}]", maker.leaf(Prim::Usize, true).within(9));
                let old = maker.label().trim_start_matches('\'').to_owned();
                let mut ty = Ty::Prim(prim);
                let call = match maker.random.below(6) {
                    0 => "load(Ordering::Acquire)".to_owned(),
                    1 => {
                        let [one, other] = [0; 2].map(|_| maker.expr(prim, 2, true).text);
                        ty = Ty::Result(Box::new(ty.clone()), Box::new(ty));
                        format!("compare_exchange({one}, {other}, Ordering::SeqCst, Ordering::Relaxed)")
                    }
                    2 => {
                        ty = Ty::Result(Box::new(ty.clone()), Box::new(ty));
                        let (condition, value) = maker.in_closure(|maker| {
                            maker.add("it", Ty::Prim(prim), false);
                            (maker.condition(2).within(1), maker.expr(prim, 2, false).text)
                        });
                        format!(
                            "fetch_update(Ordering::AcqRel, Ordering::Acquire, |it| \
                             if {condition} {{ Some({value}) }} else {{ None }})"
                        )
                    }
                    _ => {
                        let value = maker.expr(prim, 2, true).text;
                        format!("{}({value}, Ordering::Relaxed)", maker.random.pick(OLD))
                    }
                };
                text += &format!("let {old} = {at}.{call};\n");
                maker.add(&old, ty, false);
            }
            text + &maker.statements(3, depth)
        });
        format!("{{ {text}{body} block::sync(); }}\n")
    }
}
