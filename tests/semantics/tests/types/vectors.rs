//! Kernels on vyre's own vectors, complex numbers and random numbers, compiled by a build script and by attributes.

use vyre::complex::{Complex32, Complex64};
use vyre::prelude::*;
use vyre::random::Philox;
use vyre::vector::*;

/// The results of a formula for two vectors and a number.
#[vyre::device]
pub fn float2(a: Vec2, b: Vec2, s: f32) -> [Vec2; 8] {
    [
        (a + b) * s - a / b % Vec2::splat(3.0) * Vec2::X,
        a.min(b).max(Vec2::splat(s)).clamp(Vec2::splat(-2.0), Vec2::ONE),
        a.lerp(b, s) + a.rotate(b).perp(),
        vec2(a.dot(b), a.perp_dot(b)) + vec2(a.length(), a.distance(b)),
        a.normalize() + b.normalize_or_zero(),
        Vec2::from_angle(s) + vec2(a.to_angle(), a.min_element() * b.max_element()),
        a.floor() + b.ceil() * a.fract_gl() + b.trunc().abs() - a.round() * -b.signum(),
        a.reflect(Vec2::Y) + a.project_onto(b) + b.reject_from(a).recip(),
    ]
}

/// The same of three numbers.
#[vyre::device]
pub fn float3(a: Vec3, b: Vec3, s: f32) -> [Vec3; 6] {
    let mut sum = a;
    sum += b;
    sum *= s;
    sum -= Vec3::Z;
    sum /= b;
    [
        sum,
        a.cross(b) + s * a,
        a.xy().extend(s) * b.mul_add(a, Vec3::ONE),
        a.exp() + b.abs().powf(s),
        vec3(a.element_sum(), b.element_product(), a.distance_squared(b)),
        a.xz().extend(a.yz().x).extend(1.0).truncate(),
    ]
}

/// Matrices and rotations.
#[vyre::device]
pub fn turned(a: Vec4, b: Vec4, s: f32) -> [Vec4; 8] {
    let q = Quat::from_axis_angle(a.xyz().normalize(), s);
    let r = Quat::from_rotation_x(s) * Quat::from_rotation_y(b.x) * Quat::from_rotation_z(b.y);
    let m = Mat4::from_scale_rotation_translation(vec3(2.0, 0.5, s), q, b.xyz());
    let n = Mat3::from_quat(r) * Mat3::from_rotation_x(s) * Mat3::from_rotation_y(s) * Mat3::from_rotation_z(b.z);
    let view = Mat4::look_at_rh(b.xyz(), a.xyz(), Vec3::Y);
    let two = Mat2::from_angle(s) * Mat2::from_diagonal(b.xy());
    [
        m * a,
        m.inverse() * a + (m.transpose() + Mat4::IDENTITY * s) * b,
        (n * a.xyz()).extend(n.determinant()),
        (n.inverse().transpose() * b.xyz()).extend(m.determinant()),
        (q.slerp(r, 0.25) * a.xyz()).extend(q.lerp(r, s).dot(r)),
        (view * m).project_point3(b.xyz()).extend(1.0),
        (two.inverse() * a.xy())
            .extend(two.determinant())
            .extend((two.transpose() * b.xy()).x),
        (Mat4::perspective_rh(1.0, 1.5, 0.1, 100.0) * Mat4::from_translation(b.xyz()))
            .transform_point3(a.zw().extend(s))
            .extend(0.0),
    ]
}

/// Integers.
#[vyre::device]
pub fn integers(a: IVec4, b: UVec3) -> (IVec4, UVec3) {
    let c = a * 3 + IVec4::ONE - IVec4::splat(2) * a.abs().min(IVec4::X * 7);
    let d = b.max(UVec3::splat(5)).min(b * b) % uvec3(9, 8, 7);
    (
        -c / ivec4(3, 2, 1, 4) + a.signum() * a.dot(c),
        d + b.xy().extend(b.dot(d)),
    )
}

/// Doubles and complex numbers.
#[vyre::device]
pub fn complex(z: Complex32, w: Complex64, v: DVec2) -> (Complex32, Complex64) {
    let a = z.exp() * z.conj() - z.ln() / z.sqrt() + z.inv().powi(-3) * 0.5 + Complex32::I;
    let b = w.powf(0.3) + Complex64::from_polar(v.length(), w.arg()) / w - Complex64::cis(v.dot(dvec2(0.5, 2.0)));
    (a * a, 2.0 * b + Complex64::new(w.norm(), w.norm_sqr()))
}

/// All of them, from and to buffers.
#[vyre::kernel]
pub fn floats(a: &[Vec4], b: &[Vec4], two: &mut [[Vec2; 8]], three: &mut [[Vec3; 6]], four: &mut [[Vec4; 8]]) {
    let i = thread::index();
    if i < a.len() {
        two[i] = float2(a[i].xy(), b[i].xy(), a[i].w);
        three[i] = float3(a[i].xyz(), b[i].xyz(), b[i].w);
        four[i] = turned(a[i], b[i], a[i].z);
    }
}

/// Integers and complex numbers.
#[vyre::kernel]
pub fn others(
    a: &[IVec4],
    b: &[UVec3],
    z: &[Complex32],
    w: &[Complex64],
    integer: &mut [IVec4],
    unsigned: &mut [UVec3],
    single: &mut [Complex32],
    double: &mut [Complex64],
) {
    let i = thread::index();
    if i < a.len() {
        (integer[i], unsigned[i]) = integers(a[i], b[i]);
        (single[i], double[i]) = complex(z[i], w[i], DVec2::new(w[i].im, 1.0));
    }
}

/// Each block turns its vectors around, in shared memory.
#[vyre::kernel(block = 32)]
pub fn reversed(x: &mut [Vec4], scale: Vec4, noise: &mut [f32]) {
    let (i, t) = (thread::index(), thread::idx().x);
    let tile = shared::<[Vec4; 32]>();
    tile[t] = x[i] * scale;
    block::sync();
    x[i] = tile[31 - t];
    noise[i] = Philox::new(3, i as u64, 1).uniform_f32();
}
