//! rustc's own errors, each once.
#[vyre::kernel]
fn branches_differ(flag: bool, y: &mut [f32]) {
    y[0] = if flag { 1.0 } else { 1 };
}

#[vyre::kernel]
fn condition_not_bool(y: &mut [i32]) {
    if y[0] {
        y[0] = 1;
    }
}

#[vyre::kernel]
fn float_to_integer(y: &mut [i32]) {
    let n: i32 = 1.5;
    y[0] = n;
}

#[vyre::kernel]
fn wrong_type(n: u32, y: &mut [f32]) {
    let value: f32 = n;
    y[0] = value;
}

fn main() {}
