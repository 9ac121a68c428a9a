// The arithmetic of hipport/compat for Python to call: each function with C linkage.
#include <hipport/compat/integer.h>
#include <hipport/compat/simd.h>

using namespace hipport::compat;

#define UNARY(name)                                                          \
  extern "C" unsigned v##name##2(unsigned a) { return simd::name<16>(a); }   \
  extern "C" unsigned v##name##4(unsigned a) { return simd::name<8>(a); }
#define BINARY(name)                                                                       \
  extern "C" unsigned v##name##2(unsigned a, unsigned b) { return simd::name<16>(a, b); }  \
  extern "C" unsigned v##name##4(unsigned a, unsigned b) { return simd::name<8>(a, b); }
#define COMPARISON(name) BINARY(cmp##name) BINARY(set##name)
UNARY(abs) UNARY(absss) UNARY(neg) UNARY(negss)
BINARY(absdiffs) BINARY(absdiffu) BINARY(add) BINARY(addss) BINARY(addus) BINARY(avgs) BINARY(avgu) BINARY(haddu)
BINARY(maxs) BINARY(maxu) BINARY(mins) BINARY(minu) BINARY(sub) BINARY(subss) BINARY(subus) BINARY(sads) BINARY(sadu)
COMPARISON(eq) COMPARISON(ne) COMPARISON(ges) COMPARISON(geu) COMPARISON(gts) COMPARISON(gtu)
COMPARISON(les) COMPARISON(leu) COMPARISON(lts) COMPARISON(ltu)

extern "C" int dp4a_s(int a, int b, int sum) { return dp4a<int8_t>(a, b, sum); }
extern "C" unsigned dp4a_u(unsigned a, unsigned b, unsigned sum) { return dp4a<uint8_t>(a, b, sum); }
extern "C" int dp2a_s(int a, int b, int sum, int from) { return dp2a<int16_t, int8_t>(a, b, sum, from); }
extern "C" unsigned dp2a_u(unsigned a, unsigned b, unsigned sum, int from) {
  return dp2a<uint16_t, uint8_t>(a, b, sum, from);
}
extern "C" unsigned fns(unsigned mask, unsigned base, int n) { return find_nth_set(mask, base, n); }
