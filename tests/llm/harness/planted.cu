// Ways for a kernel to be wrong, a version each. sizes: count. buffers: from, to [count] of float.
#include "../../../hipport/llm/harness/registry.h"

namespace hipport_llm {

namespace {

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
