// SPDX-License-Identifier: MIT
// Uniform, normal, log-normal and Poisson numbers from a sequence of 32-bit numbers, computed as rocRAND does.
#pragma once

#include "engines.h"

#include <cmath>

namespace hipport::cpu::rand {

inline constexpr float two_pi = 6.2831855f, float_step = 2.3283064e-10f;  // 2^-32
inline constexpr double double_step = 1.1102230246251565e-16;             // 2^-53
inline constexpr double mrg_step = 2.3283065498378288e-10;                // 1 / m1

// Uniform numbers in (0, 1].
template <typename Engine>
float uniform(Engine& engine) {
  return float_step + static_cast<float>(engine.next()) * float_step;
}
template <typename Engine>
double uniform_double(Engine& engine) {
  const uint64_t low = engine.next(), high = engine.next() >> 11;
  return double_step + static_cast<double>(high << 32 | low) * double_step;
}
inline float uniform(Mrg& engine) { return static_cast<float>(engine.raw() * mrg_step); }
inline double uniform_double(Mrg& engine) { return engine.raw() * mrg_step; }

// Two normal numbers by the Box-Muller method.
template <typename T>
struct Pair {
  T first, second;
};
template <typename Engine>
Pair<float> normal_pair(Engine& engine) {
  const float u = uniform(engine);
  const float v = float_step * two_pi + static_cast<float>(engine.next()) * (float_step * two_pi);
  const float radius = std::sqrt(-2.0f * std::log(u));
  return {std::sin(v) * radius, std::cos(v) * radius};
}
inline Pair<float> normal_pair(Mrg& engine) {
  const float u = uniform(engine), v = uniform(engine) * two_pi, radius = std::sqrt(-2.0f * std::log(u));
  return {std::sin(v) * radius, std::cos(v) * radius};
}
template <typename Engine>
Pair<double> normal_pair_double(Engine& engine) {
  const uint64_t a = engine.next(), b = engine.next(), c = engine.next(), d = engine.next();
  const double u = double_step + static_cast<double>(a ^ b << 21) * double_step;
  const double v = 2 * double_step + static_cast<double>(c ^ d << 21) * (2 * double_step);
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(v * M_PI) * radius, std::cos(v * M_PI) * radius};
}
inline Pair<double> normal_pair_double(Mrg& engine) {
  const double u = uniform(engine), v = uniform(engine) * 2.0, radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(v * M_PI) * radius, std::cos(v * M_PI) * radius};
}

// Poisson numbers by counting arrivals; large means are split into a sum of small ones. rocRAND uses other methods, so
// the numbers differ.
template <typename Engine>
unsigned poisson(Engine& engine, double mean) {
  constexpr double piece = 30;
  unsigned count = 0;
  for (; mean > 0; mean -= piece) {
    const double limit = std::exp(-std::min(mean, piece));
    for (double product = uniform_double(engine); product > limit; product *= uniform_double(engine)) ++count;
  }
  return count;
}

}  // namespace hipport::cpu::rand
