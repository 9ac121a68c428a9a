// SPDX-License-Identifier: MIT
// Shared by the headers that supply inclusive scans with an initial value: an input that has it in its first element.
#ifndef HIPPORT_COMPAT_SEEDED_INPUT_H
#define HIPPORT_COMPAT_SEEDED_INPUT_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hipport {
namespace compat {

// Reads an input by index; the first element is that of the operator with the initial value.
template <typename Input, typename Op, typename Init>
struct SeededInput {
  typedef typename std::iterator_traits<Input>::value_type Value;
  typedef typename std::decay<decltype(std::declval<Op&>()(std::declval<Init>(), std::declval<Value>()))>::type Sum;

  Input input;
  Op op;
  Init init;

  __host__ __device__ Sum operator()(std::size_t i) const {
    return i == 0 ? Sum(Op(op)(init, Value(*input))) : Sum(Value(input[i]));
  }
};

}  // namespace compat
}  // namespace hipport

#endif

#endif
