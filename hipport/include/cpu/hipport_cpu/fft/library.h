// SPDX-License-Identifier: MIT
// Loads FFTW 3, one library per precision, at the first transform, so that programs need not link it.
#pragma once

#include "types.h"

#include <dlfcn.h>
#include <mutex>
#include <string>

namespace hipport::cpu::fft {

// FFTW's functions for the precision `T`.
template <typename T>
struct Library {
  using Complex = T (*)[2];
  template <typename In, typename Out, typename... More>
  using Planner = void* (*)(int rank, const int* sizes, int batch, In, const int*, int, int, Out, const int*, int, int,
                            More..., unsigned flags);
  Planner<void*, void*, int> complex;
  Planner<void*, void*> forward, backward;
  void (*execute)(void* plan);
  void (*destroy)(void* plan);
  bool loaded;

  Library() {
    constexpr bool single = sizeof(T) == 4;
    void* found = dlopen(single ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_NOW);
    const auto load = [&](auto& function, const char* name) {
      const std::string symbol = std::string(single ? "fftwf_" : "fftw_") + name;
      function =
          reinterpret_cast<std::decay_t<decltype(function)>>(found == nullptr ? nullptr : dlsym(found, symbol.c_str()));
      return function != nullptr;
    };
    loaded = load(complex, "plan_many_dft") && load(forward, "plan_many_dft_r2c") &&
             load(backward, "plan_many_dft_c2r") && load(execute, "execute") && load(destroy, "destroy_plan");
    if (!loaded)
      std::fprintf(stderr, "hipport: hipFFT on the CPU needs FFTW (Debian and Ubuntu: apt-get install libfftw3-%s3)\n",
                   single ? "single" : "double");
  }
};

template <typename T>
const Library<T>& library() {
  static const Library<T> loaded;
  return loaded;
}

// FFTW plans one transform at a time.
inline std::mutex& planning() {
  static std::mutex lock;
  return lock;
}

}  // namespace hipport::cpu::fft
