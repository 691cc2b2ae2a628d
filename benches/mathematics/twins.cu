// CUDA C++ twins of the kernels of `benches/mathematics.rs`: sums of a function's values, `values` a thread.
#define SUM(name, f)                                                                      \
    extern "C" __global__ void __launch_bounds__(256)                                     \
    name##_values(float from, float step, unsigned values, float* __restrict__ sums) {             \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                               \
        float x = from + (float)i * step, sum = 0.0f;                                     \
        for (unsigned k = 0; k < values; k++) {                                           \
            sum += f(x);                                                                  \
            x += step;                                                                    \
        }                                                                                 \
        sums[i] = sum;                                                                    \
    }

SUM(exp, expf)
SUM(exp2, exp2f)
SUM(exp10, exp10f)
SUM(exp_m1, expm1f)
SUM(ln, logf)
SUM(log2, log2f)
SUM(log10, log10f)
SUM(ln_1p, log1pf)
SUM(sin, sinf)
SUM(cos, cosf)
SUM(tan, tanf)
SUM(sin_pi, sinpif)
SUM(cos_pi, cospif)
SUM(asin, asinf)
SUM(acos, acosf)
SUM(atan, atanf)
SUM(sinh, sinhf)
SUM(cosh, coshf)
SUM(tanh, tanhf)
SUM(asinh, asinhf)
SUM(acosh, acoshf)
SUM(atanh, atanhf)
SUM(rsqrt, rsqrtf)
SUM(cbrt, cbrtf)
SUM(erf, erff)
SUM(erfc, erfcf)
SUM(normal_cdf, normcdff)
SUM(erf_inv, erfinvf)
SUM(gamma, tgammaf)
SUM(ln_gamma, lgammaf)
