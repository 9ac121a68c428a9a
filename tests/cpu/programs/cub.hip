// SPDX-License-Identifier: MIT
// hipCUB's device, block and warp algorithms against the standard library, for sizes around those of warps and blocks.
#include <hip/hip_runtime.h>
#include <hipcub/hipcub.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static int failures = 0;

static void expect(bool right, const char* what, size_t size) {
  if (!right) std::printf("FAIL: %s, %zu items\n", what, size);
  failures += !right;
}

template <typename T>
struct Memory {
  T* data = nullptr;
  size_t size;
  explicit Memory(size_t items) : size(items) { static_cast<void>(hipMalloc(&data, (items + 1) * sizeof(T))); }
  explicit Memory(const std::vector<T>& items) : Memory(items.size()) {
    static_cast<void>(hipMemcpy(data, items.data(), size * sizeof(T), hipMemcpyHostToDevice));
  }
  Memory(const Memory&) = delete;
  ~Memory() { static_cast<void>(hipFree(data)); }
  std::vector<T> read() const {
    std::vector<T> items(size);
    static_cast<void>(hipMemcpy(items.data(), data, size * sizeof(T), hipMemcpyDeviceToHost));
    return items;
  }
};

// Call a function of hipCUB twice: for the size of its storage, and to run.
template <typename F>
void run(F algorithm, const char* what, size_t size) {
  size_t bytes = 0;
  expect(algorithm(nullptr, bytes) == hipSuccess, what, size);
  Memory<char> storage(bytes);
  expect(algorithm(static_cast<void*>(storage.data), bytes) == hipSuccess, what, size);
}

static std::vector<int> numbers(size_t size, int range) {
  std::vector<int> made(size);
  unsigned state = 12345;
  for (int& item : made) item = static_cast<int>((state = state * 1664525 + 1013904223) >> 8) % range - range / 2;
  return made;
}

static void reductions(size_t size) {
  const std::vector<int> items = numbers(size, 1000);
  const int count = static_cast<int>(size);
  Memory<int> in(items), out(1);
  run([&](void* s, size_t& b) { return hipcub::DeviceReduce::Sum(s, b, in.data, out.data, count); }, "Sum", size);
  expect(out.read()[0] == std::accumulate(items.begin(), items.end(), 0), "Sum", size);
  if (size == 0) return;
  run([&](void* s, size_t& b) { return hipcub::DeviceReduce::Min(s, b, in.data, out.data, count); }, "Min", size);
  expect(out.read()[0] == *std::min_element(items.begin(), items.end()), "Min", size);
}

static void scans(size_t size) {
  const std::vector<int> items = numbers(size, 1000);
  const int count = static_cast<int>(size);
  std::vector<int> inclusive(size), exclusive(size);
  std::inclusive_scan(items.begin(), items.end(), inclusive.begin());
  std::exclusive_scan(items.begin(), items.end(), exclusive.begin(), 0);
  Memory<int> in(items), out(size);
  run([&](void* s, size_t& b) { return hipcub::DeviceScan::InclusiveSum(s, b, in.data, out.data, count); },
      "InclusiveSum", size);
  expect(out.read() == inclusive, "InclusiveSum", size);
  run([&](void* s, size_t& b) { return hipcub::DeviceScan::ExclusiveSum(s, b, in.data, out.data, count); },
      "ExclusiveSum", size);
  expect(out.read() == exclusive, "ExclusiveSum", size);
}

static void sorts(size_t size) {
  const std::vector<int> items = numbers(size, 500);
  const int count = static_cast<int>(size);
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  Memory<int> keys(items), values(order), sorted(size), moved(size);
  run(
      [&](void* s, size_t& b) {
        return hipcub::DeviceRadixSort::SortPairs(s, b, keys.data, sorted.data, values.data, moved.data, count);
      },
      "SortPairs", size);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return items[a] < items[b]; });
  expect(moved.read() == order, "SortPairs", size);
}

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

static void selections(size_t size) {
  const std::vector<int> items = numbers(size, 20);
  const int count = static_cast<int>(size);
  Memory<int> in(items), out(size), found(1);
  const auto first = [&] {
    std::vector<int> made = out.read();
    made.resize(static_cast<size_t>(found.read()[0]));
    return made;
  };
  run([&](void* s, size_t& b) { return hipcub::DeviceSelect::If(s, b, in.data, out.data, found.data, count, IsOdd()); },
      "Select::If", size);
  std::vector<int> odd;
  std::copy_if(items.begin(), items.end(), std::back_inserter(odd), IsOdd());
  expect(first() == odd, "Select::If", size);
  run([&](void* s, size_t& b) { return hipcub::DeviceSelect::Unique(s, b, in.data, out.data, found.data, count); },
      "Select::Unique", size);
  std::vector<int> unique(items);
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  expect(first() == unique, "Select::Unique", size);
}

static void histograms(size_t size) {
  std::vector<int> items = numbers(size, 64), expected(8);
  for (int& item : items) ++expected[static_cast<size_t>((item += 32) / 8)];
  Memory<int> in(items), bins(8);
  run(
      [&](void* s, size_t& b) {
        return hipcub::DeviceHistogram::HistogramEven(s, b, in.data, bins.data, 9, 0, 64, static_cast<int>(size));
      },
      "HistogramEven", size);
  expect(bins.read() == expected, "HistogramEven", size);
}

// One block: sort, scan and reduce its items, and the smallest of each warp.
template <int Threads, int Items>
__global__ void in_a_block(const int* in, int* sorted, int* scanned, int* sums, int* least) {
  using Load = hipcub::BlockLoad<int, Threads, Items, hipcub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = hipcub::BlockRadixSort<int, Threads, Items>;
  using Store = hipcub::BlockStore<int, Threads, Items, hipcub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = hipcub::BlockScan<int, Threads>;
  using Reduce = hipcub::BlockReduce<int, Threads>;
  using WarpReduce = hipcub::WarpReduce<int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;
  __shared__ typename WarpReduce::TempStorage warps[Threads / 32];
  const int offset = blockIdx.x * Threads * Items;
  int items[Items];
  Load(shared.load).Load(in + offset, items);
  const int small = WarpReduce(warps[threadIdx.x / warpSize]).Reduce(items[0], hipcub::Min());
  if (threadIdx.x % warpSize == 0) least[(blockIdx.x * Threads + threadIdx.x) / warpSize] = small;
  __syncthreads();
  const int sum = Reduce(shared.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  int running[Items];
  Scan(shared.scan).InclusiveSum(items, running);
  __syncthreads();
  Store(shared.store).Store(scanned + offset, running);
  __syncthreads();
  Sort(shared.sort).Sort(items);
  __syncthreads();
  Store(shared.store).Store(sorted + offset, items);
}

template <int Threads, int Items>
void blocks() {
  constexpr size_t size = Threads * Items, count = 3;
  const std::vector<int> items = numbers(count * size, 10000);
  Memory<int> in(items), sorted(count * size), scanned(count * size), sums(count), least(count * Threads / warpSize);
  in_a_block<Threads, Items><<<count, Threads>>>(in.data, sorted.data, scanned.data, sums.data, least.data);
  expect(hipDeviceSynchronize() == hipSuccess, "blocks", size);
  std::vector<int> in_order(items), running(items), total(count), smallest;
  for (size_t i = 0; i < count; ++i) {
    const auto first = items.begin() + static_cast<long>(i * size), last = first + static_cast<long>(size);
    std::sort(in_order.begin() + (first - items.begin()), in_order.begin() + (last - items.begin()));
    std::partial_sum(first, last, running.begin() + (first - items.begin()));
    total[i] = std::accumulate(first, last, 0);
    for (size_t thread = 0; thread < Threads; ++thread) {
      if (thread % warpSize == 0) smallest.push_back(first[static_cast<long>(thread * Items)]);
      smallest.back() = std::min(smallest.back(), first[static_cast<long>(thread * Items)]);
    }
  }
  expect(sorted.read() == in_order, "BlockRadixSort", size);
  expect(scanned.read() == running, "BlockScan", size);
  expect(sums.read() == total, "BlockReduce", size);
  expect(least.read() == smallest, "WarpReduce", size);
}

int main() {
  for (size_t size : {0, 1, 63, 65, 1000, 20001}) {
    reductions(size);
    scans(size);
    sorts(size);
    selections(size);
    histograms(size);
  }
  blocks<128, 4>();
  blocks<64, 1>();
  std::puts(failures == 0 ? "PASS" : "FAIL");
  return failures != 0;
}
