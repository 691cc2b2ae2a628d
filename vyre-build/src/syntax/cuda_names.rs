//! The names of CUDA C++, and vyre's for the same things.

use super::gpu_names;
use crate::library::{self, methods::on};

/// CUDA's name, or how its names begin where it ends in `*`, and what is written in its place.
const NAMES: &[(&str, &str)] = &[
    ("threadIdx", "thread::idx()"),
    ("blockIdx", "block::idx()"),
    ("blockDim", "block::dim()"),
    ("gridDim", "grid::dim()"),
    ("warpSize", "warp::size()"),
    // A slice always has memory.
    ("NULL", "x.is_empty()"),
    ("nullptr", "x.is_empty()"),
    ("printf", "println!(\"{x}\")"),
    ("__syncthreads", "block::sync()"),
    ("__syncthreads_count", "block::sync_count(p)"),
    ("__syncthreads_and", "block::sync_and(p)"),
    ("__syncthreads_or", "block::sync_or(p)"),
    ("__syncwarp", "warp::sync()"),
    ("__threadfence", "grid::fence(Ordering::SeqCst)"),
    ("__threadfence_block", "block::fence(Ordering::SeqCst)"),
    ("__threadfence_system", "system::fence(Ordering::SeqCst)"),
    ("__shfl_sync", "warp::shuffle(v, lane)"),
    ("__shfl_up_sync", "warp::shuffle_up(v, n)"),
    ("__shfl_down_sync", "warp::shuffle_down(v, n)"),
    ("__shfl_xor_sync", "warp::shuffle_xor(v, mask)"),
    ("__ballot_sync", "warp::ballot(p)"),
    ("__all_sync", "warp::all(p)"),
    ("__any_sync", "warp::any(p)"),
    ("__activemask", "warp::active_mask()"),
    ("__match_any_sync", "warp::match_any(v)"),
    ("__match_all_sync", "warp::match_all(v)"),
    ("__reduce_add_sync", "warp::sum(v)"),
    ("__reduce_min_sync", "warp::min(v)"),
    ("__reduce_max_sync", "warp::max(v)"),
    ("__popc*", "x.count_ones()"),
    ("__clz*", "x.leading_zeros()"),
    ("__ffs*", "x.trailing_zeros()"),
    ("__brev*", "x.reverse_bits()"),
    ("__fma*", "a.mul_add(b, c)"),
    ("__ldg", "x[i]"),
    ("__ldcs", "load::streaming(&x[i])"),
    ("__ldcg", "load::l2(&x[i])"),
    ("__float_as_*", "x.to_bits()"),
    ("__double_as_*", "x.to_bits()"),
    ("__int_as_float", "f32::from_bits(x)"),
    ("__uint_as_float", "f32::from_bits(x)"),
    ("atomicAdd*", "x[i].fetch_add(v, Ordering::Relaxed)"),
    ("atomicSub*", "x[i].fetch_sub(v, Ordering::Relaxed)"),
    ("atomicMin*", "x[i].fetch_min(v, Ordering::Relaxed)"),
    ("atomicMax*", "x[i].fetch_max(v, Ordering::Relaxed)"),
    ("atomicAnd*", "x[i].fetch_and(v, Ordering::Relaxed)"),
    ("atomicOr*", "x[i].fetch_or(v, Ordering::Relaxed)"),
    ("atomicXor*", "x[i].fetch_xor(v, Ordering::Relaxed)"),
    ("atomicExch*", "x[i].swap(v, Ordering::Relaxed)"),
    (
        "atomicCAS*",
        "x[i].compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)",
    ),
];

/// vyre's spelling of a name of CUDA's.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| is(known, name)).map(|&(_, help)| help)
}

/// The functions of mathematics. A function of the user's may have such a name, so they only help where there is none.
const MATHEMATICS: &[(&str, &str)] = &[
    ("expf", "x.exp()"),
    ("__expf", "fast::exp(x)"),
    ("exp2f", "x.exp2()"),
    ("exp10f", "math::exp10(x)"),
    ("expm1f", "x.exp_m1()"),
    ("logf", "x.ln()"),
    ("__logf", "fast::ln(x)"),
    ("log2f", "x.log2()"),
    ("log10f", "x.log10()"),
    ("log1pf", "x.ln_1p()"),
    ("sinf", "x.sin()"),
    ("__sinf", "fast::sin(x)"),
    ("cosf", "x.cos()"),
    ("__cosf", "fast::cos(x)"),
    ("tanf", "x.tan()"),
    ("sincosf", "let (s, c) = x.sin_cos();"),
    ("sinpif", "math::sin_pi(x)"),
    ("cospif", "math::cos_pi(x)"),
    ("asinf", "x.asin()"),
    ("acosf", "x.acos()"),
    ("atanf", "x.atan()"),
    ("atan2f", "y.atan2(x)"),
    ("sinhf", "x.sinh()"),
    ("coshf", "x.cosh()"),
    ("tanhf", "x.tanh()"),
    ("asinhf", "x.asinh()"),
    ("acoshf", "x.acosh()"),
    ("atanhf", "x.atanh()"),
    ("powf", "x.powf(y)"),
    ("__powf", "fast::powf(x, y)"),
    ("__exp10f", "fast::exp10(x)"),
    ("__log2f", "fast::log2(x)"),
    ("__log10f", "fast::log10(x)"),
    ("__tanf", "fast::tan(x)"),
    ("__tanhf", "fast::tanh(x)"),
    ("__fdividef", "fast::div(x, y)"),
    ("rsqrtf", "math::rsqrt(x)"),
    ("cbrtf", "x.cbrt()"),
    ("hypotf", "x.hypot(y)"),
    ("erff", "math::erf(x)"),
    ("erfcf", "math::erfc(x)"),
    ("erfinvf", "math::erf_inv(x)"),
    ("normcdff", "math::normal_cdf(x)"),
    ("tgamma", "math::gamma(x)"),
    ("tgammaf", "math::gamma(x)"),
    ("lgamma", "math::ln_gamma(x).0"),
    ("lgammaf", "math::ln_gamma(x).0"),
    ("erfinv", "math::erf_inv(x)"),
    ("normcdf", "math::normal_cdf(x)"),
    ("expm1", "x.exp_m1()"),
    ("log1p", "x.ln_1p()"),
    ("sinpi", "math::sin_pi(x)"),
    ("cospi", "math::cos_pi(x)"),
    ("sincospif", "let (s, c) = (math::sin_pi(x), math::cos_pi(x));"),
    ("rcbrtf", "x.cbrt().recip()"),
    ("rhypotf", "x.hypot(y).recip()"),
    ("scalbnf", "math::ldexp(x, n)"),
    ("copysignf", "x.copysign(y)"),
    ("ldexpf", "math::ldexp(x, n)"),
    ("frexpf", "math::frexp(x)"),
    ("sqrtf", "x.sqrt()"),
    ("fabsf", "x.abs()"),
    ("fmodf", "x % y"),
    ("fmod", "x % y"),
    ("fminf", "x.min(y)"),
    ("fmaxf", "x.max(y)"),
    ("isnan", "x.is_nan()"),
    ("isinf", "x.is_infinite()"),
    ("isfinite", "x.is_finite()"),
    ("swap", "mem::swap(&mut a, &mut b)"),
    ("vec2", "Vec2::new(x, y)"),
    ("vec3", "Vec3::new(x, y, z)"),
    ("vec4", "Vec4::new(x, y, z, w)"),
    ("make_float2", "Vec2::new(x, y)"),
    ("make_float3", "Vec3::new(x, y, z)"),
    ("make_float4", "Vec4::new(x, y, z, w)"),
    ("curand_init", "Philox::new(seed, subsequence, offset)"),
    ("curand", "random.next_u32()"),
    ("curand_uniform", "random.uniform_f32()"),
    ("curand_normal", "random.normal_f32()"),
];

/// Functions of other libraries that are written as paths into modules of vyre, and the spelling that takes their place.
const OF_MODULES: &[(&str, &str)] = &[
    ("thread::thread_idx*", "thread::idx()"),
    ("thread::block_idx*", "block::idx()"),
    ("thread::block_dim*", "block::dim()"),
    ("thread::grid_dim*", "grid::dim()"),
    ("thread::index_1d", "thread::index()"),
    ("thread::global*", "thread::index()"),
    ("thread::sync_threads", "block::sync()"),
    ("thread::lane*", "lane::index()"),
    ("thread::warp*", "thread::idx().x / warp::size()"),
    ("warp::shfl_up*", "warp::shuffle_up(v, n)"),
    ("warp::shfl_down*", "warp::shuffle_down(v, n)"),
    ("warp::shfl_xor*", "warp::shuffle_xor(v, mask)"),
    ("warp::shfl*", "warp::shuffle(v, lane)"),
    ("warp::reduce_*", "warp::reduce(v, f)`, or `warp::sum(v)"),
    ("warp::index", "thread::idx().x / warp::size()"),
    ("warp::idx", "thread::idx().x / warp::size()"),
    ("warp::id", "thread::idx().x / warp::size()"),
    ("warp::lane*", "lane::index()"),
    ("lane::id*", "lane::index()"),
    ("block::size", "block::dim()"),
    ("block::sync_threads", "block::sync()"),
    ("block::barrier_sync", "block::sync()"),
    ("grid::size", "grid::dim()"),
    ("grid::idx", "block::idx()"),
    ("pipeline::memcpy_async", "pipeline::copy(&mut tile[t], &x[i])"),
];

/// True of a name of a table: the same, or one that begins so where the table's ends in `*`.
pub(super) fn is(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    }
}

/// vyre's spelling of what it does not have as a function of this module.
pub(super) fn of_module(name: &str) -> Option<&'static str> {
    OF_MODULES
        .iter()
        .find(|(known, _)| is(known, name))
        .map(|&(_, help)| help)
}

/// vyre's spelling of a function of CUDA's, or of a method that is called like a function, or of a name of CUDA's in the
/// case of Rust, `atomic_add`.
pub(super) fn of_mathematics(name: &str) -> Option<String> {
    let mut known = MATHEMATICS.iter().filter(|(known, _)| *known == name);
    match known.next() {
        Some((_, help)) => Some(format!("write `{help}`")),
        None => library::mathematics(name, on::FLOAT)
            .map(|row| format!("write `{}(..)`", row.path))
            .or_else(|| {
                Some(format!(
                    "write `{}`",
                    in_snake_case(name).or_else(|| gpu_names::instead(name))?
                ))
            })
            .or_else(|| Some(format!("write `{}`", along_axis(name)?))),
    }
}

/// vyre's spelling of an index along an axis whose names are one, `thread_idx_x`.
fn along_axis(name: &str) -> Option<String> {
    let (start, axis) = name.rsplit_once('_')?;
    let indices = in_snake_case(start).filter(|it| ["x", "y", "z"].contains(&axis) && it.ends_with("()"))?;
    Some(format!("{indices}.{axis}"))
}

/// vyre's spelling of a name of CUDA's that is written in the case of Rust.
fn in_snake_case(name: &str) -> Option<&'static str> {
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let (name, mut names) = (plain(name), NAMES.iter());
    let found = names.find(|(known, _)| is(&plain(known), &name) && !known.ends_with("as_*"))?;
    Some(found.1)
}
