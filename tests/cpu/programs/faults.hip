// SPDX-License-Identifier: MIT
// Faults for the checks of --sanitize: `faults NAME faulty` plants one at the line that is marked with its name,
// `faults NAME,NAME... sound` runs the same code without it.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 128, kBytes = kThreads * sizeof(int);

// ---- bounds ----

__global__ void load(int* out, const int* in, int shift) {
  out[threadIdx.x] =
      in[static_cast<int>(threadIdx.x) + shift];  // fault: load_behind load_before use_after_free freed_async
}
__global__ void store(int* out, int shift) {
  out[threadIdx.x + shift] = 1;  // fault: store_behind null host_heap host_stack
}
__global__ void add(int* out, int shift) {
  atomicAdd(&out[threadIdx.x + shift], 1);  // fault: atomic_behind
}
__global__ void divide(int* out, int by) {
  out[threadIdx.x] = 100 / (static_cast<int>(threadIdx.x) - 5 + by);  // fault: division
}
__global__ void copy_wide(float4* out, const float4* in, int shift) {
  out[threadIdx.x] = in[threadIdx.x + shift];  // fault: wide_load_behind
}
__global__ void load_bytes(char* out, const char* in, int shift) {
  if (threadIdx.x == 5) out[0] = in[shift];  // fault: byte_behind
}
__global__ void shared_store(int* out, int shift) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 7) tile[threadIdx.x + shift] = 1;  // fault: shared_behind
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void dynamic_load(int* out, int shift) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + shift];  // fault: dynamic_behind
}
__global__ void misaligned_load(int* out, const char* in, int shift) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + 4 * threadIdx.x + shift);  // fault: misaligned
}
__global__ void misaligned_vector(float* out, const float* in, int shift) {
  const float4* const mine = reinterpret_cast<const float4*>(in + 4 * threadIdx.x + shift);
  if (threadIdx.x < 8) out[threadIdx.x] = mine->x + mine->w;  // fault: misaligned_vector
}
struct Pair {
  double first, second;
};
__global__ void copy_pairs(Pair* out, const Pair* in) {
  if (threadIdx.x < 8) out[threadIdx.x] = in[threadIdx.x];  // 16 bytes, aligned to 8
}
__global__ void kernel_memory(int* out, int count) {
  int* const mine = static_cast<int*>(malloc(kBytes));
  for (int i = 0; i < count; ++i) mine[i] = i;  // fault: heap_behind
  out[threadIdx.x] = mine[threadIdx.x];
  free(mine);
}

// ---- values ----

__global__ void sum_of(int* out, const int* in, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += in[i];  // fault: unwritten_global
  out[threadIdx.x] = sum;
}
__global__ void unwritten_shared(int* out, int count) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < count) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // fault: unwritten_shared
}
struct Padded {
  char letter;
  int number;
};
__global__ void copy_padded(Padded* out, const Padded* in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void fill_padded(Padded* out) {
  out[threadIdx.x].letter = 'a';
  out[threadIdx.x].number = 1;
}

// ---- races ----

__global__ void missing_barrier(int* out, bool faulty) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = threadIdx.x;
  if (!faulty) __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // fault: race_shared
}
__global__ void missing_second_barrier(int* out, bool faulty) {
  __shared__ int tile[kThreads];
  for (int i = 0; i < 3; ++i) {
    tile[threadIdx.x] = i;  // fault: race_reuse
    __syncthreads();
    out[threadIdx.x] += tile[(threadIdx.x + 1) % kThreads];
    if (!faulty) __syncthreads();
  }
}
__global__ void warp_reduction(int* out, bool faulty) {
  __shared__ volatile int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    const int other = tile[(threadIdx.x + step) % 64];  // fault: race_warp
    if (!faulty) __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x] + other;
    if (!faulty) __syncthreads();
  }
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void count(int* out, bool faulty) {
  if (faulty)
    out[0] = out[0] + 1;  // fault: race_global
  else
    atomicAdd(out, 1);
}
__global__ void mixed(int* out, bool faulty) {
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(out, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    if (faulty)
      *out = 5;  // fault: race_atomic
    else
      atomicExch(out, 5);
  }
}
__global__ void same_value(int* out) { out[0] = 1; }  // all threads store the same
__device__ unsigned ended;
__device__ int total;
__global__ void add_to_total(bool faulty) {
  if (faulty)
    total = total + 1;  // fault: race_variable
  else
    atomicAdd(&total, 1);
}
__global__ void last_block_sums(int* out, int* parts, bool faulty) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    if (!faulty) __threadfence();
    is_last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(out, parts[threadIdx.x]);  // fault: race_no_fence
}
__global__ void locked(int* out, int* lock, bool faulty) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  out[0] = out[0] + 1;  // fault: race_lock
  __threadfence();
  if (faulty) out[1] = out[1] + 1;
  atomicExch(lock, 0);
  if (faulty) out[0] = out[0] + 1;
}
__global__ void flagged(int* out, volatile int* flag, bool faulty) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 3;
    if (!faulty) __threadfence();
    *flag = 1;
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
    out[1] = out[0];  // fault: race_flag
  }
}

// ---- barriers and waiting ----

__global__ void lanes_apart(int* out, bool faulty) {
  if (faulty && threadIdx.x % 2) {
    out[threadIdx.x] = 1;
    __syncthreads();  // fault: barrier_lanes
  } else {
    __syncthreads();
  }
}
__global__ void warps_apart(int* out, bool faulty) {
  if (faulty && threadIdx.x >= 64) {
    out[threadIdx.x] = 1;
    __syncthreads();  // fault: barrier_warps
  } else {
    __syncthreads();
  }
}
__global__ void skipped_barrier(bool faulty) {
  if (!faulty || threadIdx.x < 64) __syncthreads();  // fault: barrier_skipped
}
__global__ void wrong_mask(int* out, bool faulty) {
  out[threadIdx.x] = __shfl_sync(faulty ? 1ull : ~0ull, 1, 0);  // fault: mask
}
__global__ void spin(volatile int* flag, bool faulty) {
  if (blockIdx.x == 0 && threadIdx.x == 64 && !faulty) *flag = 1;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    while (*flag == 0) {  // fault: spin
    }
}

// ---- the host ----

int* device_memory() {
  int* memory = nullptr;
  if (hipMalloc(&memory, kBytes) != hipSuccess) std::exit(3);
  (void)hipMemset(memory, 0, kBytes);
  return memory;
}

void bounds(const char* name, bool faulty, int* out, int* in) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  const int shift = faulty ? 1 : 0;
  if (is("load_behind")) load<<<1, kThreads>>>(out, in, shift);
  if (is("load_before")) load<<<1, kThreads>>>(out, in, -shift);
  if (is("store_behind")) store<<<1, kThreads>>>(out, shift);
  if (is("atomic_behind")) add<<<1, kThreads>>>(out, shift);
  if (is("wide_load_behind"))
    copy_wide<<<1, kThreads / 4>>>(reinterpret_cast<float4*>(out), reinterpret_cast<float4*>(in), shift);
  if (is("byte_behind"))
    load_bytes<<<1, kThreads>>>(reinterpret_cast<char*>(out), reinterpret_cast<char*>(in), kBytes - 1 + shift);
  if (is("shared_behind")) shared_store<<<2, kThreads>>>(out, kThreads - 8 + shift);
  if (is("dynamic_behind")) dynamic_load<<<2, kThreads, kBytes>>>(out, shift);
  if (is("misaligned")) misaligned_load<<<1, kThreads - 1>>>(out, reinterpret_cast<char*>(in), faulty ? 2 : 4);
  if (is("misaligned_vector"))
    misaligned_vector<<<1, 16>>>(reinterpret_cast<float*>(out), reinterpret_cast<float*>(in), faulty ? 2 : 4);
  if (is("aligned_pair"))
    copy_pairs<<<1, 16>>>(reinterpret_cast<Pair*>(out + 2), reinterpret_cast<const Pair*>(in + 2));
  if (is("heap_behind")) kernel_memory<<<1, 4>>>(out, kThreads + shift);
  if (is("null")) {
    if (!faulty) store<<<1, kThreads>>>(out, 0);
    if (faulty) store<<<1, 1>>>(nullptr, 0);
  }
  if (is("division")) divide<<<1, kThreads>>>(out, faulty ? 0 : 1000);
  if (is("host_heap")) {
    int* const mine = new int[kThreads];
    store<<<1, kThreads>>>(faulty ? mine : out, 0);
    delete[] mine;
  }
  if (is("host_stack")) {
    int mine[kThreads] = {};
    store<<<1, kThreads>>>(faulty ? mine : out, 0);
    std::printf("%d", mine[0]);
  }
}

void values(const char* name, bool faulty, int* out) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("unwritten_shared")) unwritten_shared<<<1, kThreads>>>(out, faulty ? 64 : kThreads);
  if (is("unwritten_global") || is("copy_of_unwritten")) {
    int *in = nullptr, *other = nullptr;
    (void)hipMalloc(&in, kBytes);
    (void)hipMalloc(&other, kBytes);
    (void)hipMemset(in, 1, faulty ? kBytes - 4 : kBytes);
    (void)hipMemcpy(other, in, kBytes, hipMemcpyDeviceToDevice);
    if (is("unwritten_global")) sum_of<<<1, kThreads>>>(out, other, kThreads);
    int last = 0;
    if (is("copy_of_unwritten"))
      (void)hipMemcpy(&last, other + kThreads - 1, 4, hipMemcpyDeviceToHost);  // fault: copy_of_unwritten
    (void)hipFree(in);
    (void)hipFree(other);
  }
  if (is("padding")) {
    Padded *in = nullptr, *other = nullptr;
    (void)hipMalloc(&in, kThreads * sizeof(Padded));
    (void)hipMalloc(&other, kThreads * sizeof(Padded));
    fill_padded<<<1, kThreads>>>(in);
    copy_padded<<<1, kThreads>>>(other, in);
    (void)hipFree(in);
    (void)hipFree(other);
  }
}

void races(const char* name, bool faulty, int* out, int* in) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("race_shared")) missing_barrier<<<2, kThreads>>>(out, faulty);
  if (is("race_reuse")) missing_second_barrier<<<1, kThreads>>>(out, faulty);
  if (is("race_warp")) warp_reduction<<<1, 64>>>(out, faulty);
  if (is("race_global")) count<<<2, kThreads>>>(out, faulty);
  if (is("race_atomic")) mixed<<<2, kThreads>>>(out, faulty);
  if (is("race_no_fence")) last_block_sums<<<8, kThreads>>>(out, in, faulty);
  if (is("race_lock")) locked<<<8, kThreads>>>(out, in, faulty);
  if (is("race_flag")) flagged<<<2, kThreads>>>(out, in, faulty);
  if (is("race_variable")) add_to_total<<<2, kThreads>>>(faulty);
  if (is("same_value")) same_value<<<8, kThreads>>>(out);
  if (is("race_streams")) {
    hipStream_t one = nullptr, two = nullptr;
    hipEvent_t event = nullptr;
    (void)hipStreamCreateWithFlags(&one, hipStreamNonBlocking);
    (void)hipStreamCreateWithFlags(&two, hipStreamNonBlocking);
    (void)hipEventCreate(&event);
    (void)hipDeviceSynchronize();
    store<<<1, kThreads, 0, one>>>(in, 0);
    (void)hipEventRecord(event, one);
    if (!faulty) (void)hipStreamWaitEvent(two, event, 0);
    load<<<1, kThreads, 0, two>>>(out, in, 0);  // the fault is in the kernel: race_streams
    (void)hipDeviceSynchronize();
    (void)hipStreamDestroy(one);
    (void)hipStreamDestroy(two);
    (void)hipEventDestroy(event);
  }
}

void waiting(const char* name, bool faulty, int* out, int* in) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("barrier_lanes")) lanes_apart<<<1, kThreads>>>(out, faulty);
  if (is("barrier_warps")) warps_apart<<<1, kThreads>>>(out, faulty);
  if (is("barrier_skipped")) skipped_barrier<<<1, kThreads>>>(faulty);
  if (is("mask")) wrong_mask<<<1, 64>>>(out, faulty);
  if (is("spin")) spin<<<2, kThreads>>>(in, faulty);
}

void memory(const char* name, bool faulty, int* out) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  int* const more = device_memory();
  if (is("use_after_free")) {
    int* const old = device_memory();
    if (faulty) (void)hipFree(old);
    load<<<1, kThreads>>>(out, old, 0);
    if (!faulty) (void)hipFree(old);
  }
  if (is("freed_async")) {
    int* old = nullptr;
    (void)hipMallocAsync(&old, kBytes, nullptr);
    (void)hipMemsetAsync(old, 0, kBytes, nullptr);
    if (faulty) (void)hipFreeAsync(old, nullptr);
    load<<<1, kThreads>>>(out, old, 0);
    if (!faulty) (void)hipFreeAsync(old, nullptr);
  }
  if (is("double_free")) {
    int* const old = device_memory();
    (void)hipFree(old);
    if (faulty) (void)hipFree(old);  // fault: double_free
  }
  if (is("free_inside")) (void)hipFree(faulty ? more + 4 : nullptr);  // fault: free_inside
  if (is("free_of_host")) {
    int* const mine = new int[4];
    if (faulty) (void)hipFree(mine);  // fault: free_of_host
    delete[] mine;
  }
  if (is("leak")) {
    int* const old = device_memory();
    if (!faulty) (void)hipFree(old);
  }
  if (is("copy_behind")) {
    int host[kThreads + 1] = {};
    (void)hipMemcpy(out, host, kBytes + (faulty ? 4 : 0), hipMemcpyHostToDevice);  // fault: copy_behind
  }
  if (is("fill_behind")) (void)hipMemset(out, 0, kBytes + (faulty ? 4 : 0));  // fault: fill_behind
  if (is("host_read")) {
    int first = 0;
    if (!faulty) (void)hipMemcpy(&first, out, 4, hipMemcpyDeviceToHost);
    if (faulty) first = out[0];  // fault: host_read
    std::printf("%d", first);
  }
  if (is("host_write") && faulty) out[1] = 5;  // fault: host_write
  (void)hipFree(more);
}

void copies(const char* name, bool faulty, int* out) {
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  int *pinned = nullptr, *managed = nullptr;
  hipStream_t stream = nullptr;
  (void)hipHostMalloc(&pinned, kBytes, 0);
  (void)hipMallocManaged(&managed, kBytes);
  (void)hipStreamCreate(&stream);
  for (int i = 0; i < kThreads; ++i) pinned[i] = managed[i] = i;
  if (is("reuse")) {
    (void)hipMemcpyAsync(out, pinned, kBytes, hipMemcpyHostToDevice, stream);
    if (!faulty) (void)hipStreamSynchronize(stream);
    pinned[0] = 1;  // fault: reuse
  }
  if (is("early_read")) {
    (void)hipMemcpyAsync(pinned, out, kBytes, hipMemcpyDeviceToHost, stream);
    if (!faulty) (void)hipStreamSynchronize(stream);
    std::printf("%d", pinned[0]);  // fault: early_read
  }
  if (is("reads_only")) {
    (void)hipMemcpyAsync(out, pinned, kBytes, hipMemcpyHostToDevice, stream);
    std::printf("%d", pinned[0]);  // both read
  }
  if (is("early_free")) {
    (void)hipMemcpyAsync(out, pinned, kBytes, hipMemcpyHostToDevice, stream);
    if (!faulty) (void)hipStreamSynchronize(stream);
  }
  if (is("managed_read")) {
    store<<<1, kThreads, 0, stream>>>(managed, 0);
    if (!faulty) (void)hipDeviceSynchronize();
    std::printf("%d", managed[0]);  // fault: managed_read
  }
  if (!is("early_free")) (void)hipDeviceSynchronize();
  (void)hipHostFree(pinned);  // fault: early_free
  (void)hipDeviceSynchronize();
  (void)hipFree(managed);
  (void)hipStreamDestroy(stream);
}

void run(const char* name, bool faulty) {
  int *const out = device_memory(), *const in = device_memory();
  bounds(name, faulty, out, in);
  values(name, faulty, out);
  races(name, faulty, out, in);
  waiting(name, faulty, out, in);
  memory(name, faulty, out);
  copies(name, faulty, out);
  (void)hipFree(in);
  (void)hipFree(out);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::printf("begin\n");
  for (char* name = std::strtok(argv[1], ","); name != nullptr; name = std::strtok(nullptr, ","))
    run(name, std::strcmp(argv[2], "faulty") == 0);
  std::printf("done\n");
  return 0;
}
