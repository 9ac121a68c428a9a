// SPDX-License-Identifier: MIT
// Kernels without loops and barriers, whose work-groups the emulator runs as a whole, in blocks of many sizes. Prints
// what differs from the same on the host, and how many launches were right.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

namespace {

constexpr unsigned kBlocks = 64, kMost = 1024 * kBlocks;

struct Arrays {
  float *a, *b, *c;
  unsigned* n;
  unsigned count, base;
};

// Each as a function of the thread's number, the number of the block and the block's size.
struct Add {
  static constexpr const char* kName = "add";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    if (i < all.count) all.c[i] = all.a[i] + all.b[i];
  }
};
struct Copy {
  static constexpr const char* kName = "copy";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) { all.c[i] = all.a[i]; }
};
// A group that started again after a store would add twice.
struct Increment {
  static constexpr const char* kName = "increment";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    all.c[i] += 1.0f;
    const unsigned j = i + all.base;  // wraps around within a block
    all.n[j % kMost] += 2;
  }
};
struct Ordered {
  static constexpr const char* kName = "ordered";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    all.c[i] += 1.0f;
    if (i + all.base > all.base) all.n[i] += 3;
  }
};
struct Number {
  static constexpr const char* kName = "number";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) { all.n[i] = i * 3 + 7; }
};
struct Wrapped {
  static constexpr const char* kName = "wrapped";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    all.n[i] = unsigned(all.a[(i + all.base) % kMost] * 64) / 3 + all.base;
  }
};
struct Block {
  static constexpr const char* kName = "block";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned block, unsigned size) {
    all.c[i] = all.a[block] * all.b[i] + float(size) - all.a[0];
  }
};
struct Selected {
  static constexpr const char* kName = "selected";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    all.c[i] = all.a[i] > 0.25f ? all.a[i] : -2.0f * all.b[i];
  }
};
struct Pairs {
  static constexpr const char* kName = "pairs";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    if (2 * i + 1 < all.count) all.c[i] = all.a[2 * i] + all.b[2 * i + 1];
  }
};
struct Two {
  static constexpr const char* kName = "two";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    const float sum = all.a[i] + all.b[i];
    all.n[i] = i ^ 5;
    all.c[i] = sum * sum - all.a[i];
  }
};
struct Bits {
  static constexpr const char* kName = "bits";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    all.n[i] = (all.n[i] << 3 | i >> 5) + (i & 1023);
  }
};
struct Guarded {
  static constexpr const char* kName = "guarded";
  __host__ __device__ static void at(const Arrays& all, unsigned i, unsigned, unsigned) {
    if (all.a[i] > 0.5f) all.c[i] = 0.0f;
  }
};

template <typename T>
__global__ void run(Arrays all) {
  const unsigned size = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
  T::at(all, blockIdx.x * size + thread, blockIdx.x, size);
}

// Writes to what each other wavefront, and each other lane of its own, has read.
__global__ void rotate_lanes(float* a) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float next = a[i ^ 1];
  a[i] = next + 1.0f;
}

struct Memory {
  std::vector<float> a, b, c;
  std::vector<unsigned> n;
  Memory() : a(kMost), b(kMost), c(kMost), n(kMost) {
    for (unsigned i = 0; i < kMost; ++i) {
      a[i] = float(i * 2654435761u % 61) / 64;  // products are exact, so that fused sums are the same
      b[i] = float(i % 29) / 8;
      c[i] = float(i % 7);
      n[i] = i * 40503u;
    }
  }
  Arrays arrays(unsigned count, unsigned base) { return {a.data(), b.data(), c.data(), n.data(), count, base}; }
};

unsigned right = 0;

void tell(const char* name, dim3 block, const Memory& found, const Memory& expected) {
  for (unsigned i = 0; i < kMost; ++i)
    if (found.c[i] != expected.c[i] || found.n[i] != expected.n[i] || found.a[i] != expected.a[i]) {
      std::printf("%s in blocks of %u x %u: element %u is %g, %u; expected %g, %u\n", name, block.x, block.y, i,
                  found.c[i], found.n[i], expected.c[i], expected.n[i]);
      return;
    }
  ++right;
}

template <typename T>
void check(dim3 block, unsigned count, unsigned base) {
  Memory device, host;
  run<T><<<kBlocks, block>>>(device.arrays(count, base));
  if (hipDeviceSynchronize() != hipSuccess) std::printf("%s fails\n", T::kName);
  const unsigned size = block.x * block.y;
  for (unsigned i = 0; i < kBlocks * size; ++i) T::at(host.arrays(count, base), i, i / size, size);
  tell(T::kName, block, device, host);
}

void check_lanes(unsigned size) {
  Memory device, host;
  rotate_lanes<<<kBlocks, size>>>(device.a.data());
  (void)hipDeviceSynchronize();
  const Memory before;
  for (unsigned i = 0; i < kBlocks * size; ++i) host.a[i] = before.a[i ^ 1] + 1.0f;
  tell("rotate_lanes", size, device, host);
}

template <typename... All>
void check_all(dim3 block) {
  const unsigned threads = kBlocks * block.x * block.y;
  for (const unsigned count : {threads, threads - 100, 7u})
    for (const unsigned base : {0u, 0xffffff80u, 0u - threads / 2}) (check<All>(block, count, base), ...);
}

}  // namespace

int main() {
  for (const dim3 block : {dim3(64), dim3(96), dim3(128), dim3(250), dim3(256), dim3(1024), dim3(64, 4), dim3(16, 16)})
    check_all<Add, Copy, Increment, Ordered, Number, Wrapped, Block, Selected, Pairs, Two, Bits, Guarded>(block);
  for (const unsigned size : {64, 256, 320, 1024}) check_lanes(size);
  std::printf("%u launches are right\n", right);
}
