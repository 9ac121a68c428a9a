// PTX's video instructions on the four bytes or two halfwords of a register.
//
// R, A and B are int32_t or uint32_t: the signedness of the parts of the result and of the operands.
#ifndef HIPPORT_PTX_VIDEO_H
#define HIPPORT_PTX_VIDEO_H

#include "integer.h"

namespace hipport {
namespace ptx {

template <typename T, int Count>
HIPPORT_PTX int32_t part_of(uint32_t a, int i) {
  return int32_t(Count == 4 ? byte_of<T>(a, i) : half_of<T>(a, i));
}
template <typename R, int Count>
HIPPORT_PTX int32_t clamp_part(int32_t a) {
  const int32_t size = Count == 4 ? 256 : 65536;
  const int32_t low = is_signed<R>() ? -size / 2 : 0, high = is_signed<R>() ? size / 2 - 1 : size - 1;
  return a < low ? low : a > high ? high : a;
}

HIPPORT_PTX int32_t video_add(int32_t a, int32_t b) { return a + b; }
HIPPORT_PTX int32_t video_sub(int32_t a, int32_t b) { return a - b; }
HIPPORT_PTX int32_t video_absdiff(int32_t a, int32_t b) { return a < b ? b - a : a - b; }
HIPPORT_PTX int32_t video_min(int32_t a, int32_t b) { return a < b ? a : b; }
HIPPORT_PTX int32_t video_max(int32_t a, int32_t b) { return a < b ? b : a; }
// Average, rounded to nearest with halves upward; negative sums are rounded down.
HIPPORT_PTX int32_t video_avrg(int32_t a, int32_t b) {
  const int32_t sum = a + b;
  return (sum + (sum >= 0 ? 1 : 0)) >> 1;
}

#define HIPPORT_PTX_VIDEO(name, count)                                                                             \
  template <typename R, typename A, typename B>                                                                    \
  HIPPORT_PTX uint32_t v##name##count(uint32_t a, uint32_t b) {                                                    \
    const uint32_t width = 32 / count, mask = (1u << width) - 1;                                                   \
    uint32_t result = 0;                                                                                           \
    for (int i = 0; i < count; ++i)                                                                                \
      result |= (uint32_t(video_##name(part_of<A, count>(a, i), part_of<B, count>(b, i))) & mask) << (width * i);  \
    return result;                                                                                                 \
  }                                                                                                                \
  template <typename R, typename A, typename B>                                                                    \
  HIPPORT_PTX uint32_t v##name##count##_sat(uint32_t a, uint32_t b) {                                              \
    const uint32_t width = 32 / count, mask = (1u << width) - 1;                                                   \
    uint32_t result = 0;                                                                                           \
    for (int i = 0; i < count; ++i) {                                                                              \
      const int32_t part = video_##name(part_of<A, count>(a, i), part_of<B, count>(b, i));                         \
      result |= (uint32_t(clamp_part<R, count>(part)) & mask) << (width * i);                                      \
    }                                                                                                              \
    return result;                                                                                                 \
  }                                                                                                                \
  template <typename R, typename A, typename B>                                                                    \
  HIPPORT_PTX uint32_t v##name##count##_add(uint32_t a, uint32_t b, uint32_t c) {                                  \
    for (int i = 0; i < count; ++i) c += uint32_t(video_##name(part_of<A, count>(a, i), part_of<B, count>(b, i))); \
    return c;                                                                                                      \
  }
HIPPORT_PTX_VIDEO(add, 4)
HIPPORT_PTX_VIDEO(sub, 4)
HIPPORT_PTX_VIDEO(absdiff, 4)
HIPPORT_PTX_VIDEO(min, 4)
HIPPORT_PTX_VIDEO(max, 4)
HIPPORT_PTX_VIDEO(avrg, 4)
HIPPORT_PTX_VIDEO(add, 2)
HIPPORT_PTX_VIDEO(sub, 2)
HIPPORT_PTX_VIDEO(absdiff, 2)
HIPPORT_PTX_VIDEO(min, 2)
HIPPORT_PTX_VIDEO(max, 2)
HIPPORT_PTX_VIDEO(avrg, 2)
#undef HIPPORT_PTX_VIDEO

// Operations on one part of each register: a byte ('b'), a half word ('h'), or all of it ('w'), number I from below.

template <typename T, char Size, int I>
HIPPORT_PTX int64_t video_part(uint32_t a) {
  return Size == 'b' ? int64_t(byte_of<T>(a, I)) : Size == 'h' ? int64_t(half_of<T>(a, I)) : int64_t(T(a));
}
HIPPORT_PTX int64_t wide_add(int64_t a, int64_t b) { return a + b; }
HIPPORT_PTX int64_t wide_sub(int64_t a, int64_t b) { return a - b; }
HIPPORT_PTX int64_t wide_absdiff(int64_t a, int64_t b) { return a < b ? b - a : a - b; }
HIPPORT_PTX int64_t wide_min(int64_t a, int64_t b) { return a < b ? a : b; }
HIPPORT_PTX int64_t wide_max(int64_t a, int64_t b) { return a < b ? b : a; }
HIPPORT_PTX int shift_clamp(int64_t b) { return b > 32 ? 32 : int(b); }
HIPPORT_PTX int shift_wrap(int64_t b) { return int(b & 31); }
// All 32 bits of a value shifted by 32 may exceed 64 bits: a smaller one has the same low word and saturates alike.
HIPPORT_PTX int64_t video_shl(int64_t a, int b) {
  return (b == 32 && a > 0x7fffffff ? int64_t(0x7fffffff) : a) * (int64_t(1) << b);
}
HIPPORT_PTX int64_t video_shr(int64_t a, int b) { return a >> b; }

template <typename R, char Size>
HIPPORT_PTX int64_t saturate_part(int64_t a) {
  const int64_t size = int64_t(1) << (Size == 'b' ? 8 : Size == 'h' ? 16 : 32);
  const int64_t low = is_signed<R>() ? -size / 2 : 0, high = is_signed<R>() ? size / 2 - 1 : size - 1;
  return a < low ? low : a > high ? high : a;
}
template <char Size, int I>
HIPPORT_PTX uint32_t merge_part(int64_t a, uint32_t c) {
  const uint32_t width = Size == 'b' ? 8 : 16, mask = ((1u << width) - 1) << (width * I);
  return (c & ~mask) | ((uint32_t(a) << (width * I)) & mask);
}
template <typename R>
HIPPORT_PTX uint32_t then_add(int64_t a, uint32_t c) {
  return uint32_t(a) + c;
}
template <typename R>
HIPPORT_PTX uint32_t then_min(int64_t a, uint32_t c) {
  return uint32_t(R(a) < R(c) ? R(a) : R(c));
}
template <typename R>
HIPPORT_PTX uint32_t then_max(int64_t a, uint32_t c) {
  return uint32_t(R(a) < R(c) ? R(c) : R(a));
}
// a * b + c + One, shifted right by Scale. Signed: the exact result fits 64 bits with a sign, else without one.
template <bool Signed, int Scale, int One, bool Saturate>
HIPPORT_PTX uint32_t video_mad(int64_t a, int64_t b, uint32_t c) {
  if (Signed) {
    const int64_t result = (a * b + int32_t(c) + One) >> Scale;
    return uint32_t(Saturate ? saturate_part<int32_t, 'w'>(result) : result);
  }
  const uint64_t result = (uint64_t(a) * uint64_t(b) + c + One) >> Scale;
  return uint32_t(Saturate && result > 0xffffffffu ? 0xffffffffu : result);
}

}  // namespace ptx
}  // namespace hipport

#endif
