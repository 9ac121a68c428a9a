// The carry flag CC.CF where it lives from one asm statement to another: in different functions, or in macros.
#ifndef HIPPORT_PTX_CARRY_H
#define HIPPORT_PTX_CARRY_H

#include "../compat/device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "lanes.h"

namespace hipport {
namespace ptx {

// A type of its own: no other access may alias it, so that compilers keep the flag of an inlined chain in a register.
enum class CarryFlag : uint8_t { clear, set };

// Return this thread's flag. GPUs have neither registers nor global variables that belong to a thread, so it is in
// shared memory: 1 KiB in every kernel with such a chain.
HIPPORT_PTX_DEVICE CarryFlag& carry_flag() {
#if defined(__HIPPORT_CPU__)
  static thread_local CarryFlag flags[1024] = {};
#else
  __shared__ CarryFlag flags[1024];
#endif
  return flags[linear_thread()];
}

#if defined(__clang__) && (defined(__HIP__) || defined(__CUDA__)) && !defined(__HIPPORT_CPU__)
// For `__host__ __device__` functions, which compilers also read for the host.
__host__ inline CarryFlag& carry_flag() {
  static thread_local CarryFlag flag = CarryFlag::clear;
  return flag;
}
#endif

}  // namespace ptx
}  // namespace hipport

#endif

#endif
