use core::ops::{Add, Mul, Neg, Sub};
use vyre::math;
use vyre::vector::{Vec2, Vec3, Vec4};

/// A matrix of two rows and two columns, by columns, aligned to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Mat2 {
    /// The first column.
    pub x_axis: Vec2,
    /// The second column.
    pub y_axis: Vec2,
}

impl Mat2 {
    /// All zeros.
    pub const ZERO: Self = Self { x_axis: Vec2::ZERO, y_axis: Vec2::ZERO };
    /// Ones on the diagonal, and zeros.
    pub const IDENTITY: Self = Self { x_axis: Vec2::X, y_axis: Vec2::Y };

    /// The matrix of these columns.
    pub const fn from_cols(x_axis: Vec2, y_axis: Vec2) -> Self {
        Self { x_axis, y_axis }
    }

    /// These numbers on the diagonal, and zeros: a scaling.
    pub const fn from_diagonal(diagonal: Vec2) -> Self {
        Self { x_axis: Vec2::new(diagonal.x, 0.0), y_axis: Vec2::new(0.0, diagonal.y) }
    }

    /// The rotation by an angle in radians, from x towards y.
    pub fn from_angle(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self { x_axis: Vec2::new(cosine, sine), y_axis: Vec2::new(-sine, cosine) }
    }

    /// Rows and columns exchanged.
    pub fn transpose(self) -> Self {
        Self { x_axis: Vec2::new(self.x_axis.x, self.y_axis.x), y_axis: Vec2::new(self.x_axis.y, self.y_axis.y) }
    }

    /// The determinant.
    pub fn determinant(self) -> f32 {
        self.x_axis.x * self.y_axis.y - self.x_axis.y * self.y_axis.x
    }

    /// The inverse; not finite where the determinant is 0.
    pub fn inverse(self) -> Self {
        let by = 1.0 / self.determinant();
        Self {
            x_axis: Vec2::new(self.y_axis.y * by, self.x_axis.y * -by),
            y_axis: Vec2::new(self.y_axis.x * -by, self.x_axis.x * by),
        }
    }
}

impl Add for Mat2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x_axis: self.x_axis + other.x_axis, y_axis: self.y_axis + other.y_axis }
    }
}

impl Sub for Mat2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x_axis: self.x_axis - other.x_axis, y_axis: self.y_axis - other.y_axis }
    }
}

impl Mul<f32> for Mat2 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x_axis: self.x_axis * by, y_axis: self.y_axis * by }
    }
}

impl Mul<Vec2> for Mat2 {
    type Output = Vec2;
    fn mul(self, of: Vec2) -> Vec2 {
        self.x_axis * of.x + self.y_axis * of.y
    }
}

impl Mul for Mat2 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { x_axis: self * other.x_axis, y_axis: self * other.y_axis }
    }
}

/// A matrix of three rows and three columns, by columns, aligned to 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mat3 {
    /// The first column.
    pub x_axis: Vec3,
    /// The second column.
    pub y_axis: Vec3,
    /// The third column.
    pub z_axis: Vec3,
}

impl Mat3 {
    /// All zeros.
    pub const ZERO: Self = Self { x_axis: Vec3::ZERO, y_axis: Vec3::ZERO, z_axis: Vec3::ZERO };
    /// Ones on the diagonal, and zeros.
    pub const IDENTITY: Self = Self { x_axis: Vec3::X, y_axis: Vec3::Y, z_axis: Vec3::Z };

    /// The matrix of these columns.
    pub const fn from_cols(x_axis: Vec3, y_axis: Vec3, z_axis: Vec3) -> Self {
        Self { x_axis, y_axis, z_axis }
    }

    /// These numbers on the diagonal, and zeros: a scaling.
    pub const fn from_diagonal(diagonal: Vec3) -> Self {
        Self {
            x_axis: Vec3::new(diagonal.x, 0.0, 0.0),
            y_axis: Vec3::new(0.0, diagonal.y, 0.0),
            z_axis: Vec3::new(0.0, 0.0, diagonal.z),
        }
    }

    /// The rotation about the x axis by an angle in radians.
    pub fn from_rotation_x(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self { x_axis: Vec3::X, y_axis: Vec3::new(0.0, cosine, sine), z_axis: Vec3::new(0.0, -sine, cosine) }
    }

    /// The rotation about the y axis by an angle in radians.
    pub fn from_rotation_y(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self { x_axis: Vec3::new(cosine, 0.0, -sine), y_axis: Vec3::Y, z_axis: Vec3::new(sine, 0.0, cosine) }
    }

    /// The rotation about the z axis by an angle in radians.
    pub fn from_rotation_z(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle);
        Self { x_axis: Vec3::new(cosine, sine, 0.0), y_axis: Vec3::new(-sine, cosine, 0.0), z_axis: Vec3::Z }
    }

    /// The rotation of a quaternion of length 1.
    pub fn from_quat(rotation: Quat) -> Self {
        let (x2, y2, z2) = (rotation.x + rotation.x, rotation.y + rotation.y, rotation.z + rotation.z);
        let (xx, xy, xz) = (rotation.x * x2, rotation.x * y2, rotation.x * z2);
        let (yy, yz, zz) = (rotation.y * y2, rotation.y * z2, rotation.z * z2);
        let (wx, wy, wz) = (rotation.w * x2, rotation.w * y2, rotation.w * z2);
        Self {
            x_axis: Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
            y_axis: Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
            z_axis: Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
        }
    }

    /// Rows and columns exchanged.
    pub fn transpose(self) -> Self {
        Self {
            x_axis: Vec3::new(self.x_axis.x, self.y_axis.x, self.z_axis.x),
            y_axis: Vec3::new(self.x_axis.y, self.y_axis.y, self.z_axis.y),
            z_axis: Vec3::new(self.x_axis.z, self.y_axis.z, self.z_axis.z),
        }
    }

    /// The determinant.
    pub fn determinant(self) -> f32 {
        self.z_axis.dot(self.x_axis.cross(self.y_axis))
    }

    /// The inverse; not finite where the determinant is 0.
    pub fn inverse(self) -> Self {
        let x = self.y_axis.cross(self.z_axis);
        let y = self.z_axis.cross(self.x_axis);
        let z = self.x_axis.cross(self.y_axis);
        let by = 1.0 / self.z_axis.dot(z);
        Self { x_axis: x * by, y_axis: y * by, z_axis: z * by }.transpose()
    }
}

impl Add for Mat3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            x_axis: self.x_axis + other.x_axis,
            y_axis: self.y_axis + other.y_axis,
            z_axis: self.z_axis + other.z_axis,
        }
    }
}

impl Sub for Mat3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            x_axis: self.x_axis - other.x_axis,
            y_axis: self.y_axis - other.y_axis,
            z_axis: self.z_axis - other.z_axis,
        }
    }
}

impl Mul<f32> for Mat3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x_axis: self.x_axis * by, y_axis: self.y_axis * by, z_axis: self.z_axis * by }
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    fn mul(self, of: Vec3) -> Vec3 {
        self.x_axis * of.x + self.y_axis * of.y + self.z_axis * of.z
    }
}

impl Mul for Mat3 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { x_axis: self * other.x_axis, y_axis: self * other.y_axis, z_axis: self * other.z_axis }
    }
}

/// A matrix of four rows and four columns, by columns, aligned to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mat4 {
    /// The first column.
    pub x_axis: Vec4,
    /// The second column.
    pub y_axis: Vec4,
    /// The third column.
    pub z_axis: Vec4,
    /// The fourth column.
    pub w_axis: Vec4,
}

impl Mat4 {
    /// All zeros.
    pub const ZERO: Self = Self { x_axis: Vec4::ZERO, y_axis: Vec4::ZERO, z_axis: Vec4::ZERO, w_axis: Vec4::ZERO };
    /// Ones on the diagonal, and zeros.
    pub const IDENTITY: Self = Self { x_axis: Vec4::X, y_axis: Vec4::Y, z_axis: Vec4::Z, w_axis: Vec4::W };

    /// The matrix of these columns.
    pub const fn from_cols(x_axis: Vec4, y_axis: Vec4, z_axis: Vec4, w_axis: Vec4) -> Self {
        Self { x_axis, y_axis, z_axis, w_axis }
    }

    /// These numbers on the diagonal, and zeros.
    pub const fn from_diagonal(diagonal: Vec4) -> Self {
        Self {
            x_axis: Vec4::new(diagonal.x, 0.0, 0.0, 0.0),
            y_axis: Vec4::new(0.0, diagonal.y, 0.0, 0.0),
            z_axis: Vec4::new(0.0, 0.0, diagonal.z, 0.0),
            w_axis: Vec4::new(0.0, 0.0, 0.0, diagonal.w),
        }
    }

    /// The affine map of a linear one.
    pub fn from_mat3(linear: Mat3) -> Self {
        Self {
            x_axis: linear.x_axis.extend(0.0),
            y_axis: linear.y_axis.extend(0.0),
            z_axis: linear.z_axis.extend(0.0),
            w_axis: Vec4::W,
        }
    }

    /// The rotation of a quaternion of length 1.
    pub fn from_quat(rotation: Quat) -> Self {
        Self::from_mat3(Mat3::from_quat(rotation))
    }

    /// A translation.
    pub fn from_translation(translation: Vec3) -> Self {
        Self { w_axis: translation.extend(1.0), ..Self::IDENTITY }
    }

    /// A scaling, then a rotation, then a translation.
    pub fn from_scale_rotation_translation(scale: Vec3, rotation: Quat, translation: Vec3) -> Self {
        let turned = Mat3::from_quat(rotation);
        Self {
            x_axis: (turned.x_axis * scale.x).extend(0.0),
            y_axis: (turned.y_axis * scale.y).extend(0.0),
            z_axis: (turned.z_axis * scale.z).extend(0.0),
            w_axis: translation.extend(1.0),
        }
    }

    /// The map from the world to a view from `eye` in a direction of length 1, right-handed: the view looks along -z.
    pub fn look_to_rh(eye: Vec3, direction: Vec3, up: Vec3) -> Self {
        let side = direction.cross(up).normalize();
        let up = side.cross(direction);
        Self {
            x_axis: Vec4::new(side.x, up.x, -direction.x, 0.0),
            y_axis: Vec4::new(side.y, up.y, -direction.y, 0.0),
            z_axis: Vec4::new(side.z, up.z, -direction.z, 0.0),
            w_axis: Vec4::new(-eye.dot(side), -eye.dot(up), eye.dot(direction), 1.0),
        }
    }

    /// The map from the world to a view from `eye` to a point, right-handed: the view looks along -z.
    pub fn look_at_rh(eye: Vec3, center: Vec3, up: Vec3) -> Self {
        Self::look_to_rh(eye, (center - eye).normalize(), up)
    }

    /// A perspective view along -z with a vertical angle in radians, depths from 0 at `near` to 1 at `far`.
    pub fn perspective_rh(vertical: f32, aspect: f32, near: f32, far: f32) -> Self {
        let (sine, cosine) = math::sin_cos(0.5 * vertical);
        let height = cosine / sine;
        let depth = far / (near - far);
        Self {
            x_axis: Vec4::new(height / aspect, 0.0, 0.0, 0.0),
            y_axis: Vec4::new(0.0, height, 0.0, 0.0),
            z_axis: Vec4::new(0.0, 0.0, depth, -1.0),
            w_axis: Vec4::new(0.0, 0.0, depth * near, 0.0),
        }
    }

    /// Rows and columns exchanged.
    pub fn transpose(self) -> Self {
        Self {
            x_axis: Vec4::new(self.x_axis.x, self.y_axis.x, self.z_axis.x, self.w_axis.x),
            y_axis: Vec4::new(self.x_axis.y, self.y_axis.y, self.z_axis.y, self.w_axis.y),
            z_axis: Vec4::new(self.x_axis.z, self.y_axis.z, self.z_axis.z, self.w_axis.z),
            w_axis: Vec4::new(self.x_axis.w, self.y_axis.w, self.z_axis.w, self.w_axis.w),
        }
    }

    /// The determinants of two columns each, of all pairs of rows, 01, 02, 03, 12, 13, 23.
    fn minors(a: Vec4, b: Vec4) -> [f32; 6] {
        [
            a.x * b.y - b.x * a.y,
            a.x * b.z - b.x * a.z,
            a.x * b.w - b.x * a.w,
            a.y * b.z - b.y * a.z,
            a.y * b.w - b.y * a.w,
            a.z * b.w - b.z * a.w,
        ]
    }

    /// The determinant.
    pub fn determinant(self) -> f32 {
        let s = Self::minors(self.x_axis, self.y_axis);
        let c = Self::minors(self.z_axis, self.w_axis);
        s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]
    }

    /// The inverse; not finite where the determinant is 0.
    pub fn inverse(self) -> Self {
        let (x, y, z, w) = (self.x_axis, self.y_axis, self.z_axis, self.w_axis);
        let s = Self::minors(x, y);
        let c = Self::minors(z, w);
        let by = 1.0 / (s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]);
        Self {
            x_axis: Vec4::new(
                y.y * c[5] - y.z * c[4] + y.w * c[3],
                x.z * c[4] - x.y * c[5] - x.w * c[3],
                w.y * s[5] - w.z * s[4] + w.w * s[3],
                z.z * s[4] - z.y * s[5] - z.w * s[3],
            ) * by,
            y_axis: Vec4::new(
                y.z * c[2] - y.x * c[5] - y.w * c[1],
                x.x * c[5] - x.z * c[2] + x.w * c[1],
                w.z * s[2] - w.x * s[5] - w.w * s[1],
                z.x * s[5] - z.z * s[2] + z.w * s[1],
            ) * by,
            z_axis: Vec4::new(
                y.x * c[4] - y.y * c[2] + y.w * c[0],
                x.y * c[2] - x.x * c[4] - x.w * c[0],
                w.x * s[4] - w.y * s[2] + w.w * s[0],
                z.y * s[2] - z.x * s[4] - z.w * s[0],
            ) * by,
            w_axis: Vec4::new(
                y.y * c[1] - y.x * c[3] - y.z * c[0],
                x.x * c[3] - x.y * c[1] + x.z * c[0],
                w.y * s[1] - w.x * s[3] - w.z * s[0],
                z.x * s[3] - z.y * s[1] + z.z * s[0],
            ) * by,
        }
    }

    /// The image of a point by an affine map, whose fourth row is not read.
    pub fn transform_point3(self, point: Vec3) -> Vec3 {
        let turned = self.x_axis * point.x + self.y_axis * point.y + self.z_axis * point.z;
        (turned + self.w_axis).truncate()
    }

    /// The image of a direction by an affine map, whose translation does not count.
    pub fn transform_vector3(self, direction: Vec3) -> Vec3 {
        (self.x_axis * direction.x + self.y_axis * direction.y + self.z_axis * direction.z).truncate()
    }

    /// The image of a point by a projective map: divided by its fourth number.
    pub fn project_point3(self, point: Vec3) -> Vec3 {
        let image = self * point.extend(1.0);
        image.truncate() * (1.0 / image.w)
    }
}

impl Add for Mat4 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            x_axis: self.x_axis + other.x_axis,
            y_axis: self.y_axis + other.y_axis,
            z_axis: self.z_axis + other.z_axis,
            w_axis: self.w_axis + other.w_axis,
        }
    }
}

impl Sub for Mat4 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            x_axis: self.x_axis - other.x_axis,
            y_axis: self.y_axis - other.y_axis,
            z_axis: self.z_axis - other.z_axis,
            w_axis: self.w_axis - other.w_axis,
        }
    }
}

impl Mul<f32> for Mat4 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self {
            x_axis: self.x_axis * by,
            y_axis: self.y_axis * by,
            z_axis: self.z_axis * by,
            w_axis: self.w_axis * by,
        }
    }
}

impl Mul<Vec4> for Mat4 {
    type Output = Vec4;
    fn mul(self, of: Vec4) -> Vec4 {
        self.x_axis * of.x + self.y_axis * of.y + self.z_axis * of.z + self.w_axis * of.w
    }
}

impl Mul for Mat4 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            x_axis: self * other.x_axis,
            y_axis: self * other.y_axis,
            z_axis: self * other.z_axis,
            w_axis: self * other.w_axis,
        }
    }
}

/// A quaternion, a rotation where its length is 1, aligned to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Quat {
    /// The factor of i.
    pub x: f32,
    /// The factor of j.
    pub y: f32,
    /// The factor of k.
    pub z: f32,
    /// The real part.
    pub w: f32,
}

impl Quat {
    /// The rotation by nothing.
    pub const IDENTITY: Self = Self { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    /// The quaternion of these numbers.
    pub const fn from_xyzw(x: f32, y: f32, z: f32, w: f32) -> Self {
        Self { x, y, z, w }
    }

    /// The rotation about an axis of length 1, by an angle in radians.
    pub fn from_axis_angle(axis: Vec3, angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle * 0.5);
        let v = axis * sine;
        Self { x: v.x, y: v.y, z: v.z, w: cosine }
    }

    /// The rotation about the x axis by an angle in radians.
    pub fn from_rotation_x(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle * 0.5);
        Self { x: sine, y: 0.0, z: 0.0, w: cosine }
    }

    /// The rotation about the y axis by an angle in radians.
    pub fn from_rotation_y(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle * 0.5);
        Self { x: 0.0, y: sine, z: 0.0, w: cosine }
    }

    /// The rotation about the z axis by an angle in radians.
    pub fn from_rotation_z(angle: f32) -> Self {
        let (sine, cosine) = math::sin_cos(angle * 0.5);
        Self { x: 0.0, y: 0.0, z: sine, w: cosine }
    }

    /// The factors of i, j and k.
    pub const fn xyz(self) -> Vec3 {
        Vec3 { x: self.x, y: self.y, z: self.z }
    }

    /// The inverse of a rotation: i, j and k with the other sign.
    pub fn conjugate(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// The scalar product of the four numbers.
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w
    }

    /// The length.
    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// The quaternion of length 1 in this direction.
    pub fn normalize(self) -> Self {
        self * (1.0 / self.length())
    }

    /// The rotation between this one, at 0, and another one, at 1, on the straight way between them, which is not
    /// turned evenly.
    pub fn lerp(self, end: Self, at: f32) -> Self {
        let end = if self.dot(end) < 0.0 { -end } else { end };
        (self * (1.0 - at) + end * at).normalize()
    }

    /// The rotation between this one, at 0, and another one, at 1, turned evenly on the shorter way. The two have
    /// length 1.
    pub fn slerp(self, end: Self, at: f32) -> Self {
        let cosine = self.dot(end);
        let (cosine, end) = if cosine < 0.0 { (-cosine, -end) } else { (cosine, end) };
        if cosine > 0.9995 {
            self.lerp(end, at)
        } else {
            let angle = math::acos(cosine);
            let (first, second) = (math::sin(angle * (1.0 - at)), math::sin(angle * at));
            (self * first + end * second) * (1.0 / math::sin(angle))
        }
    }
}

impl Add for Quat {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z, w: self.w + other.w }
    }
}

impl Sub for Quat {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z, w: self.w - other.w }
    }
}

impl Neg for Quat {
    type Output = Self;
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: -self.w }
    }
}

impl Mul<f32> for Quat {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by, w: self.w * by }
    }
}

/// The rotation of a vector, by a quaternion of length 1.
impl Mul<Vec3> for Quat {
    type Output = Vec3;
    fn mul(self, of: Vec3) -> Vec3 {
        let b = self.xyz();
        of * (self.w * self.w - b.dot(b)) + b * (of.dot(b) * 2.0) + b.cross(of) * (self.w * 2.0)
    }
}

/// The rotation by the other quaternion, then by this one.
impl Mul for Quat {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            x: self.w * other.x + self.x * other.w + self.y * other.z - self.z * other.y,
            y: self.w * other.y - self.x * other.z + self.y * other.w + self.z * other.x,
            z: self.w * other.z + self.x * other.y - self.y * other.x + self.z * other.w,
            w: self.w * other.w - self.x * other.x - self.y * other.y - self.z * other.z,
        }
    }
}
