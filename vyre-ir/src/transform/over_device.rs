//! Kernels that read the extent of their launch on the device.
//!
//! A launch has as many blocks as its largest extent needs. The kernel gets one more parameter, the extent, and a block
//! that lies past it along any axis ends at once, as if it had not been launched. An extent for which the launch has too
//! few blocks is a fault, told by the first thread of the launch.
//!
//! The kernel's code becomes a function, called where the block lies within the extent. Such a kernel must not look at
//! the blocks that end, so one that reads the size of the grid, waits for all blocks, or has clusters is refused.

use std::fmt;

use crate::ir::builder::BodyBuilder;
use crate::ir::{
    Among, AssertMessage, Axis, BinaryOp, Body, Builtin, Entry, ExprId, ExprKind, Function, Handle, Intrinsic, Kernel,
    Local, Parameter, Program, Scalar, Span, StmtKind, each_stmt,
};

/// The name of the parameter.
const EXTENT: &str = "extent";

/// The message of the fault, a template of the axis' extent, and of the blocks that it needs and that there are.
const TOO_LARGE: &str = "the extent on the device is {u32}, for which {u32} blocks are needed along an axis that has {u32}; launch it over more";

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// Why a kernel cannot read its extent on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It reads the size of the grid, or its index in a grid of several axes.
    GridSize,
    /// It waits for all blocks of the grid.
    Barrier,
    /// It has clusters.
    Clusters,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::GridSize => "it looks at the size of the grid",
            Refusal::Barrier => "it waits for the whole grid",
            Refusal::Clusters => "it has clusters",
        })
    }
}

impl std::error::Error for Refusal {}

/// Gives a kernel of a valid program one more parameter: its extent along each of its axes, a slice of `u32`, one for each
/// axis. The kernel has one entry then, whose threads cover one index each.
///
/// ```
/// use vyre_ir::build::{self, slice_mut};
/// use vyre_ir::interp::{self, Argument};
/// use vyre_ir::{ir::Program, transform::over_device::over_device, validate::validate};
///
/// let mut program = Program::default();
/// let kernel = build::kernel(&mut program, "ones", &[32], slice_mut::<u32>("y"), |k, y| {
///     y.set(k.linear_index(), 1u32);
/// });
/// over_device(&mut program, kernel)?;
/// let valid = validate(&program).expect("it stays valid");
/// let (mut y, extent) = ([0u8; 4 * 96], 40u32.to_le_bytes());
/// let mut arguments = [Argument::Slice(&mut y), Argument::Input(&extent)];
/// interp::launch(&valid, kernel, &mut arguments, [3, 1, 1]).expect("40 need two blocks");
/// assert_eq!((y[0], y[4 * 63], y[4 * 64]), (1, 1, 0)); // the third block has ended
/// # Ok::<(), vyre_ir::transform::over_device::Refusal>(())
/// ```
///
/// # Errors
/// The reason why the kernel cannot end some of its blocks. The program is as before.
pub fn over_device(program: &mut Program, kernel: Handle<Kernel>) -> Result<(), Refusal> {
    check(program, kernel)?;
    let (dimensions, block) = (program.kernels[kernel].dimensions, program.kernels[kernel].block);
    let Some(entry) = program.kernels[kernel].entries.pop() else {
        return Ok(());
    };
    let unit = program.types.unit();
    let parameters = program.kernels[kernel].parameters.len();
    let function = program.functions.push(Function {
        exact: false,
        name: format!("{}_body", program.kernels[kernel].name),
        parameters: parameters as u32,
        result: unit,
        body: entry.body,
        span: program.kernels[kernel].span,
    });
    let word = program.types.scalar(Scalar::U32);
    let extent = Parameter {
        name: EXTENT.to_owned(),
        ty: program.types.slice(word, false),
        span: Span::NONE,
    };
    program.kernels[kernel].parameters.push(extent);
    let own = &program.kernels[kernel].parameters;
    let named: Vec<_> = own.iter().map(|own| (own.name.clone(), own.ty)).collect();
    let named: Vec<_> = named.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    let body = program.build_body(&named, |b, locals| {
        let Some((&extent, own)) = locals.split_last() else {
            return;
        };
        for (axis, &threads) in AXES.into_iter().zip(&block[..dimensions as usize]) {
            end_past(b, extent, axis, threads);
        }
        let arguments = own.iter().map(|&local| b.get(local)).collect();
        b.push(StmtKind::Call {
            function,
            arguments,
            result: None,
        });
    });
    program.kernels[kernel].entries = vec![Entry {
        symbol: entry.symbol,
        predicate: None,
        coarsening: 1,
        body,
    }];
    Ok(())
}

/// Ends the block if it lies past the extent along an axis.
fn end_past(b: &mut BodyBuilder<'_>, extent: Handle<Local>, axis: Axis, threads: u32) {
    let place = b.local_place(extent);
    let number = b.u64(axis.index() as u64);
    let place = b.index(place, number);
    let length = b.load(place);
    let length = b.let_("", length);
    // The blocks that the extent needs: divided first, so that nothing wraps.
    let needs = |b: &mut BodyBuilder<'_>| {
        let (dividend, divisor) = (b.get(length), b.u32(threads));
        let whole = b.binary(BinaryOp::Div, dividend, divisor);
        let (dividend, divisor) = (b.get(length), b.u32(threads));
        let rest = b.binary(BinaryOp::Rem, dividend, divisor);
        let zero = b.u32(0);
        let partial = b.binary(BinaryOp::Ne, rest, zero);
        let partial = b.cast(partial, Scalar::U32);
        b.binary(BinaryOp::Add, whole, partial)
    };
    let blocks = needs(b);
    let blocks = b.let_("", blocks);
    let first = is_first(b);
    b.if_(
        first,
        |b| {
            let there = |b: &mut BodyBuilder<'_>| b.builtin(Builtin::GridSize(axis));
            let (needed, launched) = (b.get(blocks), there(b));
            let condition = b.binary(BinaryOp::Le, needed, launched);
            let values = vec![b.get(length), b.get(blocks), there(b)];
            b.push(StmtKind::Assert {
                condition,
                message: AssertMessage::Assertion(TOO_LARGE.to_owned()),
                values,
            });
        },
        |_| {},
    );
    let (block, blocks) = (b.builtin(Builtin::BlockIndex(axis)), b.get(blocks));
    let past = b.binary(BinaryOp::Ge, block, blocks);
    b.if_(past, |b| b.return_(None), |_| {});
}

/// True for the first thread of the launch.
fn is_first(b: &mut BodyBuilder<'_>) -> ExprId {
    let mut first = b.bool(true);
    for axis in AXES {
        for builtin in [Builtin::BlockIndex(axis), Builtin::ThreadIndex(axis)] {
            let (index, zero) = (b.builtin(builtin), b.u32(0));
            let here = b.binary(BinaryOp::Eq, index, zero);
            first = b.and(first, here);
        }
    }
    first
}

/// Refuses a kernel that would see the blocks that end. Looks at all functions of the program, which mostly has one kernel.
fn check(program: &Program, kernel: Handle<Kernel>) -> Result<(), Refusal> {
    let kernel = &program.kernels[kernel];
    if kernel.cluster.is_some() {
        return Err(Refusal::Clusters);
    }
    let several = kernel.dimensions > 1;
    let functions = program.functions.iter().map(|(_, function)| &function.body);
    let entries = kernel.entries.last().map(|entry| &entry.body);
    functions.chain(entries).try_for_each(|body| check_body(body, several))
}

fn check_body(body: &Body, several: bool) -> Result<(), Refusal> {
    let looks = body.exprs.iter().any(|(_, expr)| match expr.kind {
        ExprKind::Builtin(Builtin::GridSize(_)) => true,
        ExprKind::Builtin(Builtin::LinearIndex) => several,
        _ => false,
    });
    if looks {
        return Err(Refusal::GridSize);
    }
    let mut waits = false;
    each_stmt(&body.block, &mut |stmt| {
        let is_barrier = |intrinsic: Intrinsic| intrinsic.row().among == Among::Grid;
        waits |= matches!(stmt.kind, StmtKind::Intrinsic { intrinsic, .. } if is_barrier(intrinsic));
    });
    match waits {
        true => Err(Refusal::Barrier),
        false => Ok(()),
    }
}

/// The message of the fault, for those who end blocks by themselves.
pub fn too_large(extent: u32, needed: u32, blocks: u32) -> String {
    let values = [extent, needed, blocks].map(u64::from);
    vyre_abi::format::render(TOO_LARGE, &values)
}
