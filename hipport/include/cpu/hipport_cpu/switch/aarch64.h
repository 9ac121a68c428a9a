// SPDX-License-Identifier: MIT
// Stack switch on AArch64.
#pragma once

#include <cstddef>

namespace hipport::cpu {

// The saved stack pointer of a suspended fiber.
using Context = void*;

// A suspended stack holds the frame pointer and the address at which to continue. The compiler saves all other
// callee-saved registers around the asm, which lists them as clobbered; g++ has no naked functions on AArch64.
[[gnu::noinline, gnu::noipa]] inline void switch_context(Context* from, Context to, void* argument) {
  register Context* old asm("x0") = from;
  register Context next asm("x1") = to;
  register void* passed asm("x2") = argument;
  asm volatile(
      "adr x9, 1f\n\tstp x29, x9, [sp, #-16]!\n\tmov x9, sp\n\tstr x9, [x0]\n\t"
      "mov sp, x1\n\tldp x29, x9, [sp], #16\n\tmov x0, x2\n\tmov x30, xzr\n\tbr x9\n"
      "1:\thint #36"  // hint #36 is `bti j`: a valid target of an indirect jump if branch targets are checked
      : "+r"(old), "+r"(next), "+r"(passed)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20",
        "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
        "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
        "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

template <void (*Enter)(void*)>
Context make_context(char* top, size_t) {
  void** stack = reinterpret_cast<void**>(reinterpret_cast<size_t>(top) & ~size_t{15});
  *--stack = reinterpret_cast<void*>(Enter);
  *--stack = nullptr;  // no frame above it: a backtrace ends here
  return stack;
}

}  // namespace hipport::cpu
