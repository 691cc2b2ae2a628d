#[vyre::kernel]
fn rest_by_value(x: &[[f32; 3]], y: &mut [f32]) {
    let [first, rest @ ..] = x[0];
    y[0] = first + rest[1];
}

#[vyre::kernel]
fn match_pattern(mut n: u32, y: &mut [u32]) {
    y[0] = match &mut n {
        &mut m => m,
    };
}

fn main() {}
