// Tile transfer: a tile of half precision numbers from wherever a view finds them into shared memory, by way of
// registers, so that the loads of the next tile can be under way while the last one is used.
#ifndef HIPPORT_LLM_TRANSFER_CUH
#define HIPPORT_LLM_TRANSFER_CUH

#include "../kernels/swizzled_panels.cuh"
#include "coordinates.cuh"

namespace hipport_llm {

// A matrix of half precision numbers as a view finds it. `by_eight`: eight columns from a multiple of eight on are
// neighbors in memory, begin at a multiple of 16 bytes, and are inside together.
template <typename View>
struct Source {
  View view;
  const __half* data;
  bool by_eight;

  // Eight columns of a row; what is outside is 0.
  __device__ Eight eight(int row, int column) const {
    if (by_eight) {
      const int at[2] = {row, column};
      const Place place = view.place(at);
      return place.inside ? load8(data + place.offset) : Eight{make_uint4(0, 0, 0, 0)};
    }
    // One after the other: unrolled, all the conditions would be more than registers hold.
    uint64_t low = 0, high = 0;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      low = low >> 16 | high << 48;
      high = high >> 16 | static_cast<uint64_t>(__half_as_ushort(one(row, column + i))) << 48;
    }
    return {make_uint4(static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
                       static_cast<uint32_t>(high >> 32))};
  }

#if !defined(__HIP_PLATFORM_AMD__)
  // The same into shared memory, where they are `by_eight`: by a copy that need not have ended when this returns.
  __device__ void copy_eight(int row, int column, uint4* shared) const {
    const int at[2] = {row, column};
    const Place place = view.place(at);
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))),
        "l"(data + (place.inside ? place.offset : 0)), "r"(place.inside ? 16 : 0)
        : "memory");
  }
#endif

 private:
  __device__ __half one(int row, int column) const {
    const int at[2] = {row, column};
    const Place place = view.place(at);
    return place.inside ? data[place.offset] : __float2half(0.0f);
  }
};

// A tile of `Rows` rows and `Columns` columns, by `Threads` threads.
template <int Threads, int Rows, int Columns>
class Transfer {
 public:
  template <typename View>
  __device__ __forceinline__ void load(const Source<View>& source, int first_row, int first_column) {
#pragma unroll
    for (int i = 0; i < count; ++i) kept_[i] = source.eight(first_row + row(i), first_column + eighth(i) * 8);
  }

  // As columns from `first_eighth` eighths on.
  __device__ __forceinline__ void store(const Panels& to, int first_eighth) const {
#pragma unroll
    for (int i = 0; i < count; ++i) to.store(row(i), first_eighth + eighth(i), kept_[i]);
  }

#if !defined(__HIP_PLATFORM_AMD__)
  // Both at once, by copies that need not have ended when this returns.
  template <typename View, typename To>
  __device__ __forceinline__ static void copy(const Source<View>& source, int first_row, int first_column,
                                              const To& to) {
    // One branch for all pieces, so that their addresses are computed at the same time.
    if (source.by_eight) {
#pragma unroll
      for (int i = 0; i < count; ++i)
        source.copy_eight(first_row + row(i), first_column + eighth(i) * 8, to.at(row(i), eighth(i)));
    } else {
#pragma unroll 1
      for (int i = 0; i < count; ++i)
        *to.at(row(i), eighth(i)) = source.eight(first_row + row(i), first_column + eighth(i) * 8).bits;
    }
  }
#endif

 private:
  static constexpr int in_row = Columns / 8, count = Rows * in_row / Threads;
  static_assert(Rows * in_row % Threads == 0, "every thread moves as much");

  __device__ static int row(int i) { return (threadIdx.x + i * Threads) / in_row; }
  __device__ static int eighth(int i) { return (threadIdx.x + i * Threads) % in_row; }

  Eight kept_[count];
};

}  // namespace hipport_llm

#endif
