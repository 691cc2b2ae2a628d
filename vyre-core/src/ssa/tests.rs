use vyre_ir::ir::Handle;
use vyre_ir::ir::needs::Devices;
use vyre_ir::text::parse;
use vyre_ir::validate::{AccessKind, validate};

use super::build::{Sites, build};
use super::function::ValueData;
use super::op::Op;

/// Passes copy operations and walk over all values: a larger operation must be a decision.
#[test]
fn operations_stay_small() {
    assert_eq!(size_of::<Op>(), 24);
    assert_eq!(size_of::<ValueData>(), 40);
}

/// A store of the graph can be traced back to the store of the source, and to the call.
#[test]
fn accesses_survive_inlining() {
    let program = parse(
        "vyre 1 type &mut [u32]
         fn put(to: &mut [u32], at: u64) -> () { store to[at] = 1u32 }
         kernel both(x: &mut [u32]) dimensions 1 block 32 1 1 {
             entry both { call put(x, 0u64) call put(x, linear_index) }
         }",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let function = build(&valid, Handle::new(0), 0, &mut Sites::default(), Devices::default());
    let put = valid.info().function(Handle::new(0));
    let mut found = Vec::new();
    for (value, data) in function.values.iter() {
        let Some(access) = function.origins.of(value) else {
            continue;
        };
        let (inlined, access) = function.origins.accesses[access as usize];
        let call = function.origins.inlined[inlined.expect("the access stands in `put`") as usize];
        assert_eq!((call.function, call.caller), (Handle::new(0), None));
        let is_guard = matches!(data.op, Op::Guard { .. });
        assert!(is_guard || matches!(data.op, Op::Store { .. }));
        match put.accesses.get(access).kind {
            AccessKind::Index { step: 0, .. } => assert!(is_guard),
            AccessKind::Store(_) => assert!(!is_guard),
            other => panic!("{other:?}"),
        }
        found.push((inlined, is_guard));
    }
    assert_eq!(
        found,
        [(Some(0), true), (Some(0), false), (Some(1), true), (Some(1), false)]
    );
}
