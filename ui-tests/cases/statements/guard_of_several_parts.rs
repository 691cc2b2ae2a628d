#[vyre::kernel]
fn larger(x: &[[u32; 2]], y: &mut [u32]) {
    y[0] = match (x[0][0], x[0][1]) {
        (a, _) | (_, a) if a > 3 => a,
        _ => 0,
    };
}

fn main() {}
