// Element types of matrix fragments: how many fit into a 32-bit register, and their values.
#ifndef HIPPORT_PTX_MATRIX_ELEMENTS_H
#define HIPPORT_PTX_MATRIX_ELEMENTS_H

#include "half.h"

namespace hipport {
namespace ptx {

struct F16 {
  static const int per_register = 2;
  HIPPORT_PTX_MEMBER static float get(uint32_t a, int i) { return f16_to_f32(a >> (16 * i)); }
};
struct BF16 {
  static const int per_register = 2;
  HIPPORT_PTX_MEMBER static float get(uint32_t a, int i) { return bf16_to_f32(a >> (16 * i)); }
};
// Tensor cores use only the upper 19 bits.
struct TF32 {
  static const int per_register = 1;
  static const uint32_t mask = 0xffffe000u;
  HIPPORT_PTX_MEMBER static float get(uint32_t a, int) { return bits<float>(a & mask); }
};
template <bool Signed>
struct Byte {
  static const int per_register = 4;
  HIPPORT_PTX_MEMBER static int32_t get(uint32_t a, int i) {
    return Signed ? int32_t(int8_t(a >> (8 * i))) : int32_t(uint8_t(a >> (8 * i)));
  }
};
typedef Byte<true> S8;
typedef Byte<false> U8;
template <bool Signed>
struct Nibble {
  static const int per_register = 8;
  HIPPORT_PTX_MEMBER static int32_t get(uint32_t a, int i) {
    return Signed ? int32_t(a << (28 - 4 * i)) >> 28 : int32_t((a >> (4 * i)) & 15);
  }
};
typedef Nibble<true> S4;
typedef Nibble<false> U4;

struct E4M3 {
  static const int per_register = 4;
  HIPPORT_PTX_MEMBER static float get(uint32_t a, int i) { return f16_to_f32(e4m3_to_f16((a >> (8 * i)) & 0xff)); }
};
struct E5M2 {
  static const int per_register = 4;
  HIPPORT_PTX_MEMBER static float get(uint32_t a, int i) { return f16_to_f32(e5m2_to_f16((a >> (8 * i)) & 0xff)); }
};

}  // namespace ptx
}  // namespace hipport

#endif
