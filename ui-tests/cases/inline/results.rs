use vyre::prelude::*;

#[vyre::kernel]
fn set(y: &mut [u32]) {
    let (a, _, _, _, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, u32, u32, u32, u32)) };
    let (b, _) = unsafe { ptx!("mov.b32 {result.2}, 1;" => (u32, u32)) };
    let (c, _) = unsafe { ptx!("mov.b32 {result}, 1;" => (u32, u32)) };
    let d = unsafe { ptx!("mov.b32 {result.0}, 1;" => u32) };
    let (e, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, bool)) };
    let (f, _) = unsafe { ptx!("mov.b32 {result.0}, 1;" => (u32, (u32, u32))) };
    y[0] = a + b + c + d + e + f;
}

fn main() {}
