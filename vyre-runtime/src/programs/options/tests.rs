use std::sync::Arc;

use vyre_core::ir::PtxLimits;
use vyre_core::text;

use super::{OptionSet, Options};
use crate::programs::compiled::Compiled;

const TEXT: &str = r#"vyre 1
file "src/main.rs"
type &[f32]
type &mut [f32]

kernel saxpy(a: f32 @3:14, x: &[f32] @3:22, y: &mut [f32] @3:33) dimensions 1 block 256 1 1 {  @3:8
    entry saxpy {
        let i: u64  @4:9
        store i = global_index.x  @4:13
        if lt(i, length(y)) {  @5:5 8*2 12
            store y[i] = add(mul(a, x[i]), y[i])  @6:9
        }
    }
}
"#;

/// The PTX for profilers has line tables, and the usual one has none.
#[test]
fn ptx_for_profilers_has_line_tables() {
    let program = text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
    let program = Arc::new(program);
    let limits = PtxLimits {
        version: (8, 0),
        target: 80,
    };
    let ptx = |set| {
        let options = Options { set, ulp_budget: None };
        let compiled = Compiled::new(Arc::clone(&program), 1, options, Some(limits)).unwrap();
        compiled.kernels[0].description().ptx.to_owned()
    };
    assert!(!ptx(OptionSet::Release).contains(".loc"));
    assert!(ptx(OptionSet::Profiling).contains(".loc"));
}

/// The sets change the program itself, so that GPU and interpreter compute the same.
#[test]
fn sets_for_floats_change_the_program() {
    let program = text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
    let program = Arc::new(program);
    let value = |set| {
        let options = Options { set, ulp_budget: None };
        let compiled = Compiled::new(Arc::clone(&program), 1, options, None).unwrap();
        let text = text::print(compiled.kernels[0].program());
        let line = text.lines().find(|line| line.contains("store y[i]")).unwrap();
        line.trim().split("  @").next().unwrap().to_owned()
    };
    for options in [OptionSet::Release, OptionSet::Profiling] {
        assert_eq!(value(options), "store y[i] = add(mul(a, x[i]), y[i])");
    }
    for options in [OptionSet::Contract, OptionSet::FastMath] {
        assert_eq!(value(options), "store y[i] = mul_add(a, x[i], y[i])");
    }
}
