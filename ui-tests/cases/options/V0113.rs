#[vyre::kernel(contract = 1)]
fn contracted(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(fast_math(on))]
fn fast(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vyre::kernel(T = [f32, f64], contract = T)]
fn of_a_type<T: vyre::Float>(y: &mut [T]) {
    y[0] = T::ONE;
}

#[vyre::kernel(N = [1, 2], contract = N)]
fn of_a_number<const N: u32>(y: &mut [u32]) {
    y[0] = N;
}

fn main() {}
