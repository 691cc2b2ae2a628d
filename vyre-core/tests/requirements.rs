//! Requirements of programs, against the PTX that they are compiled to.

use vyre_core::requirements::requirements;
use vyre_core::{compile, text, validate::validate};

/// A program with a body for its one kernel, `k`, of blocks of a warp.
fn program(body: &str) -> String {
    format!(
        "vyre 1\nfile \"a.rs\"\ntype &[f32]\ntype &mut [f32]\ntype AtomicU32\ntype &[AtomicU32]\n\
         kernel k(x: &[f32], y: &mut [f32], h: &[AtomicU32], b: bf16) dimensions 1 block 32 1 1 {{\n\
         entry k {{\n{body}\nreturn\n}}\n}}\n"
    )
}

/// An operation with its PTX version and target.
type Listed = (String, (u32, u32), u32);

/// The operations of a program, and the version and target of its module.
fn both(source: &str) -> (Vec<Listed>, ((u32, u32), u32)) {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let valid = validate(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let listed = requirements(&valid).into_iter();
    let module = compile(&valid, &Default::default()).unwrap();
    (
        listed.map(|one| (one.operation, one.version, one.target)).collect(),
        (module.version, module.target),
    )
}

/// Each operation alone is listed with just what its module declares.
#[test]
fn an_operation_needs_what_its_module_declares() {
    let cases = [
        ("store y[0u64] = x[1u64]", None),
        ("atomic add(h[0u64], 1u32) relaxed device", None),
        (
            "store y[0u64].evict_last = x[1u64]",
            Some(("evict_last access", (7, 4), 70)),
        ),
        (
            "store y[0u64].l2_evict_first = x[1u64]",
            Some(("l2_evict_first access", (7, 4), 80)),
        ),
        (
            "store y[0u64] = x[1u64].ahead_128",
            Some(("ahead_128 access", (7, 4), 75)),
        ),
        // A store that prefetches is a plain one.
        ("store y[0u64].ahead_128 = x[1u64]", None),
        (
            "store y[0u64] = cast f32(mul_add(b, b, b))",
            Some(("mul_add of bf16", (7, 0), 80)),
        ),
        ("copy_commit", Some(("copy_commit", (7, 0), 80))),
        ("nap (7u32)", Some(("nap", (6, 3), 70))),
        (
            "if on_gpu {\nptx \"nanosleep.u32 {0};\" version 6 3, 7u32\n}",
            Some(("inline PTX of version 6.3", (6, 3), 70)),
        ),
        ("if on_gpu {\nptx \"nanosleep.u32 {0};\", 7u32\n}", None),
    ];
    for (body, expected) in cases {
        let (listed, (version, target)) = both(&program(body));
        match expected {
            None => assert!(listed.is_empty() && target == 70, "{body}: {listed:?}, sm_{target}"),
            Some((operation, at_version, at_target)) => {
                assert_eq!(listed, [(operation.to_owned(), at_version, at_target)], "{body}");
                assert_eq!((version, target), (at_version, at_target), "{body}");
            }
        }
    }
}

/// A relaxed access is no other code than a plain one, also where accesses are joined.
#[test]
fn relaxed_accesses_are_plain_ones() {
    let ptx = |how: &str| {
        let source = program(&format!(
            "store y[0u64]{how} = x[1u64]{how}\nstore y[1u64]{how} = y[5u64]{how}\nstore y[2u64]{how} = y[6u64]{how}\n\
             store y[3u64]{how} = y[7u64]{how}\nstore y[linear_index]{how} = y[linear_index]{how}"
        ));
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let module = compile(&validate(&program).unwrap(), &Default::default()).unwrap();
        module.ptx
    };
    assert_eq!(ptx(".relaxed"), ptx(""));
    assert_ne!(ptx(".volatile"), ptx(""));
}

/// An operation is listed once, at its first place, whatever else there is.
#[test]
fn an_operation_is_listed_once_with_its_place() {
    let source = program("copy_commit  @3:5\ncopy_commit  @4:5\nstore y[0u64].l2_evict_last = x[1u64].ahead_256");
    let program = text::parse(&source).unwrap();
    let list = requirements(&validate(&program).unwrap());
    let operations: Vec<_> = list.iter().map(|one| &*one.operation).collect();
    assert_eq!(operations, ["copy_commit", "ahead_256 access", "l2_evict_last access"]);
    assert_eq!((list[0].span.line, list[0].span.column), (3, 5));
    assert_eq!(program.kernels[list[0].kernel].name, "k");
}

#[test]
fn clusters_and_large_parameters_are_listed() {
    let clusters = program("return").replace("block 32 1 1 {", "block 32 1 1 cluster 2 1 1 {");
    let (listed, (version, target)) = both(&clusters);
    assert_eq!(listed, [("clusters of [2, 1, 1] blocks".to_owned(), (7, 8), 90)]);
    assert_eq!((version, target), ((7, 8), 90));

    // Constants that the host sets travel among the parameters.
    let table = format!("table t: [u32; 1100] host 0x7 ={}\nkernel k(", " 0x1".repeat(1100));
    let large = program("return")
        .replace("type AtomicU32\n", "type AtomicU32\ntype [u32; 1100]\n")
        .replace("kernel k(", &table);
    let (listed, (version, target)) = both(&large);
    let [(operation, (8, 1), 70)] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert!(operation.ends_with(" bytes of parameters"), "{operation}");
    assert_eq!((version, target), ((8, 1), 70));
}

/// Functions that a kernel does not reach are no requirement.
#[test]
fn functions_that_are_not_called_need_nothing() {
    let source = program("return").replace("kernel k(", "fn unused() -> () {\ncopy_commit\n}\nkernel k(");
    assert_eq!(both(&source).0, []);
    let called = source.replace("entry k {\n", "entry k {\ncall unused()\n");
    assert_eq!(both(&called).0, [("copy_commit".to_owned(), (7, 0), 80)]);
}
