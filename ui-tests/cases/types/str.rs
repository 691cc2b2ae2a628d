#[vyre::kernel]
fn shout(text: &str, y: &mut [u8]) {
    y[0] = 0;
}

fn main() {}
