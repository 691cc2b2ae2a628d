struct Image;

impl Image {
    const WIDTH: u32 = 640;
}

#[vyre::kernel]
fn row(y: &mut [u32]) {
    y[0] = Self::WIDTH + Image::WIDTH;
}

fn main() {}
