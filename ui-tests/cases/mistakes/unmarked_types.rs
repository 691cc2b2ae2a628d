#[derive(Clone, Copy)]
struct Particle {
    mass: f32,
}

#[vyre::kernel]
fn array_of_unmarked(#[each] y: &mut f32) {
    let particles = [Particle { mass: 1.0 }; 4];
    *y = particles[0].mass;
}

#[vyre::device]
#[derive(Clone, Copy)]
enum Either<A> {
    Real(A),
    Nothing,
}

#[vyre::kernel]
fn unmarked_behind_a_variant(#[each] y: &mut f32) {
    let particle = Particle { mass: *y };
    if let Either::Real(particle) = Either::Real(particle) {
        *y = particle.mass;
    }
}

#[vyre::device]
#[derive(Clone, Copy)]
union Bits {
    float: f32,
    bits: u32,
}

#[vyre::kernel]
fn of_a_union(#[each] y: &mut u32) {
    let bits = Bits { float: 1.0 };
    *y = unsafe { bits.bits };
}

#[derive(Clone, Copy)]
#[repr(C)]
union Word {
    float: f32,
    bits: u32,
}

#[vyre::kernel]
fn of_an_unmarked_union(#[each] y: &mut u32) {
    let word = Word { float: 1.0 };
    *y = unsafe { word.bits };
}

#[vyre::device]
fn bits_of(word: Word) -> u32 {
    unsafe { word.bits }
}

fn main() {}
