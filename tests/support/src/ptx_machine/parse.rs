//! Parses the PTX of one entry.

use std::collections::HashMap;

/// The parts of a module that one entry needs.
#[derive(Debug)]
pub(super) struct Source<'t> {
    pub(super) tables: Vec<Table>,
    pub(super) entry: Entry<'t>,
}

/// A table of constants.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) in_const: bool,
    pub(super) bytes: Vec<u8>,
}

/// An entry point.
#[derive(Debug, Default)]
pub(super) struct Entry<'t> {
    /// Names, sizes and alignments of the parameters.
    parameters: Vec<(String, usize, usize)>,
    pub(super) block: [u32; 3],
    /// Blocks of a cluster.
    pub(super) cluster: Option<[u32; 3]>,
    pub(super) shared: Vec<Variable>,
    pub(super) local: Vec<Variable>,
    pub(super) code: Vec<Instruction<'t>>,
    pub(super) labels: HashMap<String, usize>,
    pub(super) registers: usize,
}

/// A variable of an entry.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) size: usize,
    pub(super) align: u64,
}

/// An instruction.
#[derive(Debug)]
pub(super) struct Instruction<'t> {
    /// The register and value of the predicate, if any.
    pub(super) predicate: Option<(usize, bool)>,
    /// The name, split at its dots.
    pub(super) name: Vec<&'t str>,
    pub(super) operands: Vec<Operand>,
    /// The text, for messages.
    pub(super) text: &'t str,
}

/// An operand.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Register(usize),
    Immediate(u64),
    /// A variable, label, parameter or special register.
    Name(String),
    Memory(Box<Operand>, i64),
    Pair(usize, usize),
    /// One register in braces, or more than two.
    Group(Vec<usize>),
    Nowhere,
}

impl<'t> Source<'t> {
    pub(super) fn parse(ptx: &'t str, symbol: &str) -> Result<Source<'t>, String> {
        let mut lines = ptx.lines();
        let mut tables = Vec::new();
        while let Some(line) = lines.next() {
            if line.starts_with(".const") || line.starts_with(".global") {
                tables.push(table(line, &mut lines)?);
            } else if line == format!(".visible .entry {symbol}(") {
                let entry = Entry::parse(&mut lines)?;
                return Ok(Source { tables, entry });
            }
        }
        Err(format!("there is no entry `{symbol}`"))
    }
}

fn table<'t>(head: &str, lines: &mut impl Iterator<Item = &'t str>) -> Result<Table, String> {
    let words: Vec<&str> = head.split_whitespace().collect();
    let [space, ".align", _, ty, name, ..] = words[..] else {
        return Err(format!("not understood: {head}"));
    };
    let size = width(ty.trim_start_matches('.'))? / 8;
    let mut bytes = Vec::new();
    for line in lines {
        if line.trim() == "};" {
            break;
        }
        for number in line.split(',').map(str::trim).filter(|number| !number.is_empty()) {
            bytes.extend(&immediate(number).ok_or("a table of numbers")?.to_le_bytes()[..size]);
        }
    }
    Ok(Table {
        name: name.split('[').next().unwrap_or_default().to_owned(),
        in_const: space == ".const",
        bytes,
    })
}

/// The width of a type in bits.
pub(super) fn width(ty: &str) -> Result<usize, String> {
    match ty {
        "pred" => Ok(1),
        _ => ty[1..].parse().map_err(|_| format!("`{ty}` is no type")),
    }
}

fn immediate(text: &str) -> Option<u64> {
    if let Some(bits) = text.strip_prefix("0x") {
        return u64::from_str_radix(bits, 16).ok();
    }
    if let Some(bits) = text.strip_prefix("0f") {
        return u64::from_str_radix(bits, 16).ok().filter(|_| bits.len() == 8);
    }
    if let Some(bits) = text.strip_prefix("0d") {
        return u64::from_str_radix(bits, 16).ok().filter(|_| bits.len() == 16);
    }
    text.parse::<i64>()
        .map(|number| number as u64)
        .or_else(|_| text.parse())
        .ok()
}

impl<'t> Entry<'t> {
    fn parse(lines: &mut impl Iterator<Item = &'t str>) -> Result<Entry<'t>, String> {
        let mut entry = Entry::default();
        let mut registers = HashMap::new();
        let mut scopes = 0;
        for line in lines {
            let line = line.trim();
            scopes += i32::from(line == "{");
            if line == "}" {
                scopes -= 1;
                if scopes > 0 {
                    continue;
                }
                entry.registers = registers.len();
                return Ok(entry);
            }
            entry.line(line, &mut registers)?;
        }
        Err("the entry does not end".to_owned())
    }

    fn line(&mut self, line: &'t str, registers: &mut HashMap<String, usize>) -> Result<(), String> {
        let means_nothing_here = [".reg ", ".loc ", ".pragma ", ".minnctapersm ", "//"];
        if line.is_empty() || means_nothing_here.iter().any(|start| line.starts_with(start)) {
            return Ok(());
        }
        if matches!(line, "{" | ")") {
            return Ok(());
        }
        if let Some(extents) = line.strip_prefix(".reqntid ") {
            for (slot, extent) in self.block.iter_mut().zip(extents.split(", ")) {
                *slot = extent.parse().map_err(|_| format!("not understood: {line}"))?;
            }
            return Ok(());
        }
        if line == ".explicitcluster" {
            return Ok(());
        }
        if let Some(extents) = line.strip_prefix(".reqnctapercluster ") {
            let mut cluster = [1; 3];
            for (slot, extent) in cluster.iter_mut().zip(extents.split(", ")) {
                *slot = extent.parse().map_err(|_| format!("not understood: {line}"))?;
            }
            self.cluster = Some(cluster);
            return Ok(());
        }
        if line.starts_with(".param") {
            return self.parameter(line.trim_end_matches(','));
        }
        if line.starts_with(".shared") || line.starts_with(".local") {
            let (name, size) = array(line.trim_end_matches(';'))?;
            let align = line.split_whitespace().nth(2).and_then(|align| align.parse().ok());
            let align = align.ok_or_else(|| format!("no alignment: {line}"))?;
            let list = if line.starts_with(".shared") {
                &mut self.shared
            } else {
                &mut self.local
            };
            list.push(Variable { name, size, align });
            return Ok(());
        }
        if let Some(label) = line.strip_suffix(':') {
            self.labels.insert(label.to_owned(), self.code.len());
            return Ok(());
        }
        self.code.push(instruction(line, registers)?);
        Ok(())
    }

    fn parameter(&mut self, line: &str) -> Result<(), String> {
        if line.contains(".b8 ") {
            let align = line.split_whitespace().nth(2).and_then(|align| align.parse().ok());
            let (name, size) = array(line)?;
            self.parameters.push((name, size, align.unwrap_or(1)));
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, ty, name] = words[..] else {
            return Err(format!("not understood: {line}"));
        };
        let size = width(ty.trim_start_matches('.'))? / 8;
        self.parameters.push((name.to_owned(), size, size));
        Ok(())
    }

    /// The name of a parameter by its index.
    pub(super) fn parameter_name(&self, number: usize) -> Option<&str> {
        self.parameters.get(number).map(|(name, ..)| name.as_str())
    }

    /// The offset of a parameter in the argument bytes.
    pub(super) fn parameter_offset(&self, wanted: &str) -> Option<usize> {
        let mut offset: usize = 0;
        for (name, size, align) in &self.parameters {
            offset = offset.next_multiple_of(*align);
            if name == wanted {
                return Some(offset);
            }
            offset += size;
        }
        None
    }

    /// The argument bytes of these parameters.
    pub(super) fn lay_out(&self, values: &[Vec<u8>]) -> Result<Vec<u8>, String> {
        if values.len() != self.parameters.len() {
            return Err(format!(
                "the entry takes {} parameters and gets {}",
                self.parameters.len(),
                values.len()
            ));
        }
        let mut bytes: Vec<u8> = Vec::new();
        for ((name, size, align), value) in self.parameters.iter().zip(values) {
            bytes.resize(bytes.len().next_multiple_of(*align), 0);
            if value.len() != *size && !(value.is_empty() && *size == 1) {
                return Err(format!("`{name}` takes {size} bytes and gets {}", value.len()));
            }
            bytes.extend(value);
        }
        Ok(bytes)
    }
}

/// The name and size of an array of bytes.
fn array(line: &str) -> Result<(String, usize), String> {
    let declared = line.split_whitespace().last().unwrap_or_default();
    declared
        .strip_suffix(']')
        .and_then(|declared| declared.split_once('['))
        .and_then(|(name, size)| Some((name.to_owned(), size.parse().ok()?)))
        .ok_or_else(|| format!("not understood: {line}"))
}

fn instruction<'t>(line: &'t str, registers: &mut HashMap<String, usize>) -> Result<Instruction<'t>, String> {
    let text = line;
    let line = line.strip_suffix(';').ok_or_else(|| format!("no semicolon: {text}"))?;
    let mut register = |name: &str| {
        let next = registers.len();
        *registers.entry(name.to_owned()).or_insert(next)
    };
    let (predicate, line) = match line.strip_prefix('@') {
        Some(rest) => {
            let (name, rest) = rest.split_once(' ').ok_or_else(|| format!("not understood: {text}"))?;
            let (name, value) = name.strip_prefix('!').map_or((name, true), |name| (name, false));
            (Some((register(name), value)), rest)
        }
        None => (None, line),
    };
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut operands = Vec::new();
    for part in split(rest) {
        operands.push(operand(part, &mut register).ok_or_else(|| format!("operand `{part}`: {text}"))?);
    }
    Ok(Instruction {
        predicate,
        name: name.split('.').collect(),
        operands,
        text,
    })
}

/// Splits at the commas outside of braces.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (position, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..position].trim());
                start = position + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

fn operand(text: &str, register: &mut impl FnMut(&str) -> usize) -> Option<Operand> {
    if text == "_" {
        return Some(Operand::Nowhere);
    }
    if let Some(inner) = text.strip_prefix('{') {
        let names = inner.strip_suffix('}')?.split(',');
        let registers: Vec<usize> = names.map(|name| register(name.trim())).collect();
        return Some(match registers[..] {
            [low, high] => Operand::Pair(low, high),
            _ => Operand::Group(registers),
        });
    }
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?;
        // A number below zero is added too: `[%r1+-4]`.
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        let offset = offset.parse().ok()?;
        return Some(Operand::Memory(Box::new(operand(base, register)?), offset));
    }
    let special = [
        "%tid.",
        "%ctaid.",
        "%nctaid.",
        "%ntid.",
        "%laneid",
        "%lanemask_",
        "%dynamic_smem_size",
    ];
    if text.starts_with('%') && !special.iter().any(|prefix| text.starts_with(prefix)) {
        return Some(Operand::Register(register(text)));
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return immediate(text).map(Operand::Immediate);
    }
    Some(Operand::Name(text.to_owned()))
}
