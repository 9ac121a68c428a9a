// PTX integer instructions: arithmetic, carry chains, bits, shifts, bytes.
#ifndef HIPPORT_PTX_INTEGER_H
#define HIPPORT_PTX_INTEGER_H

#include "core.h"

namespace hipport {
namespace ptx {

template <typename T>
HIPPORT_PTX T min(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
HIPPORT_PTX T max(T a, T b) {
  return a < b ? b : a;
}

// The most negative number is its own absolute value.
template <typename T>
HIPPORT_PTX T abs(T a) {
  typedef typename Integer<T>::Unsigned U;
  return a < 0 ? T(U(0) - U(a)) : a;
}

HIPPORT_PTX int32_t saturate_s32(int64_t a) {
  if (a > 0x7fffffffll) return 0x7fffffff;
  return a < -0x80000000ll ? int32_t(-0x7fffffff - 1) : int32_t(a);
}
HIPPORT_PTX int32_t add_sat(int32_t a, int32_t b) { return saturate_s32(int64_t(a) + b); }
HIPPORT_PTX int32_t sub_sat(int32_t a, int32_t b) { return saturate_s32(int64_t(a) - b); }

template <typename T>
HIPPORT_PTX T mul_hi(T a, T b) {
  typedef typename Integer<T>::Wide Wide;
  return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
}
template <typename T>
HIPPORT_PTX typename Integer<T>::Wide mul_wide(T a, T b) {
  typedef typename Integer<T>::Wide Wide;
  return Wide(a) * Wide(b);
}
template <typename T>
HIPPORT_PTX T mad_hi(T a, T b, T c) {
  typedef typename Integer<T>::Unsigned U;
  return T(U(U(mul_hi<T>(a, b)) + U(c)));
}
HIPPORT_PTX int32_t mad_hi_sat(int32_t a, int32_t b, int32_t c) { return add_sat(mul_hi<int32_t>(a, b), c); }
template <typename T>
HIPPORT_PTX typename Integer<T>::Wide mad_wide(T a, T b, typename Integer<T>::Wide c) {
  typedef typename Integer<T>::Wide Wide;
  typedef typename Integer<Wide>::Unsigned U;
  return Wide(U(mul_wide<T>(a, b)) + U(c));
}

// Return the low 24 bits, sign-extended for a signed type.
template <typename T>
HIPPORT_PTX T low24(T a) {
  return T(T(uint32_t(a) << 8) >> 8);
}
template <typename T>
HIPPORT_PTX T mul24_lo(T a, T b) {
  typedef typename Integer<T>::Wide Wide;
  return T(uint32_t(Wide(low24<T>(a)) * Wide(low24<T>(b))));
}
template <typename T>
HIPPORT_PTX T mul24_hi(T a, T b) {
  typedef typename Integer<T>::Wide Wide;
  return T(uint32_t((Wide(low24<T>(a)) * Wide(low24<T>(b))) >> 16));
}
template <typename T>
HIPPORT_PTX T mad24_lo(T a, T b, T c) {
  return T(uint32_t(mul24_lo<T>(a, b)) + uint32_t(c));
}
template <typename T>
HIPPORT_PTX T mad24_hi(T a, T b, T c) {
  return T(uint32_t(mul24_hi<T>(a, b)) + uint32_t(c));
}

// c + |a - b|
template <typename T>
HIPPORT_PTX T sad(T a, T b, T c) {
  typedef typename Integer<T>::Unsigned U;
  return T(U(U(c) + (a < b ? U(U(b) - U(a)) : U(U(a) - U(b)))));
}

// Carry chains. `carry` is the flag CC.CF, a number or carry_flag() of carry.h; in a subtraction it means borrow. The
// functions without `_cc` leave the flag as it is.
template <typename T, typename In>
HIPPORT_PTX T addc(T a, T b, In carry_in) {
  typedef typename Integer<T>::Unsigned U;
  return T(U(U(a) + U(b) + U(carry_in)));
}
template <typename T, typename In>
HIPPORT_PTX T subc(T a, T b, In borrow_in) {
  typedef typename Integer<T>::Unsigned U;
  return T(U(U(a) - U(b) - U(borrow_in)));
}
template <typename T, typename In>
HIPPORT_PTX T madc_lo(T a, T b, T c, In carry_in) {
  return addc<T>(T(a * b), c, carry_in);
}
template <typename T, typename In>
HIPPORT_PTX T madc_hi(T a, T b, T c, In carry_in) {
  return addc<T>(mul_hi<T>(a, b), c, carry_in);
}
template <typename T, typename In, typename Out>
HIPPORT_PTX T add_cc(T a, T b, In carry_in, Out& carry) {
  typedef typename Integer<T>::Unsigned U;
  const U sum = U(U(a) + U(b)), all = U(sum + U(carry_in));
  carry = Out(uint32_t(sum < U(a)) | uint32_t(all < sum));
  return T(all);
}
template <typename T, typename In, typename Out>
HIPPORT_PTX T sub_cc(T a, T b, In borrow_in, Out& borrow) {
  typedef typename Integer<T>::Unsigned U;
  const U in = U(borrow_in), difference = U(U(a) - U(b)), all = U(difference - in);
  borrow = Out(uint32_t(U(a) < U(b)) | uint32_t(difference < in));
  return T(all);
}
template <typename T, typename In, typename Out>
HIPPORT_PTX T mad_lo_cc(T a, T b, T c, In carry_in, Out& carry) {
  return add_cc<T>(T(a * b), c, carry_in, carry);
}
template <typename T, typename In, typename Out>
HIPPORT_PTX T mad_hi_cc(T a, T b, T c, In carry_in, Out& carry) {
  return add_cc<T>(mul_hi<T>(a, b), c, carry_in, carry);
}

// Shifts by more than the width give the result of repeated shifts by one.
template <typename T>
HIPPORT_PTX T shl(T a, uint32_t by) {
  typedef typename Integer<T>::Unsigned U;
  return by < 8 * sizeof(T) ? T(U(U(a) << by)) : T(0);
}
template <typename T>
HIPPORT_PTX T shr(T a, uint32_t by) {
  const uint32_t last = 8 * sizeof(T) - 1;
  if (by > last) return a < 0 ? T(-1) : T(0);
  return T(a >> by);
}

// Extract `length` bits from `start`, both modulo 256; bits beyond the end read as the sign, or 0.
template <typename T>
HIPPORT_PTX T bfe(T a, uint32_t start, uint32_t length) {
  typedef typename Integer<T>::Unsigned U;
  const uint32_t width = 8 * sizeof(T);
  start &= 255;
  length &= 255;
  if (length == 0) return 0;
  const uint32_t last = min<uint32_t>(start + length - 1, width - 1);
  const bool sign = is_signed<T>() && ((U(a) >> last) & 1) != 0;
  const U field = start < width ? U(U(a) >> start) : U(0);
  const uint32_t kept = start < width ? min<uint32_t>(length, width - start) : 0;
  const U mask = kept < width ? U((U(1) << kept) - 1) : U(~U(0));
  return T((field & mask) | (sign ? U(~mask) : U(0)));
}

// Insert the low `length` bits of `a` into `b` at `start`.
template <typename T>
HIPPORT_PTX T bfi(T a, T b, uint32_t start, uint32_t length) {
  const uint32_t width = 8 * sizeof(T);
  start &= 255;
  length &= 255;
  if (start >= width || length == 0) return b;
  const uint32_t kept = min<uint32_t>(length, width - start);
  const T mask = T((kept < width ? T((T(1) << kept) - 1) : T(~T(0))) << start);
  return T((b & ~mask) | ((a << start) & mask));
}

template <typename T>
HIPPORT_PTX uint32_t clz(T a) {
  return a == 0 ? 8 * sizeof(T) : uint32_t(sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(uint32_t(a)));
}
template <typename T>
HIPPORT_PTX uint32_t popc(T a) {
  return uint32_t(__builtin_popcountll(a));
}
template <typename T>
HIPPORT_PTX T brev(T a) {
  T reversed = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) reversed = T(reversed << 1) | T((a >> i) & 1);
  return reversed;
}

// Return the position of the most significant bit that differs from the sign, or 0xffffffff.
template <typename T>
HIPPORT_PTX uint32_t bfind(T a) {
  typedef typename Integer<T>::Unsigned U;
  const U magnitude = a < 0 ? U(~U(a)) : U(a);
  return magnitude == 0 ? 0xffffffffu : uint32_t(8 * sizeof(T)) - 1 - clz<U>(magnitude);
}
// Return the shift that brings that bit to the top.
template <typename T>
HIPPORT_PTX uint32_t bfind_shiftamt(T a) {
  const uint32_t found = bfind<T>(a);
  return found == 0xffffffffu ? found : uint32_t(8 * sizeof(T)) - 1 - found;
}

// Return the position of the n-th set bit of the mask, counted from `base` upward for n > 0, downward for n < 0.
HIPPORT_PTX uint32_t fns(uint32_t mask, uint32_t base, int32_t n) {
  if (n == 0) return (mask >> (base & 31)) & 1 ? base : 0xffffffffu;
  const int step = n < 0 ? -1 : 1;
  int left = n < 0 ? -n : n;
  for (int at = int(base); at >= 0 && at < 32; at += step)
    if ((mask >> at) & 1 && --left == 0) return uint32_t(at);
  return 0xffffffffu;
}

HIPPORT_PTX uint32_t low_bits(uint32_t count) { return count < 32 ? (1u << count) - 1 : 0xffffffffu; }
HIPPORT_PTX uint32_t bmsk_clamp(uint32_t start, uint32_t length) { return start < 32 ? low_bits(length) << start : 0; }
HIPPORT_PTX uint32_t bmsk_wrap(uint32_t start, uint32_t length) { return low_bits(length & 31) << (start & 31); }

// Return the low `count` bits, sign-extended for a signed type.
template <typename T>
HIPPORT_PTX T szext_clamp(T a, uint32_t count) {
  if (count >= 32) return a;
  if (count == 0) return 0;
  return T(T(uint32_t(a) << (32 - count)) >> (32 - count));
}
template <typename T>
HIPPORT_PTX T szext_wrap(T a, uint32_t count) {
  return szext_clamp<T>(a, count & 31);
}

// Any function of three bits: bit 4a + 2b + c of the table is the result.
template <uint32_t Table>
HIPPORT_PTX uint32_t lop3(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  if (Table & 0x01) result |= ~a & ~b & ~c;
  if (Table & 0x02) result |= ~a & ~b & c;
  if (Table & 0x04) result |= ~a & b & ~c;
  if (Table & 0x08) result |= ~a & b & c;
  if (Table & 0x10) result |= a & ~b & ~c;
  if (Table & 0x20) result |= a & ~b & c;
  if (Table & 0x40) result |= a & b & ~c;
  if (Table & 0x80) result |= a & b & c;
  return result;
}

// Select one of the eight bytes in b and a; bit 3 of the selector replicates its sign instead.
HIPPORT_PTX uint32_t prmt_byte(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = (uint64_t(b) << 32) | a;
  const uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte;
}
HIPPORT_PTX uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) result |= prmt_byte(a, b, selector >> (4 * i)) << (8 * i);
  return result;
}
HIPPORT_PTX uint32_t prmt_f4e(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t(((uint64_t(b) << 32) | a) >> (8 * (c & 3)));
}
HIPPORT_PTX uint32_t prmt_b4e(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) result |= prmt_byte(a, b, ((c & 3) - i) & 7) << (8 * i);
  return result;
}
HIPPORT_PTX uint32_t prmt_rc8(uint32_t a, uint32_t b, uint32_t c) { return prmt_byte(a, b, c & 3) * 0x01010101u; }
HIPPORT_PTX uint32_t prmt_ecl(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) result |= prmt_byte(a, b, max<uint32_t>(i, c & 3)) << (8 * i);
  return result;
}
HIPPORT_PTX uint32_t prmt_ecr(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) result |= prmt_byte(a, b, min<uint32_t>(i, c & 3)) << (8 * i);
  return result;
}
HIPPORT_PTX uint32_t prmt_rc16(uint32_t a, uint32_t, uint32_t c) { return ((a >> (16 * (c & 1))) & 0xffff) * 0x10001u; }

// Shift the 64 bits in b and a: return the upper half of a left shift, or the lower half of a right shift.
HIPPORT_PTX uint32_t shf_l_by(uint32_t a, uint32_t b, uint32_t by) {
  return uint32_t(((((uint64_t)b << 32) | a) << by) >> 32);
}
HIPPORT_PTX uint32_t shf_r_by(uint32_t a, uint32_t b, uint32_t by) { return uint32_t((((uint64_t)b << 32) | a) >> by); }
HIPPORT_PTX uint32_t shf_l_wrap(uint32_t a, uint32_t b, uint32_t by) { return shf_l_by(a, b, by & 31); }
HIPPORT_PTX uint32_t shf_r_wrap(uint32_t a, uint32_t b, uint32_t by) { return shf_r_by(a, b, by & 31); }
HIPPORT_PTX uint32_t shf_l_clamp(uint32_t a, uint32_t b, uint32_t by) { return by > 31 ? a : shf_l_by(a, b, by); }
HIPPORT_PTX uint32_t shf_r_clamp(uint32_t a, uint32_t b, uint32_t by) { return by > 31 ? b : shf_r_by(a, b, by); }

// Return a byte or halfword as a number, signed if T is.
template <typename T>
HIPPORT_PTX int64_t byte_of(uint32_t a, int i) {
  const uint32_t byte = (a >> (8 * i)) & 0xff;
  return is_signed<T>() ? int64_t(int8_t(byte)) : int64_t(byte);
}
template <typename T>
HIPPORT_PTX int64_t half_of(uint32_t a, int i) {
  const uint32_t half = (a >> (16 * i)) & 0xffff;
  return is_signed<T>() ? int64_t(int16_t(half)) : int64_t(half);
}
template <typename A, typename B>
HIPPORT_PTX uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  int64_t sum = c;
  for (int i = 0; i < 4; ++i) sum += byte_of<A>(a, i) * byte_of<B>(b, i);
  return uint32_t(sum);
}
template <typename A, typename B>
HIPPORT_PTX uint32_t dp2a_lo(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t(int64_t(c) + half_of<A>(a, 0) * byte_of<B>(b, 0) + half_of<A>(a, 1) * byte_of<B>(b, 1));
}
template <typename A, typename B>
HIPPORT_PTX uint32_t dp2a_hi(uint32_t a, uint32_t b, uint32_t c) {
  return uint32_t(int64_t(c) + half_of<A>(a, 0) * byte_of<B>(b, 2) + half_of<A>(a, 1) * byte_of<B>(b, 3));
}

}  // namespace ptx
}  // namespace hipport

#endif
