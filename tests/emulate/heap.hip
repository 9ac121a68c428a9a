// Each thread allocates, fills and checks blocks of many sizes while the others do the same.
#include <hip/hip_runtime.h>

#include <cstdio>

struct Counted {
  int* alive;
  int number;
  __device__ Counted(int* at, int n) : alive(at), number(n) { atomicAdd(alive, 1); }
  __device__ ~Counted() { atomicSub(alive, 1); }
};

__device__ bool filled(const unsigned char* block, size_t bytes, unsigned char with) {
  for (size_t i = 0; i < bytes; i += i < 64 ? 1 : 61)
    if (block[i] != with) return false;
  return true;
}

__global__ void blocks(const size_t* sizes, int count, int* wrong) {
  const unsigned char mine = 1 + (blockIdx.x * blockDim.x + threadIdx.x) % 251;
  unsigned char* all[24];
  for (int i = 0; i < count; ++i) {
    all[i] = static_cast<unsigned char*>(i % 2 ? malloc(sizes[i]) : new unsigned char[sizes[i]]);
    if (all[i] == nullptr) atomicAdd(wrong, 1);
    for (size_t at = 0; all[i] != nullptr && at < sizes[i]; ++at) all[i][at] = mine;
  }
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    if (all[i] == nullptr || !filled(all[i], sizes[i], mine)) atomicAdd(wrong, 1);
    if (i % 2)
      free(all[i]);
    else
      delete[] all[i];
  }
}

__global__ void objects(int* alive, int* sum, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    Counted* const made = new Counted(alive, i);
    atomicAdd(sum, made->number);
    if ((threadIdx.x + i) % 3) delete made;  // the others stay
  }
}

int main() {
  const size_t sizes[] = {1,   2,   8,   15,  16,  17,   24,   32,   33,   48,   64,   96,
                          100, 128, 192, 250, 500, 1000, 1536, 2048, 3000, 3072, 3073, 5000};
  const int count = sizeof sizes / sizeof *sizes;
  size_t* on_device = nullptr;
  int *results = nullptr, host[3] = {};
  if (hipMalloc(reinterpret_cast<void**>(&on_device), sizeof sizes) != hipSuccess) return 1;
  if (hipMalloc(reinterpret_cast<void**>(&results), sizeof host) != hipSuccess) return 1;
  if (hipMemcpy(on_device, sizes, sizeof sizes, hipMemcpyHostToDevice) != hipSuccess) return 1;
  if (hipMemset(results, 0, sizeof host) != hipSuccess) return 1;
  for (const int threads : {1, 31, 64, 100}) blocks<<<threads % 3 + 1, threads>>>(on_device, count, results);
  objects<<<3, 90>>>(results + 1, results + 2, 6);
  if (hipMemcpy(host, results, sizeof host, hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d wrong, %d alive, sum %d\n", host[0], host[1], host[2]);
  return 0;
}
