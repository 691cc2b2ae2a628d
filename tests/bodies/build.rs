//! Generates a launcher for each program, and lists of the kernels of random ones.

#[path = "src/forms/mod.rs"]
#[allow(unreachable_pub, dead_code, reason = "the tests use them too")]
mod forms;
#[path = "src/programs/mod.rs"]
#[allow(unreachable_pub, unused_imports, dead_code, reason = "the tests use them too")]
mod programs;
#[path = "src/random.rs"]
#[allow(unreachable_pub, reason = "the tests use them too")]
mod random;

use std::path::Path;

use proc_macro2::{Ident, Span};
use quote::quote;
use vyre_core::ir::{Handle, Program, Scalar, Type, TypeId, Types};
use vyre_front::generate;
use vyre_front::surface::{Denied, Element, Lowered, ParameterKind, Primitive, Spans, Surface, SurfaceParameter};

fn main() {
    println!("cargo:rerun-if-changed=src/programs");
    println!("cargo:rerun-if-changed=src/random.rs");
    println!("cargo:rerun-if-changed=src/forms");
    println!("cargo:rerun-if-env-changed=VYRE_FORMS");
    let mut text = String::new();
    for program in programs::all() {
        text.push_str(&launcher(program));
    }
    let mut kernels = String::new();
    for seed in random::SEEDS {
        let mut program = random::program(seed).program;
        program.kernels[Handle::new(0)].name = format!("random{seed}");
        text.push_str(&launcher(program));
        kernels.push_str(&format!(
            "({seed}, <Launchrandom{seed} as ::vyre::__private::Kernel>::info()), "
        ));
    }
    text.push_str(&format!(
        "pub fn random_kernels() -> Vec<(u64, &'static ::vyre::__private::KernelInfo)> {{ vec![{kernels}] }}"
    ));
    text.push_str(&of_forms());
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("launchers.rs"), text).expect("OUT_DIR can be written");
}

/// The launchers of the kernels for the forms of bodies, and their list: with the seed, and true where threads are futures.
fn of_forms() -> String {
    let (mut text, mut kernels) = (String::new(), String::new());
    for seed in forms::seeds() {
        let form = forms::form(seed);
        for futures in [false, true] {
            if futures && !form.waits {
                continue;
            }
            let mut program = forms::program(&form, futures);
            let name = format!("form{seed}{}", if futures { "futures" } else { "" });
            program.kernels[Handle::new(0)].name.clone_from(&name);
            text.push_str(&launcher(program));
            kernels.push_str(&format!(
                "({seed}, {futures}, <Launch{name} as ::vyre::__private::Kernel>::info()), "
            ));
        }
    }
    format!("{text}pub fn forms() -> Vec<(u64, bool, &'static ::vyre::__private::KernelInfo)> {{ vec![{kernels}] }}")
}

/// The Rust that replaces a program's kernel.
fn launcher(program: Program) -> String {
    let validated = vyre_core::validate::validate(&program).expect("the program is valid");
    let module = vyre_core::compile(&validated, &vyre_test_support::case::VERIFIED).expect("the program compiles");
    let kernel = Handle::new(0);
    let it = &program.kernels[kernel];
    let surface = Surface {
        attributes: Vec::new(),
        visibility: syn::parse_quote!(pub),
        name: Ident::new(&it.name, Span::call_site()),
        launcher: Ident::new(&format!("Launch{}", it.name.replace('_', "")), Span::call_site()),
        has_face: false,
        dispatches: true,
        dimensions: it.dimensions,
        block: it.block,
        cluster: it.cluster,
        min_blocks: it.min_blocks,
        parameters: it
            .parameters
            .iter()
            .map(|parameter| SurfaceParameter {
                name: Ident::new(&parameter.name, Span::call_site()),
                kind: kind(&program.types, parameter.ty),
                any_index: false,
                each: false,
                option: None,
                tells: None,
            })
            .collect(),
    };
    let externals = program
        .externals
        .iter()
        .map(|(_, external)| external.name.parse().expect("a path"))
        .collect();
    let lowered = Lowered {
        surface,
        program: program.clone(),
        kernel,
        checked: quote!(),
        externals,
        spans: Spans::default(),
        collectives: Vec::new(),
        denied: Denied::default(),
    };
    format!("{}\n", generate::kernel(&lowered, &validated, &module))
}

fn kind(types: &Types, ty: TypeId) -> ParameterKind {
    let primitive = |scalar: Scalar| Primitive::from_name(scalar.name()).expect("scalars are primitives");
    match types[ty] {
        Type::Slice { element, mutable } => match (&types[element], mutable) {
            (Type::Atomic(scalar), _) => ParameterKind::Atomics(primitive(*scalar)),
            (Type::Scalar(scalar), true) => ParameterKind::SliceMut(Element::Primitive(primitive(*scalar))),
            (Type::Scalar(scalar), false) => ParameterKind::Slice(Element::Primitive(primitive(*scalar))),
            other => panic!("no launcher takes slices of {other:?}"),
        },
        Type::Scalar(scalar) => ParameterKind::Value(Element::Primitive(primitive(scalar))),
        ref other => panic!("no launcher takes {other:?}"),
    }
}
