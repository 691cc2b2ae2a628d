//! Def-use lists: for each value the operations and block ends that use it.
//!
//! A pass that asks for the users of single values computes the lists. One that looks at all uses in any case is
//! cheaper without: for the seven runs of `simplify_cfg` in the expansion of n-body's kernel they took 1.2 of 26 million
//! instructions, four times its own walk. Kept up to date by every pass they would cost more than that.
//!
//! **Cost:** two walks over the function, and twelve bytes for each operand.

use crate::ssa::graph::Flow;
use crate::ssa::{Block, Function, Value, filled};

/// A user of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// An operation, in this block.
    Operation(Value, Block),
    /// The terminator of a block: its condition, or an argument of an edge.
    End(Block),
}

/// For each value its users.
pub(crate) struct Uses {
    /// The users by value, one after the other; a user that uses a value twice is listed twice.
    users: Vec<User>,
    /// The start of each value's users; one more at the end.
    starts: Vec<u32>,
}

impl Uses {
    /// Looks through a function.
    pub(crate) fn of(function: &Function, flow: &Flow) -> Uses {
        // Two more than the value: summed up, a count becomes the start of the next value, and the start becomes its
        // end as the users are filled in.
        let mut starts = vec![0u32; function.values.len() + 2];
        for &block in &flow.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                function.each_operand(value, |operand| starts[operand.index() + 2] += 1);
            }
            data.end.each_operand(|operand| starts[operand.index() + 2] += 1);
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let total = starts[starts.len() - 1] as usize;
        let mut users = filled(User::End(function.entry()), total);
        let mut add = |operand: Value, user: User| {
            let slot = &mut starts[operand.index() + 1];
            users[*slot as usize] = user;
            *slot += 1;
        };
        for &block in &flow.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                function.each_operand(value, |operand| add(operand, User::Operation(value, block)));
            }
            data.end.each_operand(|operand| add(operand, User::End(block)));
        }
        starts.pop();
        Uses { users, starts }
    }

    /// The users of a value, in the order of the blocks; none of a value added since.
    pub(crate) fn of_value(&self, value: Value) -> &[User] {
        match self.starts.get(value.index()..value.index() + 2) {
            Some(&[start, end]) => &self.users[start as usize..end as usize],
            _ => &[],
        }
    }
}
