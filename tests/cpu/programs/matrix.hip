// Runs one matrix instruction of AMD GPUs on registers that it reads: `matrix NAME CBSZ ABID`, and on stdin the bytes
// of A, B and the sums of all lanes. Writes the sums.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

template <typename T, int Count>
struct Vector {
  typedef T Type __attribute__((vector_size(Count * sizeof(T))));
};
using half4 = Vector<_Float16, 4>::Type;
using half8 = Vector<_Float16, 8>::Type;
using half16 = Vector<_Float16, 16>::Type;
using short2_ = Vector<short, 2>::Type;
using short4_ = Vector<short, 4>::Type;
using short8 = Vector<short, 8>::Type;
using short16 = Vector<short, 16>::Type;
using int2_ = Vector<int, 2>::Type;
using int4_ = Vector<int, 4>::Type;

template <typename T>
std::vector<T> read_lanes() {
  std::vector<T> lanes(warpSize);
  if (std::fread(lanes.data(), sizeof(T), lanes.size(), stdin) != lanes.size()) std::exit(2);
  return lanes;
}

template <typename In, typename Out>
int run(void (*kernel)(const In*, const In*, Out*, int, int), int cbsz, int abid) {
  const std::vector<In> a = read_lanes<In>(), b = read_lanes<In>();
  std::vector<Out> sums = read_lanes<Out>();
  kernel<<<1, warpSize>>>(a.data(), b.data(), sums.data(), cbsz, abid);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  return std::fwrite(sums.data(), sizeof(Out), sums.size(), stdout) != sums.size();
}

#if HIPPORT_WAVE_SIZE == 64
#define INSTRUCTIONS(X)                     \
  X(f32_32x32x1f32, float, float, 32)       \
  X(f32_16x16x1f32, float, float, 16)       \
  X(f32_4x4x1f32, float, float, 4)          \
  X(f32_32x32x2f32, float, float, 16)       \
  X(f32_16x16x4f32, float, float, 4)        \
  X(f32_32x32x4f16, half4, float, 32)       \
  X(f32_16x16x4f16, half4, float, 16)       \
  X(f32_4x4x4f16, half4, float, 4)          \
  X(f32_32x32x8f16, half4, float, 16)       \
  X(f32_16x16x16f16, half4, float, 4)       \
  X(f32_32x32x2bf16, short2_, float, 32)    \
  X(f32_16x16x2bf16, short2_, float, 16)    \
  X(f32_4x4x2bf16, short2_, float, 4)       \
  X(f32_32x32x4bf16, short2_, float, 16)    \
  X(f32_16x16x8bf16, short2_, float, 4)     \
  X(f32_32x32x4bf16_1k, short4_, float, 32) \
  X(f32_16x16x4bf16_1k, short4_, float, 16) \
  X(f32_4x4x4bf16_1k, short4_, float, 4)    \
  X(f32_32x32x8bf16_1k, short4_, float, 16) \
  X(f32_16x16x16bf16_1k, short4_, float, 4) \
  X(i32_32x32x4i8, int, int, 32)            \
  X(i32_16x16x4i8, int, int, 16)            \
  X(i32_4x4x4i8, int, int, 4)               \
  X(i32_32x32x8i8, int, int, 16)            \
  X(i32_16x16x16i8, int, int, 4)            \
  X(i32_32x32x16_i8, long, int, 16)         \
  X(i32_16x16x32_i8, long, int, 4)          \
  X(f64_16x16x4f64, double, double, 4)      \
  X(f64_4x4x4f64, double, double, 1)

template <typename T, int Count>
struct Sums {
  using Type = typename Vector<T, Count>::Type;
};
template <typename T>
struct Sums<T, 1> {
  using Type = T;
};
#define KERNEL(name, In, Sum, count)                                                                       \
  __global__ void kernel_##name(const In* a, const In* b, Sums<Sum, count>::Type* c, int cbsz, int abid) { \
    const unsigned lane = threadIdx.x;                                                                     \
    c[lane] = __builtin_amdgcn_mfma_##name(a[lane], b[lane], c[lane], cbsz, abid, 0);                      \
  }
#else
#define INSTRUCTIONS(X)                                   \
  X(f32_16x16x16_f16_w32, half16, float, wmma)            \
  X(f32_16x16x16_f16_w32_gfx12, half8, float, wmma)       \
  X(f32_16x16x16_bf16_w32, short16, float, wmma)          \
  X(f32_16x16x16_bf16_w32_gfx12, short8, float, wmma)     \
  X(i32_16x16x16_iu8_w32, int4_, int, wmma_integer)       \
  X(i32_16x16x16_iu8_w32_gfx12, int2_, int, wmma_integer) \
  X(i32_16x16x16_iu4_w32, int2_, int, wmma_integer)       \
  X(i32_16x16x16_iu4_w32_gfx12, int, int, wmma_integer)   \
  X(i32_16x16x32_iu4_w32_gfx12, int2_, int, wmma_integer)

#define KERNEL(name, In, Sum, call) KERNEL_##call(name, In, Sum)
#define KERNEL_wmma(name, In, Sum)                                                             \
  __global__ void kernel_##name(const In* a, const In* b, Vector<Sum, 8>::Type* c, int, int) { \
    const unsigned lane = threadIdx.x;                                                         \
    c[lane] = __builtin_amdgcn_wmma_##name(a[lane], b[lane], c[lane]);                         \
  }
// The numbers are whether A and B are signed; the sums stay in range.
#define KERNEL_wmma_integer(name, In, Sum)                                                                       \
  __global__ void kernel_##name(const In* a, const In* b, Vector<Sum, 8>::Type* c, int a_signed, int b_signed) { \
    const unsigned lane = threadIdx.x;                                                                           \
    c[lane] = __builtin_amdgcn_wmma_##name(a_signed, a[lane], b_signed, b[lane], c[lane], true);                 \
  }
#endif
INSTRUCTIONS(KERNEL)

int main(int, char** arguments) {
  const int first = std::atoi(arguments[2]), second = std::atoi(arguments[3]);
#define CASE(name, ...) \
  if (std::strcmp(arguments[1], #name) == 0) return run(kernel_##name, first, second);
  INSTRUCTIONS(CASE)
  return 3;
}
