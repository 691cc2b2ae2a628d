// Primitives of whole arrays by CUB, with the input of `benches/primitives.rs`: medians of eleven runs.
//
//     nvcc -O3 -arch=sm_90 -o target/cub vyre-primitives/benches/cuda/primitives.cu && target/cub
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cub/cub.cuh>

const int COUNT = 1 << 28;
const int SEGMENT = 1000;

__global__ void fill(unsigned* words, float* floats, unsigned char* bytes, unsigned char* flags, unsigned* runs, int* offsets) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
        unsigned long long word = (i + 1ull) * 0x9e3779b97f4a7c15ull;
        words[i] = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9ull >> 32;
        floats[i] = words[i] / 4294967296.0f;
        bytes[i] = words[i] >> 24;
        flags[i] = words[i] & 1;
        runs[i] = i / 3;
        if (i <= COUNT / SEGMENT) offsets[i] = i * SEGMENT;
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
    unsigned *runs, *found;
    unsigned char *bytes_of_keys, *flags;
    int* offsets;
    unsigned int* counts;
    cudaMalloc(&runs, 4ull * COUNT);
    cudaMalloc(&found, 4);
    cudaMalloc(&bytes_of_keys, COUNT);
    cudaMalloc(&flags, COUNT);
    cudaMalloc(&offsets, 4ull * (COUNT / SEGMENT + 1));
    cudaMalloc(&counts, sizeof *counts * 256);
    fill<<<2048, 256>>>(keys, x, bytes_of_keys, flags, runs, offsets);

    // Asks for the temporary memory, and times with it.
    auto median = [](auto call) {
        size_t bytes = 0;
        void* memory = nullptr;
        call(memory, bytes);
        cudaMalloc(&memory, bytes);
        float time = timed([&] { call(memory, bytes); });
        cudaFree(memory);
        return time;
    };
    float copy = timed([&] { cudaMemcpyAsync(y, x, 4ull * COUNT, cudaMemcpyDeviceToDevice); });
    float sum = median([&](void* m, size_t& bytes) { cub::DeviceReduce::Sum(m, bytes, x, y, COUNT); });
    float scan = median([&](void* m, size_t& bytes) { cub::DeviceScan::InclusiveSum(m, bytes, x, y, COUNT); });
    float histogram = median([&](void* m, size_t& bytes) {
        cub::DeviceHistogram::HistogramEven(m, bytes, x, counts, 257, 0.0f, 1.0f, COUNT);
    });
    float of_bytes = median([&](void* m, size_t& bytes) {
        cub::DeviceHistogram::HistogramEven(m, bytes, bytes_of_keys, counts, 257, 0, 256, COUNT);
    });
    float select = median([&](void* m, size_t& bytes) {
        cub::DeviceSelect::Flagged(m, bytes, keys, flags, sorted, found, COUNT);
    });
    float unique = median([&](void* m, size_t& bytes) { cub::DeviceSelect::Unique(m, bytes, runs, sorted, found, COUNT); });
    float segments = median([&](void* m, size_t& bytes) {
        cub::DeviceSegmentedReduce::Sum(m, bytes, x, y, COUNT / SEGMENT, offsets, offsets + 1);
    });
    float sort = median([&](void* m, size_t& bytes) { cub::DeviceRadixSort::SortKeys(m, bytes, keys, sorted, COUNT); });
    float pairs = median([&](void* m, size_t& bytes) {
        cub::DeviceRadixSort::SortPairs(m, bytes, keys, sorted, runs, (unsigned*)y, COUNT);
    });
    auto print = [](const char* name, float time, double bytes) {
        printf("%-20s %.3f ms %8.1f GB/s\n", name, time, bytes * COUNT / time / 1e6);
    };
    print("device copy", copy, 8);
    print("sum", sum, 4);
    print("inclusive sum", scan, 8);
    print("histogram, 256 bins", histogram, 4);
    print("histogram of bytes", of_bytes, 1);
    print("select, half of all", select, 7);
    print("unique, runs of 3", unique, 16.0 / 3);
    print("segments of 1000", segments, 4);
    printf("sort                 %.3f ms %8.1f Gkeys/s\n", sort, COUNT / sort / 1e6);
    printf("sort with values     %.3f ms %8.1f Gkeys/s\n", pairs, COUNT / pairs / 1e6);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return cudaGetLastError() != cudaSuccess;
}
