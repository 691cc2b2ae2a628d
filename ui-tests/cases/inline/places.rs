use vyre::prelude::*;

#[vyre::kernel]
fn set(a: u32, y: &mut [u32]) {
    y[0] = unsafe { ptx!("add.u32 {result}, {0}, {1};", a => u32 { a }) };
    y[1] = unsafe { ptx!("{ mov.b32 {result}, {0}; }", a => u32 { a }) };
}

fn main() {}
