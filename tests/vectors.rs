//! Vectors, matrices and quaternions on the host, against `glam`, whose formulas are the same where bits are compared.

use vyre::vector::*;
use vyre_test_support::random::Random;

fn number(random: &mut Random) -> f32 {
    random.below(1 << 24) as f32 / (1 << 21) as f32 - 4.0
}

fn array<const N: usize>(random: &mut Random) -> [f32; N] {
    std::array::from_fn(|_| number(random))
}

/// The distance of the farthest numbers.
fn apart<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

macro_rules! same_formulas {
    ($($name:ident: $own:ident $other:ident $count:literal;)*) => { $(
        #[test]
        fn $name() {
            let mut random = Random::new($count);
            for _ in 0..1000 {
                let (x, y, s) = (array::<$count>(&mut random), array::<$count>(&mut random), number(&mut random));
                let (a, b) = ($own::from(x), $own::from(y));
                let (c, d) = (glam::$other::from(x), glam::$other::from(y));
                for (own, other) in [
                    (a + b, c + d),
                    (a - b, c - d),
                    (a * b, c * d),
                    (a / b, c / d),
                    (a % b, c % d),
                    (a * s, c * s),
                    (s * a, s * c),
                    (a / s, c / s),
                    (-a, -c),
                    (a.min(b), c.min(d)),
                    (a.max(b), c.max(d)),
                    (a.abs(), c.abs()),
                    (a.signum(), c.signum()),
                    (a.floor(), c.floor()),
                    (a.ceil(), c.ceil()),
                    (a.round(), c.round()),
                    (a.trunc(), c.trunc()),
                    (a.fract_gl(), c.fract_gl()),
                    (a.recip(), c.recip()),
                    (a.mul_add(b, a), c.mul_add(d, c)),
                ] {
                    assert_eq!(own.to_array(), other.to_array());
                }
                for (own, other) in [
                    (a.normalize(), c.normalize()),
                    (a.normalize_or_zero(), c.normalize_or_zero()),
                    (a.lerp(b, s), c.lerp(d, s)),
                    (a.reflect(b), c.reflect(d)),
                    (a.project_onto(b), c.project_onto(d)),
                    (a.reject_from(b), c.reject_from(d)),
                ] {
                    let most = own.abs().max_element().max(1.0);
                    assert!(apart(own.to_array(), other.to_array()) <= 4e-6 * most * y.map(f32::abs).into_iter().fold(1.0, f32::max), "{own:?} {other:?}");
                }
                for (own, other) in [
                    (a.dot(b), c.dot(d)),
                    (a.length(), c.length()),
                    (a.length_squared(), c.length_squared()),
                    (a.distance(b), c.distance(d)),
                    (a.min_element(), c.min_element()),
                    (a.max_element(), c.max_element()),
                ] {
                    assert_eq!(own, other);
                }
            }
        }
    )* };
}

same_formulas! {
    two: Vec2 Vec2 2;
    three: Vec3 Vec3 3;
    four: Vec4 Vec4 4;
}

#[test]
fn products() {
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let (x, y) = (array::<3>(&mut random), array::<3>(&mut random));
        assert_eq!(
            Vec3::from(x).cross(y.into()).to_array(),
            glam::Vec3::from(x).cross(y.into()).to_array()
        );
        let (x, y) = (array::<2>(&mut random), array::<2>(&mut random));
        assert_eq!(Vec2::from(x).perp_dot(y.into()), glam::Vec2::from(x).perp_dot(y.into()));
        assert_eq!(
            Vec2::from(x).rotate(y.into()).to_array(),
            glam::Vec2::from(x).rotate(y.into()).to_array()
        );
    }
}

#[test]
fn matrices() {
    let mut random = Random::new(11);
    for _ in 0..1000 {
        let m: [[f32; 4]; 4] = std::array::from_fn(|_| array(&mut random));
        let of = |m: [[f32; 4]; 4]| Mat4::from_cols(m[0].into(), m[1].into(), m[2].into(), m[3].into());
        let flat = |m: Mat4| [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(|axis| axis.to_array());
        let (own, other) = (of(m), glam::Mat4::from_cols_array_2d(&m));
        let v = array::<4>(&mut random);
        assert_eq!(
            (own * Vec4::from(v)).to_array(),
            (other * glam::Vec4::from(v)).to_array()
        );
        assert_eq!(flat(own.transpose()), other.transpose().to_cols_array_2d());
        assert_eq!(
            flat(own * own.transpose()),
            (other * other.transpose()).to_cols_array_2d()
        );
        let scale = other.determinant().abs().max(1.0);
        assert!((own.determinant() - other.determinant()).abs() <= 2e-3 * scale);
        if other.determinant().abs() > 10.0 {
            let (one, two) = (flat(own.inverse()), other.inverse().to_cols_array_2d());
            assert!(
                (0..4).all(|column| apart(one[column], two[column]) < 1e-3),
                "{one:?} {two:?}"
            );
        }
        let three = |m: [[f32; 4]; 4]| Mat3::from_cols(of(m).x_axis.xyz(), of(m).y_axis.xyz(), of(m).z_axis.xyz());
        let (own, other) = (three(m), glam::Mat3::from_mat4(other));
        let columns = |m: Mat3| [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.to_array());
        assert!((own.determinant() - other.determinant()).abs() < 1e-4);
        if other.determinant().abs() > 1.0 {
            let (one, two) = (columns(own.inverse()), other.inverse().to_cols_array_2d());
            assert!(
                (0..3).all(|column| apart(one[column], two[column]) < 1e-4),
                "{one:?} {two:?}"
            );
        }
        assert_eq!(columns(own * own), (other * other).to_cols_array_2d());
        let (own, other) = (
            Mat2::from_cols(own.x_axis.xy(), own.y_axis.xy()),
            glam::Mat2::from_mat3(other),
        );
        assert_eq!(own.determinant(), other.determinant());
        let inverse = own.inverse();
        assert_eq!(
            [inverse.x_axis.to_array(), inverse.y_axis.to_array()],
            other.inverse().to_cols_array_2d()
        );
    }
}

#[test]
fn rotations() {
    let mut random = Random::new(13);
    for _ in 0..1000 {
        let [x, y, z, s] = array::<4>(&mut random);
        let axis = vec3(x, y, z).normalize();
        let (own, other) = (
            Quat::from_axis_angle(axis, s),
            glam::Quat::from_axis_angle(glam::Vec3::from(axis.to_array()), s),
        );
        let four = |q: Quat| [q.x, q.y, q.z, q.w];
        // Sines of the standard library may differ in the last bit.
        assert!(apart(four(own), other.to_array()) < 1e-6);
        let (turn, turned) = (
            Quat::from_rotation_z(x) * Quat::from_rotation_x(y),
            glam::Quat::from_rotation_z(x) * glam::Quat::from_rotation_x(y),
        );
        assert!(apart(four(own * turn), (other * turned).to_array()) < 1e-6);
        assert!(apart(four(own.slerp(turn, 0.3)), other.slerp(turned, 0.3).to_array()) < 1e-5);
        let v = vec3(y, z, x);
        assert!(apart((own * v).to_array(), (other * glam::vec3(y, z, x)).to_array()) < 1e-5);
        assert!(apart((Mat3::from_quat(own) * v).to_array(), (own * v).to_array()) < 1e-5);
        let map = Mat4::from_scale_rotation_translation(vec3(1.0, 2.0, 0.5), own, v);
        let same = glam::Mat4::from_scale_rotation_translation(glam::vec3(1.0, 2.0, 0.5), other, glam::vec3(y, z, x));
        assert!(
            apart(
                map.transform_point3(axis).to_array(),
                same.transform_point3(glam::Vec3::from(axis.to_array())).to_array()
            ) < 1e-4
        );
        let eye = vec3(5.0, 6.0, 7.0);
        let view = Mat4::look_at_rh(eye, v, Vec3::Y);
        assert!(apart(view.transform_point3(eye).to_array(), [0.0; 3]) < 1e-4);
        assert!(apart(view.transform_point3(v).to_array(), [0.0, 0.0, -eye.distance(v)]) < 1e-4);
    }
}
