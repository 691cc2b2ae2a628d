//! The names of CUDA C++, and vyre's for the same things.

#[cfg(test)]
mod tests;

use self::Of::{Cuda, Function, Late, Module};
use crate::library::{self, methods::on};

/// Where a name counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Everywhere.
    Cuda,
    /// A user's function may have such a name, so it counts only where there is none.
    Function,
    /// As a path into a module of vyre's.
    Module,
    /// As `Function`, after the names of vyre's own functions.
    Late,
}

/// A name, or how names begin where it ends in `*`, and what is written in its place.
const NAMES: &[(Of, &str, &str)] = &[
    (Cuda, "threadIdx", "thread::idx()"),
    (Cuda, "blockIdx", "block::idx()"),
    (Cuda, "blockDim", "block::dim()"),
    (Cuda, "gridDim", "grid::dim()"),
    (Cuda, "warpSize", "warp::size()"),
    // A slice always has memory.
    (Cuda, "NULL", "x.is_empty()"),
    (Cuda, "nullptr", "x.is_empty()"),
    (Cuda, "printf", "println!(\"{x}\")"),
    (Cuda, "__syncthreads", "block::sync()"),
    (Cuda, "__syncthreads_count", "block::sync_count(p)"),
    (Cuda, "__syncthreads_and", "block::sync_and(p)"),
    (Cuda, "__syncthreads_or", "block::sync_or(p)"),
    (Cuda, "__syncwarp", "warp::sync()"),
    (Cuda, "__threadfence", "grid::fence(Ordering::SeqCst)"),
    (Cuda, "__threadfence_block", "block::fence(Ordering::SeqCst)"),
    (Cuda, "__threadfence_system", "system::fence(Ordering::SeqCst)"),
    (Cuda, "__shfl_sync", "warp::shuffle(v, lane)"),
    (Cuda, "__shfl_up_sync", "warp::shuffle_up(v, n)"),
    (Cuda, "__shfl_down_sync", "warp::shuffle_down(v, n)"),
    (Cuda, "__shfl_xor_sync", "warp::shuffle_xor(v, mask)"),
    (Cuda, "__ballot_sync", "warp::ballot(p)"),
    (Cuda, "__all_sync", "warp::all(p)"),
    (Cuda, "__any_sync", "warp::any(p)"),
    (Cuda, "__activemask", "warp::active_mask()"),
    (Cuda, "__match_any_sync", "warp::match_any(v)"),
    (Cuda, "__match_all_sync", "warp::match_all(v)"),
    (Cuda, "__reduce_add_sync", "warp::sum(v)"),
    (Cuda, "__reduce_min_sync", "warp::min(v)"),
    (Cuda, "__reduce_max_sync", "warp::max(v)"),
    (Cuda, "__popc*", "x.count_ones()"),
    (Cuda, "__clz*", "x.leading_zeros()"),
    (Cuda, "__ffs*", "x.trailing_zeros()"),
    (Cuda, "__brev*", "x.reverse_bits()"),
    (Cuda, "__fma*", "a.mul_add(b, c)"),
    (Cuda, "__ldg", "x[i]"),
    (Cuda, "__ldcs", "load::streaming(&x[i])"),
    (Cuda, "__ldcg", "load::l2(&x[i])"),
    (Cuda, "__float_as_*", "x.to_bits()"),
    (Cuda, "__double_as_*", "x.to_bits()"),
    (Cuda, "__int_as_float", "f32::from_bits(x)"),
    (Cuda, "__uint_as_float", "f32::from_bits(x)"),
    (Cuda, "atomicAdd*", "x[i].fetch_add(v, Ordering::Relaxed)"),
    (Cuda, "atomicSub*", "x[i].fetch_sub(v, Ordering::Relaxed)"),
    (Cuda, "atomicMin*", "x[i].fetch_min(v, Ordering::Relaxed)"),
    (Cuda, "atomicMax*", "x[i].fetch_max(v, Ordering::Relaxed)"),
    (Cuda, "atomicAnd*", "x[i].fetch_and(v, Ordering::Relaxed)"),
    (Cuda, "atomicOr*", "x[i].fetch_or(v, Ordering::Relaxed)"),
    (Cuda, "atomicXor*", "x[i].fetch_xor(v, Ordering::Relaxed)"),
    (Cuda, "atomicExch*", "x[i].swap(v, Ordering::Relaxed)"),
    (
        Cuda,
        "atomicCAS*",
        "x[i].compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)",
    ),
    (Function, "expf", "x.exp()"),
    (Function, "__expf", "fast::exp(x)"),
    (Function, "exp2f", "x.exp2()"),
    (Function, "exp10f", "math::exp10(x)"),
    (Function, "expm1f", "x.exp_m1()"),
    (Function, "logf", "x.ln()"),
    (Function, "__logf", "fast::ln(x)"),
    (Function, "log2f", "x.log2()"),
    (Function, "log10f", "x.log10()"),
    (Function, "log1pf", "x.ln_1p()"),
    (Function, "sinf", "x.sin()"),
    (Function, "__sinf", "fast::sin(x)"),
    (Function, "cosf", "x.cos()"),
    (Function, "__cosf", "fast::cos(x)"),
    (Function, "tanf", "x.tan()"),
    (Function, "sincosf", "let (s, c) = x.sin_cos();"),
    (Function, "sinpif", "math::sin_pi(x)"),
    (Function, "cospif", "math::cos_pi(x)"),
    (Function, "asinf", "x.asin()"),
    (Function, "acosf", "x.acos()"),
    (Function, "atanf", "x.atan()"),
    (Function, "atan2f", "y.atan2(x)"),
    (Function, "sinhf", "x.sinh()"),
    (Function, "coshf", "x.cosh()"),
    (Function, "tanhf", "x.tanh()"),
    (Function, "asinhf", "x.asinh()"),
    (Function, "acoshf", "x.acosh()"),
    (Function, "atanhf", "x.atanh()"),
    (Function, "powf", "x.powf(y)"),
    (Function, "__powf", "fast::powf(x, y)"),
    (Function, "__exp10f", "fast::exp10(x)"),
    (Function, "__log2f", "fast::log2(x)"),
    (Function, "__log10f", "fast::log10(x)"),
    (Function, "__tanf", "fast::tan(x)"),
    (Function, "__tanhf", "fast::tanh(x)"),
    (Function, "__fdividef", "fast::div(x, y)"),
    (Function, "rsqrtf", "math::rsqrt(x)"),
    (Function, "cbrtf", "x.cbrt()"),
    (Function, "hypotf", "x.hypot(y)"),
    (Function, "erff", "math::erf(x)"),
    (Function, "erfcf", "math::erfc(x)"),
    (Function, "erfinvf", "math::erf_inv(x)"),
    (Function, "normcdff", "math::normal_cdf(x)"),
    (Function, "tgamma", "math::gamma(x)"),
    (Function, "tgammaf", "math::gamma(x)"),
    (Function, "lgamma", "math::ln_gamma(x).0"),
    (Function, "lgammaf", "math::ln_gamma(x).0"),
    (Function, "erfinv", "math::erf_inv(x)"),
    (Function, "normcdf", "math::normal_cdf(x)"),
    (Function, "expm1", "x.exp_m1()"),
    (Function, "log1p", "x.ln_1p()"),
    (Function, "sinpi", "math::sin_pi(x)"),
    (Function, "cospi", "math::cos_pi(x)"),
    (
        Function,
        "sincospif",
        "let (s, c) = (math::sin_pi(x), math::cos_pi(x));",
    ),
    (Function, "rcbrtf", "x.cbrt().recip()"),
    (Function, "rhypotf", "x.hypot(y).recip()"),
    (Function, "scalbnf", "math::ldexp(x, n)"),
    (Function, "copysignf", "x.copysign(y)"),
    (Function, "ldexpf", "math::ldexp(x, n)"),
    (Function, "frexpf", "math::frexp(x)"),
    (Function, "sqrtf", "x.sqrt()"),
    (Function, "fabsf", "x.abs()"),
    (Function, "fmodf", "x % y"),
    (Function, "fmod", "x % y"),
    (Function, "fminf", "x.min(y)"),
    (Function, "fmaxf", "x.max(y)"),
    (Function, "isnan", "x.is_nan()"),
    (Function, "isinf", "x.is_infinite()"),
    (Function, "isfinite", "x.is_finite()"),
    (Function, "swap", "mem::swap(&mut a, &mut b)"),
    (Function, "vec2", "Vec2::new(x, y)"),
    (Function, "vec3", "Vec3::new(x, y, z)"),
    (Function, "vec4", "Vec4::new(x, y, z, w)"),
    (Function, "make_float2", "Vec2::new(x, y)"),
    (Function, "make_float3", "Vec3::new(x, y, z)"),
    (Function, "make_float4", "Vec4::new(x, y, z, w)"),
    (Function, "curand_init", "Philox::new(seed, subsequence, offset)"),
    (Function, "curand", "random.next_u32()"),
    (Function, "curand_uniform", "random.uniform_f32()"),
    (Function, "curand_normal", "random.normal_f32()"),
    (Module, "thread::thread_idx*", "thread::idx()"),
    (Module, "thread::block_idx*", "block::idx()"),
    (Module, "thread::block_dim*", "block::dim()"),
    (Module, "thread::grid_dim*", "grid::dim()"),
    (Module, "thread::index_1d", "thread::index()"),
    (Module, "thread::global*", "thread::index()"),
    (Module, "thread::sync_threads", "block::sync()"),
    (Module, "thread::lane*", "lane::index()"),
    (Module, "thread::warp*", "thread::idx().x / warp::size()"),
    (Module, "warp::shfl_up*", "warp::shuffle_up(v, n)"),
    (Module, "warp::shfl_down*", "warp::shuffle_down(v, n)"),
    (Module, "warp::shfl_xor*", "warp::shuffle_xor(v, mask)"),
    (Module, "warp::shfl*", "warp::shuffle(v, lane)"),
    (Module, "warp::reduce_*", "warp::reduce(v, f)`, or `warp::sum(v)"),
    (Module, "warp::index", "thread::idx().x / warp::size()"),
    (Module, "warp::idx", "thread::idx().x / warp::size()"),
    (Module, "warp::id", "thread::idx().x / warp::size()"),
    (Module, "warp::lane*", "lane::index()"),
    (Module, "lane::id*", "lane::index()"),
    (Module, "block::size", "block::dim()"),
    (Module, "block::sync_threads", "block::sync()"),
    (Module, "block::barrier_sync", "block::sync()"),
    (Module, "grid::size", "grid::dim()"),
    (Module, "grid::idx", "block::idx()"),
    (Module, "pipeline::memcpy_async", "pipeline::copy(&mut tile[t], &x[i])"),
    // Indices.
    (Late, "lane_id", "lane::index()"),
    (Late, "laneid", "lane::index()"),
    (Late, "warp_id", "thread::idx().x / warp::size()"),
    (Late, "global_thread_id", "thread::index()"),
    // Barriers, fences and groups.
    (Late, "sync_threads", "block::sync()"),
    (Late, "this_thread_block", "block::sync()"),
    (Late, "this_grid", "grid::sync()"),
    (Late, "this_cluster", "cluster::sync()"),
    (Late, "tiled_partition", "warp::tile::<8>()"),
    (Late, "coalesced_threads", "warp::active_mask()"),
    // Warps and blocks.
    (Late, "__shfl_up", "warp::shuffle_up(v, n)"),
    (Late, "__shfl_down", "warp::shuffle_down(v, n)"),
    (Late, "__shfl_xor", "warp::shuffle_xor(v, mask)"),
    (Late, "__shfl", "warp::shuffle(v, lane)"),
    (Late, "__ballot", "warp::ballot(p)"),
    (Late, "__all", "warp::all(p)"),
    (Late, "__any", "warp::any(p)"),
    (Late, "__reduce_and_sync", "warp::and(v)"),
    (Late, "__reduce_or_sync", "warp::or(v)"),
    (Late, "__reduce_xor_sync", "warp::xor(v)"),
    // Atomics.
    (
        Late,
        "atomic_compare_exchange*",
        "counts[i].compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)",
    ),
    (Late, "atomic_load*", "counts[i].load(Ordering::Relaxed)"),
    (Late, "atomic_store*", "counts[i].store(new, Ordering::Relaxed)"),
    (Late, "atomic_exchange*", "counts[i].swap(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_add*", "counts[i].fetch_add(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_sub*", "counts[i].fetch_sub(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_min*", "counts[i].fetch_min(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_max*", "counts[i].fetch_max(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_and*", "counts[i].fetch_and(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_or*", "counts[i].fetch_or(new, Ordering::Relaxed)"),
    (Late, "atomic_fetch_xor*", "counts[i].fetch_xor(new, Ordering::Relaxed)"),
    // Memory, time and faults.
    (Late, "tex1D*", "data[i]"),
    (Late, "tex2D*", "image[[row, col]]"),
    (Late, "surf2D*", "image[[row, col]]"),
    (Late, "__stcs", "store::streaming(&mut out[i], v)"),
    (Late, "__stcg", "store::l2(&mut out[i], v)"),
    (Late, "__stwt", "store::write_through(&mut out[i], v)"),
    (Late, "__pipeline_memcpy_async", "pipeline::copy(&mut out[i], &data[i])"),
    (Late, "__pipeline_commit", "pipeline::commit()"),
    (Late, "__pipeline_wait_prior", "pipeline::wait_prior::<0>()"),
    (Late, "memcpy_async", "pipeline::copy(&mut out[i], &data[i])"),
    (Late, "clock", "thread::clock()"),
    (Late, "clock64", "thread::clock()"),
    (Late, "globaltimer", "thread::clock()"),
    (Late, "__nanosleep", "thread::nap(200)"),
    (Late, "nanosleep", "thread::nap(200)"),
    (Late, "__trap", "panic!(\"..\")"),
    (Late, "trap", "panic!(\"..\")"),
    (Late, "terminate", "return"),
    // Numbers.
    (Late, "fma", "x.mul_add(y, z)"),
    (Late, "fmaf", "x.mul_add(y, z)"),
    (Late, "__hfma", "x.mul_add(y, z)"),
    (Late, "__mul24", "n * m"),
    (Late, "__umul24", "n * m"),
    (Late, "__mulhi", "((n as i64 * m as i64) >> 32) as i32"),
    (Late, "__umulhi", "((n as u64 * m as u64) >> 32) as u32"),
    (Late, "__saturatef", "x.clamp(0.0, 1.0)"),
    (Late, "__fsqrt_r*", "x.sqrt()"),
    (Late, "__frcp_r*", "x.recip()"),
    (Late, "__fadd_r*", "x + y"),
    (Late, "__fmul_r*", "x * y"),
    (Late, "__fdiv_r*", "x / y"),
    (Late, "__float2int_rn", "x.round_ties_even() as i32"),
    (Late, "__float2int_rz", "x as i32"),
    (Late, "__float2uint_rz", "x as u32"),
    (Late, "__int2float_r*", "n as f32"),
    (Late, "__uint2float_r*", "n as f32"),
    (Late, "roundf", "x.round()"),
    (Late, "rintf", "x.round_ties_even()"),
    (Late, "floorf", "x.floor()"),
    (Late, "ceilf", "x.ceil()"),
    (Late, "truncf", "x.trunc()"),
    (Late, "fract", "x.fract()"),
    (Late, "signbit", "x.is_sign_negative()"),
    (Late, "lerp", "x + (y - x) * t"),
    (Late, "popcount", "n.count_ones()"),
    (Late, "clz", "n.leading_zeros()"),
    (Late, "ctz", "n.trailing_zeros()"),
    // Vectors.
    (Late, "dot", "a.dot(b)"),
    (Late, "cross", "a.cross(b)"),
    (Late, "length", "a.length()"),
    (Late, "distance", "a.distance(b)"),
    (Late, "normalize", "a.normalize()"),
    (Late, "reflect", "a.reflect(b)"),
    (Late, "int2", "IVec2::new(n, m)"),
    (Late, "float2", "Vec2::new(x, y)"),
    (Late, "float3", "Vec3::new(x, y, z)"),
    (Late, "float4", "Vec4::new(x, y, z, t)"),
];

fn find(of: Of, name: &str) -> Option<&'static str> {
    let mut names = NAMES.iter().filter(|known| known.0 == of);
    names.find(|(_, known, _)| is(known, name)).map(|&(.., help)| help)
}

/// vyre's spelling of a name of CUDA's.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    find(Cuda, name)
}

/// vyre's spelling of a less common name.
pub(super) fn of_others(name: &str) -> Option<&'static str> {
    find(Late, name)
}

/// True of a name of a table: the same, or one that begins so where the table's ends in `*`.
fn is(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    }
}

/// vyre's spelling of what it does not have as a function of this module.
pub(super) fn of_module(name: &str) -> Option<&'static str> {
    find(Module, name)
}

/// vyre's spelling of a function of CUDA's, or of a method that is called like a function, or of a name of CUDA's in the
/// case of Rust, `atomic_add`.
pub(super) fn of_mathematics(name: &str) -> Option<String> {
    match find(Function, name) {
        Some(help) => Some(format!("write `{help}`")),
        None => library::mathematics(name, on::FLOAT)
            .map(|row| format!("write `{}(..)`", row.path))
            .or_else(|| Some(format!("write `{}`", in_snake_case(name).or_else(|| of_others(name))?)))
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
    let (name, mut names) = (plain(name), NAMES.iter().filter(|known| known.0 == Cuda));
    let found = names.find(|(_, known, _)| is(&plain(known), &name) && !known.ends_with("as_*"))?;
    Some(found.2)
}
