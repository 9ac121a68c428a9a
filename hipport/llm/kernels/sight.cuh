// Which positions a token sees, besides that those after its own are hidden.
#ifndef HIPPORT_LLM_SIGHT_CUH
#define HIPPORT_LLM_SIGHT_CUH

#include <limits.h>

#include "numeric.cuh"

namespace hipport_llm {

// Every position up to its own.
struct WholeSight {
  static constexpr bool kLimited = false;

  __device__ int first(int) const { return 0; }
};

// The last `window` positions up to its own; 0: all. If there are `sinks`, [head], each is a score beside those of the
// positions, whose value is zero.
struct LimitedSight {
  static constexpr bool kLimited = true;
  // A score below all others that is not infinite.
  static constexpr float kLeast = -1e30f;

  int window;
  const Number* sinks;  // or null

  __device__ int first(int position) const { return window > 0 ? max(position + 1 - window, 0) : 0; }
  __device__ int reach() const { return window > 0 ? window : INT_MAX; }
  __device__ float sink(int head) const { return sinks == nullptr ? kLeast : float_of(sinks[head]); }
};

}  // namespace hipport_llm

#endif
