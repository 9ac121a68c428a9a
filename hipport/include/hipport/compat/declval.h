// SPDX-License-Identifier: MIT
// `std::declval` for device functions: `template <class F> __device__ auto call(F f) -> decltype(std::declval<F>()(1))`.
//
// nvcc does not check sides in operands that are not evaluated. Clang does, and the standard library's `declval` is a
// host function, so no such device function is viable. Clang takes functions for the host and for the device for
// overloads, and prefers the one for the side of the caller.
#ifndef HIPPORT_COMPAT_DECLVAL_H
#define HIPPORT_COMPAT_DECLVAL_H

#include "core.h"

#include <utility>

#if defined(HIPPORT_COMPAT_HIP) && defined(__HIP__)

namespace std {

template <typename T>
__device__ typename add_rvalue_reference<T>::type declval() noexcept;

}  // namespace std

#endif

#endif  // HIPPORT_COMPAT_DECLVAL_H
