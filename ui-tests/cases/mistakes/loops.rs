#[vyre::kernel]
fn over_a_number(n: usize, y: &mut [u32]) {
    for i in n {
        y[i] = 1;
    }
    for i in y.len() {
        y[i] = 1;
    }
}

#[vyre::kernel]
fn over_an_option(y: &mut [u32]) {
    for v in Some(3u32) {
        y[0] = v;
    }
}

#[vyre::kernel]
fn over_a_literal(y: &mut [u32]) {
    for i in 5 {
        y[i] = 1;
    }
    for i in (0, 5) {
        y[i] = 1;
    }
}

fn main() {}
