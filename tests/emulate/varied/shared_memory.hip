// SPDX-License-Identifier: MIT
// Shared memory: more than 32 KiB, all of 64 KiB, and elements of 1 to 16 bytes.
#include "show.h"

__global__ void large(unsigned* out) {
  __shared__ unsigned tile[12000];
  for (unsigned i = threadIdx.x; i < 12000; i += blockDim.x) tile[i] = scrambled(i + blockIdx.x);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = 0; i < 50; ++i) sum = sum * 3 + tile[(threadIdx.x * 241 + i * 977) % 12000];
  out[thread_number()] = sum;
}
__global__ void all_of_it(unsigned* out, int words) {
  extern __shared__ unsigned memory[];
  for (int i = int(threadIdx.x); i < words; i += int(blockDim.x)) memory[i] = unsigned(i) * 2654435761u;
  __syncthreads();
  unsigned sum = 0;
  for (int i = int(threadIdx.x); i < words; i += 1021) sum ^= memory[words - 1 - i];
  out[thread_number()] += sum;
}
template <typename T>
__global__ void elements(T* out) {
  __shared__ T row[257];
  __shared__ char odd[3];
  row[threadIdx.x] = T{};
  if (threadIdx.x < 3) odd[threadIdx.x] = char(threadIdx.x);
  __syncthreads();
  row[(threadIdx.x * 85) % 256] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = odd[threadIdx.x % 3] == 1 ? row[255 - threadIdx.x] : row[threadIdx.x];
}
template <typename T>
void move(const char* name) {
  std::vector<unsigned char> bytes(sizeof(T) * 256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 37 >> 3);
  T* const out = zeros<T>(256);
  if (hipMemcpy(out, bytes.data(), bytes.size(), hipMemcpyHostToDevice) != hipSuccess) std::puts("not copied");
  elements<<<1, 256>>>(out);
  show(name, reinterpret_cast<unsigned char*>(out), bytes.size());
}
struct Three {
  float x, y, z;
};

int main() {
  auto* const out = zeros<unsigned>(512);
  large<<<2, 256>>>(out);
  show("48 KiB", out, 512);
  all_of_it<<<2, 256, 65536>>>(out, 16384);
  show("64 KiB", out, 512);
  move<unsigned char>("bytes");
  move<short>("shorts");
  move<float>("words");
  move<double>("doubles");
  move<Three>("threes");
  move<float4>("fours");
}
