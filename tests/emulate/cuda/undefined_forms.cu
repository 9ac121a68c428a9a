// Values that only some threads set, in functions behind macros, in macros and in lambdas; functions without `return`.
#include <cuda_runtime.h>

#include "checks.h"

#define DEV __device__ __forceinline__
#define SIDES __host__ __device__
#define THROUGH DEV
#define SUM_OF_FIRST(result, first, in, count) \
  do {                                         \
    int sum_;                                  \
    if (first) sum_ = added(in, count);        \
    result = same(sum_);                       \
  } while (0)

constexpr int kThreads = 96;

DEV int added(const int* in, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += in[i];
  return sum;
}

template <typename T>
__device__ __noinline__ T same(T value) {
  return value;
}

DEV int behind_macro(const int* in, int count) {
  int sum;
  if (threadIdx.x == 0) sum = added(in, count);
  return same(sum);
}

struct Adder {
  const int* in;
  THROUGH int operator()(int count) const {
    int sums[2];
    if (threadIdx.x == 0) sums[0] = added(in, count);
    return same(sums[0]);
  }
};

DEV void add_if(bool first, const int* in, int count, int* sum) {
  if (first) *sum = added(in, count);
}

__device__ int no_return(const int* in, int count, int* out) {
  if (threadIdx.x == 0) return added(in, count);
  out[threadIdx.x] = threadIdx.x;
}

DEV float2 no_return_of_cases(const int* in, int count, int* out) {
  switch (threadIdx.x) {
    case 0: return make_float2(added(in, count), 0);
    default: out[threadIdx.x] = threadIdx.x;
  }
}

template <typename F>
__global__ void run(F form, const int* in, int* out, int count) {
  const int sum = form(in, count, out);
  if (threadIdx.x == 0) out[0] = sum;
  if (threadIdx.x != 0) out[threadIdx.x] = threadIdx.x;
}

template <typename F>
void check(int number, F form, const int* in, int* out, int count) {
  int got[kThreads];
  cudaMemset(out, 0xff, sizeof got);
  run<<<1, kThreads>>>(form, in, out, count);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  expect("sum", number, got[0], count * (count + 1) / 2);
  for (int i = 1; i < kThreads; ++i) expect("thread", 1000 * number + i, got[i], i);
}

int main() {
  constexpr int count = 40;
  int in[count], *numbers, *out;
  for (int i = 0; i < count; ++i) in[i] = i + 1;
  cudaMalloc(&numbers, sizeof in);
  cudaMalloc(&out, kThreads * sizeof(int));
  cudaMemcpy(numbers, in, sizeof in, cudaMemcpyHostToDevice);
  auto macro = [] __device__(const int* in, int n, int*) { return behind_macro(in, n); };
  auto member = [] __device__(const int* in, int n, int*) { return Adder{in}(n); };
  auto statement = [] __device__(const int* in, int n, int*) {
    int result;
    SUM_OF_FIRST(result, threadIdx.x == 0, in, n);
    return result;
  };
  auto own = [=] SIDES(const int* in, int n, int*) -> int {
    int sum;
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) sum = added(in, n);
#endif
    return sum;
  };
  auto pointer = [] __device__(const int* in, int n, int*) {
    int sum;
    add_if(threadIdx.x == 0, in, n, &sum);
    return sum;
  };
  auto inner = [] __device__(const int* in, int n, int*) {
    auto first = [&](bool is_first) {
      int sum;
      if (is_first) sum = added(in, n);
      return sum;
    };
    return same(first(threadIdx.x == 0));
  };
  auto ends = [] __device__(const int* in, int n, int* out) { return no_return(in, n, out); };
  auto cases = [] __device__(const int* in, int n, int* out) { return int(no_return_of_cases(in, n, out).x); };
  check(0, macro, numbers, out, count);
  check(1, member, numbers, out, count);
  check(2, statement, numbers, out, count);
  check(3, own, numbers, out, count);
  check(4, pointer, numbers, out, count);
  check(5, inner, numbers, out, count);
  check(6, ends, numbers, out, count);
  check(7, cases, numbers, out, count);
  cudaFree(numbers);
  cudaFree(out);
  return finished("undefined_forms");
}
