#[vyre::kernel]
struct Particle {
    mass: f32,
}

fn main() {}
