//! Vectors, matrices, quaternions and complex numbers to the types of other crates and back.

use vyre::complex::{Complex32, Complex64};
use vyre::vector::*;

/// A value becomes `$other`, which it equals, and comes back.
macro_rules! both_ways {
    ($($own:expr => $other:expr;)*) => { $(
        let (own, other) = ($own, $other);
        let there = same(&other, own.into());
        assert_eq!(there, other);
        assert_eq!(same(&own, there.into()), own);
    )* };
}

fn same<T>(_: &T, value: T) -> T {
    value
}

#[test]
fn glam() {
    let four = vec4(1.0, 2.0, 3.0, -4.0);
    let columns = [
        [1.0, 2.0, 3.0, 4.0],
        [5.0, 6.0, 7.0, 8.0],
        [9.0, 0.5, 1.5, 2.5],
        [3.5, 4.5, 5.5, 6.5],
    ];
    both_ways! {
        vec2(1.0, 2.0) => glam::vec2(1.0, 2.0);
        vec3(1.0, 2.0, 3.0) => glam::vec3(1.0, 2.0, 3.0);
        four => glam::vec4(1.0, 2.0, 3.0, -4.0);
        dvec2(1.0, 2.0) => glam::dvec2(1.0, 2.0);
        dvec3(1.0, 2.0, 3.0) => glam::dvec3(1.0, 2.0, 3.0);
        dvec4(1.0, 2.0, 3.0, 4.0) => glam::dvec4(1.0, 2.0, 3.0, 4.0);
        ivec2(1, -2) => glam::ivec2(1, -2);
        ivec3(1, -2, 3) => glam::ivec3(1, -2, 3);
        ivec4(1, -2, 3, 4) => glam::ivec4(1, -2, 3, 4);
        uvec2(1, 2) => glam::uvec2(1, 2);
        uvec3(1, 2, 3) => glam::uvec3(1, 2, 3);
        uvec4(1, 2, 3, 4) => glam::uvec4(1, 2, 3, 4);
        Quat::from_xyzw(1.0, 2.0, 3.0, 4.0) => glam::Quat::from_xyzw(1.0, 2.0, 3.0, 4.0);
        Mat2::from_cols(vec2(1.0, 2.0), vec2(3.0, 4.0)) => glam::Mat2::from_cols_array(&[1.0, 2.0, 3.0, 4.0]);
        Mat3::from_cols(four.xyz(), Vec3::X, Vec3::Z) => glam::Mat3::from_cols(glam::vec3(1.0, 2.0, 3.0), glam::Vec3::X, glam::Vec3::Z);
        Mat4::from_cols(columns[0].into(), columns[1].into(), columns[2].into(), columns[3].into()) => glam::Mat4::from_cols_array_2d(&columns);
    }
}

#[test]
fn mint() {
    let [x, y, z] = [vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0), vec3(7.0, 8.0, 9.0)];
    both_ways! {
        vec2(1.0, 2.0) => mint::Vector2 { x: 1.0f32, y: 2.0 };
        x => mint::Vector3 { x: 1.0f32, y: 2.0, z: 3.0 };
        vec4(1.0, 2.0, 3.0, 4.0) => mint::Vector4 { x: 1.0f32, y: 2.0, z: 3.0, w: 4.0 };
        dvec3(1.0, 2.0, 3.0) => mint::Vector3 { x: 1.0f64, y: 2.0, z: 3.0 };
        ivec2(1, -2) => mint::Vector2 { x: 1i32, y: -2 };
        uvec4(1, 2, 3, 4) => mint::Vector4 { x: 1u32, y: 2, z: 3, w: 4 };
        Quat::from_xyzw(1.0, 2.0, 3.0, 4.0) => mint::Quaternion { v: mint::Vector3 { x: 1.0f32, y: 2.0, z: 3.0 }, s: 4.0 };
        Mat3::from_cols(x, y, z) => mint::ColumnMatrix3 { x: x.into(), y: y.into(), z: z.into() };
    }
}

#[test]
fn num_complex() {
    both_ways! {
        Complex32::new(1.0, -2.0) => num_complex::Complex32::new(1.0, -2.0);
        Complex64::new(1.0, -2.0) => num_complex::Complex64::new(1.0, -2.0);
    }
    // The same formulas.
    let (z, w) = (Complex64::new(0.3, -1.7), Complex64::new(2.5, 0.9));
    let (a, b) = (num_complex::Complex64::from(z), num_complex::Complex64::from(w));
    both_ways! {
        z * w => a * b;
        z / w => a / b;
        z.inv() => a.inv();
    }
}
