//! `From` between vyre's vectors and complex numbers and those of other crates.

/// Both directions, by arrays of the fields.
#[cfg(any(feature = "glam", feature = "mint"))]
macro_rules! by_fields {
    ($($own:ident = $other:ty { $($field:ident)* };)*) => { $(
        impl From<$other> for $own {
            #[inline]
            fn from(other: $other) -> Self {
                Self { $($field: other.$field.into()),* }
            }
        }
        impl From<$own> for $other {
            #[inline]
            fn from(own: $own) -> Self {
                Self { $($field: own.$field.into()),* }
            }
        }
    )* };
}

#[cfg(feature = "glam")]
mod of_glam {
    use crate::vector::*;

    by_fields! {
        Vec2 = glam::Vec2 { x y };
        Vec3 = glam::Vec3 { x y z };
        DVec2 = glam::DVec2 { x y };
        DVec3 = glam::DVec3 { x y z };
        DVec4 = glam::DVec4 { x y z w };
        IVec2 = glam::IVec2 { x y };
        IVec3 = glam::IVec3 { x y z };
        IVec4 = glam::IVec4 { x y z w };
        UVec2 = glam::UVec2 { x y };
        UVec3 = glam::UVec3 { x y z };
        UVec4 = glam::UVec4 { x y z w };
        Mat3 = glam::Mat3 { x_axis y_axis z_axis };
    }

    // With SIMD these have no fields.
    impl From<glam::Vec4> for Vec4 {
        #[inline]
        fn from(other: glam::Vec4) -> Self {
            Self::from_array(other.to_array())
        }
    }
    impl From<Vec4> for glam::Vec4 {
        #[inline]
        fn from(own: Vec4) -> Self {
            Self::from_array(own.to_array())
        }
    }
    impl From<glam::Quat> for Quat {
        #[inline]
        fn from(other: glam::Quat) -> Self {
            let [x, y, z, w] = other.to_array();
            Self { x, y, z, w }
        }
    }
    impl From<Quat> for glam::Quat {
        #[inline]
        fn from(own: Quat) -> Self {
            Self::from_xyzw(own.x, own.y, own.z, own.w)
        }
    }
    impl From<glam::Mat2> for Mat2 {
        #[inline]
        fn from(other: glam::Mat2) -> Self {
            let [x, y] = other.to_cols_array_2d();
            Self::from_cols(x.into(), y.into())
        }
    }
    impl From<Mat2> for glam::Mat2 {
        #[inline]
        fn from(own: Mat2) -> Self {
            Self::from_cols(own.x_axis.into(), own.y_axis.into())
        }
    }
    impl From<glam::Mat4> for Mat4 {
        #[inline]
        fn from(other: glam::Mat4) -> Self {
            let [x, y, z, w] = other.to_cols_array_2d();
            Self::from_cols(x.into(), y.into(), z.into(), w.into())
        }
    }
    impl From<Mat4> for glam::Mat4 {
        #[inline]
        fn from(own: Mat4) -> Self {
            Self::from_cols(
                own.x_axis.into(),
                own.y_axis.into(),
                own.z_axis.into(),
                own.w_axis.into(),
            )
        }
    }
}

#[cfg(feature = "mint")]
mod of_mint {
    use crate::vector::*;

    by_fields! {
        Vec2 = mint::Vector2<f32> { x y };
        Vec3 = mint::Vector3<f32> { x y z };
        Vec4 = mint::Vector4<f32> { x y z w };
        DVec2 = mint::Vector2<f64> { x y };
        DVec3 = mint::Vector3<f64> { x y z };
        DVec4 = mint::Vector4<f64> { x y z w };
        IVec2 = mint::Vector2<i32> { x y };
        IVec3 = mint::Vector3<i32> { x y z };
        IVec4 = mint::Vector4<i32> { x y z w };
        UVec2 = mint::Vector2<u32> { x y };
        UVec3 = mint::Vector3<u32> { x y z };
        UVec4 = mint::Vector4<u32> { x y z w };
    }

    /// The columns of matrices by columns are fields of other names.
    macro_rules! matrices {
        ($($own:ident = $other:ty { $($field:ident = $axis:ident)* };)*) => { $(
            impl From<$other> for $own {
                #[inline]
                fn from(other: $other) -> Self {
                    Self { $($axis: other.$field.into()),* }
                }
            }
            impl From<$own> for $other {
                #[inline]
                fn from(own: $own) -> Self {
                    Self { $($field: own.$axis.into()),* }
                }
            }
        )* };
    }

    matrices! {
        Mat2 = mint::ColumnMatrix2<f32> { x = x_axis y = y_axis };
        Mat3 = mint::ColumnMatrix3<f32> { x = x_axis y = y_axis z = z_axis };
        Mat4 = mint::ColumnMatrix4<f32> { x = x_axis y = y_axis z = z_axis w = w_axis };
    }

    impl From<mint::Quaternion<f32>> for Quat {
        #[inline]
        fn from(other: mint::Quaternion<f32>) -> Self {
            let mint::Vector3 { x, y, z } = other.v;
            Self { x, y, z, w: other.s }
        }
    }
    impl From<Quat> for mint::Quaternion<f32> {
        #[inline]
        fn from(own: Quat) -> Self {
            Self {
                v: own.xyz().into(),
                s: own.w,
            }
        }
    }
}

#[cfg(feature = "num-complex")]
mod of_num_complex {
    use crate::complex::{Complex32, Complex64};

    macro_rules! complex {
        ($($own:ident: $part:ident;)*) => { $(
            impl From<num_complex::Complex<$part>> for $own {
                #[inline]
                fn from(other: num_complex::Complex<$part>) -> Self {
                    Self { re: other.re, im: other.im }
                }
            }
            impl From<$own> for num_complex::Complex<$part> {
                #[inline]
                fn from(own: $own) -> Self {
                    Self { re: own.re, im: own.im }
                }
            }
        )* };
    }

    complex! { Complex32: f32; Complex64: f64; }
}
