// Sums, scans and sorts of blocks by CUB and by shuffles of warps, as in `collectives.rs`.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ void __launch_bounds__(256)
cub_sums(float* __restrict__ values, unsigned rounds) {
    typedef cub::BlockReduce<float, 256> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ float total;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        float sum = Reduce(storage).Sum(value);
        // CUB gives it to the first thread alone.
        if (threadIdx.x == 0) total = sum;
        __syncthreads();
        value = value - 0.001f * total;
    }
    values[i] = value;
}

extern "C" __global__ void __launch_bounds__(256)
shuffled_sums(float* __restrict__ values, unsigned rounds) {
    __shared__ float warps[8];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        float sum = value;
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = warps[0];
        for (int warp = 1; warp < 8; warp++) sum += warps[warp];
        value = value - 0.001f * sum;
        __syncthreads();
    }
    values[i] = value;
}

extern "C" __global__ void __launch_bounds__(256)
cub_scans(unsigned* __restrict__ values, unsigned rounds) {
    typedef cub::BlockScan<unsigned, 256, cub::BLOCK_SCAN_WARP_SCANS> Scan;
    __shared__ typename Scan::TempStorage storage;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        unsigned sum;
        Scan(storage).InclusiveSum(value, sum);
        value = sum ^ value;
        __syncthreads();
    }
    values[i] = value;
}

extern "C" __global__ void __launch_bounds__(256)
shuffled_scans(unsigned* __restrict__ values, unsigned rounds) {
    __shared__ unsigned warps[8];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    unsigned value = values[i];
    for (unsigned round = 0; round < rounds; round++) {
        unsigned sum = value;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned below = __shfl_up_sync(~0u, sum, distance);
            if (t % 32 >= distance) sum += below;
        }
        if (t % 32 == 31) warps[t / 32] = sum;
        __syncthreads();
        unsigned before = 0;
        for (int warp = 0; warp < 7; warp++)
            if (warp < t / 32) before += warps[warp];
        value = (before + sum) ^ value;
        __syncthreads();
    }
    values[i] = value;
}

struct Less {
    __device__ bool operator()(unsigned a, unsigned b) const { return a < b; }
};

template <int ITEMS>
__device__ void merge_sorts(unsigned* values, unsigned rounds) {
    typedef cub::BlockMergeSort<unsigned, 256, ITEMS> Sort;
    __shared__ typename Sort::TempStorage storage;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[ITEMS];
    for (int k = 0; k < ITEMS; k++) own[k] = values[i * ITEMS + k];
    for (unsigned round = 0; round < rounds; round++) {
        Sort(storage).Sort(own, Less());
        for (int k = 0; k < ITEMS; k++) own[k] *= 2654435761u;
        __syncthreads();
    }
    for (int k = 0; k < ITEMS; k++) values[i * ITEMS + k] = own[k];
}

extern "C" __global__ void __launch_bounds__(256)
cub_merge_sorts(unsigned* __restrict__ values, unsigned rounds) { merge_sorts<1>(values, rounds); }

extern "C" __global__ void __launch_bounds__(256)
cub_merge_sorts_of_four(unsigned* __restrict__ values, unsigned rounds) { merge_sorts<4>(values, rounds); }

extern "C" __global__ void __launch_bounds__(256)
cub_radix_sorts(unsigned* __restrict__ values, unsigned rounds) {
    typedef cub::BlockRadixSort<unsigned, 256, 1> Sort;
    __shared__ typename Sort::TempStorage storage;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[1] = {values[i]};
    for (unsigned round = 0; round < rounds; round++) {
        Sort(storage).Sort(own);
        own[0] *= 2654435761u;
        __syncthreads();
    }
    values[i] = own[0];
}
