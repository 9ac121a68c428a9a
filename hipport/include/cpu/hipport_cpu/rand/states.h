// SPDX-License-Identifier: MIT
// hipRAND's device API; on the CPU the host can call it, too.
#pragma once

#include "../../hip/hip_runtime.h"

#include "distributions.h"

namespace hipport::cpu::rand {

// The generator of one thread. Normal numbers come in pairs; the second is kept for the next call.
template <typename E>
struct State {
  E engine;
  bool has_float, has_double;
  float waiting_float;
  double waiting_double;
};

}  // namespace hipport::cpu::rand

using hiprandStatePhilox4_32_10_t = hipport::cpu::rand::State<hipport::cpu::rand::Philox>;
using hiprandStateXORWOW_t = hipport::cpu::rand::State<hipport::cpu::rand::Xorwow>;
using hiprandStateMRG32k3a_t = hipport::cpu::rand::State<hipport::cpu::rand::Mrg>;
using hiprandStatePhilox4_32_10 = hiprandStatePhilox4_32_10_t;
using hiprandStateXORWOW = hiprandStateXORWOW_t;
using hiprandStateMRG32k3a = hiprandStateMRG32k3a_t;
using hiprandState_t = hiprandStateXORWOW_t;
using hiprandState = hiprandStateXORWOW_t;

template <typename E>
void hiprand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                  hipport::cpu::rand::State<E>* state) {
  state->engine.seed(seed, subsequence, offset);
  state->has_float = state->has_double = false;
}
template <typename E>
void skipahead(unsigned long long count, hipport::cpu::rand::State<E>* state) {
  state->engine.discard(count);
}
template <typename E>
void skipahead_sequence(unsigned long long count, hipport::cpu::rand::State<E>* state) {
  state->engine.discard_subsequence(count);
}
// MRG32k3a has sequences of 2^127 numbers, which are divided into subsequences.
inline void skipahead_sequence(unsigned long long count, hiprandStateMRG32k3a_t* state) {
  state->engine.discard_sequence(count);
}
inline void skipahead_subsequence(unsigned long long count, hiprandStateMRG32k3a_t* state) {
  state->engine.discard_subsequence(count);
}
template <typename E>
unsigned hiprand(hipport::cpu::rand::State<E>* state) {
  return state->engine.next();
}
inline uint4 hiprand4(hiprandStatePhilox4_32_10_t* state) {
  const unsigned x = hiprand(state), y = hiprand(state), z = hiprand(state), w = hiprand(state);
  return make_uint4(x, y, z, w);
}

template <typename E>
float hiprand_uniform(hipport::cpu::rand::State<E>* state) {
  return hipport::cpu::rand::uniform(state->engine);
}
template <typename E>
double hiprand_uniform_double(hipport::cpu::rand::State<E>* state) {
  return hipport::cpu::rand::uniform_double(state->engine);
}
inline float4 hiprand_uniform4(hiprandStatePhilox4_32_10_t* state) {
  const float x = hiprand_uniform(state), y = hiprand_uniform(state), z = hiprand_uniform(state),
              w = hiprand_uniform(state);
  return make_float4(x, y, z, w);
}
inline double2 hiprand_uniform2_double(hiprandStatePhilox4_32_10_t* state) {
  const double x = hiprand_uniform_double(state), y = hiprand_uniform_double(state);
  return make_double2(x, y);
}

template <typename E>
float2 hiprand_normal2(hipport::cpu::rand::State<E>* state) {
  const auto pair = hipport::cpu::rand::normal_pair(state->engine);
  return make_float2(pair.first, pair.second);
}
template <typename E>
double2 hiprand_normal2_double(hipport::cpu::rand::State<E>* state) {
  const auto pair = hipport::cpu::rand::normal_pair_double(state->engine);
  return make_double2(pair.first, pair.second);
}
inline float4 hiprand_normal4(hiprandStatePhilox4_32_10_t* state) {
  const float2 a = hiprand_normal2(state), b = hiprand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}
template <typename E>
float hiprand_normal(hipport::cpu::rand::State<E>* state) {
  if ((state->has_float = !state->has_float) == false) return state->waiting_float;
  const float2 pair = hiprand_normal2(state);
  state->waiting_float = pair.y;
  return pair.x;
}
template <typename E>
double hiprand_normal_double(hipport::cpu::rand::State<E>* state) {
  if ((state->has_double = !state->has_double) == false) return state->waiting_double;
  const double2 pair = hiprand_normal2_double(state);
  state->waiting_double = pair.y;
  return pair.x;
}
template <typename E>
float hiprand_log_normal(hipport::cpu::rand::State<E>* state, float mean, float deviation) {
  return std::exp(mean + deviation * hiprand_normal(state));
}
template <typename E>
double hiprand_log_normal_double(hipport::cpu::rand::State<E>* state, double mean, double deviation) {
  return std::exp(mean + deviation * hiprand_normal_double(state));
}
template <typename E>
float2 hiprand_log_normal2(hipport::cpu::rand::State<E>* state, float mean, float deviation) {
  const float2 pair = hiprand_normal2(state);
  return make_float2(std::exp(mean + deviation * pair.x), std::exp(mean + deviation * pair.y));
}
template <typename E>
unsigned hiprand_poisson(hipport::cpu::rand::State<E>* state, double mean) {
  return hipport::cpu::rand::poisson(state->engine, mean);
}
