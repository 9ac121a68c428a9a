// SPDX-License-Identifier: MIT
// Device-wide algorithms of newer CUB that hipCUB lacks or has with another meaning: `cub::DeviceTransform` (hipCUB has
// it since ROCm 7.1, for tuples of its own only), `cub::DeviceReduce::ArgMin` and `ArgMax` that write value and index to two
// places, and histograms of several channels whose arguments are `cuda::std::array`.
#ifndef HIPPORT_COMPAT_CUB_DEVICE_H
#define HIPPORT_COMPAT_CUB_DEVICE_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hipport {
namespace compat {

// Calls a function of several arguments with the elements of a tuple.
template <typename Op>
struct WithElements {
  Op op;

  template <typename Tuple, std::size_t... I>
  __host__ __device__ auto call(const Tuple& values, std::index_sequence<I...>) const {
    return op(::rocprim::get<I>(values)...);
  }
  template <typename Tuple>
  __host__ __device__ auto operator()(const Tuple& values) const {
    return call(values, std::make_index_sequence<::rocprim::tuple_size<Tuple>::value>());
  }
};

struct DeviceTransform {
  template <typename... Inputs, typename Output, typename Count, typename Op>
  static hipError_t Transform(std::tuple<Inputs...> inputs, Output output, Count count, Op op,
                              hipStream_t stream = nullptr) {
    return zipped(inputs, output, count, op, stream, std::index_sequence_for<Inputs...>());
  }
  template <typename Input, typename Output, typename Count, typename Op>
  static hipError_t Transform(Input input, Output output, Count count, Op op, hipStream_t stream = nullptr) {
    return ::rocprim::transform(input, output, std::size_t(count), op, stream);
  }
  // Forms with temporary storage, of which one byte is asked for.
  template <typename Inputs, typename Output, typename Count, typename Op>
  static hipError_t Transform(void* storage, std::size_t& bytes, Inputs inputs, Output output, Count count, Op op,
                              hipStream_t stream = nullptr) {
    if (storage != nullptr) return Transform(inputs, output, count, op, stream);
    bytes = 1;
    return hipSuccess;
  }
  // The addresses of the arguments, which this form lets a function use, are those of the elements in `Transform`, too.
  template <typename... Arguments>
  static hipError_t TransformStableArgumentAddresses(Arguments&&... arguments) {
    return Transform(std::forward<Arguments>(arguments)...);
  }

 private:
  template <typename... Inputs, typename Output, typename Count, typename Op, std::size_t... I>
  static hipError_t zipped(std::tuple<Inputs...> inputs, Output output, Count count, Op op, hipStream_t stream,
                           std::index_sequence<I...>) {
    auto first = ::rocprim::make_zip_iterator(::rocprim::make_tuple(std::get<I>(inputs)...));
    return ::rocprim::transform(first, output, std::size_t(count), WithElements<Op>{op}, stream);
  }
};

// Takes a pair of index and value, and writes each to its own place.
template <typename Pair, typename Value, typename Index>
class TwoOutputs {
  Value value_;
  Index index_;

 public:
  typedef Pair value_type;
  typedef TwoOutputs reference;
  typedef TwoOutputs* pointer;
  typedef std::ptrdiff_t difference_type;
  typedef std::random_access_iterator_tag iterator_category;

  __host__ __device__ TwoOutputs(Value value, Index index) : value_(value), index_(index) {}
  __host__ __device__ TwoOutputs operator*() const { return *this; }
  __host__ __device__ TwoOutputs operator[](std::ptrdiff_t i) const { return {value_ + i, index_ + i}; }
  __host__ __device__ TwoOutputs operator+(std::ptrdiff_t i) const { return (*this)[i]; }
  __host__ __device__ const TwoOutputs& operator=(const Pair& pair) const {
    *value_ = pair.value;
    *index_ = pair.key;
    return *this;
  }
};

template <typename Input, typename Value, typename Index>
using ArgOutputs =
    TwoOutputs<::hipcub::KeyValuePair<int, typename std::iterator_traits<Input>::value_type>, Value, Index>;

// `Index` is an iterator, or else the number of elements: the older form writes pairs to one output.
#define HIPPORT_COMPAT_ARG(Name)                                                                              \
  template <typename Input, typename Value, typename Index, typename Count,                                   \
            std::enable_if_t<!std::is_integral<Index>::value, int> = 0>                                       \
  hipError_t Name(void* storage, std::size_t& bytes, Input input, Value value, Index index, Count count,      \
                  hipStream_t stream = nullptr) {                                                             \
    return ::hipcub::DeviceReduce::Name(storage, bytes, input, ArgOutputs<Input, Value, Index>(value, index), \
                                        int(count), stream);                                                  \
  }                                                                                                           \
  template <typename Input, typename Output, typename Count,                                                  \
            std::enable_if_t<std::is_integral<Count>::value, int> = 0>                                        \
  hipError_t Name(void* storage, std::size_t& bytes, Input input, Output output, Count count,                 \
                  hipStream_t stream = nullptr, bool /*debug_synchronous*/ = false) {                         \
    return ::hipcub::DeviceReduce::Name(storage, bytes, input, output, int(count), stream);                   \
  }
HIPPORT_COMPAT_ARG(ArgMin)
HIPPORT_COMPAT_ARG(ArgMax)
#undef HIPPORT_COMPAT_ARG

// hipCUB takes arrays as pointers, CUB also as `std::array`.
template <typename T>
T plain_array(T argument) {
  return argument;
}
template <typename T, std::size_t N>
T* plain_array(std::array<T, N>& argument) {
  return argument.data();
}

#define HIPPORT_COMPAT_MULTI_HISTOGRAM(Name)                                                               \
  template <int Channels, int Active, typename... Arguments>                                               \
  hipError_t Name(void* storage, std::size_t& bytes, Arguments... arguments) {                             \
    return ::hipcub::DeviceHistogram::Name<Channels, Active>(storage, bytes, plain_array<>(arguments)...); \
  }
HIPPORT_COMPAT_MULTI_HISTOGRAM(MultiHistogramEven)
HIPPORT_COMPAT_MULTI_HISTOGRAM(MultiHistogramRange)
#undef HIPPORT_COMPAT_MULTI_HISTOGRAM

}  // namespace compat
}  // namespace hipport

#if HIPPORT_COMPAT_HIP_BEFORE(7, 1)
// For files that use the namespace.
namespace hipcub {
using ::hipport::compat::DeviceTransform;
}  // namespace hipcub
#endif

#endif

#endif
