// Adds one to each element of shared memory, the last one included, for elements of 1 to 16 bytes. Each lane finds its
// element through a table, so that no compiler and no emulator knows the order of the addresses.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kLanes = 64, kBytes = 4096;

struct __align__(16) Quad {
  unsigned x, y, z, w;
};
struct Triple {
  unsigned x, y, z;
};

template <typename T>
__device__ void increment(T& value) {
  ++value;
}
__device__ void increment(Quad& value) { ++value.x, ++value.y, ++value.z, ++value.w; }
__device__ void increment(Triple& value) { ++value.x, ++value.y, ++value.z; }

template <typename T>
__global__ void add_one(const int* order, const T* from, T* to, int rows, int active) {
  extern __shared__ __align__(16) char memory[];
  T* const shared = reinterpret_cast<T*>(memory);
  const int lane = static_cast<int>(threadIdx.x);
  for (int row = 0; row < rows; ++row) shared[row * kLanes + lane] = from[row * kLanes + lane];
  __syncthreads();
  if (lane >= kLanes - active)
    for (int row = 0; row < rows; ++row) increment(shared[order[row] * kLanes + lane]);
  __syncthreads();
  for (int row = 0; row < rows; ++row) to[row * kLanes + lane] = shared[order[row] * kLanes + lane];
}

template <typename T>
bool run(const char* name) {
  const int rows = kBytes / static_cast<int>(sizeof(T)) / kLanes, count = rows * kLanes;
  int* order = nullptr;
  T *from = nullptr, *to = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&order), rows * sizeof(int)) != hipSuccess ||
      hipMallocManaged(reinterpret_cast<void**>(&from), count * sizeof(T)) != hipSuccess ||
      hipMallocManaged(reinterpret_cast<void**>(&to), count * sizeof(T)) != hipSuccess)
    return false;
  for (int row = 0; row < rows; ++row) order[row] = rows - 1 - row;
  for (int active : {kLanes, 1, 5}) {
    auto* const words = reinterpret_cast<unsigned char*>(from);
    for (size_t i = 0; i < count * sizeof(T); ++i) words[i] = static_cast<unsigned char>(i * 7 + i / 256 & 0x7f);
    add_one<T><<<1, kLanes, count * sizeof(T)>>>(order, from, to, rows, active);
    if (hipDeviceSynchronize() != hipSuccess) return false;
    int wrong = 0;
    for (int row = 0; row < rows; ++row)
      for (int lane = 0; lane < kLanes; ++lane) {
        T expected = from[order[row] * kLanes + lane];
        if (lane >= kLanes - active) {
          auto* const parts = reinterpret_cast<unsigned char*>(&expected);
          for (size_t at = 0; at < sizeof(T); at += sizeof(T) == 8 ? 8 : 4) ++parts[at];
        }
        wrong += __builtin_memcmp(&expected, &to[row * kLanes + lane], sizeof(T)) != 0;
      }
    std::printf("%s, %d lanes: %d wrong\n", name, active, wrong);
  }
  return hipFree(order) == hipSuccess && hipFree(from) == hipSuccess && hipFree(to) == hipSuccess;
}

int main() {
  const bool fine = run<unsigned char>("unsigned char") && run<signed char>("signed char") &&
                    run<unsigned short>("unsigned short") && run<short>("short") && run<unsigned>("unsigned") &&
                    run<unsigned long long>("unsigned long long") && run<Triple>("Triple") && run<Quad>("Quad");
  return fine ? 0 : 1;
}
