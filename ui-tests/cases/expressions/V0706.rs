// rustc knows this method, vyre does not.
#[vyre::kernel]
fn method_of_the_standard_library(y: &mut [f32]) {
    y.sort_by(|a, b| a.total_cmp(b));
}

#[vyre::kernel]
fn unknown_method(y: &mut [f32]) {
    y[0] = y[1].frobnicate();
}

fn main() {}
