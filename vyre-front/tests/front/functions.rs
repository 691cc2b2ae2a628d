//! Device functions of a file, against plain Rust: the functions stand once in the file and once
//! here.

use crate::support::{Data, in_file, run_lowered, said_of, slice};

/// Checks that `y[i] = <body of x[i]>` computes with the functions of a file what plain Rust does.
macro_rules! with {
    ({ $($items:item)* } |$x:ident: $t:ty| -> $u:ty $body:block, $inputs:expr) => {{
        use crate::support::Value;
        #[allow(unused, unreachable_pub, clippy::all, reason = "the bodies are what kernels look like, odd ones included")]
        let plain = {
            $($items)*
            |$x: $t| -> $u { $body }
        };
        let items: &[&str] = &[$(stringify!($items)),*];
        let items = items.join("\n");
        let items = items.replace("enum ", "#[device] enum ");
        let items = items.replace("pub fn ", "§").replace("fn ", "#[device] fn ").replace('§', "#[device] pub fn ");
        let source = format!(
            "{items}
            fn k({x}s: &[{t}], ys: &mut [{u}]) {{
                let i = thread::index();
                if i < {x}s.len() {{ let {x} = {x}s[i]; ys[i] = {body}; }}
            }}",
            x = stringify!($x),
            t = stringify!($t),
            u = stringify!($u),
            body = stringify!($body),
        );
        let lowered = match in_file(&source) {
            Ok(lowered) => lowered,
            Err(rejected) => panic!("{:?}, elsewhere: {}\n{source}", rejected.errors, rejected.elsewhere),
        };
        let inputs: Vec<$t> = ($inputs).to_vec();
        let expected: Vec<$u> = inputs.iter().map(|&x| plain(x)).collect();
        let mut data = [slice(&inputs), slice(&vec![<$u as Value>::of(0); inputs.len()])];
        if let Err(error) = run_lowered(&lowered, &mut data, [1, 1, 1]) {
            panic!("{error:?}\n{source}");
        }
        assert_eq!(data[1].values::<$u>(), expected, "{source}");
    }};
}

const SMALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 9, 20];

#[test]
fn values_in_and_out() {
    with!({ fn twice(x: u32) -> u32 { x * 2 } } |x: u32| -> u32 { twice(twice(x)) + 1 }, SMALL);
    with!({ fn pair(x: u32) -> (u32, u8) { (x + 1, 7) } } |x: u32| -> u32 { let (a, b) = pair(x); a * b as u32 }, SMALL);
    with!({ fn sum(t: (u32, [u32; 3])) -> u32 { t.0 + t.1[0] + t.1[2] } } |x: u32| -> u32 { sum((x, [x, 5, 6])) }, SMALL);
    with!({ fn table(x: u32) -> [u32; 4] { [x, x + 1, x * x, 9] } } |x: u32| -> u32 { let t = table(x); t[(x % 4) as usize] }, SMALL);
    with!({ fn table(x: u32) -> [u32; 4] { [x, x + 1, x * x, 9] } } |x: u32| -> u32 { table(x)[(x % 4) as usize] }, SMALL);
    with!({ fn early(x: u32) -> u32 { if x > 3 { return 100; } let mut n = x; while n < 10 { if n == 9 { return n; } n += 2; } n } } |x: u32| -> u32 { early(x) }, SMALL);
    with!({ fn early(x: u32) -> u32 { if x > 3 { let _z = return 100; } for i in 0..9 { let _n = if i > x { break } else { continue }; } x } } |x: u32| -> u32 { early(x) }, SMALL);
    with!({ fn found(x: u32) -> u32 { for i in 0..10 { if i * i > x { return i; } } 77 } } |x: u32| -> u32 { found(x * 3) + found(1) }, SMALL);
    with!({ fn small(x: u32) -> u8 { let n = 300; (n - x) as u8 } } |x: u32| -> u8 { small(x) }, SMALL);
    with!({ fn add(a: f32, b: f32) -> f32 { a + b } } |x: u32| -> f32 { add(x as f32, 0.1) }, SMALL);
    with!({ fn choose(c: bool, a: i64, b: i64) -> i64 { if c { a } else { b } } } |x: u32| -> i64 { choose(x > 3, -1, 1 << 40) }, SMALL);
}

#[test]
fn arguments_are_evaluated_in_order() {
    with!({ fn mix(a: u32, b: u32, c: u32) -> u32 { a * 100 + b * 10 + c } } |x: u32| -> u32 { let mut n = x; mix(n, { n += 1; n }, n) + n }, SMALL);
    with!({ fn next(n: &mut u32) -> u32 { *n += 1; *n } } |x: u32| -> u32 { let mut n = x; let r = next(&mut n) + next(&mut n) * 10; r + n }, SMALL);
    with!({ fn next(n: &mut u32) -> u32 { *n += 1; *n } } |x: u32| -> u32 { let mut n = x; let a = n + next(&mut n) * 10 + n; a }, SMALL);
    with!({ fn both(a: u32, b: u32) -> u32 { a * 10 + b } fn next(n: &mut u32) -> u32 { *n += 1; *n } } |x: u32| -> u32 { let mut n = x; both(next(&mut n), next(&mut n)) }, SMALL);
    with!({ fn next(n: &mut usize) -> usize { *n += 1; *n } } |x: u32| -> u32 { let mut n = 0; let t = [x, 2, 3]; t[next(&mut n)] + t[next(&mut n)] * 10 }, SMALL);
    with!({ fn yes(n: &mut u32) -> bool { *n += 1; true } } |x: u32| -> u32 { let mut n = 0; let b = x > 3 && yes(&mut n) || x == 0; n * 2 + b as u32 }, SMALL);
    with!({ fn more(n: &mut u32, x: u32) -> bool { *n += 1; *n < x } } |x: u32| -> u32 { let mut n = 0; let mut s = 0; while more(&mut n, x) { s += n; } s }, SMALL);
}

#[test]
fn references_to_locals_and_elements() {
    with!({ fn swap(a: &mut u32, b: &mut u32) { let t = *a; *a = *b; *b = t; } } |x: u32| -> u32 { let mut a = x; let mut b = 7; swap(&mut a, &mut b); a * 100 + b }, SMALL);
    with!({ fn bump(t: &mut (u32, u32)) { t.0 += t.1; t.1 = 3; } } |x: u32| -> u32 { let mut t = (x, 5); bump(&mut t); bump(&mut t); t.0 * 10 + t.1 }, SMALL);
    with!({ fn fill(a: &mut [u32; 4], x: u32) { for i in 0..a.len() { a[i] = x + i as u32; } } } |x: u32| -> u32 { let mut a = [0; 4]; fill(&mut a, x); a[0] + a[3] * 10 }, SMALL);
    with!({ fn inner(x: &mut u32) { *x *= 3; } fn outer(x: &mut u32) { *x += 1; inner(x); inner(&mut *x); } } |x: u32| -> u32 { let mut n = x; outer(&mut n); n }, SMALL);
    with!({ fn read(a: &u32, t: &(u8, u32)) -> u32 { *a + t.1 + t.0 as u32 } } |x: u32| -> u32 { let t = (1, x); read(&x, &t) + read(&5, &(2, 6)) }, SMALL);
    with!({ fn by_ref(a: &u32) -> u32 { a + 1 } fn outer(a: &mut u32) -> u32 { by_ref(a) + a.pow(2) } } |x: u32| -> u32 { let mut n = x; outer(&mut n) }, SMALL);
    with!({ fn set(e: &mut u32, x: u32) { *e = x; } } |x: u32| -> u32 { let mut a = [1, 2, 3]; let i = (x % 3) as usize; set(&mut a[i], 9); set(&mut a[0], x); a[0] + a[1] * 10 + a[2] * 100 }, SMALL);
}

#[test]
fn slices() {
    with!({ fn total(a: &[u32]) -> u32 { let mut s = 0; for i in 0..a.len() { s += a[i]; } s } } |x: u32| -> u32 { let a = [x, 2, 3]; total(&a) + total(&[x; 5]) }, SMALL);
    with!({ fn put(a: &mut [u32], i: usize, v: u32) { if i < a.len() { a[i] = v; } } fn all(a: &mut [u32], v: u32) { put(a, 0, v); put(a, 2, v + 1); put(a, 9, 7); } } |x: u32| -> u32 { let mut a = [0; 3]; all(&mut a, x); a[0] + a[1] + a[2] * 10 }, SMALL);
    with!({ fn first(a: &[u32]) -> u32 { a[0] } fn through(a: &mut [u32]) -> u32 { a[0] += 1; first(a) } } |x: u32| -> u32 { let mut a = [x, 1]; through(&mut a) }, SMALL);
    with!({ fn row(a: &[[u32; 2]], i: usize) -> u32 { a[i][0] * 10 + a[i][1] } } |x: u32| -> u32 { let a = [[x, 1], [2, x]]; row(&a, 1) + row(&a, 0) }, SMALL);
}

#[test]
fn functions_of_functions_and_modules() {
    with!({ fn a(x: u32) -> u32 { b(x) + c(x) } fn b(x: u32) -> u32 { c(x) * 2 } fn c(x: u32) -> u32 { x + 1 } } |x: u32| -> u32 { a(x) + c(x) }, SMALL);
    with!({ const SCALE: u32 = 3; fn scaled(x: u32) -> u32 { const OFFSET: u32 = SCALE * 2; x * SCALE + OFFSET } } |x: u32| -> u32 { const SCALE: u32 = 5; scaled(x) * SCALE }, SMALL);
    let source = "
        mod first { #[device] pub fn helper(x: u32) -> u32 { local(x) + 1 } #[device] fn local(x: u32) -> u32 { x * 2 } }
        mod second {
            pub mod deep { #[device] pub(in super::super) fn helper(x: u32) -> u32 { super::local(x) + super::WIDTH } }
            const WIDTH: u32 = 1000;
            #[device] fn local(x: u32) -> u32 { x * 3 }
        }
        use second::deep::{self, helper as other};
        use first::*;
        fn k(xs: &[u32], ys: &mut [u32]) {
            let i = thread::index();
            ys[i] = helper(xs[i]) + other(xs[i]) + deep::helper(1) + self::first::helper(0);
        }";
    let mut data = [slice(&[5u32, 6]), slice(&[0u32, 0])];
    let Ok(mut lowered) = in_file(source) else { panic!("accepted") };
    lowered.program.kernels[lowered.kernel].block = [2, 1, 1];
    run_lowered(&lowered, &mut data, [1, 1, 1]).expect("runs");
    let wanted = |x: u32| (x * 2 + 1) + (x * 3 + 1000) + 1003 + 1;
    assert_eq!(data[1].values::<u32>(), [wanted(5), wanted(6)]);
    assert_eq!(lowered.program.functions.len(), 4);
}

#[test]
fn the_vocabulary_in_functions() {
    let source = "
        #[device] fn place() -> usize { thread::index() }
        #[device] fn turned(values: &mut [u32], out: &mut [u32], t: usize) {
            let tile = shared::<[u32; 4]>();
            put(tile, t, values[t]);
            block::sync();
            out[t] = tile[3 - t] + warp::sum(1u32);
        }
        #[device] fn put(tile: &mut [u32; 4], at: usize, value: u32) { tile[at] = value; }
        #[device] fn count(cells: &[AtomicU32], i: usize) { cells[i].fetch_add(1, Ordering::Relaxed); add(&cells[0]); }
        #[device] fn add(cell: &AtomicU32) { cell.fetch_add(10, Ordering::Relaxed); }
        fn k(values: &mut [u32], out: &mut [u32], cells: &[AtomicU32]) {
            turned(values, out, place());
            count(cells, place());
        }";
    let mut lowered = match in_file(source) {
        Ok(lowered) => lowered,
        Err(rejected) => panic!("{:?}", rejected.errors),
    };
    lowered.program.kernels[lowered.kernel].block = [4, 1, 1];
    let mut data: [Data; 3] = [slice(&[1u32, 2, 3, 4]), slice(&[0u32; 4]), slice(&[0u32; 4])];
    run_lowered(&lowered, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[1].values::<u32>(), [8, 7, 6, 5]);
    assert_eq!(data[2].values::<u32>(), [41, 1, 1, 1]);
}

#[test]
fn generic_functions() {
    with!({ fn twice<T: Copy + core::ops::Add<Output = T>>(x: T) -> T { x + x } } |x: u32| -> u32 { let y = twice(x as f32 + 0.5); twice(x) + y as u32 + twice(1u8) as u32 }, SMALL);
    with!({ fn sum<const N: usize>(x: [u32; N]) -> u32 { let mut s = 0; for i in 0..N { s += x[i]; } s * N as u32 } } |x: u32| -> u32 { sum([x, 1]) + sum([x; 5]) + sum::<1>([x]) }, SMALL);
    with!({ fn pad<T: Copy, const N: usize, const M: usize>(x: &[T; N], with: T) -> [T; M] { let mut out = [with; M]; for i in 0..N { out[i] = x[i]; } out } } |x: u32| -> u32 { let a: [u32; 4] = pad(&[x, 7], 3); let b = pad::<u8, 1, 2>(&[5], 9); a[0] + a[3] * 10 + b[1] as u32 }, SMALL);
    with!({ fn chosen<T>(c: bool, a: T, b: T) -> T { if c { a } else { b } } fn outer<T: Copy>(t: (T, T), c: bool) -> T { chosen(c, t.0, t.1) } } |x: u32| -> u32 { let t = outer(((x, 1u8), (7, 2)), x > 3); t.0 + t.1 as u32 + chosen::<u32>(true, 1, 2) }, SMALL);
    with!({ fn filled<const N: usize>() -> [u32; N] { [N as u32; N] } } |x: u32| -> u32 { let a: [u32; 3] = filled(); let b = filled::<{ 2 + 2 }>(); a[2] + b[3] * 10 + x }, SMALL);
    with!({ fn swap<T: Copy>(a: &mut T, b: &mut T) { let t = *a; *a = *b; *b = t; } } |x: u32| -> u32 { let (mut a, mut b) = (x, 9); swap(&mut a, &mut b); let (mut c, mut d) = ((a, 1u8), (b, 2)); swap(&mut c, &mut d); a * 100 + c.0 }, SMALL);
    with!({ fn last<T: Copy>(x: &[T]) -> T { x[x.len() - 1] } } |x: u32| -> u32 { last(&[x, x + 1]) + last(&[1.0, 2.5]) as u32 }, SMALL);
    let source = "
        #[device] fn poly<T: Float>(x: T) -> T { let h = T::from_f64(0.1); (x * h + T::ONE).sqrt().max(T::ZERO).min(T::MAX) }
        fn k(x: &[f32], y: &mut [f32], z: &mut [f64]) { let i = thread::index(); if i < y.len() { y[i] = poly(x[i]); z[i] = poly(x[i] as f64); } }";
    let Ok(lowered) = in_file(source) else { panic!("accepted") };
    let mut data = [slice(&[2.0f32, -0.5]), slice(&[0.0f32; 2]), slice(&[0.0f64; 2])];
    run_lowered(&lowered, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!(data[1].values::<f32>(), [2.0f32, -0.5].map(|x| (x * 0.1f64 as f32 + 1.0).sqrt()));
    assert_eq!(data[2].values::<f64>(), [2.0f64, -0.5].map(|x| (x * 0.1 + 1.0).sqrt()));
    assert_eq!(lowered.program.functions.len(), 2);
}

#[test]
fn generic_functions_of_types_of_one_name() {
    let source = "
        mod a { #[device] pub struct P { pub x: u32 } }
        mod b { #[device] pub struct P { pub x: f32, pub y: f32 } }
        #[device] fn same<T>(x: T) -> T { x }
        fn k(y: &mut [u32]) { let (p, q) = (same(a::P { x: 3 }), same(b::P { x: 1.5, y: 2.0 })); if thread::index() == 0 { y[0] = p.x + (q.x + q.y) as u32; } }";
    let Ok(lowered) = in_file(source) else { panic!("accepted") };
    let mut data = [slice(&[0u32])];
    run_lowered(&lowered, &mut data, [1, 1, 1]).expect("runs");
    assert_eq!((data[0].values::<u32>(), lowered.program.functions.len()), (vec![6], 2));
}

#[test]
fn axes_count_in_functions_too() {
    let source = "
        #[device] fn inside(w: usize, h: usize) -> bool { let (x, y) = thread::index_2d(); x < w && y < h }
        fn k(out: &mut [u32]) { if inside(1, 1) { out[0] = 1; } }";
    let Ok(lowered) = in_file(source) else { panic!("accepted") };
    assert_eq!((lowered.surface.dimensions, lowered.surface.block), (2, [32, 8, 1]));
}

#[test]
fn faults_stand_where_the_function_does() {
    let source = "
        #[device]
        fn element(x: &[u32], i: usize) -> u32 {
            x[i]
        }
        fn k(x: &[u32], y: &mut [u32]) { y[thread::index()] = element(x, 3); }";
    let Ok(lowered) = in_file(source) else { panic!("accepted") };
    let mut data = [slice(&[1u32]), slice(&[0u32; 256])];
    let error = format!("{:?}", run_lowered(&lowered, &mut data, [1, 1, 1]).expect_err("out of bounds"));
    assert!(error.contains("line: 4") && error.contains("column: 13"), "{error}");
}

#[test]
fn calls_that_double_with_every_level() {
    let mut source = "#[device] fn f0(x: u32) -> u32 { x + 1 }\n".to_owned();
    for level in 1..=40 {
        source += &format!("#[device] fn f{level}(x: u32) -> u32 {{ f{0}(x) + f{0}(1) }}\n", level - 1);
    }
    let kernel = |level: u32| in_file(&format!("{source} fn k(y: &mut [u32]) {{ y[0] = f{level}(2); }}"));
    assert!(kernel(8).is_ok());
    for level in [16, 40] {
        let said = kernel(level).expect_err("too large").errors;
        assert!(said.len() == 1 && said[0].to_string().starts_with("V0901: "), "{said:?}");
    }
}

#[test]
fn mistakes() {
    let kernel = |source: &str| -> Vec<String> {
        match in_file(source) {
            Ok(_) => vec!["accepted".to_owned()],
            Err(rejected) if rejected.errors.is_empty() => {
                vec![if rejected.elsewhere { "elsewhere" } else { "left to rustc" }.to_owned()]
            }
            Err(rejected) => rejected.errors.iter().map(ToString::to_string).collect(),
        }
    };
    let refused = |source: &str, fault: &str| {
        let said = kernel(source);
        assert!(said.len() == 1 && said[0].contains(fault), "{source}: {said:?}");
    };
    refused("fn f() {} fn k(x: &[u32]) { f(); }", "`f` is not a device function\nhelp: put `#[vyre::device]` on it");
    refused("fn k(x: &[u32]) { other::f(1); }", "`other::f` is not defined in this file");
    refused(
        "#[device] #[derive(Clone, Copy)] struct Pair<T> { a: T, b: T }
        #[device] fn f<T: Copy>(x: T) -> u32 { g(Pair { a: x, b: x }) }
        #[device] fn g<T: Copy>(x: T) -> u32 { f(x) + f(Pair { a: x, b: x }) }
        fn k(x: &[u32]) { f(1); }",
        "comes to call itself: ",
    );
    refused("#[device] fn f() { self::f(); } fn k(x: &[u32]) { f(); }", "`f` calls itself");
    refused(
        "#[device] fn a() { b(); } #[device] fn b() { c(); } #[device] fn c() { a(); } fn k(x: &[u32]) { a(); }",
        "`a` comes to call itself: a -> b -> c -> a",
    );
    refused("#[device] fn f(x: String) {} fn k(x: &[u32]) { f(1); }", "elsewhere");
    refused("#[device] fn f(x: u32) { let s = String::new(); } fn k(x: &[u32]) { f(1); }", "elsewhere");
    refused("#[device] fn f(x: u32) -> u32 { x } fn k(x: &[u32], y: &mut [f32]) { y[0] = f(1); }", "left to rustc");
    refused("#[device] fn f(x: u32) -> u32 { x } fn k(x: &[u32], y: &mut [u32]) { y[0] = f(1.0); }", "left to rustc");
    refused("#[device] fn f(x: u32) -> u32 { x } fn k(x: &[u32], y: &mut [u32]) { y[0] = f(1, 2); }", "left to rustc");
    refused("#[device] fn f(x: &mut [u32]) {} fn k(x: &[u32]) { f(x); }", "left to rustc");
    refused("#[device] fn f(x: &mut u32) {} fn k(x: &[u32]) { f(&mut x[0]); }", "left to rustc");
    let function = |source: &str, fault: &str| {
        let said = said_of(source, "f");
        assert!(said.len() == 1 && said[0].contains(fault), "{source}: {said:?}");
    };
    function("fn f<T: Shape>(x: T) -> T { x }", "vyre does not know the trait `Shape`");
    function("fn f<T>(x: T) -> T where T: Copy + Shape { x }", "vyre does not know the trait `Shape`");
    function("fn f<const N: char>(x: u32) -> u32 { x }", "a constant parameter of a device function is an integer of up to 64 bits or a `bool`");
    refused("#[device] fn f<T: Copy>(x: T) -> T { x.sqrt() } fn k(y: &mut [u32]) { y[0] = f(y[0]); }", "in a kernel `u32` has no method `sqrt`");
    refused("#[device] fn f<T: Default>() -> T { T::default() } fn k(y: &mut [u32]) { f(); }", "left to rustc");
    refused("#[device] fn f<const N: usize>() -> usize { N } fn k(y: &mut [u32]) { f(); }", "left to rustc");
    refused("#[device] fn f<T>(x: T) -> T { x } fn k(y: &mut [u32]) { f::<u32, u32>(y[0]); }", "left to rustc");
    function("fn f(x: u32) -> u32 { x }", "accepted");
    function("fn f(x: u32) -> u64 { x }", "left to rustc");
    function("fn f(x: u32) -> u32 { return; }", "left to rustc");
    function("fn f(x: u32) -> u32 { g(x) } #[device] fn g(x: Vec<u32>) -> u32 { 1 }", "left to rustc");
    function("fn f(x: u32) -> &u32 { x }", "a device function returns values: a reference is not one");
    function("fn f(x: u32) -> ! { panic!(\"no\") }", "a device function returns");
    function("fn f(x: [u32]) {}", "this type is not supported for a parameter of a device function");
    function("fn f(x: (&mut u32, u32)) {}", "this type is not supported for a parameter of a device function");
    function("fn f(x: &&mut u32) {}", "this type is not supported for a parameter of a device function");
    function("fn f(#[each] x: &u32) {}", "parameters of a device function have no attributes");
    function("async fn f() {}", "a device function is not `async`");
    function("extern \"C\" fn f() {}", "a device function has no ABI of its own");
    function("fn f(x: u32) -> u32 { f(x) }", "a device function does not call itself");
    function("fn f(x: u32) -> u32 { let y = [&x]; *y[0] }", "accepted");
}
