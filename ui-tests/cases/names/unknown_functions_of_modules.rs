//! The names that there are, where none is spelled alike.
#[vyre::kernel]
fn of_shared(y: &mut [f32]) {
    y[0] = vyre::shared::everything(1.0);
}

#[vyre::kernel]
fn of_system(y: &mut [f32]) {
    y[0] = vyre::system::everything(1.0);
}

fn main() {}
