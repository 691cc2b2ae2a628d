//! Functions that are not where a path says: rustc's own errors, with what there is instead.

mod helpers {
    #[vyre::device]
    pub fn half(x: f32) -> f32 {
        x * 0.5
    }
}

#[vyre::kernel]
fn halve(y: &mut [f32]) {
    y[0] = helpers::haf(y[0]);
}

#[vyre::device]
fn quarter(x: f32) -> f32 {
    crate::helpers::haf(x) * 0.5
}

#[vyre::device]
fn eighth(x: f32) -> f32 {
    helpers::haf(x) * 0.25
}

#[vyre::kernel]
fn quarters(y: &mut [f32]) {
    y[0] = quarter(y[0]);
}

fn main() {}
