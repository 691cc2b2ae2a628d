#[vyre::kernel]
const SIZE: usize = 4;

#[vyre::kernel]
struct Particle {
    mass: f32,
}

fn main() {}
