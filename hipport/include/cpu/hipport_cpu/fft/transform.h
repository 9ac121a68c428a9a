// SPDX-License-Identifier: MIT
// One execution of a plan by FFTW, which plans by estimate each time: the arrays are known only then.
#pragma once

#include "library.h"

namespace hipport::cpu::fft {

inline constexpr unsigned estimate = 1u << 6, preserve_input = 1u << 4;  // FFTW_ESTIMATE, FFTW_PRESERVE_INPUT

// Adjacent elements; `last` is how many of the last dimension are stored.
inline hipport_fft_layout packed(const std::vector<int>& sizes, int last) {
  hipport_fft_layout layout{sizes, 1, 1};
  layout.embed.back() = last;
  for (int size : layout.embed) layout.distance *= size;
  return layout;
}

struct Layouts {
  hipport_fft_layout in, out;
};
inline Layouts layouts(const hipfftHandle_t& plan, bool in_place) {
  if (!plan.packed) return {plan.in, plan.out};
  const int size = plan.sizes.back(), half = size / 2 + 1;
  const auto real = packed(plan.sizes, in_place ? 2 * half : size), spectrum = packed(plan.sizes, half);
  switch (plan.type) {
    case HIPFFT_R2C:
    case HIPFFT_D2Z: return {real, spectrum};
    case HIPFFT_C2R:
    case HIPFFT_Z2D: return {spectrum, real};
    default: return {packed(plan.sizes, size), packed(plan.sizes, size)};
  }
}

// Of several dimensions, a transform to real numbers overwrites its input, as hipFFT may.
template <typename T>
void* planned(const Library<T>& fftw, const hipfftHandle_t& plan, void* in, void* out, int direction) {
  const Layouts at = layouts(plan, in == out);
  const int rank = static_cast<int>(plan.sizes.size()), *sizes = plan.sizes.data();
  const int *from = at.in.embed.data(), *to = at.out.embed.data();
  const int is = at.in.stride, id = at.in.distance, os = at.out.stride, od = at.out.distance;
  std::lock_guard<std::mutex> lock(planning());
  switch (plan.type) {
    case HIPFFT_C2C:
    case HIPFFT_Z2Z:
      return fftw.complex(rank, sizes, plan.batch, in, from, is, id, out, to, os, od, direction, estimate);
    case HIPFFT_R2C:
    case HIPFFT_D2Z: return fftw.forward(rank, sizes, plan.batch, in, from, is, id, out, to, os, od, estimate);
    default:
      return fftw.backward(rank, sizes, plan.batch, in, from, is, id, out, to, os, od,
                           estimate | (rank == 1 && in != out ? preserve_input : 0));
  }
}

template <typename T>
void run(const hipfftHandle_t& plan, void* in, void* out, int direction) {
  const Library<T>& fftw = library<T>();
  void* made = planned(fftw, plan, in, out, direction);
  if (made == nullptr) stop("hipFFT: FFTW cannot plan this transform");
  fftw.execute(made);
  std::lock_guard<std::mutex> lock(planning());
  fftw.destroy(made);
}

template <typename T>
hipfftResult submit(hipfftHandle plan, hipfftType type, const void* in, void* out, int direction) {
  if (plan == nullptr || plan->sizes.empty()) return HIPFFT_INVALID_PLAN;
  if (plan->type != type) return HIPFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (direction != HIPFFT_FORWARD && direction != HIPFFT_BACKWARD))
    return HIPFFT_INVALID_VALUE;
  if (!library<T>().loaded) return HIPFFT_SETUP_FAILED;
  const hipError_t enqueued = enqueue(
      plan->stream, [copy = *plan, in, out, direction] { run<T>(copy, const_cast<void*>(in), out, direction); },
      hipGraphNodeTypeKernel);
  return enqueued == hipSuccess ? HIPFFT_SUCCESS : HIPFFT_EXEC_FAILED;
}

}  // namespace hipport::cpu::fft
