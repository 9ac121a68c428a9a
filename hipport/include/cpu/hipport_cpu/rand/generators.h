// SPDX-License-Identifier: MIT
// hipRAND's host API. Generators return subsequence 0 in order.
#pragma once

#include "../../hip/hip_runtime_api.h"

#include "../half.h"
#include "distributions.h"

#include <variant>

enum hiprandStatus_t {
  HIPRAND_STATUS_SUCCESS = 0,
  HIPRAND_STATUS_VERSION_MISMATCH = 100,
  HIPRAND_STATUS_NOT_INITIALIZED = 101,
  HIPRAND_STATUS_ALLOCATION_FAILED = 102,
  HIPRAND_STATUS_TYPE_ERROR = 103,
  HIPRAND_STATUS_OUT_OF_RANGE = 104,
  HIPRAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  HIPRAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  HIPRAND_STATUS_LAUNCH_FAILURE = 201,
  HIPRAND_STATUS_PREEXISTING_FAILURE = 202,
  HIPRAND_STATUS_INITIALIZATION_FAILED = 203,
  HIPRAND_STATUS_ARCH_MISMATCH = 204,
  HIPRAND_STATUS_INTERNAL_ERROR = 999,
  HIPRAND_STATUS_NOT_IMPLEMENTED = 1000
};
enum hiprandRngType_t {
  HIPRAND_RNG_TEST = 0,
  HIPRAND_RNG_PSEUDO_DEFAULT = 400,
  HIPRAND_RNG_PSEUDO_XORWOW = 401,
  HIPRAND_RNG_PSEUDO_MRG32K3A = 402,
  HIPRAND_RNG_PSEUDO_MTGP32 = 403,
  HIPRAND_RNG_PSEUDO_MT19937 = 404,
  HIPRAND_RNG_PSEUDO_PHILOX4_32_10 = 405,
  HIPRAND_RNG_QUASI_DEFAULT = 500,
  HIPRAND_RNG_QUASI_SOBOL32 = 501,
  HIPRAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 502,
  HIPRAND_RNG_QUASI_SOBOL64 = 503,
  HIPRAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 504
};
enum hiprandOrdering_t {
  HIPRAND_ORDERING_PSEUDO_BEST = 100,
  HIPRAND_ORDERING_PSEUDO_DEFAULT = 101,
  HIPRAND_ORDERING_PSEUDO_SEEDED = 102,
  HIPRAND_ORDERING_PSEUDO_LEGACY = 103,
  HIPRAND_ORDERING_PSEUDO_DYNAMIC = 104,
  HIPRAND_ORDERING_QUASI_DEFAULT = 201
};
using hiprandRngType = hiprandRngType_t;
using hiprandStatus = hiprandStatus_t;
using hiprandOrdering = hiprandOrdering_t;

struct hiprandGenerator_st {
  std::variant<hipport::cpu::rand::Xorwow, hipport::cpu::rand::Mrg, hipport::cpu::rand::Philox> engine;
  unsigned long long seed = 0, offset = 0;
  hipStream_t stream = nullptr;
  bool started = false;
};
using hiprandGenerator_t = hiprandGenerator_st*;

namespace hipport::cpu::rand {

// Fill memory with numbers that `make` draws from the generator's engine, in stream order.
template <typename T, typename Make>
hiprandStatus_t fill(hiprandGenerator_t generator, T* to, size_t count, Make make) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  if (to == nullptr && count > 0) return HIPRAND_STATUS_OUT_OF_RANGE;
  const auto work = [=] {
    auto one = make;  // a copy, because it may hold the second number of a pair
    std::visit(
        [&](auto& engine) {
          if (!generator->started) engine.seed(generator->seed, 0, generator->offset);
          for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(one(engine));
        },
        generator->engine);
    generator->started = true;
  };
  const hipError_t enqueued = enqueue(generator->stream, work, hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? HIPRAND_STATUS_SUCCESS : HIPRAND_STATUS_LAUNCH_FAILURE;
}

// Normal numbers come in pairs, so the count must be even. `scale` is applied to each.
template <typename T, typename MakePair, typename Scale>
hiprandStatus_t fill_pairs(hiprandGenerator_t generator, T* to, size_t count, MakePair make, Scale scale) {
  if (count % 2 != 0) return HIPRAND_STATUS_LENGTH_NOT_MULTIPLE;
  using Value = decltype(make(std::declval<Philox&>()).first);
  return fill(generator, to, count, [=, second = Value(), waits = false](auto& engine) mutable {
    if ((waits = !waits) == false) return scale(second);
    const auto pair = make(engine);
    second = pair.second;
    return scale(pair.first);
  });
}

inline const auto pair_of_floats = [](auto& engine) { return normal_pair(engine); };
inline const auto pair_of_doubles = [](auto& engine) { return normal_pair_double(engine); };

}  // namespace hipport::cpu::rand

inline hiprandStatus_t hiprandCreateGenerator(hiprandGenerator_t* generator, hiprandRngType_t type) {
  if (generator == nullptr) return HIPRAND_STATUS_OUT_OF_RANGE;
  auto made = std::make_unique<hiprandGenerator_st>();
  switch (type) {
    case HIPRAND_RNG_PSEUDO_DEFAULT:
    case HIPRAND_RNG_PSEUDO_XORWOW: made->engine = hipport::cpu::rand::Xorwow(); break;
    case HIPRAND_RNG_PSEUDO_MRG32K3A: made->engine = hipport::cpu::rand::Mrg(); break;
    case HIPRAND_RNG_PSEUDO_PHILOX4_32_10: made->engine = hipport::cpu::rand::Philox(); break;
    default: hipport::cpu::missing("hiprandCreateGenerator of this type"); return HIPRAND_STATUS_TYPE_ERROR;
  }
  *generator = made.release();
  return HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandCreateGeneratorHost(hiprandGenerator_t* generator, hiprandRngType_t type) {
  return hiprandCreateGenerator(generator, type);
}
inline hiprandStatus_t hiprandDestroyGenerator(hiprandGenerator_t generator) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandSetStream(hiprandGenerator_t generator, hipStream_t stream) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandSetPseudoRandomGeneratorSeed(hiprandGenerator_t generator, unsigned long long seed) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->started = false;
  return HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandSetGeneratorOffset(hiprandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->started = false;
  return HIPRAND_STATUS_SUCCESS;
}
// All orderings give the same numbers.
inline hiprandStatus_t hiprandSetGeneratorOrdering(hiprandGenerator_t generator, hiprandOrdering_t order) {
  if (generator == nullptr) return HIPRAND_STATUS_NOT_INITIALIZED;
  return order == HIPRAND_ORDERING_QUASI_DEFAULT ? HIPRAND_STATUS_OUT_OF_RANGE : HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandGenerateSeeds(hiprandGenerator_t generator) {
  return generator == nullptr ? HIPRAND_STATUS_NOT_INITIALIZED : HIPRAND_STATUS_SUCCESS;
}
inline hiprandStatus_t hiprandGetVersion(int* version) {
  if (version == nullptr) return HIPRAND_STATUS_OUT_OF_RANGE;
  *version = HIP_VERSION;
  return HIPRAND_STATUS_SUCCESS;
}

inline hiprandStatus_t hiprandGenerate(hiprandGenerator_t generator, unsigned* to, size_t count) {
  return hipport::cpu::rand::fill(generator, to, count, [](auto& engine) { return engine.next(); });
}
inline hiprandStatus_t hiprandGenerateUniform(hiprandGenerator_t generator, float* to, size_t count) {
  return hipport::cpu::rand::fill(generator, to, count, [](auto& e) { return hipport::cpu::rand::uniform(e); });
}
inline hiprandStatus_t hiprandGenerateUniformDouble(hiprandGenerator_t generator, double* to, size_t count) {
  return hipport::cpu::rand::fill(generator, to, count, [](auto& e) { return hipport::cpu::rand::uniform_double(e); });
}
inline hiprandStatus_t hiprandGenerateNormal(hiprandGenerator_t generator, float* to, size_t count, float mean,
                                             float deviation) {
  using namespace hipport::cpu::rand;
  return fill_pairs(generator, to, count, pair_of_floats, [=](float x) { return mean + x * deviation; });
}
inline hiprandStatus_t hiprandGenerateNormalDouble(hiprandGenerator_t generator, double* to, size_t count, double mean,
                                                   double deviation) {
  using namespace hipport::cpu::rand;
  return fill_pairs(generator, to, count, pair_of_doubles, [=](double x) { return mean + x * deviation; });
}
inline hiprandStatus_t hiprandGenerateLogNormal(hiprandGenerator_t generator, float* to, size_t count, float mean,
                                                float deviation) {
  using namespace hipport::cpu::rand;
  return fill_pairs(generator, to, count, pair_of_floats, [=](float x) { return std::exp(mean + x * deviation); });
}
inline hiprandStatus_t hiprandGenerateLogNormalDouble(hiprandGenerator_t generator, double* to, size_t count,
                                                      double mean, double deviation) {
  using namespace hipport::cpu::rand;
  return fill_pairs(generator, to, count, pair_of_doubles, [=](double x) { return std::exp(mean + x * deviation); });
}
inline hiprandStatus_t hiprandGeneratePoisson(hiprandGenerator_t generator, unsigned* to, size_t count, double mean) {
  if (mean <= 0) return HIPRAND_STATUS_OUT_OF_RANGE;
  return hipport::cpu::rand::fill(generator, to, count, [=](auto& e) { return hipport::cpu::rand::poisson(e, mean); });
}
