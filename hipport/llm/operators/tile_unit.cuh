// Products of small tiles: sums of 16 rows and 16 columns += a (16 rows, kDepth deep) times b (16 columns, kDepth deep),
// by as many lanes as the hardware's unit has. Both operands lie in shared memory with the depth as neighbours.
//
//   NVIDIA        mma.m16n8k16, twice                 32 lanes, 16 deep
//   CDNA          v_mfma_f32_16x16x16f16              64 lanes, 16 deep
//   RDNA3         v_wmma_f32_16x16x16_f16             32 lanes, 16 deep
//   others, CPU   multiplications and additions       32 lanes,  4 deep
#ifndef HIPPORT_LLM_TILE_UNIT_CUH
#define HIPPORT_LLM_TILE_UNIT_CUH

#include "../kernels/numeric.cuh"

namespace hipport_llm {

constexpr int kUnitTile = 16;

#if !defined(__HIP_PLATFORM_AMD__)

struct TileUnit {
  static constexpr int lanes = 32, kDepth = 16;
  struct A {
    uint32_t words[4];
  };
  struct B {
    uint32_t words[4];
  };
  struct Sums {
    float values[8] = {};
  };

  __device__ static A load_a(const __half* from, int stride, int lane) {
    A a;
    load(a.words, from + lane % 16 * stride + lane / 16 * 8);
    return a;
  }
  __device__ static B load_b(const __half* from, int stride, int lane) {
    B b;
    load(b.words, from + (lane / 16 * 8 + lane % 8) * stride + lane / 8 % 2 * 8);
    return b;
  }
  __device__ static void multiply_add(Sums& sums, const A& a, const B& b) {
    multiply_half(sums.values, a, b.words[0], b.words[1]);
    multiply_half(sums.values + 4, a, b.words[2], b.words[3]);
  }
  // Calls use(row, column, sum) for each sum that the lane holds.
  template <typename Use>
  __device__ static void each(Sums& sums, int lane, const Use& use) {
#pragma unroll
    for (int i = 0; i < 8; ++i) use(lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2, sums.values[i]);
  }

 private:
  __device__ static void load(uint32_t (&words)[4], const __half* from) {
    const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(from));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
  }
  __device__ static void multiply_half(float* sums, const A& a, uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.words[0]), "r"(a.words[1]), "r"(a.words[2]), "r"(a.words[3]), "r"(b0), "r"(b1));
  }
};

#elif defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__)

struct TileUnit {
  static constexpr int lanes = 64, kDepth = 16;
  using Words = _Float16 __attribute__((ext_vector_type(4)));
  using Floats = float __attribute__((ext_vector_type(4)));
  struct A {
    Words words;
  };
  using B = A;
  struct Sums {
    Floats values = {0.0f, 0.0f, 0.0f, 0.0f};
  };

  __device__ static A load_a(const __half* from, int stride, int lane) {
    return {*reinterpret_cast<const Words*>(from + lane % 16 * stride + lane / 16 * 4)};
  }
  __device__ static B load_b(const __half* from, int stride, int lane) { return load_a(from, stride, lane); }
  __device__ static void multiply_add(Sums& sums, const A& a, const B& b) {
    sums.values = __builtin_amdgcn_mfma_f32_16x16x16f16(a.words, b.words, sums.values, 0, 0, 0);
  }
  template <typename Use>
  __device__ static void each(Sums& sums, int lane, const Use& use) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float value = sums.values[i];
      use(lane / 16 * 4 + i, lane % 16, value);
      sums.values[i] = value;
    }
  }
};

#elif defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || defined(__gfx1103__) || \
    defined(__gfx1150__) || defined(__gfx1151__)

struct TileUnit {
  static constexpr int lanes = 32, kDepth = 16;
  using Words = _Float16 __attribute__((ext_vector_type(16)));
  using Floats = float __attribute__((ext_vector_type(8)));
  struct A {
    Words words;
  };
  using B = A;
  struct Sums {
    Floats values = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  };

  // Both halves of the wavefront hold the same.
  __device__ static A load_a(const __half* from, int stride, int lane) {
    union {
      uint4 halves[2];
      Words words;
    } both;
    const uint4* row = reinterpret_cast<const uint4*>(from + lane % 16 * stride);
    both.halves[0] = row[0];
    both.halves[1] = row[1];
    return {both.words};
  }
  __device__ static B load_b(const __half* from, int stride, int lane) { return load_a(from, stride, lane); }
  __device__ static void multiply_add(Sums& sums, const A& a, const B& b) {
    sums.values = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a.words, b.words, sums.values);
  }
  template <typename Use>
  __device__ static void each(Sums& sums, int lane, const Use& use) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float value = sums.values[i];
      use(2 * i + lane / 16, lane % 16, value);
      sums.values[i] = value;
    }
  }
};

#else

// A lane has 4 rows of 2 columns.
struct TileUnit {
  static constexpr int lanes = 32, kDepth = 4;
  struct A {
    float values[4][kDepth];
  };
  struct B {
    float values[2][kDepth];
  };
  struct Sums {
    float values[8] = {};
  };

  __device__ static A load_a(const __half* from, int stride, int lane) {
    A a;
#pragma unroll
    for (int i = 0; i < 4; ++i) load(a.values[i], from + (lane / 8 * 4 + i) * stride);
    return a;
  }
  __device__ static B load_b(const __half* from, int stride, int lane) {
    B b;
#pragma unroll
    for (int i = 0; i < 2; ++i) load(b.values[i], from + (lane % 8 * 2 + i) * stride);
    return b;
  }
  __device__ static void multiply_add(Sums& sums, const A& a, const B& b) {
#pragma unroll
    for (int k = 0; k < kDepth; ++k)
#pragma unroll
      for (int i = 0; i < 8; ++i) sums.values[i] = fmaf(a.values[i / 2][k], b.values[i % 2][k], sums.values[i]);
  }
  template <typename Use>
  __device__ static void each(Sums& sums, int lane, const Use& use) {
#pragma unroll
    for (int i = 0; i < 8; ++i) use(lane / 8 * 4 + i / 2, lane % 8 * 2 + i % 2, sums.values[i]);
  }

 private:
  __device__ static void load(float (&values)[kDepth], const __half* from) {
    const uint2 bits = *reinterpret_cast<const uint2*>(from);
    const float2 first = __half22float2(as_half2(bits.x)), second = __half22float2(as_half2(bits.y));
    values[0] = first.x;
    values[1] = first.y;
    values[2] = second.x;
    values[3] = second.y;
  }
};

#endif

}  // namespace hipport_llm

#endif
