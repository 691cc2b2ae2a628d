#[vyre::kernel]
fn generic_const<const N: usize>(x: &mut [f32]) {
    x[N] *= 2.0;
}

#[vyre::kernel]
fn generic_type<T: Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

#[vyre::kernel]
fn generic_flag<const DOUBLE: bool>(x: &mut [f32]) {
    x[0] *= if DOUBLE { 2.0 } else { 1.0 };
}

#[vyre::kernel]
fn generic_letter<const C: char>(x: &mut [f32]) {
    x[0] *= 2.0;
}

#[vyre::kernel(DOUBLE = [true, 1])]
fn number_for_a_flag<const DOUBLE: bool>(x: &mut [f32]) {
    x[0] *= if DOUBLE { 2.0 } else { 1.0 };
}

fn main() {}
