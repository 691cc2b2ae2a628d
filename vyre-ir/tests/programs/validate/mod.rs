//! For each kind of fault a program that has it.

mod bodies;
mod calls;
mod kernels;
mod nodes;
mod types;

use vyre_ir::ir::{
    AtomicOp, BinaryOp, Constant, Entry, Handle, Intrinsic, MemoryOrder, PlaceBase, Program, Scalar, Span, StmtKind,
    Type, TypeId, Types, UnaryOp,
};
use vyre_ir::text::parse;
use vyre_ir::validate::{Entity, Immutable, Invalid, InvalidKind, Within, validate};

/// The type at a handle.
fn ty(index: usize) -> TypeId {
    Handle::new(index)
}

/// A type of the text, in order.
fn made(index: usize) -> TypeId {
    ty(Types::FIXED + index)
}

fn scalar(scalar: Scalar) -> TypeId {
    Handle::new(scalar as usize)
}

/// An error of a named barrier.
fn named(barrier: u32, threads: u32, waits: bool, why: &'static str) -> InvalidKind {
    let intrinsic = Intrinsic::NamedBarrier {
        barrier,
        threads,
        waits,
    };
    InvalidKind::Intrinsic { intrinsic, why }
}

fn kinds(program: &Program) -> Vec<InvalidKind> {
    match validate(program) {
        Ok(_) => Vec::new(),
        Err(errors) => {
            for error in &errors {
                // Messages must come out with and without the program.
                assert!(!error.to_string().is_empty() && !error.display(program).to_string().is_empty());
            }
            errors.into_iter().map(|error| error.kind).collect()
        }
    }
}

fn program(items: &str) -> Program {
    parse(&format!("vyre 1 file \"a.rs\"\n{items}")).unwrap_or_else(|error| panic!("{error}\n{items}"))
}

/// The faults of some items.
fn items(items: &str) -> Vec<InvalidKind> {
    kinds(&program(items))
}

/// The items in scope of the bodies of these tests. The types that are not scalars: 12 `&[f32]`, 13
/// `&mut [f32]`, 14 `AtomicU32`, 15 `&[AtomicU32]`, 16 `AtomicF32`, 17 `&[AtomicF32]`, 18 `[f32;
/// 4]`, 19 `(f32, u32)`, 20 `&(f32, u32)`, 21 `&mut (f32, u32)`.
const ITEMS: &str = "
    type &[f32] type &mut [f32] type AtomicU32 type &[AtomicU32] type AtomicF32 type &[AtomicF32]
    type [f32; 4] type (f32, u32) type &(f32, u32) type &mut (f32, u32)
    shared tile: [f32; 4]
    table weights: [f32; 4] = 1 2 3 4
    fn twice(v: f32) -> f32 { return add(v, 1.0f32) }
    fn nothing() -> () { }
";
const X: usize = Types::FIXED;
const Y: usize = Types::FIXED + 1;
const ATOMIC_U32: usize = Types::FIXED + 2;
const ATOMICS: usize = Types::FIXED + 3;
const ARRAY: usize = Types::FIXED + 6;
const PAIR: usize = Types::FIXED + 7;
const PAIR_REFERENCE: usize = Types::FIXED + 8;

/// A kernel around statements.
fn kernel(body: &str) -> String {
    format!(
        "{ITEMS}
        kernel k(x: &[f32], y: &mut [f32], h: &[AtomicU32], g: &[AtomicF32], a: f32, n: u32, i: u64, c: bool)
            dimensions 1 block 32 1 1 {{ entry k {{
                let f: f32  let array: [f32; 4]  let pair: (f32, u32)
                let r: &(f32, u32)  let m: &mut (f32, u32)  let s: &[f32]  let t: &mut [f32]
                {body}
            }} }}"
    )
}

/// The faults of some statements.
fn body(body: &str) -> Vec<InvalidKind> {
    items(&kernel(body))
}

fn mismatch(expected: Scalar, found: Scalar) -> InvalidKind {
    InvalidKind::Mismatch {
        expected: scalar(expected),
        found: scalar(found),
    }
}

#[test]
fn valid_statements_pass() {
    let statements = "
        store f = mul_add(x[i], a, select(c, y[0u64], 2.0f32))
        store y[i] = f
        store array = repeat [f32; 4](f)
        store array[1u64] = table::weights[i]
        store array = new [f32; 4](f, f, f, f)
        store pair = new (f32, u32)(f, n)
        store f = field(new (f32, u32)(f, n), 0)
        store r = &pair
        store m = &mut pair
        store m.*.1 = shl(r.*.1, 3u32)
        store n = cast u32(length(x))
        store n = bitcast u32(f)
        store s = &array[0u64..i]
        store t = &mut y[unchecked 1u64..2u64]
        store t[0u64] = s[unchecked 0u64]
        store y[row(i, 3u64)].volatile = x[unchecked column(i, length(x))].l2
        store shared::tile[i] = 0.0f32
        call f = twice(f)
        call twice(f)
        call nothing()
        atomic n = add(h[0u64], 1u32) relaxed device
        atomic f = exchange(g[0u64], 1.0f32) seq_cst system
        atomic store(h[1u64], n) release block
        fence.acq_rel.block
        barrier
        loop {
            if or_else(c, and_then(c, lt(n, 3u32))) { break 0 } else { continue 0 }
        } step {
            loop { continue 0 } step { break 1 }
        }
        assert ne(n, 0u32), \"n\"
        return";
    assert_eq!(body(statements), []);
}

#[test]
fn all_faults_are_found_with_their_places() {
    let program = program(&kernel(
        "store n = neg(n)  @3:5 9 \n store f = n  @4:7\n break 0  @0/5:1",
    ));
    let errors = validate(&program).err().unwrap_or_default();
    let found: Vec<_> = errors.iter().map(|error| error.display(&program).to_string()).collect();
    assert_eq!(
        found,
        [
            "a.rs:3:9: in kernel `k`: `neg` is not defined on `u32`",
            "a.rs:4:7: in kernel `k`: expected `f32`, found `u32`",
            "a.rs:5:1: in kernel `k`: there are not 1 loops around this",
        ]
    );
    assert!(
        errors
            .iter()
            .all(|error| error.within == Within::Entry(Handle::new(0), 0))
    );
}

#[test]
fn errors_stay_small() {
    assert!(size_of::<Invalid>() <= 64, "{}", size_of::<Invalid>());
}
