#[vyre::kernel]
fn macro_definition(y: &mut [f32]) {
    macro_rules! one {
        () => {
            1.0
        };
    }
    y[0] = one!();
}

#[vyre::kernel]
fn generic_function(y: &mut [f32]) {
    fn first<T: Copy>(x: [T; 2]) -> T {
        x[0]
    }
    y[0] = first([y[1], 2.0]);
}

#[vyre::kernel]
fn recursive_function(y: &mut [u32]) {
    fn factorial(x: u32) -> u32 {
        if x == 0 { 1 } else { x * factorial(x - 1) }
    }
    y[0] = factorial(y[1]);
}

#[vyre::kernel]
fn nested_struct(y: &mut [f32]) {
    struct Pair {
        a: f32,
    }
    y[0] = 1.0;
}

#[vyre::kernel]
fn static_item(y: &mut [u32]) {
    static COUNT: u32 = 4;
    y[0] = COUNT;
}

fn main() {}
