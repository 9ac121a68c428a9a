// SPDX-License-Identifier: MIT
// `mma.h`: fragments of matrices that the 32 threads of a warp hold together (nvcuda::wmma), multiplied as PTX's mma is.
//
// A warp has 32 threads on every GPU: each half of a wavefront of 64 has fragments of its own. ROCm's rocWMMA has functions
// of the same names for whole wavefronts, 64 threads on Instinct GPUs, and for other shapes.
#ifndef HIPPORT_COMPAT_WMMA_H
#define HIPPORT_COMPAT_WMMA_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "core.h"

#if defined(HIPPORT_COMPAT_CUDA)
#include <mma.h>
#elif defined(HIPPORT_COMPAT_HIP)

#include <hip/hip_fp16.h>

#include "../ptx/matrix.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

}  // namespace wmma
}  // namespace nvcuda

namespace hipport {
namespace compat {
namespace matrices {

using ptx::bits;
using ptx::laneid;
using ptx::Vec;

// The elements of factors, and what a fragment's array holds of them. bfloat16 has different types in ROCm's releases.
template <typename T>
struct Element {
  static_assert(sizeof(T) == 2, "nvcuda::wmma has no fragments of this type");
  typedef ptx::BF16 Type;
  typedef T Stored;
};
template <>
struct Element<__half> {
  typedef ptx::F16 Type;
  typedef __half Stored;
};
template <>
struct Element<signed char> {
  typedef ptx::S8 Type;
  typedef signed char Stored;
};
template <>
struct Element<unsigned char> {
  typedef ptx::U8 Type;
  typedef unsigned char Stored;
};
template <>
struct Element<nvcuda::wmma::precision::tf32> {
  typedef ptx::TF32 Type;
  typedef float Stored;
};

// Where an element of a factor is: in a row of the left one or a column of the right one, and along the products.
struct Position {
  uint32_t line, depth;
};

// Fragments of the product's left factor, 16 rows for each mma, and of its right factor, 8 columns, in the layouts of PTX's
// mma. `of_register` returns the position of a register's first element; the others follow along the products.
template <int Lines, int Depth, int PerRegister>
struct LeftPart {
  static const int registers = 2 * Depth / (4 * PerRegister), blocks = Lines / 16;
  __device__ static Position of_register(int i) {
    const uint32_t block = uint32_t(i / registers), within = uint32_t(i % registers);
    return {16 * block + laneid() / 4 + 8 * (within % 2), uint32_t(PerRegister) * (4 * (within / 2) + laneid() % 4)};
  }
};
template <int Lines, int Depth, int PerRegister>
struct RightPart {
  static const int registers = Depth / (4 * PerRegister), blocks = Lines / 8;
  __device__ static Position of_register(int i) {
    const uint32_t block = uint32_t(i / registers), within = uint32_t(i % registers);
    return {8 * block + laneid() / 4, uint32_t(PerRegister) * (4 * within + laneid() % 4)};
  }
};

// The left factor has 16 or 32 rows, the right one 8 or 16 columns. Products of 8 rows are computed transposed.
template <int M, int N, int K>
struct Shape {
  static_assert((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32),
                "nvcuda::wmma has no fragments of this shape");
  static const bool transposed = M == 8;
  static const int rows = transposed ? N : M, columns = transposed ? M : N;
};

template <bool Left, int Lines, int Depth, int PerRegister>
struct PartOf {
  typedef LeftPart<Lines, Depth, PerRegister> Type;
};
template <int Lines, int Depth, int PerRegister>
struct PartOf<false, Lines, Depth, PerRegister> {
  typedef RightPart<Lines, Depth, PerRegister> Type;
};

// A fragment of a factor. `Left`: of the left one. `Along`: elements along the products are neighbors in memory.
template <bool Left, bool Along, int Lines, int Depth, typename T>
struct Factor {
  typedef typename Element<T>::Type Kind;
  typedef typename PartOf<Left, Lines, Depth, Kind::per_register>::Type Part;
  typedef T element_type;
  typedef typename Element<T>::Stored storage_element_type;
  static const int num_elements = Part::blocks * Part::registers * Kind::per_register;
  static const int num_storage_elements = num_elements;

  alignas(4) storage_element_type x[num_elements];

  __device__ void load(const storage_element_type* from, unsigned stride) {
    HIPPORT_PTX_UNROLL
    for (int i = 0; i < Part::blocks * Part::registers; ++i) {
      const Position first = Part::of_register(i);
      storage_element_type* to = x + i * Kind::per_register;
      if (Along) {
        memcpy(to, from + size_t(first.line) * stride + first.depth, sizeof(uint32_t));
      } else {
        for (int j = 0; j < Kind::per_register; ++j)
          to[j] = from[size_t(first.depth + uint32_t(j)) * stride + first.line];
      }
    }
  }

  __device__ Vec<uint32_t, Part::registers> block(int i) const {
    Vec<uint32_t, Part::registers> registers;
    memcpy(&registers, x + i * Part::registers * Kind::per_register, sizeof(registers));
    return registers;
  }
};

// A fragment of sums: 16 rows and 8 columns for each mma. `Transposed`: its rows are columns of the product.
template <bool Transposed, int Rows, int Columns, typename T>
struct Sums {
  typedef T element_type;
  typedef T storage_element_type;
  static const int num_elements = Rows / 16 * (Columns / 8) * 4;
  static const int num_storage_elements = num_elements;

  T x[num_elements];

  __device__ static size_t place(int i, unsigned stride, bool by_rows) {
    const int block = i / 4, within = i % 4;
    const uint32_t row = 16 * uint32_t(block / (Columns / 8)) + laneid() / 4 + 8 * uint32_t(within / 2);
    const uint32_t column = 8 * uint32_t(block % (Columns / 8)) + 2 * (laneid() % 4) + uint32_t(within % 2);
    return by_rows != Transposed ? size_t(row) * stride + column : size_t(column) * stride + row;
  }
};

HIPPORT_PTX float widened(float value) { return value; }
HIPPORT_PTX_DEVICE float widened(__half value) { return __half2float(value); }
HIPPORT_PTX int32_t widened(int value) { return value; }
HIPPORT_PTX void narrow(float value, float& to) { to = value; }
HIPPORT_PTX_DEVICE void narrow(float value, __half& to) { to = __float2half(value); }
HIPPORT_PTX void narrow(int32_t value, int& to) { to = value; }

// mma of numbers, and of integers, whose sums may saturate.
template <typename A, typename B, int Halves>
HIPPORT_PTX_DEVICE Vec<float, 4> product(const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,
                                         const Vec<float, 4>& c, bool) {
  return ptx::mma<A, B, Halves>(a, b, c);
}
template <typename A, typename B, int Halves>
HIPPORT_PTX_DEVICE Vec<int32_t, 4> product(const Vec<uint32_t, 2 * Halves>& a, const Vec<uint32_t, Halves>& b,
                                           const Vec<int32_t, 4>& c, bool saturate) {
  return saturate ? ptx::mma<A, B, Halves, true>(a, b, c) : ptx::mma<A, B, Halves>(a, b, c);
}

template <typename Left, typename Right, typename D, typename C>
HIPPORT_PTX_DEVICE void multiply(D& d, const Left& left, const Right& right, const C& c, bool saturate) {
  typedef decltype(widened(c.x[0])) Sum;
  HIPPORT_PTX_UNROLL
  for (int i = 0; i < Left::Part::blocks * Right::Part::blocks; ++i) {
    Vec<Sum, 4> sums;
    for (int j = 0; j < 4; ++j) sums[j] = widened(c.x[4 * i + j]);
    sums = product<typename Left::Kind, typename Right::Kind, Right::Part::registers>(
        left.block(i / Right::Part::blocks), right.block(i % Right::Part::blocks), sums, saturate);
    for (int j = 0; j < 4; ++j) narrow(sums[j], d.x[4 * i + j]);
  }
}

template <bool Transposed>
struct Product {
  template <typename D, typename A, typename B, typename C>
  __device__ static void add(D& d, const A& a, const B& b, const C& c, bool saturate) {
    multiply(d, a, b, c, saturate);
  }
};
template <>
struct Product<true> {
  template <typename D, typename A, typename B, typename C>
  __device__ static void add(D& d, const A& a, const B& b, const C& c, bool saturate) {
    multiply(d, b, a, c, saturate);
  }
};

// A fragment of m8n8k4 of double: lane 4g + q holds A at row g and column q, B at row q and column g, and of the sums row g,
// columns 2q and 2q + 1.
struct OneDouble {
  typedef double element_type;
  typedef double storage_element_type;
  static const int num_elements = 1, num_storage_elements = 1;

  double x[1];
};
template <bool Along>
struct DoubleFactor : OneDouble {
  __device__ void load(const double* from, unsigned stride) {
    const uint32_t line = laneid() / 4, depth = laneid() % 4;
    x[0] = from[Along ? size_t(line) * stride + depth : size_t(depth) * stride + line];
  }
};
struct TwoDoubles {
  typedef double element_type;
  typedef double storage_element_type;
  static const int num_elements = 2, num_storage_elements = 2;

  double x[2];

  __device__ static size_t place(int i, unsigned stride, bool by_rows) {
    const uint32_t row = laneid() / 4, column = 2 * (laneid() % 4) + uint32_t(i);
    return by_rows ? size_t(row) * stride + column : size_t(column) * stride + row;
  }
};

}  // namespace matrices
}  // namespace compat
}  // namespace hipport

namespace nvcuda {
namespace wmma {

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment;

template <int M, int N, int K, typename T>
struct fragment<matrix_a, M, N, K, T, row_major>
    : hipport::compat::matrices::Factor<!hipport::compat::matrices::Shape<M, N, K>::transposed, true, M, K, T> {};
template <int M, int N, int K, typename T>
struct fragment<matrix_a, M, N, K, T, col_major>
    : hipport::compat::matrices::Factor<!hipport::compat::matrices::Shape<M, N, K>::transposed, false, M, K, T> {};
template <int M, int N, int K, typename T>
struct fragment<matrix_b, M, N, K, T, row_major>
    : hipport::compat::matrices::Factor<hipport::compat::matrices::Shape<M, N, K>::transposed, false, N, K, T> {};
template <int M, int N, int K, typename T>
struct fragment<matrix_b, M, N, K, T, col_major>
    : hipport::compat::matrices::Factor<hipport::compat::matrices::Shape<M, N, K>::transposed, true, N, K, T> {};
template <int M, int N, int K, typename T>
struct fragment<accumulator, M, N, K, T, void>
    : hipport::compat::matrices::Sums<hipport::compat::matrices::Shape<M, N, K>::transposed,
                                      hipport::compat::matrices::Shape<M, N, K>::rows,
                                      hipport::compat::matrices::Shape<M, N, K>::columns, T> {};

template <>
struct fragment<matrix_a, 8, 8, 4, double, row_major> : hipport::compat::matrices::DoubleFactor<true> {};
template <>
struct fragment<matrix_a, 8, 8, 4, double, col_major> : hipport::compat::matrices::DoubleFactor<false> {};
template <>
struct fragment<matrix_b, 8, 8, 4, double, row_major> : hipport::compat::matrices::DoubleFactor<false> {};
template <>
struct fragment<matrix_b, 8, 8, 4, double, col_major> : hipport::compat::matrices::DoubleFactor<true> {};
template <>
struct fragment<accumulator, 8, 8, 4, double, void> : hipport::compat::matrices::TwoDoubles {};

template <typename Use, int M, int N, int K, typename T, typename Layout>
HIPPORT_COMPAT_DEVICE void fill_fragment(
    fragment<Use, M, N, K, T, Layout>& to,
    const typename fragment<Use, M, N, K, T, Layout>::storage_element_type& value) {
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = value;
}

// `stride`: elements from one row to the next, or from one column to the next.
template <typename Use, int M, int N, int K, typename T, typename Layout>
HIPPORT_COMPAT_DEVICE void load_matrix_sync(
    fragment<Use, M, N, K, T, Layout>& to, const typename fragment<Use, M, N, K, T, Layout>::storage_element_type* from,
    unsigned stride) {
  to.load(from, stride);
}
template <int M, int N, int K, typename T>
HIPPORT_COMPAT_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned stride,
                                            layout_t layout) {
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = from[to.place(i, stride, layout == mem_row_major)];
}
template <int M, int N, int K, typename T>
HIPPORT_COMPAT_DEVICE void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                                             layout_t layout) {
  for (int i = 0; i < from.num_elements; ++i) to[from.place(i, stride, layout == mem_row_major)] = from.x[i];
}

// d = a * b + c. Integers saturate with `saturate`, else they wrap around.
template <int M, int N, int K, typename D, typename A, typename LayoutA, typename B, typename LayoutB, typename C>
HIPPORT_COMPAT_DEVICE void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                    const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                                    const fragment<matrix_b, M, N, K, B, LayoutB>& b,
                                    const fragment<accumulator, M, N, K, C>& c, bool saturate = false) {
  hipport::compat::matrices::Product<hipport::compat::matrices::Shape<M, N, K>::transposed>::add(d, a, b, c, saturate);
}
template <typename LayoutA, typename LayoutB>
HIPPORT_COMPAT_DEVICE void mma_sync(fragment<accumulator, 8, 8, 4, double>& d,
                                    const fragment<matrix_a, 8, 8, 4, double, LayoutA>& a,
                                    const fragment<matrix_b, 8, 8, 4, double, LayoutB>& b,
                                    const fragment<accumulator, 8, 8, 4, double>& c) {
  const hipport::ptx::Vec<double, 2> sums = hipport::ptx::mma_f64(a.x[0], b.x[0], {{c.x[0], c.x[1]}});
  for (int i = 0; i < 2; ++i) d.x[i] = sums[i];
}

// Rounds to tf32, of which a fragment's multiplication takes the upper 19 bits.
HIPPORT_COMPAT_DEVICE float __float_to_tf32(float value) {
  return hipport::ptx::bits<float>(hipport::ptx::to_tf32<hipport::ptx::rna>(value));
}

}  // namespace wmma
}  // namespace nvcuda

#endif

#endif

#endif
