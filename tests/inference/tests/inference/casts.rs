//! Casts from every type to every other, of a value that went through a binding.

macro_rules! to_numbers {
    ($($T:ident)*) => {$(
        mod $T {
            use vyre_semantics::agree;

            agree! {
                fn to_i8(a: $T) -> i8 { let x = a; let y = x as i8; y }
                fn to_i16(a: $T) -> i16 { a as i16 }
                fn to_i32(a: $T) -> i32 { a as i32 }
                fn to_i64(a: $T) -> i64 { a as i64 }
                fn to_isize(a: $T) -> isize { a as isize }
                fn to_u8(a: $T) -> u8 { let x = a; let y = x as u8; y }
                fn to_u16(a: $T) -> u16 { a as u16 }
                fn to_u32(a: $T) -> u32 { a as u32 }
                fn to_u64(a: $T) -> u64 { a as u64 }
                fn to_usize(a: $T) -> usize { a as usize }
            }
        }
    )*};
}

macro_rules! to_floats {
    ($($T:ident)*) => {
        mod to_floats {
            $(
                mod $T {
                    use vyre_semantics::agree;

                    agree! {
                        fn to_f32(a: $T) -> f32 { a as f32 }
                        fn to_f64(a: $T) -> f64 { a as f64 }
                    }
                }
            )*
        }
    };
}

to_numbers!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
to_floats!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
