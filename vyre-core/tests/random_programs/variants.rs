//! Coverage of IR variants by random programs.
//!
//! Each list here is a `match` over all variants, so that a new one breaks the build until it is
//! listed; the test fails until the generator emits it, or [`LEFT_OUT`] gives the reason why not.

use std::collections::BTreeMap;

use vyre_core::ir::{
    Access, AssertMessage, AtomicOp, Axis, BinaryOp, Body, Builtin, ExprKind, Extent, Intrinsic, MatrixLoad,
    MemoryOrder, MemoryScope, PlaceBase, Product, Program, Projection, Scalar, Shuffle, Stmt, StmtKind, Type, UnaryOp,
};
use vyre_test_support::random_program::random_program;

use crate::options;

/// This many programs cover everything.
const PROGRAMS: u64 = 2000;

/// Variants without random programs, and the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("Product::F16", "its sum has an error bound and no defined bits"),
    ("Product::BF16", "the same"),
    ("Product::Tf32", "the same"),
    ("UnaryOp::ApproxExp2", "the same of the result"),
    ("UnaryOp::ApproxLog2", "the same"),
    ("UnaryOp::ApproxSin", "the same"),
    ("UnaryOp::ApproxCos", "the same"),
    ("UnaryOp::ApproxTanh", "the same"),
    ("UnaryOp::ApproxRsqrt", "the same"),
    ("UnaryOp::ApproxRecip", "the same"),
    ("UnaryOp::ApproxSqrt", "the same"),
    ("BinaryOp::ApproxDiv", "the same"),
    (
        "UnaryOp::NormalRecip",
        "its result is defined for numbers in a range alone",
    ),
    ("UnaryOp::NormalSqrt", "the same"),
];

/// Names of variants, and how often each was met.
#[derive(Default)]
struct Met(BTreeMap<String, u64>);

impl Met {
    fn count(&mut self, name: &str) {
        *self.0.entry(name.to_owned()).or_default() += 1;
    }
}

/// The name of a value's variant, and the names of all variants.
macro_rules! variants {
    ($($function:ident, $list:ident: $enum:ident { $($variant:ident $pattern:tt),* $(,)? })*) => { $(
        const $list: &[&str] = &[$(concat!(stringify!($enum), "::", stringify!($variant))),*];

        fn $function(value: &$enum) -> &'static str {
            match value {
                $(variants!(@ $enum $variant $pattern) => concat!(stringify!($enum), "::", stringify!($variant)),)*
            }
        }
    )* };
    (@ $enum:ident $variant:ident ()) => { $enum::$variant };
    (@ $enum:ident $variant:ident (..)) => { $enum::$variant(..) };
    (@ $enum:ident $variant:ident {..}) => { $enum::$variant { .. } };
}

variants! {
    stmt_name, STMTS: StmtKind {
        Store {..}, Call {..}, Atomic {..},
        Intrinsic {..}, If {..},
        Loop {..}, Break (..), Continue (..), Return (..), Assert {..}, Ptx {..}, Print {..},
    }
    message_name, MESSAGES: AssertMessage { Assertion (..), Panic (..) }
    expr_name, EXPRS: ExprKind {
        Constant (..), External (..), Builtin (..), Load (..), Length (..), Reference (..), Subslice {..}, Regroup (..),
        Unary {..}, Binary {..}, MulAdd {..}, And {..}, Or {..}, Select {..}, Cast (..), Bitcast (..),
        Construct (..), Repeat (..), DynamicShared {..}, MapShared {..}, Within {..}, Field {..},
    }
    extent_name, EXTENTS: Extent { Rows (), Columns () }
    base_name, BASES: PlaceBase { Local (..), Shared (..), Table (..) }
    step_name, STEPS: Projection { Field (..), Index {..}, Deref () }
    type_name, TYPES: Type {
        Scalar (..), Tuple (..), Struct {..}, Array {..}, Atomic (..), Reference {..}, Slice {..},
    }
    intrinsic_name, INTRINSICS: Intrinsic {
        Barrier (), BarrierCount (), NamedBarrier {..}, ClusterBarrier (), GridBarrier (), Fence {..}, Clock (), Nap (),
        AsyncCopy {..}, CopyCommit (), CopyWait {..}, Shuffle {..}, Ballot {..}, MatchAny {..}, Reduce {..},
        WarpBarrier {..},
        MultiplyAdd {..}, LoadMatrices {..}, CopyPiece {..},
    }
    builtin_name, BUILTINS: Builtin {
        ThreadIndex (..), BlockIndex (..), BlockSize (..), GridSize (..), ClusterSize (..), ClusterBlock (..),
        ClusterIndex (..), GlobalIndex (..), LinearIndex (), LaneIndex (), OnGpu (),
    }
}

/// The names of what an enum lists in its `ALL`: such lists are made beside the variants.
fn listed<T: std::fmt::Debug>(of: &str, all: &[T]) -> Vec<String> {
    all.iter().map(|one| format!("{of}::{one:?}")).collect()
}

fn all() -> Vec<String> {
    let named = [STMTS, MESSAGES, EXPRS, EXTENTS, BASES, STEPS, TYPES, BUILTINS].concat();
    let mut all: Vec<String> = named.into_iter().map(str::to_owned).collect();
    all.extend(listed("Scalar", &Scalar::ALL));
    all.extend(listed("UnaryOp", UnaryOp::ALL));
    all.extend(listed("BinaryOp", BinaryOp::ALL));
    all.extend(listed("AtomicOp", AtomicOp::ALL));
    all.extend(listed("MemoryOrder", MemoryOrder::ALL));
    all.extend(listed("MemoryScope", MemoryScope::ALL));
    all.extend(listed("Axis", Axis::ALL));
    all.extend(listed("Access", Access::ALL));
    all.extend(listed("Store", Access::ALL));
    all.extend(listed("Product", Product::ALL));
    let intrinsics = Intrinsic::ALL.iter().map(Intrinsic::row).filter(|row| row.in_programs);
    all.extend(intrinsics.map(|row| format!("Intrinsic::{}", row.name)));
    all.extend(listed("MatrixLoad", MatrixLoad::ALL));
    all.extend(listed("Shuffle", Shuffle::ALL));
    // Features without a variant of their own, but with a separate code path.
    for name in [
        "kernel with clusters",
        "kernel with a predicate",
        "kernel of an instance",
        "table of the host",
        "array as a parameter",
        "pairs of halves as cells",
        "copy of several elements",
        "wait for all but a group",
        "arrival without a wait",
        "memory that takes all that is left",
        "range without a check",
        "index without a check",
    ] {
        all.push(name.to_owned());
    }
    all
}

fn statements(block: &[Stmt], body: &Body, met: &mut Met) {
    for stmt in block {
        met.count(stmt_name(&stmt.kind));
        if let StmtKind::Intrinsic { intrinsic, .. } = &stmt.kind {
            met.count(&format!("Intrinsic::{}", intrinsic.row().name));
        }
        match &stmt.kind {
            StmtKind::Store { place, .. } => met.count(&format!("Store::{:?}", body.places[*place].access)),
            StmtKind::Atomic { op, order, scope, .. } => {
                met.count(&format!("AtomicOp::{op:?}"));
                met.count(&format!("MemoryOrder::{order:?}"));
                met.count(&format!("MemoryScope::{scope:?}"));
            }
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::AsyncCopy { count: 2.. },
                ..
            } => met.count("copy of several elements"),
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::CopyWait { pending: 1.. },
                ..
            } => met.count("wait for all but a group"),
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::NamedBarrier { waits: false, .. },
                ..
            } => met.count("arrival without a wait"),
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::Shuffle { from, .. },
                ..
            } => met.count(&format!("Shuffle::{from:?}")),
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::MultiplyAdd { product },
                ..
            } => met.count(&format!("Product::{product:?}")),
            StmtKind::Intrinsic {
                intrinsic: Intrinsic::LoadMatrices { load, .. },
                ..
            } => met.count(&format!("MatrixLoad::{load:?}")),
            StmtKind::Assert { message, .. } => met.count(message_name(message)),
            _ => {}
        }
        stmt.kind.blocks().for_each(|block| statements(block, body, met));
    }
}

fn body(body: &Body, met: &mut Met) {
    statements(&body.block, body, met);
    for (_, expr) in body.exprs.iter() {
        met.count(expr_name(&expr.kind));
        match &expr.kind {
            ExprKind::Constant(constant) => met.count(&format!("Scalar::{:?}", constant.scalar)),
            ExprKind::Builtin(builtin) => {
                met.count(builtin_name(builtin));
                if let Builtin::ThreadIndex(axis) = builtin {
                    met.count(&format!("Axis::{axis:?}"));
                }
            }
            ExprKind::Unary { op, .. } => met.count(&format!("UnaryOp::{op:?}")),
            ExprKind::Binary { op, .. } => met.count(&format!("BinaryOp::{op:?}")),
            ExprKind::Within { extent, .. } => met.count(extent_name(extent)),
            ExprKind::Load(place) => met.count(&format!("Access::{:?}", body.places[*place].access)),
            ExprKind::DynamicShared { length: None, .. } => met.count("memory that takes all that is left"),
            ExprKind::Subslice { checked: false, .. } => met.count("range without a check"),
            _ => {}
        }
    }
    for (_, place) in body.places.iter() {
        met.count(base_name(&place.base));
        for step in &place.path {
            met.count(step_name(step));
            if let Projection::Index { checked: false, .. } = step {
                met.count("index without a check");
            }
        }
    }
}

fn program(program: &Program, met: &mut Met) {
    for (_, ty) in program.types.iter() {
        met.count(type_name(ty));
        if let Type::Atomic(scalar) = ty
            && scalar.is_half()
        {
            met.count("pairs of halves as cells");
        }
    }
    if program.host_tables().next().is_some() {
        met.count("table of the host");
    }
    for (_, function) in program.functions.iter() {
        body(&function.body, met);
    }
    for (_, kernel) in program.kernels.iter() {
        if kernel.cluster.is_some() {
            met.count("kernel with clusters");
        }
        if !kernel.instance.is_empty() {
            met.count("kernel of an instance");
        }
        if kernel
            .parameters
            .iter()
            .any(|parameter| matches!(program.types[parameter.ty], Type::Array { .. }))
        {
            met.count("array as a parameter");
        }
        for entry in &kernel.entries {
            if entry.predicate.is_some() {
                met.count("kernel with a predicate");
            }
            body(&entry.body, met);
        }
    }
}

/// Text forms find an intrinsic by its name in this list.
#[test]
fn every_intrinsic_is_listed() {
    let mut listed: Vec<&str> = Intrinsic::ALL.iter().map(intrinsic_name).collect();
    let mut known = INTRINSICS.to_vec();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

/// The generator makes everything, so that tests of random programs mean something.
#[test]
fn every_variant_occurs() {
    let mut met = Met::default();
    for seed in 0..PROGRAMS {
        program(&random_program(seed, options(seed)).program, &mut met);
    }
    let is_left_out = |name: &str| LEFT_OUT.iter().any(|(left, _)| name.starts_with(left));
    let all = all();
    let never: Vec<&String> = (all.iter())
        .filter(|name| !is_left_out(name) && !met.0.contains_key(*name))
        .collect();
    assert!(
        never.is_empty(),
        "never in {PROGRAMS} programs: {never:#?}\n{:#?}",
        met.0
    );
    let made: Vec<_> = (met.0.keys()).filter(|name| is_left_out(name)).collect();
    assert!(made.is_empty(), "left out, but made: {made:?}");
}
