macro_rules! twice {
    ($x:expr) => {
        $x * 2.0
    };
}

#[vyre::kernel]
fn fill(y: &mut [f32]) {
    y[0] = twice!(y[1]);
}

fn main() {}
