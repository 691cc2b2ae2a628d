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

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(256)
transpose(const float* __restrict__ source, float* __restrict__ out, index_t width) {
    const int SIDE = 32, ROWS = 8;
    __shared__ float tile[SIDE][SIDE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    index_t left = (index_t)blockIdx.x * SIDE, top = (index_t)blockIdx.y * SIDE;
    for (int row = 0; row < SIDE; row += ROWS) tile[ty + row][tx] = source[(top + ty + row) * width + left + tx];
    __syncthreads();
    for (int row = 0; row < SIDE; row += ROWS) out[(left + ty + row) * width + top + tx] = tile[tx][ty + row];
}

extern "C" __global__ void __launch_bounds__(256)
conv7(const float* __restrict__ source, const float* __restrict__ weights, float* __restrict__ out, index_t width,
      index_t height) {
    index_t x = thread_x(), y = thread_y();
    if (x >= 3 && y >= 3 && x + 3 < width && y + 3 < height) {
        float sum = 0;
        for (int v = 0; v < 7; v++)
            for (int u = 0; u < 7; u++) sum += weights[v * 7 + u] * source[(y + v - 3) * width + x + u - 3];
        out[y * width + x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
escapes(unsigned* __restrict__ out, index_t width, index_t height, float scale, unsigned limit) {
    index_t x = thread_x(), y = thread_y();
    if (x < width && y < height) {
        float re = x * scale - 2.0f, im = y * scale - 1.25f, a = 0, b = 0;
        unsigned n = 0;
        while (n < limit && a * a + b * b <= 4.0f) {
            float next = a * a - b * b + re;
            b = 2.0f * a * b + im;
            a = next;
            n++;
        }
        out[y * width + x] = n;
    }
}

__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

__device__ unsigned rotate(unsigned word, int by) { return __funnelshift_r(word, word, by); }

extern "C" __global__ void __launch_bounds__(128)
sha256(const unsigned (*__restrict__ blocks)[16], unsigned (*__restrict__ digests)[8], index_t count) {
    index_t i = thread_x();
    if (i >= count) return;
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned words[16], s[8];
    for (int k = 0; k < 16; k++) words[k] = blocks[i][k];
    for (int k = 0; k < 8; k++) s[k] = start[k];
#pragma unroll
    for (int round = 0; round < 64; round++) {
        if (round >= 16) {
            unsigned early = words[(round + 1) % 16], late = words[(round + 14) % 16];
            early = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3);
            late = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10);
            words[round % 16] = words[round % 16] + early + words[(round + 9) % 16] + late;
        }
        unsigned mixed = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        unsigned choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        unsigned first = s[7] + mixed + choice + K[round] + words[round % 16];
        mixed = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        unsigned majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        for (int k = 7; k > 0; k--) s[k] = s[k - 1];
        s[4] += first;
        s[0] = first + mixed + majority;
    }
    for (int k = 0; k < 8; k++) digests[i][k] = s[k] + start[k];
}

extern "C" __global__ void __launch_bounds__(256)
strided(const float* __restrict__ values, index_t count, const float* __restrict__ list, index_t length,
        float* __restrict__ out) {
    index_t start = thread_x();
    float greatest = 0;
    for (index_t i = start; i < count; i += (index_t)blockDim.x * gridDim.x)
        for (index_t k = 0; k < length; k += 2) greatest = fmaxf(greatest, fabsf(values[i] - list[k]));
    out[start] = greatest;
}

extern "C" __global__ void __launch_bounds__(256)
tile_rows(const float* __restrict__ source, float* __restrict__ sums, index_t rows, index_t width) {
    int lane = threadIdx.x % 8;
    index_t row = thread_x() / 8;
    float sum = 0;
    if (row < rows)
        for (index_t k = lane; k < width; k += 8) sum += source[row * width + k];
    for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance, 8);
    float largest = sum;
    for (int distance = 16; distance > 0; distance /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, distance));
    if (lane == 0 && row < rows) sums[row] = sum / largest;
}

extern "C" __global__ void __launch_bounds__(256)
exchanges(unsigned* __restrict__ values, unsigned rounds) {
    index_t i = thread_x();
    unsigned value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        unsigned below = __shfl_up_sync(~0u, value, 1), above = __shfl_down_sync(~0u, value, 1);
        unsigned across = __shfl_xor_sync(~0u, value, 16), turned = __shfl_sync(~0u, value, (threadIdx.x + 5) % 32);
        value = (below ^ above) + across * turned + round;
    }
    for (int distance = 4; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance, 8);
    values[i] = value;
}

extern "C" __global__ void __launch_bounds__(256)
reductions(unsigned* __restrict__ values, unsigned rounds) {
    index_t i = thread_x();
    unsigned value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        unsigned sum = __reduce_add_sync(~0u, value), all = __reduce_and_sync(~0u, value | round);
        value = (value ^ sum) + all * __reduce_max_sync(~0u, value & 0xffff) + threadIdx.x;
    }
    values[i] = value;
}

extern "C" __global__ void __launch_bounds__(256)
complement(const unsigned char* __restrict__ source, unsigned char* __restrict__ out, unsigned scale, index_t count) {
    index_t i = thread_x();
    if (i < count) out[i] = (255 - (unsigned)source[i]) * scale / 256;
}

extern "C" __global__ void __launch_bounds__(256)
matmul_registers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, index_t n) {
    __shared__ float ta[8][128], tb[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    index_t across = n / 128;
    index_t left = blockIdx.x % across * 128, top = blockIdx.x / across * 128;
    float sums[8][8] = {};
    for (index_t first = 0; first < n; first += 8) {
        for (int k = 0; k < 4; k++) {
            int place = t + k * 256;
            ta[place % 8][place / 8] = a[(top + place / 8) * n + first + place % 8];
            tb[place / 128][place % 128] = b[(first + place / 128) * n + left + place % 128];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float of_a[8], of_b[8];
            for (int i = 0; i < 8; i++) {
                of_a[i] = ta[k][ty * 8 + i];
                of_b[i] = tb[k][tx * 8 + i];
            }
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) c[(top + ty * 8 + i) * n + left + tx * 8 + j] = sums[i][j];
}

extern "C" __global__ void __launch_bounds__(256)
faces(const float (*__restrict__ corners)[8], float* __restrict__ out, index_t count) {
    const int table[6][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 3, 7, 4}, {1, 2, 6, 5}};
    index_t i = thread_x();
    if (i < count) {
        float v[8], sum = 0;
        for (int k = 0; k < 8; k++) v[k] = corners[i][k];
#pragma unroll
        for (int face = 0; face < 6; face++) {
            float side = 1;
            for (int k = 0; k < 4; k++) side *= v[table[face][k]];
            sum += side;
        }
        out[i] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
triangle(const double (*__restrict__ rows)[10], const double (*__restrict__ right)[4], double (*__restrict__ out)[4],
         index_t count) {
    index_t i = thread_x();
    if (i < count) {
        double lower[10], b[4], x[4] = {};
        for (int k = 0; k < 10; k++) lower[k] = rows[i][k];
        for (int k = 0; k < 4; k++) b[k] = right[i][k];
        int at = 0;
#pragma unroll
        for (int row = 0; row < 4; row++) {
            double sum = b[row];
#pragma unroll
            for (int column = 0; column < row; column++) sum -= lower[at++] * x[column];
            if (lower[at] == 0) return;
            x[row] = sum / lower[at++];
        }
        for (int k = 0; k < 4; k++) out[i][k] = x[k];
    }
}

extern "C" __global__ void __launch_bounds__(256)
lower_bounds(const unsigned* __restrict__ sorted, index_t length, const unsigned* __restrict__ keys, index_t count,
             unsigned* __restrict__ out) {
    index_t i = thread_x();
    if (i < count) {
        unsigned key = keys[i];
        index_t low = 0, high = length;
        while (low < high) {
            index_t middle = (low + high) / 2;
            if (sorted[middle] < key) low = middle + 1;
            else high = middle;
        }
        out[i] = low;
    }
}

extern "C" __global__ void __launch_bounds__(256)
spmv(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns, const float* __restrict__ values,
     const float* __restrict__ x, float* __restrict__ y, index_t rows) {
    index_t row = thread_x();
    if (row < rows) {
        float sum = 0;
        for (index_t k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256)
steps(float* a, float* b, index_t length, unsigned count) {
    cg::grid_group grid = cg::this_grid();
    index_t i = thread_x();
    for (unsigned step = 0; step < count; step++) {
        if (i >= 1 && i + 1 < length) {
            if (step % 2 == 0) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
            else a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3.0f;
        }
        grid.sync();
    }
}
