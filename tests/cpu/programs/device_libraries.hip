// SPDX-License-Identifier: MIT
// One algorithm of Thrust and one of hipCUB against the standard library: the least that shows that both work.
#include <hipcub/device/device_reduce.hpp>
#include <thrust/device_ptr.h>
#include <thrust/scan.h>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  bool right = true;
  for (const int size : {1, 63, 65, 1000, 20001}) {
    std::vector<int> items(static_cast<size_t>(size)), expected(items.size());
    for (int i = 0; i < size; ++i) items[i] = i * 37 % 101 - 50;
    int *in = nullptr, *out = nullptr, sum = 0;
    hipMalloc(&in, sizeof(int) * items.size());
    hipMalloc(&out, sizeof(int) * items.size());
    hipMemcpy(in, items.data(), sizeof(int) * items.size(), hipMemcpyHostToDevice);

    void* scratch = nullptr;
    size_t bytes = 0;
    hipcub::DeviceReduce::Sum(scratch, bytes, in, out, size);
    hipMalloc(&scratch, bytes);
    hipcub::DeviceReduce::Sum(scratch, bytes, in, out, size);
    hipMemcpy(&sum, out, sizeof sum, hipMemcpyDeviceToHost);
    right = right && sum == std::accumulate(items.begin(), items.end(), 0);

    thrust::inclusive_scan(thrust::device_pointer_cast(in), thrust::device_pointer_cast(in) + size,
                           thrust::device_pointer_cast(out));
    std::partial_sum(items.begin(), items.end(), expected.begin());
    hipMemcpy(items.data(), out, sizeof(int) * items.size(), hipMemcpyDeviceToHost);
    right = right && items == expected;
    for (void* memory : {static_cast<void*>(in), static_cast<void*>(out), scratch}) hipFree(memory);
  }
  std::puts(right ? "PASS" : "FAIL");
}
