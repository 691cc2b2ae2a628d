//! A kernel may be written as the advice says.

use quote::quote;

use super::{NAMES, Of, is};
use crate::driver;
use crate::resolve::names::Names;

/// The parameters of kernels: a name has several meanings.
const PARAMETERS: [&str; 4] = [
    "x: f32, y: f32, z: f32, t: f32, n: u32, m: u32, a: Vec3, b: Vec3, v: u32, lane: usize, mask: usize, p: bool, i: usize",
    "n: i32, m: i32",
    "v: f32, n: usize",
    "counts: &[AtomicU32], old: u32, new: u32, v: f32, i: usize, row: usize, col: usize, data: &[f32], out: &mut [f32], \
     image: Slice2<'_, f32>",
];

#[test]
fn advice_compiles() {
    let file = syn::parse_str("use vyre::vector::{IVec2, Vec2, Vec3, Vec4};").expect("a file");
    let names = Names::of_file("kernels.rs", &file);
    let mut found = Vec::new();
    for (_, name, help) in NAMES.iter().filter(|known| known.0 == Of::Late) {
        let mut errors = Vec::new();
        for parameters in PARAMETERS {
            let source = format!("fn kernel({parameters}) {{ let _found = {help}; }}");
            let kernel = source.parse().expect(&source);
            let options = match help.starts_with("cluster") {
                true => quote!(block = 64, cluster = 2),
                false => quote!(block = 64),
            };
            match driver::kernel(options, kernel, &names) {
                Ok(_) => errors.clear(),
                Err(rejected) => {
                    let texts = rejected.diagnostics().map(ToString::to_string);
                    errors.push(texts.collect::<Vec<_>>().join("; "));
                    continue;
                }
            }
            break;
        }
        if !errors.is_empty() {
            found.push(format!("{name}, {help}: {}", errors.join(" | ")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_name_is_there_once() {
    for (at, (of, name, _)) in NAMES.iter().enumerate() {
        let first = NAMES
            .iter()
            .position(|(other, known, _)| other == of && is(known, name.trim_end_matches('*')));
        assert_eq!(first, Some(at), "{name} is hidden by another name");
    }
}
