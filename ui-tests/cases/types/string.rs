//! A `String` lives on the heap of the host.
#[vyre::kernel]
fn shout(text: String, y: &mut [u8]) {
    y[0] = 0;
}

fn main() {}
