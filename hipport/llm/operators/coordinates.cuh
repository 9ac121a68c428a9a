// Coordinates: how a point of a matrix that exists nowhere is found in memory.
//
// A view takes a point to a place in memory and says whether it is inside. Views are put together when the program is
// compiled: `Through` passes its coordinates through maps, each of which takes some of its own (`Ids`) to some of those
// of the view below. What it costs is the arithmetic that remains after inlining.
#ifndef HIPPORT_LLM_COORDINATES_CUH
#define HIPPORT_LLM_COORDINATES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace hipport_llm {

// Divides numbers below 2^31 by a multiplication and a shift (Granlund and Montgomery 1994).
class Divisor {
 public:
  Divisor() = default;
  __host__ __device__ constexpr explicit Divisor(int divisor) : divisor_(divisor), shift_(0), multiplier_(0) {
    while ((int64_t{1} << shift_) < divisor) ++shift_;
    multiplier_ = static_cast<uint32_t>((((uint64_t{1} << shift_) - divisor) << 32) / divisor + 1);
  }
  __host__ __device__ constexpr int divisor() const { return divisor_; }
  __host__ __device__ constexpr int divide(int n) const {
    const uint32_t high = static_cast<uint32_t>((static_cast<uint64_t>(n) * multiplier_) >> 32);
    return static_cast<int>((high + static_cast<uint32_t>(n)) >> shift_);
  }

 private:
  int divisor_, shift_;
  uint32_t multiplier_;
};

// A transform takes `upper` coordinates to `lower` ones, and says whether they are inside.

// Room around a dimension of `length` elements: coordinate `before` is its first.
struct Pad {
  static constexpr int upper = 1, lower = 1;
  int before, length;
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    to[0] = from[0] - before;
    return to[0] >= 0 && to[0] < length;
  }
};

// Several coordinates with a stride each, as one: a window of a convolution is at output * stride + tap * dilation.
template <int N>
struct Embed {
  static constexpr int upper = N, lower = 1;
  int strides[N];
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    to[0] = 0;
    for (int i = 0; i < N; ++i) to[0] += from[i] * strides[i];
    return true;
  }
};

// One coordinate that counts through several dimensions, the last the fastest. The first may be of any length.
template <int N>
struct Merge {
  static constexpr int upper = 1, lower = N;
  Divisor lengths[N - 1];  // of all but the first
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    int rest = from[0];
    for (int i = N - 1; i > 0; --i) {
      const int next = lengths[i - 1].divide(rest);
      to[i] = rest - next * lengths[i - 1].divisor();
      rest = next;
    }
    to[0] = rest;
    return true;
  }
};

// The other way round: several dimensions, counted through by one coordinate below.
template <int N>
struct Unmerge {
  static constexpr int upper = N, lower = 1;
  int lengths[N - 1];  // of all but the first
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    to[0] = from[0];
    for (int i = 1; i < N; ++i) to[0] = to[0] * lengths[i - 1] + from[i];
    return true;
  }
};

template <int... I>
struct Ids {};

template <typename Transform, typename Upper, typename Lower>
struct Map;

template <typename Transform, int... Upper, int... Lower>
struct Map<Transform, Ids<Upper...>, Ids<Lower...>> {
  static_assert(sizeof...(Upper) == Transform::upper && sizeof...(Lower) == Transform::lower,
                "as many coordinates as the transform has");
  static constexpr int upper = Transform::upper, lower = Transform::lower;
  Transform transform;

  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    const int mine[] = {from[Upper]...};
    int found[Transform::lower] = {};
    const bool inside = transform(mine, found);
    int next = 0;
    const int done[] = {(to[Lower] = found[next++])...};
    (void)done;
    return inside;
  }
};

template <int Upper, int Lower>
struct Keep {
  static constexpr int upper = 1, lower = 1;
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    to[Lower] = from[Upper];
    return true;
  }
};

// Where a point is, in elements from the start of the memory.
struct Place {
  int64_t offset;
  bool inside;
};

// The lowest view: memory with a stride for each dimension.
template <int N>
struct Memory {
  static constexpr int dimensions = N;
  int64_t strides[N];
  __host__ __device__ constexpr Place place(const int* at) const {
    int64_t offset = 0;
    for (int i = 0; i < N; ++i) offset += at[i] * strides[i];
    return {offset, true};
  }
};

template <typename... Maps>
struct AllMaps;

template <>
struct AllMaps<> {
  static constexpr int upper = 0, lower = 0;
  __host__ __device__ constexpr bool operator()(const int*, int*) const { return true; }
};

template <typename First, typename... Rest>
struct AllMaps<First, Rest...> {
  static constexpr int upper = First::upper + AllMaps<Rest...>::upper;
  static constexpr int lower = First::lower + AllMaps<Rest...>::lower;
  First first;
  AllMaps<Rest...> rest;
  __host__ __device__ constexpr explicit AllMaps(const First& own, const Rest&... others)
      : first(own), rest(others...) {}
  __host__ __device__ constexpr bool operator()(const int* from, int* to) const {
    const bool inside = first(from, to);
    return rest(from, to) && inside;
  }
};

// A view of another view through maps, which fill all of its coordinates.
template <typename Below, typename... Maps>
struct Through {
  static constexpr int dimensions = AllMaps<Maps...>::upper;
  static_assert(AllMaps<Maps...>::lower == Below::dimensions, "every coordinate below comes from one map");
  Below below;
  AllMaps<Maps...> maps;
  __host__ __device__ constexpr Through(const Below& under, const Maps&... all) : below(under), maps(all...) {}
  __host__ __device__ constexpr Place place(const int* at) const {
    int lower[Below::dimensions] = {};
    const bool inside = maps(at, lower);
    const Place found = below.place(lower);
    return {found.offset, found.inside && inside};
  }
};

// A matrix in memory, whose rows are `stride` apart; outside of it there is nothing.
using Bounded = Through<Memory<2>, Map<Pad, Ids<0>, Ids<0>>, Map<Pad, Ids<1>, Ids<1>>>;

__host__ __device__ constexpr Bounded bounded(int rows, int columns, int64_t stride) {
  return {Memory<2>{{stride, 1}}, {Pad{0, rows}}, {Pad{0, columns}}};
}

}  // namespace hipport_llm

#endif
