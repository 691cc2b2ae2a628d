//! Variants that an import brings hide those of `Option` and `Result`.

#[vyre::device]
#[derive(Clone, Copy)]
pub enum Answer {
    Ok(f32),
    Err(f32),
}
use Answer::*;

#[vyre::kernel]
fn grade(#[each] y: &mut f32) {
    let answer = Answer::Err(2.0);
    *y = match answer {
        Ok(value) => value,
        Err(error) => error + 10.0,
    };
}

#[vyre::device]
fn unanswered(x: f32) -> f32 {
    match Answer::Err(x) {
        Ok(value) => value,
        _ => 1.0,
    }
}

fn main() {}
