// Kernels with one defect each, and the same kernels without it. Every launch is `name<part>`: part 0 is without.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#define CHECK(call) \
  if ((call) != hipSuccess) return 3

constexpr int kThreads = 256;

// ---- bounds: each access, in each width, of an element before, within and behind ----

template <typename T>
__global__ void load_element(const T* from, T* to, long at) {
  to[threadIdx.x] = from[at];
}
template <typename T>
__global__ void store_element(T* to, T value, long at) {
  if (threadIdx.x == 5) to[at] = value;
}
template <typename T>
__global__ void add_element(T* to, T value, long at) {
  if (threadIdx.x == 5) atomicAdd(&to[at], value);
}
template <typename T>
__global__ void shared_store_element(T* out, T value, long at) {
  extern __shared__ char dynamic[];
  T* const shared = reinterpret_cast<T*>(dynamic);
  shared[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 5) shared[at] = value;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x];
}
template <typename T>
__global__ void shared_load_element(T* out, T value, long at) {
  extern __shared__ char dynamic[];
  T* const shared = reinterpret_cast<T*>(dynamic);
  shared[threadIdx.x] = value;
  __syncthreads();
  const T found = shared[at];
  out[threadIdx.x] = found;
}

template <typename T>
int bounds(const char* kind, const long* places, int count) {
  T *p = nullptr, *q = nullptr;
  CHECK(hipMalloc(reinterpret_cast<void**>(&p), kThreads * sizeof(T)));
  CHECK(hipMalloc(reinterpret_cast<void**>(&q), kThreads * sizeof(T)));
  CHECK(hipMemset(p, 1, kThreads * sizeof(T)));
  T value{};
  for (int i = 0; i < count; ++i) {
    const long at = places[i];
    if (std::strcmp(kind, "load") == 0) load_element<T><<<1, 64>>>(p, q, at);
    if (std::strcmp(kind, "store") == 0) store_element<T><<<1, 64>>>(p, value, at);
    if constexpr (sizeof(T) == 4 && std::is_arithmetic_v<T>)
      if (std::strcmp(kind, "add") == 0) add_element<T><<<1, 64>>>(p, value, at);
    if (std::strcmp(kind, "shared_store") == 0)
      shared_store_element<T><<<1, kThreads, kThreads * sizeof(T)>>>(q, value, at);
    if (std::strcmp(kind, "shared_load") == 0)
      shared_load_element<T><<<1, kThreads, kThreads * sizeof(T)>>>(q, value, at);
  }
  return hipDeviceSynchronize() != hipSuccess;
}

// ---- values that nothing wrote ----

template <int Part>
__global__ void unwritten_shared(float* q) {
  __shared__ float values[kThreads];
  if (threadIdx.x < kThreads - (Part ? 3 : 0)) values[threadIdx.x] = q[threadIdx.x];
  __syncthreads();
  q[threadIdx.x] = values[threadIdx.x] * 2.0f;
}
template <int Part>
__global__ void unwritten_shared_in_a_branch(float* q) {
  __shared__ int flag;
  if (!Part && threadIdx.x == 0) flag = 1;
  __syncthreads();
  if (flag == 1) q[threadIdx.x] = 1.0f;
}
template <int Part>
__global__ void unwritten_register(float* q) {
  float v;
  if (Part)
    asm volatile("v_add_f32 %0, 1.0, v77" : "=v"(v)::"v77");
  else
    asm volatile("v_mov_b32 v77, 1.0\n\tv_add_f32 %0, 1.0, v77" : "=v"(v)::"v77");
  q[threadIdx.x] = v;
}
// Tables are often loaded beyond what is used: no defect until the value matters.
template <int Part>
__global__ void unwritten_but_unused(float* q) {
  __shared__ float values[kThreads + 64];
  values[threadIdx.x] = q[threadIdx.x];
  __syncthreads();
  const float beyond = values[threadIdx.x + 1];
  const bool is_last = threadIdx.x == kThreads - 1;
  q[threadIdx.x] = is_last && !Part ? 0.0f : beyond;
}

// ---- races ----

template <int Part>
__global__ void race_of_write_and_read(float* q) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = q[threadIdx.x] + threadIdx.x;
  if (!Part) __syncthreads();
  q[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}
template <int Part>
__global__ void race_of_read_and_write(float* q) {
  __shared__ float values[kThreads];
  for (int i = 0; i < 2; ++i) {
    values[threadIdx.x] = q[threadIdx.x] + threadIdx.x + i;
    __syncthreads();
    q[kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
    if (!Part) __syncthreads();
  }
}
template <int Part>
__global__ void race_of_writes(float* q) {
  __shared__ float total;
  if (Part || threadIdx.x == 0) total = threadIdx.x / 64 + 1.0f;
  __syncthreads();
  q[threadIdx.x] = total;
}
template <int Part>
__global__ void race_in_global_memory(float* q) {
  q[threadIdx.x] = threadIdx.x + 1.0f;
  __threadfence_block();
  if (!Part) __syncthreads();
  q[kThreads + threadIdx.x] = q[kThreads - 1 - threadIdx.x];
}
template <int Part>
__global__ void race_of_atomic_and_write(int* q) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 1;
  if (!Part) __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  q[threadIdx.x] = count;
}
// Near misses: neighboring bytes, equal values, a lock, one wavefront after another.
template <int Part>
__global__ void no_race(int* q) {
  __shared__ char bytes[kThreads];
  __shared__ int flag, lock, total;
  if (threadIdx.x == 0) lock = total = 0;
  flag = 7;
  bytes[threadIdx.x] = char(threadIdx.x);
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    total += bytes[kThreads - 1 - threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  q[threadIdx.x] = total + flag;
}

// ---- barriers ----

template <int Part>
__global__ void barrier_in_a_branch(float* q) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = q[threadIdx.x];
  if (!Part || threadIdx.x % 2 == 0) {
    __syncthreads();
    q[threadIdx.x] = values[threadIdx.x];
  }
  q[kThreads + threadIdx.x] = threadIdx.x;
}
template <int Part>
__global__ void barriers_of_two_branches(float* q) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = q[threadIdx.x];
  if (!Part || threadIdx.x < 128) {
    __syncthreads();
    q[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
  } else {
    asm volatile("s_nop 1");
    __syncthreads();
    q[threadIdx.x] = values[kThreads - 1 - threadIdx.x] * 2;
  }
}
template <int Part>
__global__ void returns_early(float* q) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = q[threadIdx.x];
  if (threadIdx.x >= 100) return;
  __syncthreads();
  q[threadIdx.x] = values[99 - threadIdx.x];
}

template <typename T>
T* fresh() {
  T* q = nullptr;
  const size_t bytes = 2 * kThreads * sizeof(T);
  if (hipMalloc(reinterpret_cast<void**>(&q), bytes) != hipSuccess || hipMemset(q, 0, bytes) != hipSuccess) return q;
  return q;
}

template <int Part>
void others() {
  unwritten_shared<Part><<<1, kThreads>>>(fresh<float>());
  unwritten_shared_in_a_branch<Part><<<1, kThreads>>>(fresh<float>());
  unwritten_register<Part><<<1, 64>>>(fresh<float>());
  unwritten_but_unused<Part><<<1, kThreads>>>(fresh<float>());
  race_of_write_and_read<Part><<<1, kThreads>>>(fresh<float>());
  race_of_read_and_write<Part><<<1, kThreads>>>(fresh<float>());
  race_of_writes<Part><<<1, kThreads>>>(fresh<float>());
  race_in_global_memory<Part><<<1, kThreads>>>(fresh<float>());
  race_of_atomic_and_write<Part><<<1, kThreads>>>(fresh<int>());
  barrier_in_a_branch<Part><<<1, kThreads>>>(fresh<float>());
  barriers_of_two_branches<Part><<<1, kThreads>>>(fresh<float>());
}

int main(int argc, char** argv) {
  const bool faulty = argc > 1 && std::strcmp(argv[1], "faulty") == 0;
  const long inside[] = {0, kThreads - 1}, outside[] = {0, kThreads - 1, kThreads, -1};
  const long* const places = faulty ? outside : inside;
  const int count = faulty ? 4 : 2;
  for (const char* kind : {"load", "store", "add", "shared_store", "shared_load"}) {
    if (bounds<char>(kind, places, count) || bounds<short>(kind, places, count) || bounds<int>(kind, places, count) ||
        bounds<double>(kind, places, count) || bounds<float3>(kind, places, count) ||
        bounds<float4>(kind, places, count))
      return 3;
  }
  if (faulty) {
    int* freed = fresh<int>();
    CHECK(hipFree(freed));
    load_element<unsigned><<<1, 64>>>(reinterpret_cast<unsigned*>(freed), fresh<unsigned>(), 0);
    load_element<long><<<1, 64>>>(nullptr, fresh<long>(), 1);
    others<1>();
  } else {
    others<0>();
    no_race<0><<<1, kThreads>>>(fresh<int>());
    returns_early<0><<<1, kThreads>>>(fresh<float>());
  }
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
