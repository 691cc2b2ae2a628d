//! Values that stand for others: what a pass finds out while it walks, and replaces in operands.

use crate::ssa::{Block, Function, Value, filled};

/// For each value the one that stands for it.
pub(super) struct Replacements {
    of: Vec<Option<Value>>,
    /// True if some value was replaced.
    pub(super) any: bool,
}

impl Replacements {
    /// Each value stands for itself.
    pub(super) fn new(function: &Function) -> Self {
        Replacements {
            of: filled(None, function.values.len()),
            any: false,
        }
    }

    /// Lets a value stand for another one, which nothing has stood for.
    pub(super) fn set(&mut self, value: Value, by: Value) {
        if self.of.len() <= value.index() {
            self.of.resize(value.index() + 1, None);
        }
        // Chains stay short.
        let by = self.resolve(by);
        debug_assert!(by != value, "v{} would stand for itself", value.index());
        if by == value {
            // Better no replacement than one that is looked up for ever.
            return;
        }
        self.of[value.index()] = Some(by);
        self.any = true;
    }

    /// True if another value stands for one.
    pub(super) fn has(&self, value: Value) -> bool {
        self.of.get(value.index()).is_some_and(|by| by.is_some())
    }

    /// The value that stands for another one.
    pub(super) fn resolve(&self, mut value: Value) -> Value {
        while let Some(&Some(by)) = self.of.get(value.index()) {
            value = by;
        }
        value
    }

    /// Replaces the operands of a value.
    pub(super) fn operands(&self, function: &mut Function, value: Value) {
        function.visit_operands(value, |operand| *operand = self.resolve(*operand));
    }

    /// Replaces all operands.
    pub(super) fn apply(&self, function: &mut Function, order: &[Block]) {
        if !self.any {
            return;
        }
        for &block in order {
            for position in 0..function.blocks[block].body.len() {
                let value = function.blocks[block].body[position];
                self.operands(function, value);
            }
            let end = &mut function.blocks[block].end;
            end.visit(|operand| *operand = self.resolve(*operand));
        }
    }
}
