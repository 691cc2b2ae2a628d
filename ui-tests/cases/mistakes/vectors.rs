//! Vectors and random numbers with the names of other libraries, or without their import.

#[vyre::kernel]
fn not_imported(#[each] y: &mut f32) {
    *y = Vec3::new(1.0, 2.0, 3.0).x;
}

mod imported {
    use vyre::random::Philox;
    use vyre::vector::Vec3;

    #[vyre::kernel]
    fn called(#[each] y: &mut f32) {
        let v = Vec3(1.0, 2.0, 3.0);
        *y = v.x;
    }

    #[vyre::kernel]
    fn of_glam(#[each] y: &mut f32) {
        *y = vec3(1.0, 2.0, 3.0).x;
    }

    #[vyre::kernel]
    fn of_other_libraries(#[each] y: &mut f32) {
        let v = Vec3::new(1.0, 2.0, 3.0);
        *y = v.norm();
    }

    #[vyre::kernel]
    fn random(#[each] y: &mut f32) {
        let mut random = Philox::new(42, 0, 0);
        *y = random.uniform();
    }

    #[vyre::kernel]
    fn of_cuda(#[each] y: &mut f32) {
        *y = curand_uniform(42);
    }
}

#[vyre::kernel]
fn fast(#[each] y: &mut f32) {
    *y = y.fast_exp();
}

fn main() {}
