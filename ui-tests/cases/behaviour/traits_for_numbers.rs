use vyre::prelude::*;

trait Own {
    fn abs(&self) -> f32;
}

impl Own for f32 {
    fn abs(&self) -> f32 {
        0.0
    }
}

trait Counted {
    fn len(&self) -> usize;
    fn is_some(self) -> bool;
}

impl Counted for [f32; 4] {
    fn len(&self) -> usize {
        7
    }
    fn is_some(self) -> bool {
        true
    }
}

impl Counted for Option<f32> {
    fn len(&self) -> usize {
        7
    }
    fn is_some(self) -> bool {
        true
    }
}

#[vyre::kernel]
fn count(#[each] x: &[f32; 4], #[each] y: &mut f32) {
    let first = &x[0];
    let list = *x;
    let found = if x[1] > 0.0 { Some(x[1]) } else { None };
    *y = first.abs() + list.len() as f32 + if found.is_some() { 1.0 } else { 0.0 };
}

fn main() {}
