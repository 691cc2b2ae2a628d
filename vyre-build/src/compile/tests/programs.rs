//! Launchers of programs.

use std::fs;

use vyre_ir::build::{self, slice, slice_mut, value};
use vyre_ir::ir::{Handle, Program};
use vyre_ir::text;

use super::{Build, Error, Kernels, files, folder, write_kernel};

/// Two kernels.
fn program() -> Program {
    let mut program = Program::default();
    let parameters = (value::<f32>("a"), slice::<f32>("x"), slice_mut::<f32>("y"));
    build::kernel(&mut program, "saxpy", &[256], parameters, |k, (a, x, y)| {
        let i = k.linear_index();
        k.if_(i.lt(y.len()), || y.set(i, a * x.at(i) + y.at(i)));
    });
    build::kernel(
        &mut program,
        "clear_all",
        &[64],
        (slice_mut::<u32>("type"),),
        |k, (x,)| {
            let i = k.linear_index();
            k.if_(i.lt(x.len()), || x.set(i, 0));
        },
    );
    program
}

fn compiled(name: &str, program: &Program) -> Result<Vec<String>, Error> {
    let folder = folder(&format!("program-{}", name.replace('/', "-")));
    let kernels = Kernels::new().program(name, program);
    kernels.compile_in(&folder, &folder.join("out"), &mut Build::new(), || Ok(None))?;
    Ok(files(&folder.join("out/vyre")))
}

#[test]
fn each_kernel_has_its_launcher_and_ptx() {
    let mut program = program();
    program.kernels[Handle::new(1)].parameters[0].name = "cells".to_owned();
    let names = compiled("fft/fused", &program).expect("the program is good");
    assert_eq!(
        names,
        ["fft/fused.rs", "fft/fused/clear_all.ptx", "fft/fused/saxpy.ptx"]
    );
    let out = folder("program-fft-fused").join("out/vyre/fft");
    let text = fs::read_to_string(out.join("fused.rs")).expect("the file is there");
    for part in [
        "pub fn saxpy<'v>(",
        "pub struct Saxpy<'v> {",
        "pub fn clear_all<'v>(",
        "pub struct ClearAll<'v> {",
        "include_str!(\"fused/saxpy.ptx\")",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let ptx = fs::read_to_string(out.join("fused/saxpy.ptx")).expect("the file is there");
    assert!(ptx.contains(".entry saxpy(") && !ptx.contains("clear_all"), "{ptx}");
}

fn faults(program: &Program) -> Vec<String> {
    match compiled("wrong", program) {
        Err(Error::Program { name, faults }) if name == "wrong" => faults,
        Err(error) => panic!("{error}"),
        Ok(files) => panic!("{files:?}"),
    }
}

#[test]
fn programs_without_a_launcher_say_why() {
    assert_eq!(
        faults(&program()),
        ["the parameter of `clear_all` `type` is no name in Rust; give it another one"]
    );
    assert!(faults(&Program::default())[0].starts_with("it has no kernel"));
    let mut twice = Program::default();
    for name in ["scale_all", "scale__all"] {
        build::kernel(&mut twice, name, &[64], (slice_mut::<u32>("x"),), |_, _| {});
    }
    assert_eq!(
        faults(&twice),
        ["the kernels `scale_all` and `scale__all` are both launched as `ScaleAll`; rename one of them"]
    );
    let text = "vyre 1\nkernel k(pair: (f32, f32)) dimensions 1 block 64 1 1 {\n    entry k {\n    }\n}\n";
    let pairs = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let found = faults(&pairs);
    assert!(
        found[0].starts_with("the parameter `pair` of `k` is no scalar"),
        "{found:?}"
    );
    let mut invalid = program();
    invalid.kernels[Handle::new(0)].block = [0, 1, 1];
    let found = faults(&invalid);
    assert!(found[0].contains("saxpy"), "{found:?}");
}

#[test]
fn denied_checks_of_programs_are_named() {
    let text = "vyre 1\ntype &[u32]\ntype &mut [u32]\nkernel k(x: &[u32], y: &mut [u32]) dimensions 1 block 64 1 1 {\n    entry k {\n        store y[cast u64(x[global_index.x])] = 1u32\n    }\n}\n";
    let gather = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let folder = folder("program-denied");
    let kernels = Kernels::new()
        .program("denied", &gather)
        .options(vyre_core::CompileOptions {
            deny_bounds_checks: true,
            ..Default::default()
        });
    let error = kernels
        .compile_in(&folder, &folder.join("out"), &mut Build::new(), || Ok(None))
        .expect_err("an index is loaded");
    let said = error.to_string();
    assert!(
        said.contains("the options of kernel `k` deny bounds checks, and these are left: of `y` at")
            && said.contains("guard them"),
        "{said}"
    );
}

#[test]
fn denied_races_of_programs_are_named() {
    let kernel = |index: &str| {
        let text = format!(
            "vyre 1\nfile \"k\"\ntype &mut [u32]\nkernel k(y: &mut [u32], w: u64) dimensions 2 block 8 8 1 {{\n    entry k {{\n        \
             store y[{index}] = 1u32 @3:4\n    }}\n}}\n"
        );
        text::parse(&text).unwrap_or_else(|error| panic!("{error}"))
    };
    let compiled = |name: &str, index: &str| {
        let folder = folder(name);
        let kernels = Kernels::new()
            .program("denied", &kernel(index))
            .options(vyre_core::CompileOptions {
                deny_races: true,
                ..Default::default()
            });
        let written = kernels.compile_in(&folder, &folder.join("out"), &mut Build::new(), || Ok(None));
        written.map(|_| fs::read_to_string(folder.join("out/vyre/denied.rs")).expect("the launcher is written"))
    };
    let error = compiled("program-races", "global_index.x").expect_err("rows share an element");
    let said = error.to_string();
    assert!(
        said.contains(
            "kernel `k` may have a race, which its options do not allow: global store at 3:4: may race with itself in \
             another thread of the block: the index does not decide `thread::idx().y`; give each thread elements of its own"
        ),
        "{said}"
    );
    let launcher =
        compiled("program-conditions", "add(mul(global_index.y, w), global_index.x)").expect("a launch decides");
    assert!(launcher.contains("8 * grid.x <= w"), "{launcher}");
}

#[test]
fn names_of_programs_are_those_of_modules() {
    for name in ["", "..", "fused.rs", "/fused", "src/fused"] {
        let error = compiled(name, &program()).expect_err("this is no name");
        assert!(matches!(error, Error::NoName { .. }), "{name}: {error}");
    }
    let folder = folder("program-meets");
    write_kernel(&folder, "src/fused.rs", "set", 1);
    let kernels = Kernels::new().file("src/fused.rs").program("Fused", &program());
    let error = kernels
        .compile_in(&folder, &folder.join("out"), &mut Build::new(), || Ok(None))
        .expect_err("the names meet");
    assert!(
        matches!(&error, Error::SameName { sources, .. } if *sources == ["src/fused.rs", "the program `Fused`"]),
        "{error}"
    );
}
