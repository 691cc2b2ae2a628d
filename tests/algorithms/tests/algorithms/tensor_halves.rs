//! The products of [`tensor_kernels`](super::tensor_kernels) in half precision, with sums in single precision.

use vyre::prelude::*;
use vyre::{bf16, f16};

use super::tensor_kernels::{SIDE, tensor_products};

tensor_products! {
    of_f16 OfF16 f16, f16, f16::ZERO, 16 32 16 40 136;
    of_bf16 OfBf16 bf16, bf16, bf16::ZERO, 16 32 16 40 136;
}
