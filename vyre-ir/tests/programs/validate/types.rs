//! Types, data and variables.

use super::*;

#[test]
fn types_are_bounded() {
    let with = |make: &dyn Fn(&mut Program) -> TypeId| {
        let mut program = Program::default();
        let made = make(&mut program);
        (kinds(&program), made)
    };
    let (found, tuple) = with(&|program| program.types.intern(Type::Tuple(vec![made(0)])));
    assert_eq!(found, [InvalidKind::TypeOrder(tuple)]);
    // Each tuple doubles the number of parts.
    let (found, _) = with(&|program| {
        let mut tuple = program.types.unit();
        for _ in 0..13 {
            tuple = program.types.intern(Type::Tuple(vec![tuple, tuple]));
        }
        tuple
    });
    assert!(matches!(found[..], [InvalidKind::TypeTooComplex(_), ..]), "{found:?}");
    let (found, _) = with(&|program| {
        let mut tuple = program.types.unit();
        for _ in 0..64 {
            tuple = program.types.intern(Type::Tuple(vec![tuple]));
        }
        tuple
    });
    assert!(matches!(found[..], [InvalidKind::TypeTooComplex(_)]), "{found:?}");
    assert_eq!(
        items("type [u64; 4611686018427387904]"),
        [InvalidKind::TypeTooLarge(made(0))]
    );
    assert_eq!(items("type [[u8; 65536]; 65537]"), [InvalidKind::TypeTooLarge(made(1))]);
    assert_eq!(items("type [u64; 0]"), []);
    assert_eq!(items("type [[u64; 0]; 2]"), [InvalidKind::SizelessElement(made(1))]);
    for wrong in [0, 3, 32] {
        let text = format!("struct Pair align {wrong} {{ a: u32, b: u32 }}");
        assert_eq!(items(&text), [InvalidKind::Alignment(made(0))], "{wrong}");
    }
    assert_eq!(items("struct Pair align 8 { a: u32, b: u32 }"), []);
    assert_eq!(items("type [(); 3]"), [InvalidKind::SizelessElement(made(0))]);
    assert_eq!(items("struct E {} type &[E]"), [InvalidKind::SizelessElement(made(1))]);
    for nested in ["[&f32; 2]", "&[&f32]", "&&f32", "&[(u32, &[f32])]"] {
        let found = items(&format!("type {nested}"));
        assert!(
            matches!(found[..], [InvalidKind::NestedReference(_)]),
            "{nested}: {found:?}"
        );
    }
}

#[test]
fn data_fit_their_types() {
    let bits = |scalar, bits| InvalidKind::ConstantBits { scalar, bits };
    assert_eq!(items("external e: u8 = 0x100"), [bits(Scalar::U8, 0x100)]);
    assert_eq!(items("table t: [bool; 2] = 1 2"), [bits(Scalar::Bool, 2)]);
    assert_eq!(body("store n = u32:0x100000000"), [bits(Scalar::U32, 1 << 32)]);
    assert_eq!(items("table t: u8 host 0x5 = 1"), []);
    assert_eq!(items("table t: u8 = 1"), [InvalidKind::TableType(scalar(Scalar::U8))]);
    assert_eq!(items("table t: [(u8, u8); 1] = 1 2"), [InvalidKind::TableType(made(1))]);
    assert_eq!(
        items("table t: [[u8; 2]; 3] = 1 2 3 4 5"),
        [InvalidKind::TableLength { expected: 6, found: 5 }]
    );
    assert_eq!(items("shared s: (u8, &u8)"), [InvalidKind::SharedType(made(1))]);
    assert_eq!(
        items("shared s: ()"),
        [InvalidKind::SharedType(Program::default().types.unit())]
    );
}

#[test]
fn variables_fit() {
    assert_eq!(body("let v: AtomicU32"), [InvalidKind::LocalType(ty(ATOMIC_U32))]);
    let too_large = items("fn f() -> () { let a: [u8; 262144] let b: [u8; 262144] let c: u8 }");
    assert!(
        matches!(too_large[..], [InvalidKind::LocalsTooLarge { bytes: 524_289, .. }]),
        "{too_large:?}"
    );
    // Those of functions that call one another are there at one time, those of two calls are not.
    let calls = |bytes: u32, calls: &str| {
        items(&format!(
            "fn g() -> () {{ let a: [u8; {bytes}] }}
             fn f() -> () {{ let a: [u8; 262144] call g() call g() }}
             kernel k() dimensions 1 block 1 1 1 {{ entry k {{ {calls} }} }}"
        ))
    };
    assert_eq!(calls(262_144, "call f() call f() call g()"), []);
    let function = Handle::new(1);
    let bytes = 524_296;
    assert_eq!(
        calls(262_145, "call g() call f()"),
        [InvalidKind::CallLocalsTooLarge { bytes, function }]
    );
    assert_eq!(calls(262_145, "call g()"), []);
}
