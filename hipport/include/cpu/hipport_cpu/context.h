// SPDX-License-Identifier: MIT
// Going from one stack to another: by Boost.Context, and on x86-64 in a way that barriers can afford.
//
// Boost's switch also changes the modes of floating point, before which the processor ends all computations. Threads
// that wait for each other share their modes. Both jump to where they go on: a `ret` would be predicted wrongly.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) || defined(HIPPORT_BOOST_SWITCH)
#undef HIPPORT_BOOST_SWITCH
#define HIPPORT_BOOST_SWITCH 1
#include <boost/context/detail/fcontext.hpp>
#endif

namespace hipport::cpu {

// Where something has stopped: its stack pointer.
using Context = void*;

#if HIPPORT_BOOST_SWITCH

struct Departure {
  Context* from;
  void* argument;
};

inline void* note_departure(boost::context::detail::transfer_t transfer) {
  const Departure departure = *static_cast<Departure*>(transfer.data);
  *departure.from = transfer.fctx;
  return departure.argument;
}

// Stops here, noting so in `from`, and goes on at `to`; `argument` is for what starts there.
inline void switch_context(Context* from, Context to, void* argument) {
  Departure departure{from, argument};
  note_departure(boost::context::detail::jump_fcontext(to, &departure));
}

// What `Enter` will do on a new stack below `top`.
template <void (*Enter)(void*)>
Context make_context(char* top, size_t size) {
  return boost::context::detail::make_fcontext(
      top, size, [](boost::context::detail::transfer_t transfer) { Enter(note_departure(transfer)); });
}

#else

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
  *--stack = nullptr;  // the caller of `Enter`: there a backtrace ends
  *--stack = reinterpret_cast<void*>(Enter);
  for (int saved = 0; saved < 6; ++saved) *--stack = nullptr;
  return stack;
}

#endif

}  // namespace hipport::cpu
