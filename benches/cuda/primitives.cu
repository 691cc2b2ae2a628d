// Sums, scans and sorts of whole arrays by CUB, with the input of `benches/primitives.rs`: medians of eleven runs.
//
//     nvcc -O3 -arch=sm_90 -o target/cub benches/cuda/primitives.cu && target/cub
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cub/cub.cuh>

const int COUNT = 1 << 28;

__global__ void fill(unsigned* words, float* floats) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
        unsigned long long word = (i + 1ull) * 0x9e3779b97f4a7c15ull;
        words[i] = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9ull >> 32;
        floats[i] = words[i] / 4294967296.0f;
    }
}

// Milliseconds on the device. The first run is not counted.
template <typename Work>
float timed(Work work) {
    std::vector<float> times;
    cudaEvent_t before, behind;
    cudaEventCreate(&before);
    cudaEventCreate(&behind);
    for (int run = 0; run < 12; run++) {
        cudaEventRecord(before);
        work();
        cudaEventRecord(behind);
        cudaEventSynchronize(behind);
        float time;
        cudaEventElapsedTime(&time, before, behind);
        if (run > 0) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main() {
    unsigned *keys, *sorted;
    float *x, *y;
    cudaMalloc(&keys, 4ull * COUNT);
    cudaMalloc(&sorted, 4ull * COUNT);
    cudaMalloc(&x, 4ull * COUNT);
    cudaMalloc(&y, 4ull * COUNT);
    fill<<<2048, 256>>>(keys, x);
    size_t most = 0, bytes = 0;
    void* memory = nullptr;
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, sorted, COUNT);
    most = std::max(most, bytes);
    cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, COUNT);
    most = std::max(most, bytes);
    cub::DeviceReduce::Sum(nullptr, bytes, x, y, COUNT);
    most = std::max(most, bytes);
    cudaMalloc(&memory, most);

    float copy = timed([&] { cudaMemcpyAsync(y, x, 4ull * COUNT, cudaMemcpyDeviceToDevice); });
    float sum = timed([&] { bytes = most; cub::DeviceReduce::Sum(memory, bytes, x, y, COUNT); });
    float scan = timed([&] { bytes = most; cub::DeviceScan::InclusiveSum(memory, bytes, x, y, COUNT); });
    float sort = timed([&] { bytes = most; cub::DeviceRadixSort::SortKeys(memory, bytes, keys, sorted, COUNT); });
    printf("device copy   %.3f ms %8.1f GB/s\n", copy, 8.0 * COUNT / copy / 1e6);
    printf("sum           %.3f ms %8.1f GB/s\n", sum, 4.0 * COUNT / sum / 1e6);
    printf("inclusive sum %.3f ms %8.1f GB/s\n", scan, 8.0 * COUNT / scan / 1e6);
    printf("sort          %.3f ms %8.1f Gkeys/s\n", sort, COUNT / sort / 1e6);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return cudaGetLastError() != cudaSuccess;
}
