// Ways for a kernel to be wrong, a version each. sizes: count. buffers: from, to [count] of float. And what coordinates
// must do, which the compiler checks.
#include "../../../hipport/llm/harness/registry.h"
#include "../../../hipport/llm/operators/convolution.cuh"

namespace hipport_llm {

namespace {

constexpr bool divides(int divisor) {
  const Divisor by(divisor);
  for (int64_t quotient : {0, 1, 2, 3, 1000, 46340, 65535})
    for (int64_t rest : {0, 1, divisor - 1}) {
      const int64_t n = quotient * divisor + rest;
      if (rest < divisor && n <= INT32_MAX && by.divide(static_cast<int>(n)) != quotient) return false;
    }
  return by.divide(INT32_MAX) == INT32_MAX / divisor;
}

static_assert(divides(1) && divides(2) && divides(3) && divides(7) && divides(641) && divides(65536) &&
                  divides(65537) && divides(1000003) && divides(INT32_MAX),
              "");

// One coordinate through three dimensions and back.
constexpr bool comes_back() {
  for (int n = 0; n < 200; ++n) {
    int at[3] = {}, back = -1;
    Merge<3>{{Divisor(7), Divisor(5)}}(&n, at);
    Unmerge<3>{{7, 5}}(at, &back);
    if (back != n || at[0] != n / 35 || at[1] != n / 5 % 7 || at[2] != n % 5) return false;
  }
  return true;
}

static_assert(comes_back(), "");

// A matrix of 3 x 4 with rows 10 apart.
constexpr bool is_at(int row, int column, bool inside) {
  const int at[2] = {row, column};
  const Place place = bounded(3, 4, 10).place(at);
  return place.inside == inside && (!inside || place.offset == row * 10 + column);
}

static_assert(is_at(0, 0, true) && is_at(2, 3, true) && is_at(3, 0, false) && is_at(0, 4, false) && is_at(-1, 0, false),
              "");

enum Mistake { kNone, kOff, kNan, kLeavesOne, kWritesBehind, kWritesBefore, kWritesInput };

template <int Kind>
__global__ void doubled_kernel(float* from, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || (Kind == kLeavesOne && i == count - 1)) return;
  to[i] = 2.0f * from[i];
  if (Kind == kOff && i == count / 2) to[i] += 1.0f;
  if (Kind == kNan && i == count / 2) to[i] = nanf("");
  if (Kind == kWritesBehind && i == 0) to[count] = 0.0f;
  if (Kind == kWritesBefore && i == 0) to[-1] = 0.0f;
  if (Kind == kWritesInput && i == 0) from[i] = 0.0f;
}

template <int Kind>
void doubled(const Launch& launch) {
  const int count = launch.size(0);
  doubled_kernel<Kind><<<blocks_for(count, launch.block()), launch.block(), 0, launch.stream()>>>(
      launch.buffer<float>(0), launch.buffer<float>(1), count);
}

void impossible(const Launch& launch) { launch.size(1); }

const Registered versions_of_doubled[] = {
    {"doubled", 1, "Right.", {32, 64}, doubled<kNone>},
    {"doubled", 2, "Off by one.", {32}, doubled<kOff>},
    {"doubled", 3, "A NaN.", {32}, doubled<kNan>},
    {"doubled", 4, "Leaves one out.", {32}, doubled<kLeavesOne>},
    {"doubled", 5, "Writes behind the end.", {32}, doubled<kWritesBehind>},
    {"doubled", 6, "Writes before the start.", {32}, doubled<kWritesBefore>},
    {"doubled", 7, "Writes its input.", {32}, doubled<kWritesInput>},
    {"doubled", 8, "Wants more sizes than there are.", {32}, impossible},
};

}  // namespace

}  // namespace hipport_llm
