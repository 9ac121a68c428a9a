// The arithmetic of hipport/compat for Python to call: each function with C linkage.
#include <hipport/compat/exact.h>
#include <hipport/compat/float_formats.h>
#include <hipport/compat/integer.h>
#include <hipport/compat/simd.h>

using namespace hipport::compat;

#define UNARY(name)                                                        \
  extern "C" unsigned v##name##2(unsigned a) { return simd::name<16>(a); } \
  extern "C" unsigned v##name##4(unsigned a) { return simd::name<8>(a); }
#define BINARY(name)                                                                      \
  extern "C" unsigned v##name##2(unsigned a, unsigned b) { return simd::name<16>(a, b); } \
  extern "C" unsigned v##name##4(unsigned a, unsigned b) { return simd::name<8>(a, b); }
#define COMPARISON(name) BINARY(cmp##name) BINARY(set##name)
UNARY(abs)
UNARY(absss)
UNARY(neg)
UNARY(negss)
BINARY(absdiffs)
BINARY(absdiffu)
BINARY(add)
BINARY(addss)
BINARY(addus)
BINARY(avgs)
BINARY(avgu)
BINARY(haddu)
BINARY(maxs)
BINARY(maxu)
BINARY(mins)
BINARY(minu)
BINARY(sub)
BINARY(subss)
BINARY(subus)
BINARY(sads)
BINARY(sadu)
COMPARISON(eq)
COMPARISON(ne)
COMPARISON(ges)
COMPARISON(geu)
COMPARISON(gts)
COMPARISON(gtu)
COMPARISON(les)
COMPARISON(leu)
COMPARISON(lts)
COMPARISON(ltu)

extern "C" int dp4a_s(int a, int b, int sum) { return dp4a<int8_t>(a, b, sum); }
extern "C" unsigned dp4a_u(unsigned a, unsigned b, unsigned sum) { return dp4a<uint8_t>(a, b, sum); }
extern "C" int dp2a_s(int a, int b, int sum, int from) { return dp2a<int16_t, int8_t>(a, b, sum, from); }
extern "C" unsigned dp2a_u(unsigned a, unsigned b, unsigned sum, int from) {
  return dp2a<uint16_t, uint8_t>(a, b, sum, from);
}
extern "C" unsigned fns(unsigned mask, unsigned base, int n) { return find_nth_set(mask, base, n); }

#define ROUNDED(T, letter, suffix, mode)                                                   \
  extern "C" T letter##add_##suffix(T a, T b, T) { return exact::add<exact::mode>(a, b); } \
  extern "C" T letter##sub_##suffix(T a, T b, T) { return exact::sub<exact::mode>(a, b); } \
  extern "C" T letter##mul_##suffix(T a, T b, T) { return exact::mul<exact::mode>(a, b); } \
  extern "C" T letter##div_##suffix(T a, T b, T) { return exact::div<exact::mode>(a, b); } \
  extern "C" T letter##sqrt_##suffix(T a, T, T) { return exact::sqrt<exact::mode>(a); }    \
  extern "C" T letter##fma_##suffix(T a, T b, T c) { return exact::fma<exact::mode>(a, b, c); }
#define ROUNDED_ALL(T, letter) \
  ROUNDED(T, letter, rd, downward) ROUNDED(T, letter, ru, upward) ROUNDED(T, letter, rz, to_zero)
ROUNDED_ALL(float, f)
ROUNDED_ALL(double, d)

extern "C" unsigned bfloat16_near(double x) { return to_bfloat16(x); }
extern "C" unsigned bfloat16_rz(double x) { return to_bfloat16<exact::to_zero>(x); }
extern "C" unsigned bfloat16_rd(double x) { return to_bfloat16<exact::downward>(x); }
extern "C" unsigned bfloat16_ru(double x) { return to_bfloat16<exact::upward>(x); }
extern "C" unsigned e4m3(double x, int saturate) { return to_e4m3(x, saturate != 0); }
extern "C" unsigned e5m2(double x, int saturate) { return to_e5m2(x, saturate != 0); }
extern "C" float bfloat16_value(unsigned word) { return from_bfloat16(word); }
extern "C" float e4m3_value(unsigned byte) { return from_e4m3(byte); }
extern "C" float e5m2_value(unsigned byte) { return from_e5m2(byte); }
extern "C" unsigned bfloat16_quick(float x) { return nearest_bfloat16(x); }
extern "C" unsigned bfloat16_fma(float a, float b, float c) { return to_bfloat16(odd_fma(a, b, c)); }
