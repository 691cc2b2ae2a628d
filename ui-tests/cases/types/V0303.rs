#[vyre::kernel]
fn char(c: char, y: &mut [u32]) {
    y[0] = c as u32;
}

#[vyre::kernel]
fn str(text: &str, y: &mut [u8]) {
    y[0] = 0;
}

// A `String` lives on the heap of the host.
#[vyre::kernel]
fn string_of_host(text: String, y: &mut [u8]) {
    y[0] = 0;
}

fn main() {}
