//! Expressions of very many parts, against what Rust makes of them.

use std::fmt::Write;

use crate::support::{run, slice};

/// Runs `y[0] = value` of `x` in the interpreter, and compares it with what it should be.
fn computes(value: &str, wanted: impl Fn(u32) -> u32) {
    let source = format!("fn k(x: &[u32], y: &mut [u32]) {{ let x = x[0]; y[0] = {value}; }}");
    for x in [0, 1, 5, 99, 100, 101, 500, 999, 1000, 5000] {
        let mut data = [slice(&[x]), slice(&[0u32])];
        run(&source, &mut data, [1; 3]).unwrap();
        assert_eq!(data[1].values::<u32>(), [wanted(x)], "x = {x}");
    }
}

fn repeated(count: u32, part: impl Fn(u32) -> String, between: &str) -> String {
    let parts: Vec<String> = (0..count).map(part).collect();
    parts.join(between)
}

#[test]
fn terms() {
    let sum = repeated(1000, |i| format!("(x ^ {i}) / {}", i + 1), " + ");
    computes(&sum, |x| (0..1000).map(|i| (x ^ i) / (i + 1)).sum());
    let mixed = repeated(300, |i| format!("{i} * x"), " ^ ");
    computes(&format!("{mixed} | x - x"), |x| {
        (0..300).fold(0, |all, i| all ^ (i * x))
    });
    // From the left.
    let quotient = repeated(150, |i| (1 + i % 2).to_string(), " / ");
    computes(&format!("x * 4000 / {quotient}"), |x| {
        (0..150).fold(x * 4000, |all, i| all / (1 + i % 2))
    });
}

#[test]
fn arms() {
    let mut arms = String::new();
    for i in 0..1000 {
        write!(arms, "{i} => {}, ", i * 7919 % 1000).unwrap();
    }
    computes(
        &format!("match x {{ {arms} v if v > 4000 => 7, _ => 8 }}"),
        |x| match x {
            0..1000 => x * 7919 % 1000,
            4001.. => 7,
            _ => 8,
        },
    );
    let returning = format!("match x {{ {arms} 5000 => return, n => n + 1 }}");
    computes(&returning, |x| match x {
        0..1000 => x * 7919 % 1000,
        5000 => 0,
        n => n + 1,
    });
    let either = repeated(500, |i| (i * 2).to_string(), " | ");
    computes(&format!("match x {{ {either} => 1, _ => 2 }}"), |x| {
        if x < 1000 && x % 2 == 0 { 1 } else { 2 }
    });
}

#[test]
fn conditions() {
    let cases = repeated(500, |i| format!("if x == {} {{ {i} }}", i * 3), " else ");
    let otherwise = format!("{cases} else {{ 7 }}");
    computes(&otherwise, |x| if x < 1500 && x % 3 == 0 { x / 3 } else { 7 });
    // A last condition that would fault is not evaluated.
    let all = repeated(500, |i| format!("x != {}", i * 3), " && ");
    let safe = format!("if x > 1000 && {all} && 1 / (x - 1000) < 2 {{ 1 }} else {{ 0 }}");
    computes(&safe, |x| (x > 1000) as u32);
    let any = repeated(500, |i| format!("x == {}", i * 3), " || ");
    computes(&format!("({any} || 1 / x == 0) as u32"), |x| {
        (x < 1500 && x % 3 == 0 || x > 1) as u32
    });
}
