// SPDX-License-Identifier: MIT
// Every cross-lane function, called by all lanes of full and of partial wavefronts, against a plain computation on the
// host from the definitions. Prints what differs.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const hipError_t status_ = (call);                                    \
    if (status_ != hipSuccess) {                                          \
      std::printf("line %d: %s\n", __LINE__, hipGetErrorString(status_)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

using Mask = unsigned long long;

enum Function { kIndexed, kUp, kDown, kXor, kFunctions };

struct Wide {
  double value;
  int lane;
};

// A value that differs between lanes and says which thread it is from.
__host__ __device__ double value_of(int thread) { return 1000.5 + 3.0 * thread; }
__host__ __device__ int predicate_of(int thread, int kind) {
  return kind == 0 ? thread % 3 == 0 : kind == 1 ? 1 : kind == 2 ? 0 : thread % 7 != 5;
}
__host__ __device__ int group_of(int thread, int kind) { return kind == 0 ? thread % 5 : kind == 1 ? 7 : thread; }

template <typename T>
__device__ T shuffled(Function function, bool masked, Mask mask, T value, int argument, int width) {
  switch (function) {
    case kIndexed: return masked ? __shfl_sync(mask, value, argument, width) : __shfl(value, argument, width);
    case kUp: return masked ? __shfl_up_sync(mask, value, argument, width) : __shfl_up(value, argument, width);
    case kDown: return masked ? __shfl_down_sync(mask, value, argument, width) : __shfl_down(value, argument, width);
    default: return masked ? __shfl_xor_sync(mask, value, argument, width) : __shfl_xor(value, argument, width);
  }
}

__global__ void shuffle_all(double* out, Wide* wide, Function function, bool masked, int argument, int width) {
  const int thread = threadIdx.x;
  const Mask mask = ~0ull;
  out[thread] = shuffled(function, masked, mask, value_of(thread), argument, width);
  wide[thread] = shuffled(function, masked, mask, Wide{value_of(thread), thread}, argument, width);
}

struct Votes {
  Mask ballot, any, all, active, match_any, match_all;
  int matched;
};

__global__ void vote_all(Votes* out, bool masked, int kind) {
  const int thread = threadIdx.x, predicate = predicate_of(thread, kind), group = group_of(thread, kind);
  const Mask mask = ~0ull;
  Votes votes;
  votes.ballot = masked ? __ballot_sync(mask, predicate) : __ballot(predicate);
  votes.any = masked ? __any_sync(mask, predicate) : __any(predicate);
  votes.all = masked ? __all_sync(mask, predicate) : __all(predicate);
  votes.active = __activemask();
  votes.match_any = masked ? __match_any_sync(mask, group) : __match_any(group);
  votes.match_all = masked ? __match_all_sync(mask, group, &votes.matched) : __match_all(group, &votes.matched);
  out[thread] = votes;
}

// Only odd lanes take part; then all lanes meet again.
__global__ void vote_in_branch(Votes* out) {
  const int thread = threadIdx.x;
  Votes votes = {};
  if (thread % 2) {
    votes.ballot = __ballot(thread % 3 == 0);
    votes.active = __activemask();
  }
  votes.match_any = __ballot(1);
  out[thread] = votes;
}

// All lanes but those of the mask have ended. Of those the last does not wait, nor does the only one.
__global__ void vote_of_few(Mask* out, Mask mask) {
  const int thread = threadIdx.x;
  out[thread] = 0;
  if ((mask >> (thread % warpSize) & 1) == 0) return;
  for (int i = 0; i < 3; ++i) out[thread] += __ballot_sync(mask, 1);
}

__global__ void count_barrier(int* out) {
  const int thread = threadIdx.x;
  out[3 * thread] = __syncthreads_count(thread % 3 == 0);
  out[3 * thread + 1] = __syncthreads_and(thread < 5);
  out[3 * thread + 2] = __syncthreads_or(thread == 1);
}

int failures = 0;

void expect(bool right, const char* what, int threads, int thread) {
  if (!right && failures++ < 20) std::printf("wrong: %s, %d threads, thread %d\n", what, threads, thread);
}

// The thread from which `thread` reads; -1 if it does not exist.
int source_of(Function function, int thread, int argument, int width, int threads) {
  const int wave = thread / warpSize * warpSize, lane = thread - wave, start = lane / width * width;
  int from = lane;
  if (function == kIndexed) from = start + (argument % width + width) % width;
  if (function == kUp && lane - argument >= start) from = lane - argument;
  if (function == kDown && lane + argument < start + width) from = lane + argument;
  if (function == kXor && (lane ^ argument) < start + width) from = lane ^ argument;
  return wave + from < threads ? wave + from : -1;
}

void check_shuffles(int threads) {
  static double* out = nullptr;
  static Wide* wide = nullptr;
  if (out == nullptr) CHECK(hipMalloc(&out, 1024 * sizeof(double)));
  if (wide == nullptr) CHECK(hipMalloc(&wide, 1024 * sizeof(Wide)));
  for (int function = 0; function < kFunctions; ++function)
    for (int masked = 0; masked < 2; ++masked)
      for (int width = warpSize; width >= 2; width /= 2)
        for (int argument : {0, 1, 3, 8, 17, 31, 40, 63}) {
          if (argument >= warpSize) continue;
          hipLaunchKernelGGL(shuffle_all, dim3(1), dim3(threads), 0, 0, out, wide, Function(function), masked != 0,
                             argument, width);
          for (int t = 0; t < threads; ++t) {
            const int from = source_of(Function(function), t, argument, width, threads);
            const double expected = from < 0 ? 0.0 : value_of(from);
            expect(out[t] == expected, "shuffle", threads, t);
            expect(wide[t].value == expected && wide[t].lane == (from < 0 ? 0 : from), "wide shuffle", threads, t);
          }
        }
}

// The lanes of a thread's wave for which `f` holds.
template <typename F>
Mask lanes_where(int thread, int threads, F f) {
  const int wave = thread / warpSize * warpSize;
  Mask lanes = 0;
  for (int lane = 0; lane < warpSize && wave + lane < threads; ++lane) lanes |= Mask(f(wave + lane) ? 1 : 0) << lane;
  return lanes;
}

void check_votes(int threads) {
  static Votes* out = nullptr;
  if (out == nullptr) CHECK(hipMalloc(&out, 1024 * sizeof(Votes)));
  for (int masked = 0; masked < 2; ++masked)
    for (int kind = 0; kind < 4; ++kind) {
      hipLaunchKernelGGL(vote_all, dim3(1), dim3(threads), 0, 0, out, masked != 0, kind);
      for (int t = 0; t < threads; ++t) {
        const Mask all = lanes_where(t, threads, [](int) { return true; });
        const Mask ballot = lanes_where(t, threads, [&](int other) { return predicate_of(other, kind) != 0; });
        const Mask same =
            lanes_where(t, threads, [&](int other) { return group_of(other, kind) == group_of(t, kind); });
        expect(out[t].ballot == ballot, "ballot", threads, t);
        expect(out[t].any == (ballot != 0), "any", threads, t);
        expect(out[t].all == (ballot == all), "all", threads, t);
        expect(out[t].active == all, "activemask", threads, t);
        expect(out[t].match_any == same, "match_any", threads, t);
        expect(out[t].match_all == (same == all ? all : 0), "match_all", threads, t);
        expect((out[t].matched != 0) == (same == all), "match_all's flag", threads, t);
      }
    }
  hipLaunchKernelGGL(vote_in_branch, dim3(1), dim3(threads), 0, 0, out);
  for (int t = 0; t < threads; ++t) {
    const Mask odd = lanes_where(t, threads, [](int other) { return other % 2 == 1; });
    const Mask third = lanes_where(t, threads, [](int other) { return other % 2 == 1 && other % 3 == 0; });
    expect(out[t].ballot == (t % 2 ? third : 0), "ballot in a branch", threads, t);
    expect(out[t].active == (t % 2 ? odd : 0), "activemask in a branch", threads, t);
    expect(out[t].match_any == lanes_where(t, threads, [](int) { return true; }), "ballot behind it", threads, t);
  }
}

void check_few(int threads) {
  static Mask* out = nullptr;
  if (out == nullptr) CHECK(hipMalloc(&out, 1024 * sizeof(Mask)));
  for (Mask mask : {Mask(0x10), Mask(0x80000001), Mask(0x40004000)}) {
    hipLaunchKernelGGL(vote_of_few, dim3(1), dim3(threads), 0, 0, out, mask);
    CHECK(hipDeviceSynchronize());
    for (int t = 0; t < threads; ++t) {
      const Mask named = lanes_where(t, threads, [=](int other) { return (mask >> (other % warpSize) & 1) != 0; });
      expect(out[t] == ((mask >> (t % warpSize) & 1) != 0 ? 3 * named : 0), "ballot of few", threads, t);
    }
  }
}

void check_barriers(int threads) {
  static int* out = nullptr;
  if (out == nullptr) CHECK(hipMalloc(&out, 3 * 1024 * sizeof(int)));
  hipLaunchKernelGGL(count_barrier, dim3(1), dim3(threads), 0, 0, out);
  for (int t = 0; t < threads; ++t) {
    expect(out[3 * t] == (threads + 2) / 3, "__syncthreads_count", threads, t);
    expect((out[3 * t + 1] != 0) == (threads <= 5), "__syncthreads_and", threads, t);
    expect((out[3 * t + 2] != 0) == (threads > 1), "__syncthreads_or", threads, t);
  }
}

int main() {
  for (int threads : {1, 2, 31, 32, 33, 47, 63, 64, 65, 96, 100, 127, 128, 1000, 1024}) {
    check_shuffles(threads);
    check_votes(threads);
    check_few(threads);
    check_barriers(threads);
  }
  CHECK(hipGetLastError());
  std::printf("wavefronts of %d lanes: %d wrong\n", warpSize, failures);
  return failures != 0;
}
