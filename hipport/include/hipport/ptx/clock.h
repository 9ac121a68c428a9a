// PTX's clocks, the number of the compute unit, and pauses.
#ifndef HIPPORT_PTX_CLOCK_H
#define HIPPORT_PTX_CLOCK_H

#include "core.h"

#if defined(__HIPPORT_CPU__) || !(defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__))
#define HIPPORT_PTX_ON_CPU 1
#include <signal.h>

#include <chrono>
#endif

namespace hipport {
namespace ptx {

HIPPORT_PTX_DEVICE uint64_t clock64() {
#if defined(HIPPORT_PTX_ON_CPU)
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
#else
  return uint64_t(::clock64());
#endif
}
HIPPORT_PTX_DEVICE uint32_t clock32() { return uint32_t(clock64()); }
HIPPORT_PTX_DEVICE uint32_t clock_hi() { return uint32_t(clock64() >> 32); }

// Return nanoseconds. The constant-frequency clock of AMD GPUs ticks every 10 ns.
HIPPORT_PTX_DEVICE uint64_t globaltimer() {
#if defined(HIPPORT_PTX_ON_CPU)
  using namespace std::chrono;
  return uint64_t(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
#elif defined(__CUDACC__)
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#elif defined(__HIP_DEVICE_COMPILE__)
#if HIP_VERSION_MAJOR >= 6
  return uint64_t(wall_clock64()) * 10;
#elif defined(__GFX12__) || defined(__GFX11__) || defined(__gfx1100__) || defined(__gfx1101__) || \
    defined(__gfx1102__) || defined(__gfx1103__)
  return __builtin_amdgcn_s_sendmsg_rtnl(0x83) * 10;  // MSG_RTN_GET_REALTIME
#else
  return __builtin_amdgcn_s_memrealtime() * 10;
#endif
#else
  return 0;
#endif
}
HIPPORT_PTX_DEVICE uint32_t globaltimer_lo() { return uint32_t(globaltimer()); }
HIPPORT_PTX_DEVICE uint32_t globaltimer_hi() { return uint32_t(globaltimer() >> 32); }

// Return the number of the compute unit, and a bound that is larger than all numbers.
HIPPORT_PTX_DEVICE uint32_t smid() {
#if defined(HIPPORT_PTX_ON_CPU)
  return 0;
#elif defined(__CUDACC__)
  uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
#else
  return __smid();
#endif
}
HIPPORT_PTX_DEVICE uint32_t nsmid() {
#if defined(HIPPORT_PTX_ON_CPU)
  return 1;
#elif defined(__CUDACC__)
  uint32_t number;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(number));
  return number;
#else
  return 4096;
#endif
}

// Sleep for at most twice `nanoseconds`.
HIPPORT_PTX_DEVICE void nanosleep(uint32_t nanoseconds) {
#if defined(__CUDACC__)
  __nanosleep(nanoseconds);
#elif defined(HIPPORT_PTX_ON_CPU)
  (void)nanoseconds;
#else
  for (uint32_t slept = 0; slept < nanoseconds; slept += 32) __builtin_amdgcn_s_sleep(1);
#endif
}

HIPPORT_PTX_DEVICE void brkpt() {
#if defined(__CUDACC__)
  __brkpt();
#elif defined(HIPPORT_PTX_ON_CPU)
  raise(SIGTRAP);
#else
  __builtin_debugtrap();
#endif
}

}  // namespace ptx
}  // namespace hipport

#endif
