use vyre::prelude::*;

#[vyre::kernel]
fn operands(a: u8, b: bool, y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.b32 {result}, {0};", a, b => u32 { a as u32 }) };
    y[1] = unsafe { ptx!("mov.b32 {result}, 1;", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 => u32 { 1 }) };
}

#[vyre::kernel]
fn places(a: u32, y: &mut [u32]) {
    y[0] = unsafe { ptx!("add.u32 {result}, {0}, {1};", a => u32 { a }) };
    y[1] = unsafe { ptx!("{ mov.b32 {result}, {0}; }", a => u32 { a }) };
}

#[vyre::kernel]
fn results(y: &mut [u32]) {
    let (a, _, _, _, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, u32, u32, u32, u32)) };
    let (b, _) = unsafe { ptx!("mov.b32 {result.2}, 1;" => (u32, u32)) };
    let (c, _) = unsafe { ptx!("mov.b32 {result}, 1;" => (u32, u32)) };
    let d = unsafe { ptx!("mov.b32 {result.0}, 1;" => u32) };
    let (e, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, bool)) };
    let (f, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, (u32, u32))) };
    y[0] = a + b + c + d + e + f;
}

#[vyre::kernel]
fn without_result(y: &mut [u32]) {
    y[0] = unsafe { vyre::ptx!("mov.b32 {result}, 7;") };
}

#[vyre::kernel]
fn versions(y: &mut [u32]) {
    y[0] = unsafe { ptx!(version = "7.9", "mov.b32 {result}, 1;" => u32 { 1 }) };
    y[1] = unsafe { ptx!(version = "5.0", "mov.b32 {result}, 1;" => u32 { 1 }) };
    y[2] = unsafe { ptx!(version = "new", "mov.b32 {result}, 1;" => u32 { 1 }) };
}

fn main() {}
