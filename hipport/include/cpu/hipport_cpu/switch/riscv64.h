// SPDX-License-Identifier: MIT
// Stack switch on 64-bit RISC-V with double-precision floating-point registers.
#pragma once

#include <cstddef>

namespace hipport::cpu {

// The saved stack pointer of a suspended fiber.
using Context = void*;

// A suspended stack holds the frame pointer and the address at which to continue. The compiler saves all other
// callee-saved registers around the asm, which lists them as clobbered.
[[gnu::noinline, gnu::noipa]] inline void switch_context(Context* from, Context to, void* argument) {
  register Context* old asm("a0") = from;
  register Context next asm("a1") = to;
  register void* passed asm("a2") = argument;
  asm volatile(
      "lla t0, 1f\n\taddi sp, sp, -16\n\tsd s0, 0(sp)\n\tsd t0, 8(sp)\n\tsd sp, 0(a0)\n\t"
      "mv sp, a1\n\tld s0, 0(sp)\n\tld t0, 8(sp)\n\taddi sp, sp, 16\n\tmv a0, a2\n\tli ra, 0\n\tjr t0\n"
      "1:"
      : "+r"(old), "+r"(next), "+r"(passed)
      :
      : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5", "a6", "a7", "s1", "s2", "s3", "s4", "s5",
        "s6", "s7", "s8", "s9", "s10", "s11", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9",
        "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs0", "fs1", "fs2", "fs3", "fs4",
        "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "memory");
}

template <void (*Enter)(void*)>
Context make_context(char* top, size_t) {
  void** stack = reinterpret_cast<void**>(reinterpret_cast<size_t>(top) & ~size_t{15});
  *--stack = reinterpret_cast<void*>(Enter);
  *--stack = nullptr;  // no frame above it: a backtrace ends here
  return stack;
}

}  // namespace hipport::cpu
