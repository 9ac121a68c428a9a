// A matrix of 16-bit numbers in shared memory, swizzled so that the matrix units read it without bank conflicts.
#ifndef HIPPORT_LLM_SWIZZLED_PANELS_CUH
#define HIPPORT_LLM_SWIZZLED_PANELS_CUH

#include "numeric.cuh"

namespace hipport_llm {

// Keeps the compiler from moving loads up across this point, for which it does not have the registers.
__device__ inline void keep_order() {
#if defined(__GFX10__) || defined(__GFX11__)
  __builtin_amdgcn_sched_barrier(0);
#endif
}

// Columns are stored in panels of 64, [panel][row][64]. Eight neighboring columns (an "eighth") are 16 bytes. The
// eighths of a row are permuted depending on the row, so that eight lanes that read the same eighth of eight rows, or
// two halves of two rows, access all banks.
class Panels {
 public:
  static constexpr int kColumns = 64;
  static constexpr int kRowBytes = 2 * kColumns;

  __device__ Panels(uint8_t* bytes, int rows) : bytes_(bytes), rows_(rows) {}
  // Those from a panel on.
  __device__ Panels from(int panel) const { return {bytes_ + panel * rows_ * kRowBytes, rows_}; }

  // Bytes from the start.
  __device__ static int place(int row, int eighth, int rows) {
    return (eighth / 8 * rows + row) * kRowBytes + (eighth % 8 ^ swizzle(row)) * 16;
  }

  __device__ uint4* at(int row, int eighth) const {
    return reinterpret_cast<uint4*>(bytes_ + place(row, eighth, rows_));
  }
  __device__ Eight load(int row, int eighth) const { return {*at(row, eighth)}; }
  __device__ Number number(int row, int column) const {
    return reinterpret_cast<const Number*>(at(row, column / 8))[column % 8];
  }
  __device__ void store(int row, int eighth, const Eight& values) const { *at(row, eighth) = values.bits; }
  // Stores one number, or a pair (of an even column and the next).
  template <typename T>
  __device__ void store_at(int row, int column, T value) const {
    *reinterpret_cast<T*>(bytes_ + place(row, column / 8, rows_) + column % 8 * 2) = value;
  }

 private:
  __device__ static int swizzle(int row) { return (row << 2 | row % 8 >> 1) & 7; }

  uint8_t* bytes_;
  int rows_;
};

// Where an eighth is in a row of panels that the units of warp groups read (warpgroup_unit.cuh: describe), in bytes.
__device__ inline int swizzled(int row, int eighth) { return (eighth ^ row % 8) * 16; }

}  // namespace hipport_llm

#endif
