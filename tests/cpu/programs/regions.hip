// SPDX-License-Identifier: MIT
// Kernels whose threads can run together: each result is compared with what it must be.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kThreads = 96, kCount = 1000;
int wrong = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("%s\n", what);
  ++wrong;
}

// Threads that return are not waited for, and do nothing behind the barrier.
__global__ void leaving(int* out, int limit) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) >= limit) return;
  atomicAdd(&sum, 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}

// The loop ends when all threads have returned.
__global__ void leaving_a_loop(int* out) {
  int turns = 0;
  while (true) {
    if (turns > static_cast<int>(threadIdx.x) / 32) return;
    out[threadIdx.x] = ++turns;
    __syncthreads();
  }
}

// Every thread changes its own copy of a parameter, in a loop around a barrier, too.
__global__ void own_parameters(int* out, int value, const int* in) {
  for (int i = 0; i < 3; ++i) {
    value += threadIdx.x;
    in += threadIdx.x % 2;
    __syncthreads();
  }
  out[threadIdx.x] = value + *in;
}

template <typename T, int N>
__global__ void rotated(const T* in, T* out) {
  __shared__ T tile[N];
  T parts[2] = {0};
  tile[threadIdx.x] = in[threadIdx.x];
  parts[1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % N] * 2 + parts[0] + parts[1];
}

// Numbers that wrap around: the loop must end where it does for each thread alone.
__global__ void close_to_the_end(unsigned* out, unsigned bound) {
  unsigned count = 0;
  for (unsigned i = bound - 300 + threadIdx.x; i < bound; i += 40) count += out[threadIdx.x] + 1;
  out[threadIdx.x] = count;
}
__global__ void with_strides(const int* in, int* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = in[i] + i;
}
__global__ void triangle(const int* in, int* out, size_t count) {
  int sum = 0;
  for (size_t i = threadIdx.x; i < count; i++) sum += in[i];
  out[threadIdx.x] = sum;
}
__global__ void to_the_last(const int* in, int* out, int last) {
  int sum = 0;
  for (int i = threadIdx.x; i <= last; i += blockDim.x) sum += in[i];
  out[threadIdx.x] = sum;
}

// Values of threads that differ only in y and z.
__global__ void in_three_dimensions(int* out) {
  __shared__ int tile[4][3][8];
  tile[threadIdx.z][threadIdx.y][threadIdx.x] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
  __syncthreads();
  const int t = threadIdx.x + 8 * (threadIdx.y + 3 * threadIdx.z);
  out[t] = tile[3 - threadIdx.z][2 - threadIdx.y][7 - threadIdx.x];
}

// A lock: threads must not run together, since one waits for another.
__global__ void with_a_lock(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void store(int* out) { out[threadIdx.x] = 1; }

template <typename T>
std::vector<T> numbers(size_t count) {
  std::vector<T> made(count);
  for (size_t i = 0; i < count; ++i) made[i] = static_cast<T>(i % 97);
  return made;
}

void check_leaving() {
  std::vector<int> out(kThreads);
  leaving<<<1, kThreads>>>(out.data(), 70);
  for (int i = 0; i < kThreads; ++i) expect(out[i] == (i < 70 ? 70 : 0), "leaving");
  leaving<<<1, kThreads>>>(out.data(), 0);
  leaving_a_loop<<<1, kThreads>>>(out.data());
  for (int i = 0; i < kThreads; ++i) expect(out[i] == i / 32 + 1, "leaving_a_loop");
}

void check_variables() {
  std::vector<int> out(kThreads);
  const std::vector<int> in = numbers<int>(kCount);
  own_parameters<<<2, kThreads>>>(out.data(), 5, in.data());
  for (int i = 0; i < kThreads; ++i) expect(out[i] == 5 + 3 * i + 3 * (i % 2), "own_parameters");
  const std::vector<double> doubles = numbers<double>(kThreads);
  std::vector<double> result(kThreads);
  rotated<double, kThreads><<<1, kThreads>>>(doubles.data(), result.data());
  for (int i = 0; i < kThreads; ++i) expect(result[i] == (i + 1) % kThreads * 2 + i, "rotated");
}

void check_loops() {
  const std::vector<int> in = numbers<int>(kCount);
  std::vector<unsigned> counts(kThreads);
  close_to_the_end<<<1, kThreads>>>(counts.data(), 4294967295u - 100);
  for (int i = 0; i < kThreads; ++i) expect(counts[i] == static_cast<unsigned>(300 - i + 39) / 40, "close_to_the_end");
  std::vector<int> out(kCount);
  with_strides<<<3, 33>>>(in.data(), out.data(), kCount);
  for (int i = 0; i < kCount; ++i) expect(out[i] == in[i] + i, "with_strides");
  triangle<<<1, kThreads>>>(in.data(), out.data(), kCount);
  for (int i = 0, sum = 0; i < kThreads; ++i, sum = 0) {
    for (int j = i; j < kCount; ++j) sum += in[j];
    expect(out[i] == sum, "triangle");
  }
  to_the_last<<<1, kThreads>>>(in.data(), out.data(), kCount - 1);
  for (int i = 0, sum = 0; i < kThreads; ++i, sum = 0) {
    for (int j = i; j < kCount; j += kThreads) sum += in[j];
    expect(out[i] == sum, "to_the_last");
  }
}

void check_blocks() {
  std::vector<int> out(96);
  in_three_dimensions<<<1, dim3(8, 3, 4)>>>(out.data());
  for (int i = 0; i < 96; ++i)
    expect(out[i] == 7 - i % 8 + 10 * (2 - i / 8 % 3) + 100 * (3 - i / 24), "in_three_dimensions");
  int lock = 0, sum = 0;
  with_a_lock<<<4, 64>>>(&lock, &sum);
  expect(sum == 256, "with_a_lock");
}

// Conditions that hold for a part of each row of threads.
__global__ void guarded(const int* in, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] + 1;
}
__global__ void guarded_unsigned(const int* in, int* out, unsigned count) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = in[i] + 1;
}
__global__ void guarded_long(const int* in, int* out, size_t count) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int* from = in + i;
  int* to = out + i;
  *to = *from + 1;
}
// A divisor that the guard in front of it rules out.
__global__ void divided(const int* in, int* out, int count) {
  if (count == 0) return;
  const int quotient = 1000 / count;
  const int i = quotient + threadIdx.x;
  if (i > count) return;
  out[threadIdx.x] = in[i] + 1;
}
__global__ void inner(int* out, int rows, int columns) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < 1 || y < 1 || !(x < columns - 1) || y >= rows - 1) return;
  out[y * columns + x] = x - y;
}
__global__ void one_thread(int* out, int which) {
  if (threadIdx.x == which) out[threadIdx.x] = 1;
}
// What compares as unsigned: threads with negative numbers count as those with the largest ones.
__global__ void mixed(int* out, unsigned limit) {
  const int i = static_cast<int>(threadIdx.x) - 5;
  if (i > limit) out[threadIdx.x] = 1;
}
__global__ void wrapping(int* out, unsigned start, unsigned limit) {
  const unsigned i = start + threadIdx.x;
  if (i < limit) out[threadIdx.x] = i;
}
__global__ void short_numbers(int* out, int start) {
  const short i = start + threadIdx.x;
  if (i < 100) out[threadIdx.x] = i;
}
__global__ void backwards(const int* in, int* out, int count) {
  const int i = count - 1 - static_cast<int>(threadIdx.x);
  if (i >= 0) out[threadIdx.x] = in[i];
}

template <typename Launch, typename Expected>
void expect_each(const char* what, int threads, Launch launch, Expected expected) {
  std::vector<int> out(kCount, -7);
  launch(out.data());
  for (int i = 0; i < kCount; ++i) {
    const int right = i < threads ? expected(i) : -7;
    if (out[i] == right) continue;
    std::printf("%s: %d at %d instead of %d\n", what, out[i], i, right);
    ++wrong;
    return;
  }
}

void check_guards() {
  std::vector<int> in(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = 3 * i;
  for (const int count : {0, 1, 31, kThreads - 1, kThreads, kThreads + 1, 900}) {
    const int blocks = (900 + kThreads - 1) / kThreads;
    const auto more = [&](int i) { return i < count ? in[i] + 1 : -7; };
    expect_each("guarded", kCount, [&](int* out) { guarded<<<blocks, kThreads>>>(in.data(), out, count); }, more);
    expect_each(
        "unsigned", kCount, [&](int* out) { guarded_unsigned<<<blocks, kThreads>>>(in.data(), out, count); }, more);
    expect_each("long", kCount, [&](int* out) { guarded_long<<<blocks, kThreads>>>(in.data(), out, count); }, more);
    expect_each(
        "divided", kThreads, [&](int* out) { divided<<<1, kThreads>>>(in.data(), out, count); },
        [&](int i) { return count == 0 || 1000 / count + i > count ? -7 : in[1000 / count + i] + 1; });
    expect_each(
        "mixed", kThreads, [&](int* out) { mixed<<<1, kThreads>>>(out, count); },
        [&](int i) { return i - 5 < 0 || i - 5 > count ? 1 : -7; });
    expect_each(
        "wrapping", kThreads, [&](int* out) { wrapping<<<1, kThreads>>>(out, 0xffffffe0u, count); },
        [&](int i) { return i >= 32 && i - 32 < count ? i - 32 : -7; });
    expect_each(
        "one thread", kThreads, [&](int* out) { one_thread<<<1, kThreads>>>(out, count); },
        [&](int i) { return i == count ? 1 : -7; });
    expect_each(
        "backwards", kThreads, [&](int* out) { backwards<<<1, kThreads>>>(in.data(), out, count); },
        [&](int i) { return i < count ? in[count - 1 - i] : -7; });
  }
  expect_each(
      "short numbers", kThreads, [&](int* out) { short_numbers<<<1, kThreads>>>(out, 32760); },
      [&](int i) { return i < 8 ? -7 : i - 32776; });
  expect_each(
      "large numbers", kThreads, [&](int* out) { wrapping<<<1, kThreads>>>(out, 0x7ffffff0u, 0x80000010u); },
      [&](int i) { return i < 32 ? static_cast<int>(0x7ffffff0u + i) : -7; });
  expect_each(
      "inner", 20 * 12, [&](int* out) { inner<<<1, dim3(32, 16)>>>(out, 12, 20); },
      [&](int i) { return i % 20 == 0 || i % 20 == 19 || i / 20 == 0 || i / 20 == 11 ? -7 : i % 20 - i / 20; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "fault") == 0) {
    store<<<1, 64>>>(nullptr);
    return 0;
  }
  check_leaving();
  check_variables();
  check_loops();
  check_blocks();
  check_guards();
  expect(hipGetLastError() == hipSuccess, "the status of a launch");
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
