#[vyre::kernel]
fn if_let(n: u32, x: &[[f32; 2]], y: &mut [f32]) {
    let first = &x[0];
    if n > 1 && let [a, _] = first {
        y[0] = *a;
    }
}

#[vyre::kernel]
fn match_pattern(n: u32, y: &mut [u32]) {
    y[0] = match n {
        ref m => *m,
    };
}

fn main() {}
