// A matrix in a format of a model file, as planes in device memory (native_codes.cuh, native_scales.cuh).
#ifndef HIPPORT_LLM_NATIVE_MATRIX_H
#define HIPPORT_LLM_NATIVE_MATRIX_H

#include "global_bytes.cuh"
#include "numeric.cuh"

// Whether this build multiplies with matrices in the formats of model files, each in its own.
#if !defined(HIPPORT_LLM_NATIVE)
#define HIPPORT_LLM_NATIVE 0
#endif

namespace hipport_llm {

constexpr bool kNative = HIPPORT_LLM_NATIVE != 0;

// Planes are stored for eight rows at a time: what a warp reads of eight rows and some neighboring columns is in one
// piece. Of each row, 32 columns of codes, a group's scale or the factor of 256 columns follow each other.
constexpr int kNativeRows = 8;

struct NativeMatrix {
  int format;  // its number in native_formats.cuh
  int rows;
  int columns;      // a multiple of 64
  int group_shift;  // a group is 2^group_shift columns
  const uint8_t* codes;
  const uint8_t* high;  // upper bits of codes
  const uint8_t* scales;
  const uint8_t* minimums;
  const uint8_t* factors;

  __host__ __device__ int groups() const { return columns >> group_shift; }
  // Where piece `i` of `count` of a row is.
  __device__ static int64_t place(int row, int i, int count) {
    return (static_cast<int64_t>(row / kNativeRows) * count + i) * kNativeRows + row % kNativeRows;
  }
};

// A row of a matrix: which pieces of the planes are its first ones. Addresses for columns are cheap to compute.
class NativeRow {
 public:
  NativeRow() = default;
  __device__ NativeRow(const NativeMatrix& matrix, int row)
      : codes_(place(row, matrix.columns / 32)),
        groups_(place(row, matrix.groups())),
        factors_(place(row, matrix.columns >> 8)) {}

  // Columns 32 * `quarter` .. + 31 of a plane of `Bits` per column.
  template <int Bits>
  __device__ const uint8_t* quarter(const uint8_t* plane, int quarter) const {
    return plane + static_cast<uint64_t>(codes_ + quarter * kNativeRows) * (Bits * 4);
  }
  // Of the group of a column.
  template <typename T>
  __device__ T of_group(const NativeMatrix& matrix, const uint8_t* plane, int column) const {
    return read<T>(plane, groups_ + (column >> matrix.group_shift) * kNativeRows);
  }
  template <typename T>
  __device__ T factor(const NativeMatrix& matrix, int column) const {
    return read<T>(matrix.factors, factors_ + (column >> 8) * kNativeRows);
  }

 private:
  template <typename T>
  __device__ static T read(const uint8_t* plane, uint32_t i) {
    return read_bytes<T>((GlobalBytes)plane + i * static_cast<uint64_t>(sizeof(T)));
  }
  __device__ static uint32_t place(int row, int count) {
    return static_cast<uint32_t>(NativeMatrix::place(row, 0, count));
  }

  uint32_t codes_, groups_, factors_;
};

// Matrices of one format that one launch multiplies, one below the other. Blocks are counted over all of them.
struct NativeParts {
  static constexpr int kMost = 3;
  NativeMatrix matrices[kMost];
  int count;

  __host__ __device__ static int blocks_of(const NativeMatrix& matrix, int block_rows) {
    return (matrix.rows + block_rows - 1) / block_rows;
  }
  __host__ int rows() const {
    int all = 0;
    for (int i = 0; i < count; ++i) all += matrices[i].rows;
    return all;
  }
  __host__ int blocks(int block_rows) const {
    int all = 0;
    for (int i = 0; i < count; ++i) all += blocks_of(matrices[i], block_rows);
    return all;
  }
};

// The matrix of a block, the block's first row in it, and the row of all parts that its first row is.
struct NativePart {
  NativeMatrix matrix;
  int first, above;

  __device__ NativePart(const NativeParts& parts, int block, int block_rows) : matrix(parts.matrices[0]), above(0) {
#pragma unroll
    for (int i = 1; i < NativeParts::kMost; ++i) {
      const int passed = NativeParts::blocks_of(matrix, block_rows);
      if (i >= parts.count || block < passed) break;
      block -= passed;
      above += matrix.rows;
      matrix = parts.matrices[i];
    }
    first = block * block_rows;
  }
};

}  // namespace hipport_llm

#endif
