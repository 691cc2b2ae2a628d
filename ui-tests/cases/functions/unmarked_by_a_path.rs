//! Functions of another module without the attribute, or out of sight.

mod helpers {
    pub fn half(x: f32) -> f32 {
        x * 0.5
    }

    #[vyre::device]
    fn third(x: f32) -> f32 {
        x / 3.0
    }
}

#[vyre::device]
fn quarter(x: f32) -> f32 {
    helpers::half(x) * 0.5
}

#[vyre::kernel]
fn fractions(y: &mut [f32]) {
    y[0] = quarter(y[0]);
    y[1] = helpers::third(y[1]);
}

fn main() {}
