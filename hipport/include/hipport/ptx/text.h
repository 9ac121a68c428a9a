// Text of inline assembly that macros assemble: a translation for each text, of which the compiler keeps one.
#ifndef HIPPORT_PTX_TEXT_H
#define HIPPORT_PTX_TEXT_H

#include "core.h"

namespace hipport {
namespace ptx {

// One expression, as C++11 wants, and four characters at a time, since compilers limit the depth of recursion.
HIPPORT_PTX constexpr bool same_text(const char* a, const char* b);
HIPPORT_PTX constexpr bool same_rest(const char* a, const char* b) {
  return *a == *b && (*a == 0 || same_text(a + 1, b + 1));
}
HIPPORT_PTX constexpr bool same_text(const char* a, const char* b) {
  return a[0] == b[0] &&
         (a[0] == 0 || (a[1] == b[1] && (a[1] == 0 || (a[2] == b[2] && (a[2] == 0 || same_rest(a + 3, b + 3))))));
}

template <bool Value>
struct Constant {
  static constexpr bool value = Value;
};

}  // namespace ptx
}  // namespace hipport

#define HIPPORT_PTX_TEXT_IS(text, expected) (hipport::ptx::Constant<hipport::ptx::same_text(text, expected)>::value)

#endif
