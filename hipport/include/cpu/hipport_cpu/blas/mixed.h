// SPDX-License-Identifier: MIT
// hipBLAS: matrix products whose operands have another type than the computation.
#pragma once

#include "matrices.h"

namespace hipport::cpu::blas {

inline size_t bytes_of(hipDataType type) {
  switch (type) {
    case HIP_R_8I:
    case HIP_R_8U: return 1;
    case HIP_R_16F:
    case HIP_R_16BF: return 2;
    case HIP_R_32F:
    case HIP_R_32I: return 4;
    case HIP_R_64F: return 8;
    default: return 0;  // not supported by gemm here
  }
}

inline double load(hipDataType type, const void* data, size_t i) {
  switch (type) {
    case HIP_R_8I: return static_cast<const int8_t*>(data)[i];
    case HIP_R_8U: return static_cast<const uint8_t*>(data)[i];
    case HIP_R_16F: return half_value(static_cast<const uint16_t*>(data)[i]);
    case HIP_R_16BF: return bfloat16_value(static_cast<const uint16_t*>(data)[i]);
    case HIP_R_32I: return static_cast<const int32_t*>(data)[i];
    case HIP_R_64F: return static_cast<const double*>(data)[i];
    default: return static_cast<const float*>(data)[i];
  }
}
inline void store(hipDataType type, void* data, size_t i, double value) {
  switch (type) {
    case HIP_R_8I: static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value); break;
    case HIP_R_8U: static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(value); break;
    case HIP_R_16F: static_cast<uint16_t*>(data)[i] = half_bits(static_cast<float>(value)); break;
    case HIP_R_16BF: static_cast<uint16_t*>(data)[i] = bfloat16_bits(static_cast<float>(value)); break;
    case HIP_R_32I: static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value); break;
    case HIP_R_64F: static_cast<double*>(data)[i] = value; break;
    default: static_cast<float*>(data)[i] = static_cast<float>(value);
  }
}

// Return the type of alpha and beta. For HIP_R_32I and HIP_R_64F, products are summed in double: integers are exact
// there.
inline hipDataType scalar_type(hipblasComputeType_t compute) {
  if (compute <= HIPBLAS_COMPUTE_16F_PEDANTIC) return HIP_R_16F;
  if (compute >= HIPBLAS_COMPUTE_32I) return HIP_R_32I;
  return compute >= HIPBLAS_COMPUTE_64F ? HIP_R_64F : HIP_R_32F;
}

// A matrix with packed columns, converted to the type of the computation.
template <typename T>
std::vector<T> packed(hipDataType type, const void* data, int rows, int columns, int lead) {
  std::vector<T> result(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  for (size_t column = 0, i = 0; column < static_cast<size_t>(columns); ++column)
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
      result[i++] = static_cast<T>(load(type, data, row + column * static_cast<size_t>(lead)));
  return result;
}

// The shape of a product, and the types of its matrices.
struct Mixed {
  hipblasOperation_t op_a, op_b;
  int m, n, k, a_lead, b_lead, c_lead;
  hipDataType a_type, b_type, c_type, scalars;
};

template <typename T>
void multiply(const Mixed& p, double alpha, const void* a, const void* b, double beta, void* c) {
  const bool plain_a = p.op_a == HIPBLAS_OP_N, plain_b = p.op_b == HIPBLAS_OP_N;
  const int a_rows = plain_a ? p.m : p.k, b_rows = plain_b ? p.k : p.n;
  const std::vector<T> left = packed<T>(p.a_type, a, a_rows, plain_a ? p.k : p.m, p.a_lead);
  const std::vector<T> right = packed<T>(p.b_type, b, b_rows, plain_b ? p.n : p.k, p.b_lead);
  std::vector<T> result(static_cast<size_t>(p.m) * static_cast<size_t>(p.n));
  if (beta != 0) result = packed<T>(p.c_type, c, p.m, p.n, p.c_lead);
  gemm_now<T>(p.op_a, p.op_b, p.m, p.n, p.k, static_cast<T>(alpha), left.data(), std::max(1, a_rows), right.data(),
              std::max(1, b_rows), static_cast<T>(beta), result.data(), std::max(1, p.m));
  for (size_t column = 0, i = 0; column < static_cast<size_t>(p.n); ++column)
    for (size_t row = 0; row < static_cast<size_t>(p.m); ++row)
      store(p.c_type, c, row + column * static_cast<size_t>(p.c_lead), result[i++]);
}

// Compute a batch of products; `at(i)` returns the matrices of problem i.
template <typename At>
hipblasStatus_t gemm_mixed(hipblasHandle_t handle, const Mixed& p, const void* alpha, const void* beta, int batch,
                           At at) {
  const bool has_shapes = p.m >= 0 && p.n >= 0 && p.k >= 0 && batch >= 0 && has_rows(p.a_lead, p.op_a, p.m, p.k) &&
                          has_rows(p.b_lead, p.op_b, p.k, p.n) && has_rows(p.c_lead, p.m);
  if (const auto bad = check(handle, has_shapes && alpha != nullptr && beta != nullptr)) return bad;
  if (bytes_of(p.a_type) == 0 || bytes_of(p.b_type) == 0 || bytes_of(p.c_type) == 0) {
    missing("hipblasGemmEx of these types");
    return HIPBLAS_STATUS_NOT_SUPPORTED;
  }
  const bool later = handle->pointer_mode == HIPBLAS_POINTER_MODE_DEVICE;
  const double by = later ? 0 : load(p.scalars, alpha, 0), keep = later ? 0 : load(p.scalars, beta, 0);
  return submit(handle, [=] {
    const double factor = later ? load(p.scalars, alpha, 0) : by, old = later ? load(p.scalars, beta, 0) : keep;
    const bool wide = p.scalars == HIP_R_64F || p.scalars == HIP_R_32I;
    for (int i = 0; i < batch; ++i) {
      const auto [a, b, c] = at(i);
      wide ? multiply<double>(p, factor, a, b, old, c) : multiply<float>(p, factor, a, b, old, c);
    }
  });
}

struct Operands {
  const void *a, *b;
  void* c;
};
inline Operands strided(const Mixed& p, const void* a, hipblasStride sa, const void* b, hipblasStride sb, void* c,
                        hipblasStride sc, int i) {
  const auto offset = [i](hipDataType type, hipblasStride stride) {
    return static_cast<std::ptrdiff_t>(bytes_of(type)) * stride * i;
  };
  return {static_cast<const char*>(a) + offset(p.a_type, sa), static_cast<const char*>(b) + offset(p.b_type, sb),
          static_cast<char*>(c) + offset(p.c_type, sc)};
}

}  // namespace hipport::cpu::blas

inline hipblasStatus_t hipblasGemmStridedBatchedEx(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb,
                                                   int m, int n, int k, const void* alpha, const void* a,
                                                   hipDataType a_type, int lda, hipblasStride sa, const void* b,
                                                   hipDataType b_type, int ldb, hipblasStride sb, const void* beta,
                                                   void* c, hipDataType c_type, int ldc, hipblasStride sc, int batch,
                                                   hipblasComputeType_t compute, hipblasGemmAlgo_t) {
  using namespace hipport::cpu::blas;
  const Mixed p{ta, tb, m, n, k, lda, ldb, ldc, a_type, b_type, c_type, scalar_type(compute)};
  return gemm_mixed(h, p, alpha, beta, batch, [=](int i) { return strided(p, a, sa, b, sb, c, sc, i); });
}
inline hipblasStatus_t hipblasGemmEx(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n,
                                     int k, const void* alpha, const void* a, hipDataType a_type, int lda,
                                     const void* b, hipDataType b_type, int ldb, const void* beta, void* c,
                                     hipDataType c_type, int ldc, hipblasComputeType_t compute,
                                     hipblasGemmAlgo_t algorithm) {
  return hipblasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c, c_type,
                                     ldc, 0, 1, compute, algorithm);
}
inline hipblasStatus_t hipblasGemmBatchedEx(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m,
                                            int n, int k, const void* alpha, const void* const a[], hipDataType a_type,
                                            int lda, const void* const b[], hipDataType b_type, int ldb,
                                            const void* beta, void* const c[], hipDataType c_type, int ldc, int batch,
                                            hipblasComputeType_t compute, hipblasGemmAlgo_t) {
  using namespace hipport::cpu::blas;
  const Mixed p{ta, tb, m, n, k, lda, ldb, ldc, a_type, b_type, c_type, scalar_type(compute)};
  return gemm_mixed(h, p, alpha, beta, batch, [=](int i) { return Operands{a[i], b[i], c[i]}; });
}

// Products of half precision are summed in float and rounded once. `Half` is hipblasHalf or __half.
template <typename Half>
hipblasStatus_t hipblasHgemmStridedBatched(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m,
                                           int n, int k, const Half* alpha, const Half* a, int lda, long long sa,
                                           const Half* b, int ldb, long long sb, const Half* beta, Half* c, int ldc,
                                           long long sc, int batch) {
  static_assert(sizeof(Half) == 2, "a type of 16 bits");
  return hipblasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, HIP_R_16F, lda, sa, b, HIP_R_16F, ldb, sb, beta, c,
                                     HIP_R_16F, ldc, sc, batch, HIPBLAS_COMPUTE_16F, HIPBLAS_GEMM_DEFAULT);
}
template <typename Half>
hipblasStatus_t hipblasHgemm(hipblasHandle_t h, hipblasOperation_t ta, hipblasOperation_t tb, int m, int n, int k,
                             const Half* alpha, const Half* a, int lda, const Half* b, int ldb, const Half* beta,
                             Half* c, int ldc) {
  return hipblasHgemmStridedBatched(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}
