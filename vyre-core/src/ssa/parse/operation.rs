//! Mnemonics and immediates.

use vyre_ir::ir::immediates::ImmediateReader;

use super::line::Line;
use super::{Parsed, Reader};
use crate::ssa::op::Op;
use crate::ssa::syntax::{immediates, mnemonic, samples};

impl Reader {
    /// An operation with its operands.
    pub(super) fn operation(&mut self, line: &mut Line<'_>) -> Parsed<Op> {
        let text = line.until_space_or_bracket();
        let mut words = text.split('.');
        let name = words.next().unwrap_or_default();
        let mut op = samples()
            .into_iter()
            .find(|op| mnemonic(op) == name)
            .ok_or_else(|| format!("`{name}` is no operation"))?;
        let mut numbers = Vec::new();
        if line.eat("[") {
            while !line.eat("]") {
                numbers.push(line.signed()?.into());
                line.eat(",");
            }
        }
        let mut given = ImmediateReader::new(words.collect(), numbers);
        immediates(&mut op, &mut given);
        given.finish()?;
        let (mut first, mut result) = (true, Ok(()));
        op.visit_inline(&mut |operand| {
            if result.is_err() {
                return;
            }
            if !std::mem::replace(&mut first, false) {
                result = line.expect(",");
            }
            match result.clone().and_then(|()| self.operand(line)) {
                Ok(value) => *operand = value,
                Err(error) => result = Err(error),
            }
        });
        result?;
        let most = match op {
            Op::Intrinsic { intrinsic, .. } => intrinsic.row().graph_operands(),
            _ => usize::MAX,
        };
        if let Some(operands) = op.list_mut() {
            let mut list = Vec::new();
            while list.len() < most && !line.is_empty() && !line.is_span() {
                list.push(self.operand(line)?);
                line.eat(",");
            }
            *operands = self.function.lists.add(&list);
        }
        Ok(op)
    }
}
