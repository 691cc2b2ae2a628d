//! `Config::ulp_budget` on every device: the table of stated errors, the approximations that fit, and their errors.

use vyre::ir::fast::Fast;
use vyre::ir::text;
use vyre::prelude::*;
use vyre::{Config, KernelInfo, Pipeline};
use vyre_test_support::random::Random;

#[allow(unreachable_pub, reason = "other tests share the file")]
#[path = "examples/devices.rs"]
mod devices;

use devices::devices;

/// The rows of the book's table of fast functions: names, bound and ulp.
fn rows(page: &str) -> Vec<(Vec<String>, String, String)> {
    let (_, table) = page.split_once("| function | bound |").expect("the page has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    let row = |line: &str| {
        let line = line.replace("\\|", "\u{1}");
        let cells: Vec<String> = line.split(" | ").map(|cell| cell.replace('\u{1}', "|")).collect();
        let code = cells[0].split('`').skip(1).step_by(2);
        let names = code.map(|name| name.split('(').next().unwrap_or_default().to_owned());
        (names.collect(), cells[1].clone(), cells[2].clone())
    };
    rows.map(row).collect()
}

#[test]
fn the_book_states_the_bounds_of_the_table() {
    let page = std::fs::read_to_string("docs/book/src/language/fast-math.md").unwrap();
    let rows = rows(&page);
    assert_eq!(
        rows.iter().map(|(names, ..)| names.len()).sum::<usize>(),
        Fast::ALL.len()
    );
    for &form in Fast::ALL {
        let found = rows
            .iter()
            .find(|(names, ..)| names.iter().any(|name| name == form.name()));
        let (_, stated, ulps) = found.unwrap_or_else(|| panic!("`{}` has no row", form.name()));
        let bound = form.bound();
        let expected = bound.ulps.map_or("none".to_owned(), |ulps| ulps.to_string());
        let name = form.name();
        assert_eq!((&**stated, ulps), (bound.stated, &expected), "{name}");
    }
}

/// A function as accurate code has it, and what it is in `f64`.
struct Function {
    form: Fast,
    kernel: &'static KernelInfo,
    exact: fn(f64) -> f64,
}

macro_rules! functions {
    ($($name:ident $form:ident: |$x:ident| $code:expr, $exact:expr;)*) => {
        $(mod $name {
            #[allow(unused_imports, reason = "some functions are of `math`")]
            use vyre::prelude::*;

            #[vyre::kernel]
            fn apply(#[each] $x: &f32, #[each] y: &mut f32) {
                let $x = *$x;
                *y = $code;
            }

            pub(super) fn info() -> &'static vyre::KernelInfo {
                <Apply as vyre::Kernel>::info()
            }
        })*

        fn functions() -> Vec<Function> {
            vec![$(Function { form: Fast::$form, kernel: $name::info(), exact: $exact }),*]
        }
    };
}

functions! {
    exp Exp: |x| x.exp(), f64::exp;
    exp2 Exp2: |x| x.exp2(), f64::exp2;
    exp10 Exp10: |x| math::exp10(x), |x| 10f64.powf(x);
    tanh Tanh: |x| x.tanh(), f64::tanh;
    rsqrt Rsqrt: |x| math::rsqrt(x), |x| 1.0 / x.sqrt();
    sqrt Sqrt: |x| x.sqrt(), f64::sqrt;
    recip Recip: |x| 1.0 / x, |x| 1.0 / x;
    ln Ln: |x| x.ln(), f64::ln;
    sin Sin: |x| x.sin(), f64::sin;
    sigmoid Sigmoid: |x| math::sigmoid(x), |x| 1.0 / (1.0 + (-x).exp());
}

fn pipeline(device: &Device, kernel: &KernelInfo) -> Pipeline {
    let program = text::parse(kernel.program).unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: calls have an element of each slice for each thread.
    unsafe { device.compile_trusted(program) }.unwrap()
}

fn results(pipeline: &Pipeline, x: &[f32], config: &Config) -> Vec<f32> {
    let x: Vec<u8> = x.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let n = x.len() / 4;
    let outputs = pipeline.call().bytes(&x).zeroed(n).over(n).config(config).run();
    outputs.unwrap().get("y").and_then(|y| y.values()).unwrap()
}

fn bits(values: &[f32]) -> Vec<u32> {
    let canonical = |value: &f32| if value.is_nan() { f32::NAN } else { *value };
    values.iter().map(|value| canonical(value).to_bits()).collect()
}

/// Numbers of all sizes, the ends of the ranges among them. The interpreter takes few.
fn arguments(device: &Device) -> Vec<f32> {
    let mut random = Random::new(5);
    let mut x = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MAX,
        f32::INFINITY,
        -f32::INFINITY,
        f32::NAN,
        1e-45,
        88.72,
        38.53,
    ];
    let count = if device.is_cuda() { 1 << 18 } else { 300 };
    x.extend((0..count).map(|_| f32::from_bits(random.below(1 << 32) as u32)));
    // Where powers are finite.
    x.extend((0..count).map(|_| random.below(1 << 24) as f32 / (1 << 16) as f32 - 150.0));
    x
}

/// The distance of two neighbours of `f32` at a number.
fn ulp(x: f64) -> f64 {
    2f64.powi((x.abs().log2().floor() as i32).clamp(-126, 127) - 23)
}

/// The error in ulp. Infinity counts as the number after the largest one.
fn error(found: f32, exact: f64) -> f64 {
    let end = 2f64.powi(128);
    if exact.is_nan() || found.is_nan() {
        return if exact.is_nan() && found.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let (found, exact) = (f64::from(found).clamp(-end, end), exact.clamp(-end, end));
    (found - exact).abs() / ulp(exact)
}

#[test]
fn bounds_hold_for_all_arguments() {
    let bounded = functions()
        .iter()
        .filter(|function| function.form.bound().ulps.is_some())
        .count();
    let all = Fast::ALL.iter().filter(|form| form.bound().ulps.is_some()).count();
    assert_eq!(bounded, all, "each form with a bound is run");
    for device in devices("bounds_hold_for_all_arguments") {
        let x = arguments(&device);
        for Function { form, kernel, exact } in functions() {
            let Some(ulps) = form.bound().ulps else { continue };
            let found = results(&pipeline(&device, kernel), &x, &Config::new().ulp_budget(ulps));
            let mut worst = 0f64;
            for (&x, &found) in x.iter().zip(&found) {
                let exact = exact(f64::from(x));
                let error = error(found, exact);
                let name = form.name();
                assert!(
                    error <= f64::from(ulps),
                    "{device}: {name}({x:?}) is {found:?}, not {exact:?}: {error} ulp"
                );
                worst = worst.max(error);
            }
            println!("{}: {device}: {worst:.2} of {ulps} ulp", form.name());
        }
    }
}

/// A budget below the bound of a form, and any budget for a form without one, leave the bits of the accurate function.
#[test]
fn a_budget_picks_what_fits() {
    for device in devices("a_budget_picks_what_fits") {
        let x = arguments(&device);
        for Function { form, kernel, .. } in functions() {
            let pipeline = pipeline(&device, kernel);
            let run = |config: &Config| bits(&results(&pipeline, &x, config));
            let accurate = run(&Config::new());
            let below = form.bound().ulps.map_or(u32::MAX, |ulps| ulps - 1);
            let name = form.name();
            assert!(run(&Config::new().ulp_budget(below)) == accurate, "{device}: {name}");
            if let Some(ulps) = form.bound().ulps {
                let config = Config::new().ulp_budget(ulps);
                // The CPU has another way to `exp` and `exp10` only; its approximations are accurate.
                let differs = device.is_cuda() || matches!(form, Fast::Exp | Fast::Exp10);
                assert_eq!(run(&config) != accurate, differs, "{device}: {name}");
                // A budget holds for `fast_math`, too; and it is part of what a pipeline is.
                assert!(
                    run(&config.clone().profile("fast_math")) == run(&config),
                    "{device}: {name}"
                );
                let below = Config::new().ulp_budget(below).profile("fast_math");
                assert!(run(&below) == accurate, "{device}: {name}");
            }
        }
    }
}

#[test]
fn a_budget_is_part_of_a_pipeline() {
    let device = Device::cpu();
    let mut program = vyre::ir::Program::default();
    vyre::ir::build::kernel(
        &mut program,
        "roots",
        &[32],
        vyre::ir::build::slice_mut::<f32>("y"),
        |k, y| {
            let i = k.linear_index();
            k.if_(i.lt(y.len()), || y.set(i, i.cast::<f32>().sqrt()));
        },
    );
    let compiled = |config: &Config| device.compile_configured(&program, config).unwrap();
    let (usual, three) = (compiled(&Config::new()), compiled(&Config::new().ulp_budget(3)));
    assert_ne!(usual.id(), three.id());
    assert_eq!(compiled(&Config::new().ulp_budget(3)).id(), three.id());
    assert_ne!(compiled(&Config::new().ulp_budget(4)).id(), three.id());
    assert_eq!(
        (usual.manifest().ulp_budget, three.manifest().ulp_budget),
        (None, Some(3))
    );
    assert!(usual.manifest().to_json().contains(r#""ulp_budget":null"#));
    assert!(three.manifest().to_json().contains(r#""ulp_budget":3"#));
}
