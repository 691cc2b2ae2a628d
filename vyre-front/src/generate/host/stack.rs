//! The stack that a CPU body takes.
//!
//! The functions of a body are inlined. In builds that are not optimised each call then has a place of its own in the
//! frame of the caller, so that functions with large locals stay functions of their own, and a kernel whose frames are
//! large runs on a stack that is made for it.

use vyre_ir::ir::{Body, Function, Handle, Program, StmtKind, each_stmt};
use vyre_ir::validate::{BodyInfo, EntryInfo, ProgramInfo};

/// Limit of the locals of a function that is inlined, with those that are inlined in it, in bytes.
const MOST_INLINED: u64 = 4096;

/// Limit of the locals on the stack that a worker has: it has 2 MiB at least, and builds that are not optimised copy
/// values a few times.
const MOST_ON_WORKER: u64 = 128 << 10;

/// Values of up to so many bytes take no part in this.
const WORDS: u64 = 64;

/// The frames of a kernel's functions.
#[derive(Default)]
pub(super) struct Stack {
    /// By function, the bytes of its frame.
    frames: Vec<u64>,
    /// The frames of the deepest calls.
    deepest: u64,
}

impl Stack {
    /// The frames of an entry.
    pub(super) fn of(program: &Program, info: &ProgramInfo<'_>, body: &Body, entry: &EntryInfo<'_>) -> Stack {
        let mut stack = Stack {
            frames: vec![0; program.functions.len()],
            deepest: 0,
        };
        let mut depths = vec![0; program.functions.len()];
        for &function in &entry.reach.functions {
            let body = &program.functions[function].body;
            let frame = stack.frame(program, body, info.function(function));
            stack.frames[function.index()] = frame;
            depths[function.index()] = frame + deepest(&depths, info.function(function));
        }
        stack.deepest = stack.frame(program, body, &entry.body) + deepest(&depths, &entry.body);
        stack
    }

    /// The locals of a body and its values that are no words, and those of each call that is inlined in it.
    fn frame(&self, program: &Program, body: &Body, info: &BodyInfo<'_>) -> u64 {
        let mut bytes = info.local_bytes;
        for (_, expr) in body.exprs.iter() {
            let size = program.types.layout(expr.ty).size;
            bytes += if size > WORDS { size } else { 0 };
        }
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = stmt.kind
                && !self.is_apart(function)
            {
                bytes += self.frames[function.index()];
            }
        });
        bytes
    }

    /// True if a function is not inlined.
    pub(super) fn is_apart(&self, function: Handle<Function>) -> bool {
        self.frames[function.index()] > MOST_INLINED
    }

    /// True if some function is not.
    pub(super) fn has_apart(&self) -> bool {
        self.frames.iter().any(|&bytes| bytes > MOST_INLINED)
    }

    /// The bytes of a stack that is made for the kernel, if it takes one.
    pub(super) fn own(&self) -> Option<u64> {
        // Each value is there up to eight times: as itself, as an argument, in the state of a future.
        (self.deepest > MOST_ON_WORKER).then(|| (2 << 20) + 8 * self.deepest)
    }
}

fn deepest(depths: &[u64], info: &BodyInfo<'_>) -> u64 {
    let depths = info.calls.iter().map(|call| depths[call.index()]);
    depths.max().unwrap_or(0)
}
