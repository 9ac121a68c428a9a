// SPDX-License-Identifier: MIT
// Thrust's algorithms against the standard library, for sizes around those of warps and blocks.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

static int failures = 0;

static void expect(bool right, const char* what, size_t size) {
  if (!right) std::printf("FAIL: %s, %zu items\n", what, size);
  failures += !right;
}

template <typename T>
std::vector<T> on_host(const thrust::device_vector<T>& items, size_t size) {
  thrust::host_vector<T> copy(items.begin(), items.begin() + static_cast<long>(size));
  return std::vector<T>(copy.begin(), copy.end());
}

struct Affine {
  int factor;
  __host__ __device__ int operator()(int x, int y) const { return factor * x + y; }
};
struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct SumOfPair {
  __host__ __device__ int operator()(const thrust::tuple<int, int>& pair) const {
    return thrust::get<0>(pair) - thrust::get<1>(pair);
  }
};

static std::vector<int> numbers(size_t size, int range) {
  std::vector<int> made(size);
  unsigned state = 12345;
  for (int& item : made) item = static_cast<int>((state = state * 1664525 + 1013904223) >> 8) % range;
  return made;
}

static void transforms(size_t size) {
  const std::vector<int> items = numbers(size, 100);
  thrust::device_vector<int> x(items.begin(), items.end()), y(size), z(size, 7);
  thrust::sequence(y.begin(), y.end(), 3);
  thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), Affine{5});
  std::vector<int> expected(size);
  for (size_t i = 0; i < size; ++i) expected[i] = 5 * items[i] + static_cast<int>(i) + 3;
  expect(on_host(z, size) == expected, "transform", size);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), thrust::make_counting_iterator(0)));
  thrust::transform(pairs, pairs + static_cast<long>(size), z.begin(), SumOfPair());
  for (size_t i = 0; i < size; ++i) expected[i] = items[i] - static_cast<int>(i);
  expect(on_host(z, size) == expected, "zip and counting iterators", size);
  const auto squares = thrust::make_transform_iterator(x.begin(), Square());
  const int sum = thrust::reduce(squares, squares + static_cast<long>(size), 0, thrust::plus<int>());
  expect(sum == std::inner_product(items.begin(), items.end(), items.begin(), 0), "reduce of squares", size);
}

static void scans(size_t size) {
  const std::vector<int> items = numbers(size, 100);
  thrust::device_vector<int> in(items.begin(), items.end()), out(size);
  std::vector<int> expected(size);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  std::inclusive_scan(items.begin(), items.end(), expected.begin());
  expect(on_host(out, size) == expected, "inclusive_scan", size);
  thrust::exclusive_scan(thrust::device, in.begin(), in.end(), in.begin(), 4);
  std::exclusive_scan(items.begin(), items.end(), expected.begin(), 4);
  expect(on_host(in, size) == expected, "exclusive_scan", size);
}

static void sorts(size_t size) {
  std::vector<int> items = numbers(size, 200), order(size);
  std::iota(order.begin(), order.end(), 0);
  thrust::device_vector<int> keys(items.begin(), items.end()), values(order.begin(), order.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return items[a] < items[b]; });
  expect(on_host(values, size) == order, "stable_sort_by_key", size);
  thrust::sort(values.begin(), values.end(), thrust::greater<int>());
  std::sort(order.begin(), order.end(), std::greater<int>());
  expect(on_host(values, size) == order, "sort", size);
  const size_t kept = static_cast<size_t>(thrust::unique(keys.begin(), keys.end()) - keys.begin());
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  expect(on_host(keys, kept) == items, "unique", size);
}

static void by_key(size_t size) {
  std::vector<int> items = numbers(size, 40);
  std::sort(items.begin(), items.end());
  thrust::device_vector<int> keys(items.begin(), items.end()), found(size), counts(size);
  const auto ends =
      thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1), found.begin(), counts.begin());
  std::map<int, int> expected;
  for (int item : items) ++expected[item];
  std::vector<int> first, second;
  for (const auto& [key, count] : expected) first.push_back(key), second.push_back(count);
  const size_t groups = static_cast<size_t>(ends.first - found.begin());
  expect(on_host(found, groups) == first && on_host(counts, groups) == second, "reduce_by_key", size);
}

int main() {
  for (size_t size : {0, 1, 63, 65, 1000, 20001}) {
    transforms(size);
    scans(size);
    sorts(size);
    by_key(size);
  }
  std::puts(failures == 0 ? "PASS" : "FAIL");
  return failures != 0;
}
