// SPDX-License-Identifier: MIT
// cuBLAS's vector operations that take element types at run time: hipBLAS has one function for each type. Half precision
// and mixed types give HIPBLAS_STATUS_NOT_SUPPORTED.
#ifndef HIPPORT_COMPAT_BLAS_VECTORS_H
#define HIPPORT_COMPAT_BLAS_VECTORS_H

#include "blas.h"

#if defined(__cplusplus) && defined(HIPPORT_COMPAT_HIP)

#if !defined(__HIPPORT_CPU__) && !HIPPORT_COMPAT_HIP_BEFORE(6, 0) && HIPPORT_COMPAT_HIP_BEFORE(7, 0)
#define HIPPORT_COMPAT_COMPLEX(name, wide) name##_v2##wide
#else
#define HIPPORT_COMPAT_COMPLEX(name, wide) name##wide
#endif

// Define overloads of one element type for indices of type `Int`; hipBLAS names those of 64 bits with a suffix.
#define HIPPORT_COMPAT_VECTOR(T, Real, Int, copy, swap, asum, amax, amin)                                 \
  inline hipblasStatus_t blas_copy(hipblasHandle_t handle, Int n, const T* x, Int incx, T* y, Int incy) { \
    return copy(handle, n, x, incx, y, incy);                                                             \
  }                                                                                                       \
  inline hipblasStatus_t blas_swap(hipblasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy) {       \
    return swap(handle, n, x, incx, y, incy);                                                             \
  }                                                                                                       \
  inline hipblasStatus_t blas_asum(hipblasHandle_t handle, Int n, const T* x, Int incx, Real* result) {   \
    return asum(handle, n, x, incx, result);                                                              \
  }                                                                                                       \
  inline hipblasStatus_t blas_amax(hipblasHandle_t handle, Int n, const T* x, Int incx, Int* result) {    \
    return amax(handle, n, x, incx, result);                                                              \
  }                                                                                                       \
  inline hipblasStatus_t blas_amin(hipblasHandle_t handle, Int n, const T* x, Int incx, Int* result) {    \
    return amin(handle, n, x, incx, result);                                                              \
  }

#define HIPPORT_COMPAT_REAL(letter, of, T, Int, wide)                                                               \
  HIPPORT_COMPAT_VECTOR(T, T, Int, hipblas##letter##copy##wide, hipblas##letter##swap##wide,                        \
                        hipblas##letter##asum##wide, hipblasI##of##amax##wide, hipblasI##of##amin##wide)            \
  inline hipblasStatus_t blas_rotm(hipblasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy, const T* param) { \
    return hipblas##letter##rotm##wide(handle, n, x, incx, y, incy, param);                                         \
  }

#define HIPPORT_COMPAT_VECTORS(Int, wide)                                                                         \
  HIPPORT_COMPAT_REAL(S, s, float, Int, wide)                                                                     \
  HIPPORT_COMPAT_REAL(D, d, double, Int, wide)                                                                    \
  HIPPORT_COMPAT_VECTOR(hipFloatComplex, float, Int, HIPPORT_COMPAT_COMPLEX(hipblasCcopy, wide),                  \
                        HIPPORT_COMPAT_COMPLEX(hipblasCswap, wide), HIPPORT_COMPAT_COMPLEX(hipblasScasum, wide),  \
                        HIPPORT_COMPAT_COMPLEX(hipblasIcamax, wide), HIPPORT_COMPAT_COMPLEX(hipblasIcamin, wide)) \
  HIPPORT_COMPAT_VECTOR(hipDoubleComplex, double, Int, HIPPORT_COMPAT_COMPLEX(hipblasZcopy, wide),                \
                        HIPPORT_COMPAT_COMPLEX(hipblasZswap, wide), HIPPORT_COMPAT_COMPLEX(hipblasDzasum, wide),  \
                        HIPPORT_COMPAT_COMPLEX(hipblasIzamax, wide), HIPPORT_COMPAT_COMPLEX(hipblasIzamin, wide))

// Return `call`, in which `T` is the element type and `Real` that of its parts.
#define HIPPORT_COMPAT_CASE(value, Element, Part, call) \
  case value: {                                         \
    using T = Element;                                  \
    using Real = Part;                                  \
    static_assert(sizeof(T) >= sizeof(Real), "");       \
    return call;                                        \
  }
#define HIPPORT_COMPAT_BY_TYPE(type, call)                         \
  switch (type) {                                                  \
    HIPPORT_COMPAT_CASE(HIP_R_32F, float, float, call)             \
    HIPPORT_COMPAT_CASE(HIP_R_64F, double, double, call)           \
    HIPPORT_COMPAT_CASE(HIP_C_32F, hipFloatComplex, float, call)   \
    HIPPORT_COMPAT_CASE(HIP_C_64F, hipDoubleComplex, double, call) \
    default: return HIPBLAS_STATUS_NOT_SUPPORTED;                  \
  }

namespace hipport {
namespace compat {

HIPPORT_COMPAT_VECTORS(int, )
#if !HIPPORT_COMPAT_HIP_BEFORE(6, 3)
HIPPORT_COMPAT_VECTORS(int64_t, _64)
#endif

template <typename Int>
inline hipblasStatus_t copy_ex(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type, Int incx, void* y,
                               hipDataType y_type, Int incy) {
  if (x_type != y_type) return HIPBLAS_STATUS_NOT_SUPPORTED;
  HIPPORT_COMPAT_BY_TYPE(x_type, blas_copy(handle, n, static_cast<const T*>(x), incx, static_cast<T*>(y), incy))
}

template <typename Int>
inline hipblasStatus_t swap_ex(hipblasHandle_t handle, Int n, void* x, hipDataType x_type, Int incx, void* y,
                               hipDataType y_type, Int incy) {
  if (x_type != y_type) return HIPBLAS_STATUS_NOT_SUPPORTED;
  HIPPORT_COMPAT_BY_TYPE(x_type, blas_swap(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy))
}

template <typename Int>
inline hipblasStatus_t asum_ex(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type, Int incx, void* result,
                               hipDataType result_type, hipDataType execution) {
  const bool wide = x_type == HIP_R_64F || x_type == HIP_C_64F;
  const hipDataType real = wide ? HIP_R_64F : HIP_R_32F;
  if ((result_type != real && result_type != x_type) || (execution != real && execution != x_type))
    return HIPBLAS_STATUS_NOT_SUPPORTED;
  HIPPORT_COMPAT_BY_TYPE(x_type, blas_asum(handle, n, static_cast<const T*>(x), incx, static_cast<Real*>(result)))
}

template <typename Int>
inline hipblasStatus_t amax_ex(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type, Int incx,
                               Int* result) {
  HIPPORT_COMPAT_BY_TYPE(x_type, blas_amax(handle, n, static_cast<const T*>(x), incx, result))
}

template <typename Int>
inline hipblasStatus_t amin_ex(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type, Int incx,
                               Int* result) {
  HIPPORT_COMPAT_BY_TYPE(x_type, blas_amin(handle, n, static_cast<const T*>(x), incx, result))
}

template <typename Int>
inline hipblasStatus_t rotm_ex(hipblasHandle_t handle, Int n, void* x, hipDataType x_type, Int incx, void* y,
                               hipDataType y_type, Int incy, const void* param, hipDataType param_type,
                               hipDataType execution) {
  if (x_type != y_type || x_type != param_type || x_type != execution) return HIPBLAS_STATUS_NOT_SUPPORTED;
  if (x_type == HIP_R_32F)
    return blas_rotm(handle, n, static_cast<float*>(x), incx, static_cast<float*>(y), incy,
                     static_cast<const float*>(param));
  if (x_type == HIP_R_64F)
    return blas_rotm(handle, n, static_cast<double*>(x), incx, static_cast<double*>(y), incy,
                     static_cast<const double*>(param));
  return HIPBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace compat
}  // namespace hipport

#define HIPPORT_COMPAT_VECTORS_EX(Int, wide)                                                                          \
  inline hipblasStatus_t cublasCopyEx##wide(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type,         \
                                            Int incx, void* y, hipDataType y_type, Int incy) {                        \
    return hipport::compat::copy_ex<Int>(handle, n, x, x_type, incx, y, y_type, incy);                                \
  }                                                                                                                   \
  inline hipblasStatus_t cublasSwapEx##wide(hipblasHandle_t handle, Int n, void* x, hipDataType x_type, Int incx,     \
                                            void* y, hipDataType y_type, Int incy) {                                  \
    return hipport::compat::swap_ex<Int>(handle, n, x, x_type, incx, y, y_type, incy);                                \
  }                                                                                                                   \
  inline hipblasStatus_t cublasAsumEx##wide(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type,         \
                                            Int incx, void* result, hipDataType result_type, hipDataType execution) { \
    return hipport::compat::asum_ex<Int>(handle, n, x, x_type, incx, result, result_type, execution);                 \
  }                                                                                                                   \
  inline hipblasStatus_t cublasIamaxEx##wide(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type,        \
                                             Int incx, Int* result) {                                                 \
    return hipport::compat::amax_ex<Int>(handle, n, x, x_type, incx, result);                                         \
  }                                                                                                                   \
  inline hipblasStatus_t cublasIaminEx##wide(hipblasHandle_t handle, Int n, const void* x, hipDataType x_type,        \
                                             Int incx, Int* result) {                                                 \
    return hipport::compat::amin_ex<Int>(handle, n, x, x_type, incx, result);                                         \
  }                                                                                                                   \
  inline hipblasStatus_t cublasRotmEx##wide(hipblasHandle_t handle, Int n, void* x, hipDataType x_type, Int incx,     \
                                            void* y, hipDataType y_type, Int incy, const void* param,                 \
                                            hipDataType param_type, hipDataType execution) {                          \
    return hipport::compat::rotm_ex<Int>(handle, n, x, x_type, incx, y, y_type, incy, param, param_type, execution);  \
  }
HIPPORT_COMPAT_VECTORS_EX(int, )
#if !HIPPORT_COMPAT_HIP_BEFORE(6, 3)
HIPPORT_COMPAT_VECTORS_EX(int64_t, _64)
#endif
#undef HIPPORT_COMPAT_VECTORS_EX

#endif

#endif
