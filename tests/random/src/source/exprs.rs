//! Expressions.

use super::Maker;
use super::types::{Prim, Ty};

/// Operator precedences.
pub(super) mod binds {
    pub(crate) const LOOSE: u8 = 0;
    pub(crate) const OR: u8 = 1;
    pub(crate) const AND: u8 = 2;
    pub(crate) const COMPARE: u8 = 3;
    pub(crate) const CAST: u8 = 10;
    pub(crate) const UNARY: u8 = 11;
    pub(crate) const TIGHT: u8 = 12;
}

/// An expression as text.
pub(super) struct Written {
    pub(super) text: String,
    /// The precedence of its outermost operator.
    pub(super) binds: u8,
    /// True if it ends in a cast, after which `<` opens generic arguments.
    pub(super) ends_in_cast: bool,
}

impl Written {
    pub(super) fn new(text: String, binds: u8) -> Self {
        Written {
            text,
            binds,
            ends_in_cast: false,
        }
    }

    pub(super) fn tight(text: String) -> Self {
        Written::new(text, binds::TIGHT)
    }

    /// The text, in parentheses if it binds less tightly than `least`.
    pub(super) fn within(self, least: u8) -> String {
        if self.binds < least {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

/// Arithmetic operators of integers with their precedences.
const OPERATORS: [(&str, u8); 8] = [
    ("|", 4),
    ("^", 5),
    ("&", 6),
    ("+", 8),
    ("-", 8),
    ("*", 9),
    ("/", 9),
    ("%", 9),
];

impl Maker {
    /// A value of any type. Its type is determined by the context.
    pub(super) fn value(&mut self, ty: &Ty, depth: u32) -> Written {
        if let Ty::Prim(prim) = ty {
            return self.expr(*prim, depth, true);
        }
        let deeper = depth.saturating_sub(1);
        match self.random.below(10) {
            0..3 => {
                if let Some(place) = self.place(ty) {
                    return Written::tight(place);
                }
            }
            3 if depth > 0 => return self.branch(ty, depth),
            4 if depth > 0 => {
                if let Some(call) = self.call(ty, deeper) {
                    return call;
                }
            }
            5 if depth > 0 => return self.choice(ty, depth),
            6 if depth > 0 => return self.block(ty, depth),
            _ => {}
        }
        match ty.clone() {
            Ty::Prim(prim) => self.expr(prim, depth, true),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.value(part, deeper).text).collect();
                Written::tight(format!("({})", parts.join(", ")))
            }
            Ty::Array(element, length) => {
                if self.random.once_in(4) {
                    return Written::tight(format!("[{}; {length}]", self.value(&element, deeper).text));
                }
                let elements: Vec<String> = (0..length).map(|_| self.value(&element, deeper).text).collect();
                Written::tight(format!("[{}]", elements.join(", ")))
            }
            Ty::Struct(number) => {
                let definition = self.items.structs[number].clone();
                if definition.behaves && depth > 0 && self.random.once_in(3) {
                    let one = self.value(ty, deeper);
                    if self.random.once_in(2) {
                        return Written::tight(format!("{}.turned()", one.within(binds::TIGHT)));
                    }
                    let other = self.value(ty, deeper);
                    return Written::new(format!("{} + {}", one.within(8), other.within(9)), 8);
                }
                if definition.fields.len() > 1
                    && definition.fields[0].0 != "0"
                    && self.random.once_in(4)
                    && let Some(base) = self.place(ty)
                {
                    let (field, of) = &definition.fields[0];
                    let value = self.value(of, deeper).text;
                    let text = format!("{} {{ {field}: {value}, ..{base} }}", definition.name);
                    return Written::new(text, binds::LOOSE);
                }
                let fields: Vec<String> = definition
                    .fields
                    .iter()
                    .map(|(_, ty)| self.value(ty, deeper).text)
                    .collect();
                Written::new(definition.with(&fields), binds::LOOSE)
            }
            Ty::Enum(number) => {
                let definition = self.items.enums[number].clone();
                let variant = &definition.variants[self.random.below(definition.variants.len() as u64) as usize];
                let fields: Vec<String> = variant.fields.iter().map(|ty| self.value(ty, deeper).text).collect();
                Written::new(variant.with(&definition.name, &fields), binds::LOOSE)
            }
            Ty::Option(inner) => match self.random.below(3) {
                0 => Written::tight("None".to_owned()),
                _ => Written::tight(format!("Some({})", self.value(&inner, deeper).text)),
            },
            Ty::Result(inner, other) => {
                let (name, of) = self.random.pick(&[("Ok", 0), ("Ok", 0), ("Err", 1)]);
                let value = self.value(if of == 0 { &inner } else { &other }, deeper).text;
                Written::tight(format!("{name}({value})"))
            }
        }
    }

    /// A number or `bool`; `known` if the context determines its type.
    pub(super) fn expr(&mut self, prim: Prim, depth: u32, known: bool) -> Written {
        if depth == 0 || self.fuel == 0 || self.random.once_in(5) {
            return self.leaf(prim, known);
        }
        self.fuel -= 1;
        if self.random.once_in(4)
            && let Some(text) = self.behaved(prim, depth - 1)
        {
            return self.alone(Some(text), prim, known);
        }
        let (ty, deeper) = (Ty::Prim(prim), depth - 1);
        match self.random.below(20) {
            16 | 17 => {
                let text = self.library(prim, deeper);
                self.alone(text, prim, known)
            }
            18 | 19 => {
                let text = self.chain(prim, deeper);
                self.alone(text, prim, known)
            }
            way @ 0..3 => {
                let written = match way {
                    0 => self.branch(&ty, depth),
                    1 => self.choice(&ty, depth),
                    _ if self.nesting < 4 => self.block(&ty, depth),
                    _ => self.leaf(prim, true),
                };
                if known {
                    return written;
                }
                // The inner expression does not determine its type.
                Written::new(self.ascribed(&ty, &written.text), binds::LOOSE)
            }
            3 => match self.call(&ty, deeper) {
                Some(call) => call,
                None => self.operation(prim, deeper, known),
            },
            4 | 5 if prim != Prim::Bool => self.cast(prim, deeper),
            6..9 => self.method(prim, deeper).unwrap_or_else(|| self.leaf(prim, known)),
            9 => self.helper(prim, deeper),
            _ => self.operation(prim, deeper, known),
        }
    }

    /// The generated text in parentheses, if any; its type is not always determined by itself.
    fn alone(&mut self, text: Option<String>, prim: Prim, known: bool) -> Written {
        match text {
            None => self.leaf(prim, known),
            Some(text) if known => Written::tight(format!("({text})")),
            Some(text) => Written::new(self.ascribed(&Ty::Prim(prim), &text), binds::LOOSE),
        }
    }

    pub(super) fn cast(&mut self, prim: Prim, depth: u32) -> Written {
        let from = match self.prim() {
            Prim::Bool if prim.is_float() => Prim::U8,
            from => from,
        };
        if self.random.once_in(4)
            && from.is_integer()
            && !from.is_signed()
            && prim.is_integer()
            && (from.bits() < prim.bits() && from != Prim::Usize && !matches!(prim, Prim::Usize | Prim::Isize))
        {
            let operand = self.expr(from, depth, false).text;
            return Written::tight(format!("{}::from({operand})", prim.name()));
        }
        // A literal takes the type to which it is cast, if it can.
        let operand = self.expr(from, depth, false).within(binds::CAST);
        let mut written = Written::new(format!("{operand} as {}", prim.name()), binds::CAST);
        written.ends_in_cast = true;
        written
    }

    fn operation(&mut self, prim: Prim, depth: u32, known: bool) -> Written {
        if prim == Prim::Bool {
            return self.condition(depth);
        }
        if prim.is_signed() && self.random.once_in(8) || prim.is_float() && self.random.once_in(6) {
            let operand = self.expr(prim, depth, known).within(binds::UNARY);
            // Not `--`.
            return Written::new(format!("- {operand}"), binds::UNARY);
        }
        if prim.is_integer() && self.random.once_in(8) {
            let operand = self.expr(prim, depth, known).within(binds::UNARY);
            return Written::new(format!("!{operand}"), binds::UNARY);
        }
        if prim.is_integer() && self.random.once_in(5) {
            let op = self.random.pick(&["<<", ">>"]);
            let left = self.expr(prim, depth, known);
            let any = self.random.pick(&Prim::INTEGERS);
            let right = self.expr(any, depth, false).within(8);
            let left = match left.ends_in_cast && op == "<<" {
                true => format!("({})", left.text),
                false => left.within(7),
            };
            return Written::new(format!("{left} {op} {right}"), 7);
        }
        let (op, strength) = match prim.is_float() {
            true => self.random.pick(&OPERATORS[3..]),
            false => self.random.pick(&OPERATORS),
        };
        let left = self.expr(prim, depth, known);
        let left = self.maybe_parenthesised(left, strength);
        if prim.is_integer() && matches!(op, "/" | "%") && !self.random.once_in(12) {
            let divisor = self.divisor(prim, depth);
            return Written::new(format!("{left} {op} {divisor}"), strength);
        }
        let right = self.expr(prim, depth, true);
        let ends_in_cast = right.ends_in_cast && right.binds > strength;
        let right = self.maybe_parenthesised(right, strength + 1);
        let ends_in_cast = ends_in_cast && !right.ends_with(')');
        Written {
            text: format!("{left} {op} {right}"),
            binds: strength,
            ends_in_cast,
        }
    }

    fn maybe_parenthesised(&mut self, written: Written, least: u8) -> String {
        match self.random.once_in(8) {
            true => format!("({})", written.text),
            false => written.within(least),
        }
    }

    /// Neither zero nor, of signed integers, -1.
    pub(super) fn divisor(&mut self, prim: Prim, depth: u32) -> String {
        match self.random.below(3) {
            0 => (2 + self.random.below(60)).to_string(),
            1 => format!("({} & 31 | 1)", self.expr(prim, depth, true).within(7)),
            _ => format!("({} % 7 + 9)", self.expr(prim, depth, true).within(9)),
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: u32) -> Written {
        let deeper = depth.saturating_sub(1);
        match self.random.below(9) {
            0 => {
                let (left, right) = (self.expr(Prim::Bool, deeper, true), self.expr(Prim::Bool, deeper, true));
                Written::new(
                    format!("{} && {}", left.within(binds::AND), right.within(3)),
                    binds::AND,
                )
            }
            1 => {
                let (left, right) = (self.expr(Prim::Bool, deeper, true), self.expr(Prim::Bool, deeper, true));
                Written::new(format!("{} || {}", left.within(binds::OR), right.within(2)), binds::OR)
            }
            2 => {
                let operand = self.expr(Prim::Bool, deeper, true).within(binds::UNARY);
                Written::new(format!("!{operand}"), binds::UNARY)
            }
            3 => {
                let (op, strength) = self.random.pick(&OPERATORS[..3]);
                let (left, right) = (self.expr(Prim::Bool, deeper, true), self.expr(Prim::Bool, deeper, true));
                let text = format!("{} {op} {}", left.within(strength), right.within(strength + 1));
                Written::new(text, strength)
            }
            4 => {
                let ty = self.ty(1);
                if !self.compares(&ty) {
                    return self.leaf(Prim::Bool, true);
                }
                // A place, whose type determines the other side's.
                let Some(left) = self.place(&ty) else {
                    return self.leaf(Prim::Bool, true);
                };
                let op = self.random.pick(&["==", "!="]);
                let right = self.value(&ty, deeper).within(4);
                Written::new(format!("{left} {op} {right}"), binds::COMPARE)
            }
            5 => self.matches(deeper),
            _ => {
                let prim = self.prim();
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let left = self.expr(prim, deeper, false);
                let left = match left.ends_in_cast {
                    true => format!("({})", left.text),
                    false => left.within(4),
                };
                let right = self.expr(prim, deeper, true).within(4);
                Written::new(format!("{left} {op} {right}"), binds::COMPARE)
            }
        }
    }

    /// `if` and `else` with values.
    fn branch(&mut self, ty: &Ty, depth: u32) -> Written {
        let deeper = depth.saturating_sub(1);
        let condition = self.condition(deeper).within(1);
        let (then, otherwise) = (self.value(ty, deeper).text, self.value(ty, deeper).text);
        Written::new(
            format!("if {condition} {{ {then} }} else {{ {otherwise} }}"),
            binds::LOOSE,
        )
    }

    /// A block with a value, possibly with an early exit.
    fn block(&mut self, ty: &Ty, depth: u32) -> Written {
        let fuel = self.fuel;
        let deeper = depth.saturating_sub(1);
        let text = self.scoped(|maker| match maker.random.below(4) {
            0 => {
                let label = maker.label();
                let statements = maker.statements(1, 0);
                let condition = maker.condition(deeper).within(1);
                // A value that begins with a label or a block needs them.
                let early = maker.value(ty, deeper).within(1);
                let late = maker.value(ty, deeper).within(1);
                format!("{label}: {{ {statements} if {condition} {{ break {label} {early}; }} {late} }}")
            }
            1 => {
                let counter = maker.label().trim_start_matches('\'').to_owned();
                let most = 1 + maker.random.below(4);
                let condition = maker.condition(deeper).within(1);
                // A value that begins with a label or a block needs them.
                let early = maker.value(ty, deeper).within(1);
                let late = maker.value(ty, deeper).within(1);
                let statements = maker.inside_loop(None, |maker| maker.statements(1, 0));
                format!(
                    "{{ let mut {counter} = 0; loop {{ {counter} += 1; if {condition} {{ break {early}; }} \
                     {statements} if {counter} > {most} {{ break {late}; }} }} }}"
                )
            }
            _ => {
                let statements = maker.statements(2, 0);
                let value = maker.value(ty, deeper).text;
                format!("{{ {statements} {value} }}")
            }
        });
        self.fuel = fuel.min(self.fuel);
        Written::new(text, binds::LOOSE)
    }

    /// An expression without operands, except for indices.
    pub(super) fn leaf(&mut self, prim: Prim, known: bool) -> Written {
        if !self.random.once_in(4)
            && let Some(place) = self.place(&Ty::Prim(prim))
        {
            return Written::tight(place);
        }
        let fits = self.items.constants.iter().filter(|(_, ty)| *ty == Ty::Prim(prim));
        let constants: Vec<String> = fits.map(|(name, _)| name.clone()).collect();
        if !constants.is_empty() && self.random.once_in(3) {
            return Written::tight(constants[self.random.below(constants.len() as u64) as usize].clone());
        }
        let text = self.literal(prim, known);
        let binds = if text.starts_with('-') {
            binds::UNARY
        } else {
            binds::TIGHT
        };
        Written::new(text, binds)
    }

    /// A literal, with its type unless it is known.
    pub(super) fn literal(&mut self, prim: Prim, known: bool) -> String {
        let name = prim.name();
        if prim == Prim::Bool {
            return self.random.once_in(2).to_string();
        }
        let suffix = if known && !self.random.once_in(4) { "" } else { name };
        if prim.is_float() {
            let text = self.random.pick(&[
                "0.0",
                "1.0",
                "0.1",
                "2.5",
                "1e3",
                "3.0e-2",
                "16777217.0",
                "0.7",
                "1_000.5",
            ]);
            return match self.random.below(8) {
                0 => format!(
                    "{name}::{}",
                    self.random.pick(&["MAX", "EPSILON", "INFINITY", "MIN_POSITIVE", "MIN"])
                ),
                1 => format!("core::{name}::consts::{}", self.random.pick(&["PI", "SQRT_2", "LN_2"])),
                2 => format!("-{text}{suffix}"),
                _ => format!("{text}{suffix}"),
            };
        }
        let bits = prim.bits() - u32::from(prim.is_signed());
        let value = match self.random.below(4) {
            0 => self.random.below(4),
            1 => self.random.below(128),
            2 => self.random.bits() & (u64::MAX >> (64 - bits)),
            _ => (u64::MAX >> (64 - bits)) - self.random.below(3),
        };
        match self.random.below(10) {
            0 => format!("{value:#x}{suffix}"),
            1 => format!("{value:#b}{suffix}"),
            2 => format!("{value:#o}{}{suffix}", if suffix.is_empty() { "" } else { "_" }),
            3 => format!("{name}::{}", self.random.pick(&["MAX", "MIN"])),
            4 if prim == Prim::U8 => format!("b'{}'", self.random.pick(&['a', 'Z', '0', '~'])),
            5 | 6 if prim.is_signed() => format!("-{value}{suffix}"),
            _ => format!("{value}{suffix}"),
        }
    }
}
