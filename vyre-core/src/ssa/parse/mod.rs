//! Parses the text form of a function, written by [`print`](super::print).
//!
//! Used by the tests of passes, whose inputs are texts. `//` begins a comment, blank lines are
//! skipped. Values and blocks keep their numbers; numbers missing from the text become unreachable
//! values and blocks. Only the syntax is checked: the rest is left to [`verify`](super::verify).
//!
//! - this file: lines, the head of a function, blocks, terminators;
//! - [`line`](mod@line): the pieces of a line;
//! - [`operand`]: types, constants and other roots;
//! - [`operation`]: mnemonics and immediates.

mod line;
mod operand;
mod operation;
#[cfg(test)]
mod tests;

use vyre_ir::ir::{Handle, Scalar, Span};

use self::line::Line;
use super::function::{Block, Edge, Function, Inline, LocalObject, TableValues, Terminator, Value};
use super::op::Op;
use super::origin::Inlined;
use super::ty::Ty;

/// The result of parsing, or the error of a line.
type Parsed<T> = Result<T, String>;

/// Parses a function.
///
/// # Errors
/// The first line that cannot be parsed, with its number from 1, and the reason.
pub(crate) fn parse(text: &str) -> Result<Function, String> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line::without_comment(line).trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let mut reader = Reader::new(&lines);
    for &(number, line) in &lines {
        reader
            .line(&mut Line::new(line))
            .map_err(|error| format!("line {number}: {error}: `{line}`"))?;
    }
    reader.finish()
}

struct Reader {
    function: Function,
    /// For each number in the text, true if its value is defined.
    defined: Vec<bool>,
    /// For each number, true if an operand uses it.
    used: Vec<bool>,
    /// The current block, if any.
    block: Option<Block>,
    /// True once the current block has its terminator.
    ended: bool,
}

impl Reader {
    /// A function with an empty value and block for each number of the text.
    fn new(lines: &[(usize, &str)]) -> Reader {
        let [values, blocks] = [b'v', b'b'].map(|letter| {
            let last = lines.iter().flat_map(|(_, line)| line::numbers(line, letter)).max();
            last.map_or(0, |last| last + 1)
        });
        let mut function = Function::new([1; 3]);
        for _ in 0..values {
            function.add_value(Op::Parameter, Ty::Unit, Span::NONE);
        }
        while function.blocks.len() < blocks {
            function.add_block();
        }
        Reader {
            function,
            defined: vec![false; values],
            used: vec![false; values],
            block: None,
            ended: true,
        }
    }

    fn finish(self) -> Result<Function, String> {
        if self.block.is_none() {
            return Err("the function has no block".to_owned());
        }
        if !self.ended {
            return Err("the last block has no terminator".to_owned());
        }
        match (0..)
            .zip(self.defined.iter().zip(&self.used))
            .find(|(_, (defined, used))| **used && !**defined)
        {
            Some((number, _)) => Err(format!("v{number} is used but not defined")),
            None => Ok(self.function),
        }
    }

    fn line(&mut self, line: &mut Line<'_>) -> Parsed<()> {
        if self.block.is_none() && self.head(line)? {
            return line.end();
        }
        if line.is_block() {
            self.block_head(line)?;
            return line.end();
        }
        let Some(block) = self.block else {
            return Err("expected `function`, `parameters`, `local`, `table`, `inline` or a block".to_owned());
        };
        if self.ended {
            return Err("the block has ended".to_owned());
        }
        if let Some(end) = self.terminator(line)? {
            self.function.blocks[block].end = end;
            self.ended = true;
        } else {
            let value = self.definition(line)?;
            self.function.blocks[block].body.push(value);
        }
        line.end()
    }

    /// A line of the head; returns true if it was one.
    fn head(&mut self, line: &mut Line<'_>) -> Parsed<bool> {
        let function = &mut self.function;
        if line.eat("function block ") {
            function.block_size = [line.number()?, line.number()?, line.number()?];
        } else if line.eat("parameters") {
            while !line.is_empty() {
                let read_only = line.eat("const");
                if !read_only {
                    line.expect("mut")?;
                }
                function.read_only.push(read_only);
            }
        } else if line.eat("local") {
            let number: usize = line.number()?;
            line.expect(":")?;
            let size = line.number()?;
            line.expect("bytes, align ")?;
            let align = line.number()?;
            if number != function.objects.len() {
                return Err(format!("expected local{}", function.objects.len()));
            }
            function.objects.push(LocalObject { size, align });
            if line.eat(", promoted") {
                function.promoted = function.objects.len();
            }
        } else if line.eat("table") {
            let table = Handle::new(line.number()?);
            line.expect(":")?;
            let scalar = line.word();
            let scalar = Scalar::from_name(scalar).ok_or_else(|| format!("`{scalar}` is no scalar"))?;
            line.expect("[")?;
            let mut values = Vec::new();
            while !line.eat("]") {
                values.push(line.bits()?);
                line.eat(",");
            }
            function.tables.push(TableValues { table, scalar, values });
        } else if line.eat("inlined") {
            let _: u32 = line.number()?;
            line.expect(": function ")?;
            let called = Handle::new(line.number()?);
            line.expect("from")?;
            let caller = inlined(line)?;
            let span = line.span()?;
            function.origins.inlined.push(Inlined {
                function: called,
                caller,
                span,
            });
        } else if line.eat("inline") {
            let _: u32 = line.number()?;
            line.expect(":")?;
            let version = match line.eat_word("version") {
                true => Some((line.number()?, line.number()?)),
                false => None,
            };
            line.expect("results")?;
            let mut results = Vec::new();
            while !line.is_string() && !line.is_empty() {
                results.push(operand::ty(line.word())?);
            }
            let text = line.string()?;
            function.inline.push(Inline { text, version, results });
        } else if line.eat("access") {
            let _: u32 = line.number()?;
            line.expect(":")?;
            let access = Handle::new(line.number()?);
            line.expect("of")?;
            function.origins.accesses.push((inlined(line)?, access));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `b1(v2: i32, v3: f32):`
    fn block_head(&mut self, line: &mut Line<'_>) -> Parsed<()> {
        if !self.ended {
            return Err("the block before has no terminator".to_owned());
        }
        let block = self.block_name(line)?;
        line.expect("(")?;
        while !line.eat(")") {
            let value = self.define(line)?;
            line.expect(":")?;
            let data = &mut self.function.values[value];
            data.ty = operand::ty(line.word())?;
            data.span = line.span()?;
            self.function.blocks[block].parameters.push(value);
            line.eat(",");
        }
        line.expect(":")?;
        self.block = Some(block);
        self.ended = false;
        Ok(())
    }

    fn block_name(&mut self, line: &mut Line<'_>) -> Parsed<Block> {
        line.expect("b")?;
        Ok(Handle::new(line.number()?))
    }

    /// The value named by a definition.
    fn define(&mut self, line: &mut Line<'_>) -> Parsed<Value> {
        line.expect("v")?;
        let number: usize = line.number()?;
        if std::mem::replace(&mut self.defined[number], true) {
            return Err(format!("v{number} is defined twice"));
        }
        Ok(Handle::new(number))
    }

    fn terminator(&mut self, line: &mut Line<'_>) -> Parsed<Option<Terminator>> {
        if line.eat_word("return") {
            return Ok(Some(Terminator::Return));
        }
        if line.eat_word("jump") {
            return Ok(Some(Terminator::Jump(self.edge(line)?)));
        }
        if !line.eat_word("branch") {
            return Ok(None);
        }
        let condition = self.operand(line)?;
        line.expect(",")?;
        let then = self.edge(line)?;
        line.expect(",")?;
        let otherwise = self.edge(line)?;
        Ok(Some(Terminator::Branch {
            condition,
            then,
            otherwise,
        }))
    }

    /// `b1(v2, 0_i32)`
    fn edge(&mut self, line: &mut Line<'_>) -> Parsed<Edge> {
        let block = self.block_name(line)?;
        line.expect("(")?;
        let mut arguments = Vec::new();
        while !line.eat(")") {
            arguments.push(self.operand(line)?);
            line.eat(",");
        }
        Ok(Edge { block, arguments })
    }

    /// `v3: i32 = add.u32 v1, v2`, `v4 = ldmatrix_x4.u16 ..`, or an operation alone.
    fn definition(&mut self, line: &mut Line<'_>) -> Parsed<Value> {
        let (value, ty) = if line.is_value() {
            let value = self.define(line)?;
            let ty = match line.eat(":") {
                true => operand::ty(line.word())?,
                false => Ty::Unit,
            };
            line.expect("=")?;
            (value, ty)
        } else {
            let value = self.function.add_value(Op::Parameter, Ty::Unit, Span::NONE);
            (value, Ty::Unit)
        };
        let op = self.operation(line)?;
        let data = &mut self.function.values[value];
        data.op = op;
        data.ty = ty;
        data.span = line.span()?;
        if line.eat("!") {
            self.function.origins.set(value, line.number()?);
        }
        Ok(value)
    }
}

/// `entry`, or the index of an inlined body.
fn inlined(line: &mut Line<'_>) -> Parsed<Option<u32>> {
    match line.eat("entry") {
        true => Ok(None),
        false => line.number().map(Some),
    }
}
