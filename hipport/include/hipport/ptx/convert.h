// PTX's cvt: rounding and saturating conversions between integers and floating-point types.
#ifndef HIPPORT_PTX_CONVERT_H
#define HIPPORT_PTX_CONVERT_H

#include "half.h"

namespace hipport {
namespace ptx {

template <typename T>
HIPPORT_PTX T least() {
  typedef typename Integer<T>::Unsigned U;
  return is_signed<T>() ? T(U(1) << (8 * sizeof(T) - 1)) : T(0);
}
template <typename T>
HIPPORT_PTX T largest() {
  typedef typename Integer<T>::Unsigned U;
  return is_signed<T>() ? T(U(~U(0)) >> 1) : T(~T(0));
}

// Convert between integers, clamped to the range of the result.
template <typename To, typename From>
HIPPORT_PTX To saturate(From a) {
  if (a < 0) {
    if (!is_signed<To>()) return 0;
    return int64_t(a) < int64_t(least<To>()) ? least<To>() : To(a);
  }
  return uint64_t(a) > uint64_t(largest<To>()) ? largest<To>() : To(a);
}

template <int Mode>
HIPPORT_PTX double round(double a) {
  if (Mode == rz) return ::trunc(a);
  if (Mode == rm) return ::floor(a);
  if (Mode == rp) return ::ceil(a);
  return ::rint(a);
}
template <int Mode>
HIPPORT_PTX float round(float a) {
  if (Mode == rz) return ::truncf(a);
  if (Mode == rm) return ::floorf(a);
  if (Mode == rp) return ::ceilf(a);
  return ::rintf(a);
}

// Convert to an integer, clamped to its range. NaN becomes 0 if neither side has 64 bits, otherwise only the highest
// bit is set.
template <typename To, int Mode, typename From>
HIPPORT_PTX To to_int(From a) {
  typedef typename Integer<To>::Unsigned U;
  if (a != a) return sizeof(To) == 8 || sizeof(From) == 8 ? To(U(1) << (8 * sizeof(To) - 1)) : To(0);
  const double whole = round<Mode>(double(a));
  const double limit = (is_signed<To>() ? 1.0 : 2.0) * double(U(1) << (8 * sizeof(To) - 1));
  if (whole >= limit) return largest<To>();
  if (whole < double(least<To>())) return least<To>();
  return To(whole);
}

// Return an integer of up to 64 bits as a double that rounds correctly from there.
template <typename From>
HIPPORT_PTX double odd_double(From a) {
  const double high = double(From(a & ~From(0x7ff))), low = double(From(a & From(0x7ff)));
  double rest;
  const double sum = two_sum(high, low, rest);
  return odd(sum, rest);
}

template <typename To, int Mode, typename From>
HIPPORT_PTX To from_int(From a) {
  if (sizeof(To) == 4) return To(narrow<Mode>(odd_double<From>(a)));
  const double high = double(From(a & ~From(0x7ff))), low = double(From(a & From(0x7ff)));
  double rest;
  const double sum = two_sum(high, low, rest);
  return To(adjusted<Mode>(sum, rest));
}

// Pack two saturated numbers into the upper and the lower part; the 8-bit form moves the lower half of `c` up.
template <typename To>
HIPPORT_PTX uint32_t pack(int32_t a, int32_t b) {
  return (uint32_t(uint16_t(saturate<To, int32_t>(a))) << 16) | uint16_t(saturate<To, int32_t>(b));
}
template <typename To>
HIPPORT_PTX uint32_t pack(int32_t a, int32_t b, uint32_t c) {
  return (c << 16) | (uint32_t(uint8_t(saturate<To, int32_t>(a))) << 8) | uint8_t(saturate<To, int32_t>(b));
}

}  // namespace ptx
}  // namespace hipport

#endif
