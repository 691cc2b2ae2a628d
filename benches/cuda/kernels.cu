// CUDA C++ twins of the kernels in `kernels.rs` and in the examples. A slice is a pointer;
// INDEX is the type of sizes and indices.
#ifndef INDEX
#define INDEX size_t
#endif
typedef INDEX index_t;

__device__ index_t thread_x() { return (index_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ index_t thread_y() { return (index_t)blockIdx.y * blockDim.y + threadIdx.y; }

extern "C" __global__ void __launch_bounds__(256)
saxpy(float a, const float* __restrict__ x, float* __restrict__ y, index_t count) {
    index_t i = thread_x();
    if (i < count) y[i] += a * x[i];
}

extern "C" __global__ void __launch_bounds__(256)
matmul_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, index_t n) {
    index_t x = thread_x(), y = thread_y();
    if (x < n && y < n) {
        float sum = 0;
        for (index_t k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
        c[y * n + x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, index_t n) {
    __shared__ float ta[32][32], tb[32][32];
    index_t x = thread_x(), y = thread_y();
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (index_t first = 0; first < n; first += 32) {
        ta[ty][tx] = a[y * n + first + tx];
        tb[ty][tx] = b[(first + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
stencil(const float* __restrict__ source, float* __restrict__ out, index_t width, index_t height) {
    index_t x = thread_x(), y = thread_y();
    if (x >= 1 && y >= 1 && x + 1 < width && y + 1 < height) {
        index_t i = y * width + x;
        out[i] = 0.2f * (source[i] + source[i - 1] + source[i + 1] + source[i - width] + source[i + width]);
    }
}

extern "C" __global__ void __launch_bounds__(256)
row_sums(const float* __restrict__ source, float* __restrict__ sums, index_t rows, index_t width) {
    index_t row = thread_x();
    if (row < rows) {
        float sum = 0;
        for (index_t k = 0; k < width; k++) sum += source[row * width + k];
        sums[row] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
block_sums(const float* __restrict__ values, index_t count, float* __restrict__ sums) {
    __shared__ float partial[256];
    int t = threadIdx.x;
    float sum = 0;
    for (index_t i = thread_x(); i < count; i += (index_t)gridDim.x * blockDim.x) sum += values[i];
    partial[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = partial[0];
}

extern "C" __global__ void __launch_bounds__(256)
histogram(const unsigned char* __restrict__ bytes, index_t count, unsigned* __restrict__ bins) {
    __shared__ unsigned counts[256];
    int t = threadIdx.x;
    counts[t] = 0;
    __syncthreads();
    for (index_t i = thread_x(); i < count; i += (index_t)gridDim.x * blockDim.x) atomicAdd(&counts[bytes[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[t], counts[t]);
}

// examples/nbody
extern "C" __global__ void __launch_bounds__(256)
attract(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
        const float* __restrict__ mass, float* __restrict__ ax, float* __restrict__ ay, float* __restrict__ az,
        index_t count, float softening) {
    __shared__ float tile[4][256];
    int t = threadIdx.x;
    index_t i = thread_x();
    float px = 0, py = 0, pz = 0;
    if (i < count) {
        px = x[i];
        py = y[i];
        pz = z[i];
    }
    float sum_x = 0, sum_y = 0, sum_z = 0;
    for (index_t first = 0; first < count; first += 256) {
        index_t j = first + t;
        bool there = j < count;
        tile[0][t] = there ? x[j] : 0;
        tile[1][t] = there ? y[j] : 0;
        tile[2][t] = there ? z[j] : 0;
        tile[3][t] = there ? mass[j] : 0;
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float dx = tile[0][k] - px, dy = tile[1][k] - py, dz = tile[2][k] - pz;
            float square = dx * dx + dy * dy + dz * dz + softening;
            float pull = tile[3][k] / (square * sqrtf(square));
            sum_x += dx * pull;
            sum_y += dy * pull;
            sum_z += dz * pull;
        }
        __syncthreads();
    }
    if (i < count) {
        ax[i] = sum_x;
        ay[i] = sum_y;
        az[i] = sum_z;
    }
}

extern "C" __global__ void __launch_bounds__(256)
kick(float* __restrict__ vx, float* __restrict__ vy, float* __restrict__ vz, const float* __restrict__ ax,
     const float* __restrict__ ay, const float* __restrict__ az, index_t count, float time) {
    index_t i = thread_x();
    if (i < count) {
        vx[i] += ax[i] * time;
        vy[i] += ay[i] * time;
        vz[i] += az[i] * time;
    }
}

extern "C" __global__ void __launch_bounds__(256)
energy(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
       const float* __restrict__ mass, const float* __restrict__ vx, const float* __restrict__ vy,
       const float* __restrict__ vz, double* __restrict__ out, index_t count, float softening) {
    index_t i = thread_x();
    if (i < count) {
        double potential = 0;
        for (index_t j = 0; j < count; j++) {
            if (j != i) {
                double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                potential -= (double)mass[j] / sqrt(dx * dx + dy * dy + dz * dz + (double)softening);
            }
        }
        double square = (double)vx[i] * vx[i] + (double)vy[i] * vy[i] + (double)vz[i] * vz[i];
        out[i] = 0.5 * mass[i] * (square + potential);
    }
}

// examples/edges
extern "C" __global__ void __launch_bounds__(256)
brightness(const unsigned char* __restrict__ rgb, float* __restrict__ out, index_t count) {
    index_t i = thread_x();
    if (i < count) out[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}

extern "C" __global__ void __launch_bounds__(256)
blur_rows(const float* __restrict__ source, const float* __restrict__ weights, index_t taps, float* __restrict__ out,
          index_t width, index_t height) {
    index_t x = thread_x(), y = thread_y();
    if (x < width && y < height) {
        index_t radius = taps / 2;
        float sum = 0;
        for (index_t k = 0; k < taps; k++) {
            index_t at = min(max(x + k, radius) - radius, width - 1);
            sum += weights[k] * source[y * width + at];
        }
        out[y * width + x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
blur_columns(const float* __restrict__ source, const float* __restrict__ weights, index_t taps,
             float* __restrict__ out, index_t width, index_t height) {
    index_t x = thread_x(), y = thread_y();
    if (x < width && y < height) {
        index_t radius = taps / 2;
        float sum = 0;
        for (index_t k = 0; k < taps; k++) {
            index_t at = min(max(y + k, radius) - radius, height - 1);
            sum += weights[k] * source[at * width + x];
        }
        out[y * width + x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
sobel(const float* __restrict__ source, float* __restrict__ steepness, unsigned char* __restrict__ axis,
      index_t width, index_t height) {
    const float flat = 0.41421357f;
    index_t x = thread_x(), y = thread_y();
    if (x < width && y < height) {
        index_t left = max(x, (index_t)1) - 1, right = min(x + 1, width - 1);
        index_t above = (max(y, (index_t)1) - 1) * width, here = y * width, below = min(y + 1, height - 1) * width;
        float gx = (source[above + right] - source[above + left]) + 2.0f * (source[here + right] - source[here + left]) +
                   (source[below + right] - source[below + left]);
        float gy = (source[below + left] - source[above + left]) + 2.0f * (source[below + x] - source[above + x]) +
                   (source[below + right] - source[above + right]);
        steepness[here + x] = sqrtf(gx * gx + gy * gy);
        axis[here + x] = fabsf(gy) <= flat * fabsf(gx)   ? 0
                         : fabsf(gx) <= flat * fabsf(gy) ? 2
                         : (gx > 0) == (gy > 0)          ? 1
                                                         : 3;
    }
}
