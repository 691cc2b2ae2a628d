#[vyre::kernel]
fn scale(x: &mut [f32])
where
    f32: Copy,
{
    x[0] *= 2.0;
}

fn main() {}
