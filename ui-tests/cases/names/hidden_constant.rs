//! `f32::MAX` is what the module says, and not what Rust says.
mod f32 {
    pub const MAX: ::core::primitive::f32 = 4.0;
}

#[vyre::kernel]
fn limit(#[each] x: &mut f32) {
    *x = x.min(f32::MAX);
}

fn main() {}
