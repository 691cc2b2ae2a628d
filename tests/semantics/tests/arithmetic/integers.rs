//! Every operation on integers of up to 64 bits, on all pairs of edge values.

operations!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
signed_operations!(signed_i8: i8 signed_i16: i16 signed_i32: i32 signed_i64: i64 signed_isize: isize);
unsigned_operations!(unsigned_u8: u8 unsigned_u16: u16 unsigned_u32: u32 unsigned_u64: u64 unsigned_usize: usize);
