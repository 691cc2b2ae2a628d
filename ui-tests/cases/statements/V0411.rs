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
fn nested_fn(y: &mut [f32]) {
    fn square(x: f32) -> f32 {
        x * x
    }
    y[0] = square(y[1]);
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
