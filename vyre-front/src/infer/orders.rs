//! The orderings of atomic accesses: those that an access cannot have.

use vyre_ir::ir::MemoryOrder;

use super::Inference;
use crate::errors::Code;
use crate::syntax::tree::{Argument, MethodCall};

impl Inference<'_> {
    /// Refuses a load that releases, and a store that acquires.
    pub(super) fn check_orders(&mut self, call: &MethodCall) {
        let orders = call.arguments.iter().filter_map(|argument| match argument {
            &Argument::Order(order, span) => Some((order, span)),
            _ => None,
        });
        let Some((number, (order, span))) = orders.enumerate().last() else {
            return;
        };
        let name = call.name.to_string();
        let (fault, help) = match (order, name.as_str(), number) {
            // The second one is that of a load.
            (MemoryOrder::Release | MemoryOrder::AcqRel, _, 1) => (
                format!("the failure ordering of `{name}` cannot be `{order:?}`"),
                "its second ordering is `Relaxed`, `Acquire` or `SeqCst`",
            ),
            (MemoryOrder::Release | MemoryOrder::AcqRel, "load", _) => (
                format!("the ordering of a load cannot be `{order:?}`"),
                "a load takes `Relaxed`, `Acquire` or `SeqCst`",
            ),
            (MemoryOrder::Acquire | MemoryOrder::AcqRel, "store", _) => (
                format!("the ordering of a store cannot be `{order:?}`"),
                "a store takes `Relaxed`, `Release` or `SeqCst`",
            ),
            _ => return,
        };
        self.errors.refuse(Code::AtomicOrder, span, fault, help);
    }
}
