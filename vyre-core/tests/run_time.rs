//! Helpers of tools that run programs made at run time: constants that get values, arguments that are only
//! read, the choice of an entry, and operations that nobody checks.

use vyre_core::build::{self, atomics, slice, slice_mut};
use vyre_core::externals::{ExternalError, fold, give};
use vyre_core::interp::{self, Argument, Error, Undefined};
use vyre_core::ir::{Constant, Handle, Program, Scalar};
use vyre_core::unchecked::{UncheckedOperation, unchecked};
use vyre_core::validate::validate;
use vyre_core::{compile, text};

fn parse(text: &str) -> Program {
    text::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// `y[i] = i / STEP`
fn divides() -> Program {
    let mut program = Program::default();
    let step = build::external::<u64>(&mut program, "STEP");
    build::kernel(&mut program, "divides", &[8], (slice_mut::<u64>("y"),), |k, (y,)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, i / k.external(step)));
    });
    program
}

#[test]
fn constants_get_values_and_are_folded() {
    let mut program = divides();
    let missing = ExternalError::Missing {
        name: "STEP".to_owned(),
        scalar: Scalar::U64,
    };
    assert_eq!(fold(&mut program.clone()), Err(missing));
    // An integer of any type that holds the value.
    give(&mut program, "STEP", Constant::from(2i8)).unwrap();
    let unfolded = program.clone();
    fold(&mut program).unwrap();
    let run = |program: &Program| {
        let mut y = [0; 64];
        let valid = validate(program).unwrap();
        interp::launch(&valid, Handle::new(0), &mut [Argument::Slice(&mut y)], [1; 3]).unwrap();
        y.chunks(8).map(|word| word[0]).collect::<Vec<_>>()
    };
    assert_eq!(run(&program), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(run(&unfolded), run(&program));
    // The compiler knows the divisor: a shift in place of a division, and no placeholder.
    let ptx = |program: &Program| compile(&validate(program).unwrap(), &Default::default()).unwrap().ptx;
    assert!(ptx(&divides()).contains("0xV") && ptx(&divides()).contains("div."));
    assert!(!ptx(&program).contains("0xV") && !ptx(&program).contains("div."));
}

#[test]
fn wrong_values_change_nothing() {
    let program = divides();
    let give = |name, value| {
        let mut changed = program.clone();
        let error = give(&mut changed, name, value).unwrap_err();
        assert_eq!(changed, program);
        error.to_string()
    };
    let no_value = |given| format!("the constant `STEP` is a `u64`, of which the given `{given}` is no value");
    assert_eq!(give("STEP", Constant::from(-1i64)), no_value("i64"));
    assert_eq!(give("STEP", Constant::from(2.0f64)), no_value("f64"));
    assert_eq!(give("STEP", Constant::from(true)), no_value("bool"));
    assert_eq!(
        give("step", Constant::from(1u64)),
        "the program has no constant `step`; there are STEP"
    );
}

#[test]
fn arguments_that_are_read_may_be_the_same_memory() {
    let mut program = Program::default();
    let parameters = (slice::<u8>("a"), slice::<u8>("b"), slice_mut::<u8>("y"));
    build::kernel(&mut program, "adds", &[4], parameters, |k, (a, b, y)| {
        let i = k.linear_index();
        y.set(i, a.at(i) + b.at(i));
    });
    let (x, mut y) = ([1, 2, 3, 4], [0; 4]);
    let mut arguments = [Argument::Input(&x), Argument::Input(&x), Argument::Slice(&mut y)];
    interp::launch(&validate(&program).unwrap(), Handle::new(0), &mut arguments, [1; 3]).unwrap();
    assert_eq!(y, [2, 4, 6, 8]);
}

#[test]
fn what_is_only_read_is_not_written() {
    let mut program = Program::default();
    build::kernel(&mut program, "adds", &[4], (atomics::<u32>("sum"),), |_, (sum,)| {
        sum.fetch_add(0, 1);
    });
    let sum = [0; 4];
    let valid = validate(&program).unwrap();
    let error = interp::launch(&valid, Handle::new(0), &mut [Argument::Input(&sum)], [1; 3]).unwrap_err();
    let Error::Undefined { what, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(what, Undefined::Dangling);
    // Elements that are elsewhere are not read either.
    let error = interp::launch(&valid, Handle::new(0), &mut [Argument::Length(4)], [1; 3]).unwrap_err();
    assert!(matches!(error, Error::Undefined { .. }), "{error}");
}

const TWO_ENTRIES: &str = "vyre 1
type &[f32]
type &mut [f32]

kernel k(x: &[f32], y: &mut [f32], a: u32) dimensions 1 block 64 1 1 {
    entry large if and_then(ge(length(x), 100u64), eq(a, 7u32)) {
        store y[0u64] = 1.0f32
    }
    entry k {
        store y[0u64] = 2.0f32
    }
}
";

#[test]
fn an_entry_is_chosen_without_the_elements() {
    let program = parse(TWO_ENTRIES);
    let valid = validate(&program).unwrap();
    let entry = |length, a: u32| {
        let mut arguments = [
            Argument::Length(length),
            Argument::Length(1),
            Argument::Scalar(Constant::from(a)),
        ];
        interp::entry(&valid, Handle::new(0), &mut arguments).unwrap()
    };
    assert_eq!((entry(100, 7), entry(99, 7), entry(1 << 50, 8)), (0, 1, 1));
}

#[test]
fn unchecked_operations_are_found() {
    let kinds = |program: &Program| {
        let found = unchecked(program).into_iter();
        found.map(|found| (found.within, found.operation)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&divides()), []);
    assert_eq!(kinds(&parse(TWO_ENTRIES)), []);
    let body = |store: &str| {
        parse(&format!(
            "vyre 1
type &[u32]
type &mut [u32]

kernel k(x: &[u32], y: &mut [u32]) dimensions 1 block 1 1 1 {{
    entry k {{
        let s: &mut [u32]
        {store}
    }}
}}
"
        ))
    };
    let one = |operation| vec![("k".to_owned(), operation)];
    assert_eq!(
        kinds(&body("store y[0u64] = x[unchecked 1u64]")),
        one(UncheckedOperation::Index)
    );
    assert_eq!(
        kinds(&body("store s = &mut y[unchecked 0u64..1u64]")),
        one(UncheckedOperation::Range)
    );
    assert_eq!(
        kinds(&body("async_copy[4] (&mut y[0u64..4u64], &x[0u64..4u64])")),
        one(UncheckedOperation::Count)
    );
}
