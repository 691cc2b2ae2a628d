use vyre::prelude::*;

#[vyre::kernel]
fn set(a: u8, b: bool, y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.b32 {result}, {0};", a, b => u32 { a as u32 }) };
    y[1] = unsafe { ptx!("mov.b32 {result}, 1;", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 => u32 { 1 }) };
}

fn main() {}
