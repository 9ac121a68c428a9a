// SPDX-License-Identifier: MIT
// `thrust::inclusive_scan` and `thrust::transform_inclusive_scan` with an initial value, which older rocThrust lacks. A
// newer one has overloads that are preferred to these, which end with an empty parameter pack.
#ifndef HIPPORT_COMPAT_THRUST_SCAN_H
#define HIPPORT_COMPAT_THRUST_SCAN_H

#include "seeded_input.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hipport {
namespace compat {

template <typename Input, typename Op, typename Init>
using SeededIterator =
    ::thrust::transform_iterator<SeededInput<Input, Op, Init>, ::thrust::counting_iterator<std::size_t>,
                                 typename SeededInput<Input, Op, Init>::Sum,
                                 typename SeededInput<Input, Op, Init>::Sum>;

template <typename Input, typename Op, typename Init>
__host__ __device__ SeededIterator<Input, Op, Init> seeded(Input input, Op op, Init init) {
  return SeededIterator<Input, Op, Init>(::thrust::counting_iterator<std::size_t>(0),
                                         SeededInput<Input, Op, Init>{input, op, init});
}

// The results of a function for an input, as values.
template <typename Input, typename Function>
struct TransformedInput {
  typedef typename std::iterator_traits<Input>::value_type Value;
  typedef typename std::decay<decltype(std::declval<Function&>()(std::declval<Value>()))>::type Result;
  typedef ::thrust::transform_iterator<Function, Input, Result, Result> Iterator;
};

}  // namespace compat
}  // namespace hipport

namespace thrust {

template <typename Input, typename Output, typename Init, typename Op, typename... None>
Output inclusive_scan(Input first, Input last, Output result, Init init, Op op, None...) {
  const auto seeded = ::hipport::compat::seeded(first, op, init);
  return ::thrust::inclusive_scan(seeded, seeded + (last - first), result, op);
}

template <typename Policy, typename Input, typename Output, typename Init, typename Op, typename... None>
__host__ __device__ Output inclusive_scan(const detail::execution_policy_base<Policy>& policy, Input first, Input last,
                                          Output result, Init init, Op op, None...) {
  const auto seeded = ::hipport::compat::seeded(first, op, init);
  return ::thrust::inclusive_scan(policy, seeded, seeded + (last - first), result, op);
}

template <typename Input, typename Output, typename Function, typename Init, typename Op, typename... None>
Output transform_inclusive_scan(Input first, Input last, Output result, Function function, Init init, Op op, None...) {
  typedef typename ::hipport::compat::TransformedInput<Input, Function>::Iterator Iterator;
  return ::thrust::inclusive_scan(Iterator(first, function), Iterator(last, function), result, init, op);
}

template <typename Policy, typename Input, typename Output, typename Function, typename Init, typename Op,
          typename... None>
__host__ __device__ Output transform_inclusive_scan(const detail::execution_policy_base<Policy>& policy, Input first,
                                                    Input last, Output result, Function function, Init init, Op op,
                                                    None...) {
  typedef typename ::hipport::compat::TransformedInput<Input, Function>::Iterator Iterator;
  return ::thrust::inclusive_scan(policy, Iterator(first, function), Iterator(last, function), result, init, op);
}

}  // namespace thrust

#endif

#endif
