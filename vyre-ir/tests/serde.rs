//! Programs through serde.

use vyre_ir::ir::Program;
use vyre_test_support::random_program::{Options, random_program};

#[test]
fn programs_come_back_equal() {
    let options = Options {
        launchable: false,
        spans: true,
        odd_names: true,
        prints: true,
        open_externals: true,
        faults: true,
        cooperation: true,
        clusters: true,
        constants: true,
    };
    for seed in 0..50 {
        let program = random_program(seed, options).program;
        let json = serde_json::to_string(&program).expect("a program can be written");
        let back: Program = serde_json::from_str(&json).expect("what was written can be read");
        assert_eq!(back, program, "seed {seed}");
        // Types that come back are interned as before.
        for (id, ty) in program.types.iter() {
            assert_eq!(back.types.find(ty), Some(id));
        }
    }
}

#[test]
fn types_out_of_place_are_refused() {
    let json = serde_json::to_string(&Program::default()).expect("a program can be written");
    for (from, to) in [
        (
            r#"{"Scalar":"Bool"},{"Scalar":"I8"}"#,
            r#"{"Scalar":"I8"},{"Scalar":"Bool"}"#,
        ),
        (r#"{"Scalar":"F64"},"#, ""),
        (r#"{"Tuple":[]}"#, r#"{"Tuple":[]},{"Tuple":[]}"#),
        (r#",{"Tuple":[]}"#, ""),
    ] {
        assert!(json.contains(from), "{json}");
        let broken = json.replace(from, to);
        assert!(serde_json::from_str::<Program>(&broken).is_err(), "{broken}");
    }
}
