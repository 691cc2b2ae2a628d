//! Warp-level matrix operations (`mma.sync`, `ldmatrix`): D = A * B + C.
//!
//! Each lane holds a *fragment* of each matrix: some of its elements, in registers. The layout is
//! the same for all shapes, where `g` is the lane index divided by 4, `t` the remainder, and `p`
//! the number of factors per 32-bit register (1 for factors of 32 or 64 bits):
//!
//! - the registers of A hold `p` consecutive elements of a row: first row `g`, then row `g + 8` if
//!   there are 16 rows, both from column `p * t` on; then the same from column `p * t + 4 * p` on;
//! - the registers of B hold `p` consecutive elements of column `g`: from row `p * t` on, then from
//!   row `p * t + 4 * p` on;
//! - C and D hold columns `2 * t` and `2 * t + 1` of row `g`; then, if there are 16 rows, the same
//!   of row `g + 8`.

use super::{WARP_SIZE, operations};
use crate::scalar::Scalar;

/// The element type of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// `i8`.
    I8,
    /// `u8`.
    U8,
    /// `f16`.
    F16,
    /// `bf16`.
    BF16,
    /// The 19 high bits of an `f32`: its sign, exponent, and 10 bits of its fraction. The others
    /// are zero.
    Tf32,
    /// `f64`.
    F64,
}

/// One of the matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The accumulator and the result.
    C,
}

/// The shape and types of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
    /// The elements of A.
    pub left: Factor,
    /// The elements of B: a register holds as many as for A.
    pub right: Factor,
    /// The elements of C.
    pub sum: Scalar,
    /// The minimum `.target`.
    pub target: u32,
    /// The instruction, in PTX 7.0, or 7.8 if the target is 90.
    pub instruction: &'static str,
}

macro_rules! products {
    ($($(#[$doc:meta])* $product:ident = $name:literal $m:literal $n:literal $k:literal $left:ident $right:ident $sum:ident $target:literal $types:literal;)*) => {
        /// A matrix product, by shape and types.
        ///
        /// Integers wrap. Accumulators of `f64` start from `c` and add the products by `mul_add` in
        /// the order of `k`. Accumulators of `f32` equal the exact sum up to an error of at most
        /// `(k + 2) * 2^-23` times the sum of the magnitudes of `c` and of the products, if nothing
        /// overflows or is subnormal: order and rounding are those of the hardware. The same holds
        /// for `f16` with `2^-10`. The interpreter and the CPU add in `f64`, in the order of `k`,
        /// and round once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Product { $($(#[$doc])* $product,)* }

        impl Product {
            /// Every product.
            pub const ALL: &'static [Product] = &[$(Product::$product,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $(Product::$product => $name,)* }
            }

            /// Its shape and types.
            pub const fn shape(self) -> Shape {
                match self {
                    $(Product::$product => Shape {
                        m: $m,
                        n: $n,
                        k: $k,
                        left: Factor::$left,
                        right: Factor::$right,
                        sum: Scalar::$sum,
                        target: $target,
                        instruction: concat!(
                            "mma.sync.aligned.m", $m, "n", $n, "k", $k, ".row.col.", $types
                        ),
                    },)*
                }
            }
        }
    };
}

products! {
    /// `i8` factors, `i32` accumulator.
    I8K16 = "m16n8k16_i8" 16 8 16 I8 I8 I32 80 "s32.s8.s8.s32";
    /// `i8` factors, `i32` accumulator.
    I8K32 = "m16n8k32_i8" 16 8 32 I8 I8 I32 80 "s32.s8.s8.s32";
    /// `u8` factors, `i32` accumulator.
    U8K16 = "m16n8k16_u8" 16 8 16 U8 U8 I32 80 "s32.u8.u8.s32";
    /// `u8` factors, `i32` accumulator.
    U8K32 = "m16n8k32_u8" 16 8 32 U8 U8 I32 80 "s32.u8.u8.s32";
    /// `f16` factors, `f32` accumulator.
    F16K8 = "m16n8k8_f16" 16 8 8 F16 F16 F32 75 "f32.f16.f16.f32";
    /// `f16` factors, `f32` accumulator.
    F16K16 = "m16n8k16_f16" 16 8 16 F16 F16 F32 80 "f32.f16.f16.f32";
    /// `bf16` factors, `f32` accumulator.
    BF16K8 = "m16n8k8_bf16" 16 8 8 BF16 BF16 F32 80 "f32.bf16.bf16.f32";
    /// `bf16` factors, `f32` accumulator.
    BF16K16 = "m16n8k16_bf16" 16 8 16 BF16 BF16 F32 80 "f32.bf16.bf16.f32";
    /// tf32 factors, `f32` accumulator.
    Tf32K4 = "m16n8k4_tf32" 16 8 4 Tf32 Tf32 F32 80 "f32.tf32.tf32.f32";
    /// tf32 factors, `f32` accumulator.
    Tf32K8 = "m16n8k8_tf32" 16 8 8 Tf32 Tf32 F32 80 "f32.tf32.tf32.f32";
    /// `f64` factors, `f64` accumulator.
    F64K4 = "m8n8k4_f64" 8 8 4 F64 F64 F64 80 "f64.f64.f64.f64";
    /// `f64` factors, `f64` accumulator.
    F64M16K4 = "m16n8k4_f64" 16 8 4 F64 F64 F64 90 "f64.f64.f64.f64";
    /// `f64` factors, `f64` accumulator.
    F64M16K8 = "m16n8k8_f64" 16 8 8 F64 F64 F64 90 "f64.f64.f64.f64";
    /// `f64` factors, `f64` accumulator.
    F64M16K16 = "m16n8k16_f64" 16 8 16 F64 F64 F64 90 "f64.f64.f64.f64";
    /// `f16` factors, `f16` accumulator.
    F16K8F16 = "m16n8k8_f16_f16" 16 8 8 F16 F16 F16 75 "f16.f16.f16.f16";
    /// `f16` factors, `f16` accumulator.
    F16K16F16 = "m16n8k16_f16_f16" 16 8 16 F16 F16 F16 80 "f16.f16.f16.f16";
    /// `i8` by `u8`, `i32` accumulator.
    I8U8K16 = "m16n8k16_i8_u8" 16 8 16 I8 U8 I32 80 "s32.s8.u8.s32";
    /// `i8` by `u8`, `i32` accumulator.
    I8U8K32 = "m16n8k32_i8_u8" 16 8 32 I8 U8 I32 80 "s32.s8.u8.s32";
    /// `u8` by `i8`, `i32` accumulator.
    U8I8K16 = "m16n8k16_u8_i8" 16 8 16 U8 I8 I32 80 "s32.u8.s8.s32";
    /// `u8` by `i8`, `i32` accumulator.
    U8I8K32 = "m16n8k32_u8_i8" 16 8 32 U8 I8 I32 80 "s32.u8.s8.s32";
}

impl Product {
    /// The product of this name in the text form, or `None`.
    pub fn from_name(name: &str) -> Option<Product> {
        Self::ALL.iter().copied().find(|product| product.name() == name)
    }

    /// The product of half the depth. Two of them replace this one if its fragments do not fit into
    /// one operation of the SSA graph.
    pub const fn half(self) -> Option<Product> {
        match self {
            Product::F64M16K16 => Some(Product::F64M16K8),
            _ => None,
        }
    }
}

impl Factor {
    /// Elements per register.
    pub const fn packed(self) -> u32 {
        match self {
            Factor::I8 | Factor::U8 => 4,
            Factor::F16 | Factor::BF16 => 2,
            Factor::Tf32 | Factor::F64 => 1,
        }
    }
}

impl Shape {
    /// Rows and columns of a matrix.
    pub const fn extent(self, role: Role) -> (u32, u32) {
        match role {
            Role::A => (self.m, self.k),
            Role::B => (self.k, self.n),
            Role::C => (self.m, self.n),
        }
    }

    /// Elements of a matrix per lane.
    pub const fn elements(self, role: Role) -> u32 {
        let (rows, columns) = self.extent(role);
        rows * columns / WARP_SIZE
    }

    /// Elements of a matrix per register.
    pub const fn packed(self, role: Role) -> u32 {
        match role {
            Role::C => 1,
            _ => self.left.packed(),
        }
    }

    /// The type and number of a lane's registers for a matrix: its fragment is an array.
    pub const fn registers(self, role: Role) -> (Scalar, u64) {
        let scalar = match (role, self.left) {
            (Role::C, _) => self.sum,
            (_, Factor::F64) => Scalar::F64,
            _ => Scalar::U32,
        };
        (scalar, (self.elements(role) / self.packed(role)) as u64)
    }

    /// The same for the registers of the instruction: one holds two accumulators of `f16`.
    pub const fn machine_registers(self, role: Role) -> (Scalar, u64) {
        match (role, self.sum) {
            (Role::C, Scalar::F16) => (Scalar::U32, self.elements(role) as u64 / 2),
            _ => self.registers(role),
        }
    }

    /// Row and column of an element of the first lane's fragment.
    pub const fn first(self, role: Role, element: u32) -> (u32, u32) {
        let packed = self.packed(role);
        let (register, inside) = (element / packed, element % packed);
        match role {
            Role::A => {
                let halves = self.m / 8;
                (register % halves * 8, register / halves * 4 * packed + inside)
            }
            Role::B => (register * 4 * packed + inside, 0),
            Role::C => (element / 2 * 8, element % 2),
        }
    }

    /// Offset in rows and columns of a lane's element from that of the first lane: per `lane / 4`,
    /// and per `lane % 4`.
    pub const fn steps(self, role: Role) -> [(u32, u32); 2] {
        match role {
            Role::A => [(1, 0), (0, self.packed(role))],
            Role::B => [(0, 1), (self.packed(role), 0)],
            Role::C => [(1, 0), (0, 2)],
        }
    }

    /// Row and column in the matrix of an element of a lane's fragment.
    pub const fn place(self, role: Role, lane: u32, element: u32) -> (u32, u32) {
        let (row, column) = self.first(role, element);
        let [by_group, by_rest] = self.steps(role);
        let (group, rest) = (lane / 4, lane % 4);
        (
            row + group * by_group.0 + rest * by_rest.0,
            column + group * by_group.1 + rest * by_rest.1,
        )
    }
}

operations! {
    /// Matrix loads by a warp (`ldmatrix`), by number of matrices. A matrix has eight rows of 16
    /// bytes. Each lane supplies the address of a row: the first eight lanes for the first matrix,
    /// the next eight for the second, and so on; the rows of the remaining lanes are ignored. Each
    /// lane receives a word of each matrix. Where `g` is the lane index divided by 4 and `t` the
    /// remainder, that is word `t` of row `g`, or, transposed, with elements of 16 bits, element
    /// `g` of row `2 * t` in the low half and that of the next row in the high half.
    MatrixLoad {
        /// One matrix.
        One = "x1",
        /// Two matrices.
        Two = "x2",
        /// Four matrices.
        Four = "x4",
        /// One matrix, transposed.
        OneTransposed = "x1_trans",
        /// Two matrices, each transposed.
        TwoTransposed = "x2_trans",
        /// Four matrices, each transposed.
        FourTransposed = "x4_trans",
    }
}

impl MatrixLoad {
    /// Bytes per row.
    pub const ROW_BYTES: u64 = 16;

    /// The load of `count` matrices, or `None`.
    pub fn of(count: u64, transposed: bool) -> Option<MatrixLoad> {
        let same = |load: &MatrixLoad| (load.count(), load.is_transposed()) == (count, transposed);
        Self::ALL.iter().copied().find(same)
    }

    /// The number of matrices.
    pub const fn count(self) -> u64 {
        1 << (self as u64 % 3)
    }

    /// True if a lane receives elements of a column instead of a row.
    pub const fn is_transposed(self) -> bool {
        self as usize >= MatrixLoad::OneTransposed as usize
    }

    /// True if rows may have elements of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::Bool => false,
            _ if self.is_transposed() => scalar.size() == 2,
            _ => scalar.size() <= 4,
        }
    }
}

#[cfg(test)]
mod tests;
