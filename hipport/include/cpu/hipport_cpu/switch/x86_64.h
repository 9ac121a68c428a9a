// SPDX-License-Identifier: MIT
// Stack switch on x86-64.
#pragma once

#include <cstddef>

namespace hipport::cpu {

// The saved stack pointer of a suspended fiber.
using Context = void*;

[[gnu::naked, gnu::noinline, gnu::noipa]] inline void switch_context(Context* from, Context to, void* argument) {
  asm("leaq -48(%rsp), %rax\n\t"
      "movq %r15, (%rax)\n\tmovq %r14, 8(%rax)\n\tmovq %r13, 16(%rax)\n\tmovq %r12, 24(%rax)\n\t"
      "movq %rbx, 32(%rax)\n\tmovq %rbp, 40(%rax)\n\tmovq %rax, (%rdi)\n\t"
      "movq (%rsi), %r15\n\tmovq 8(%rsi), %r14\n\tmovq 16(%rsi), %r13\n\tmovq 24(%rsi), %r12\n\t"
      "movq 32(%rsi), %rbx\n\tmovq 40(%rsi), %rbp\n\tmovq 48(%rsi), %rcx\n\tleaq 56(%rsi), %rsp\n\t"
      "movq %rdx, %rdi\n\tjmp *%rcx");
}

template <void (*Enter)(void*)>
Context make_context(char* top, size_t) {
  void** stack = reinterpret_cast<void**>(top);
  *--stack = nullptr;  // the return address of `Enter`: a backtrace ends here
  *--stack = reinterpret_cast<void*>(Enter);
  for (int saved = 0; saved < 6; ++saved) *--stack = nullptr;
  return stack;
}

}  // namespace hipport::cpu
