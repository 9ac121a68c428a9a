// SPDX-License-Identifier: MIT
// Stack switch by Boost.Context, for processors without one in this folder.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace hipport::cpu {

// The saved stack pointer of a suspended fiber.
using Context = void*;

struct Departure {
  Context* from;
  void* argument;
};

inline void* note_departure(boost::context::detail::transfer_t transfer) {
  const Departure departure = *static_cast<Departure*>(transfer.data);
  *departure.from = transfer.fctx;
  return departure.argument;
}

// Suspend the running fiber, save its context in `from`, and continue at `to`; `argument` is passed to a new fiber.
inline void switch_context(Context* from, Context to, void* argument) {
  Departure departure{from, argument};
  note_departure(boost::context::detail::jump_fcontext(to, &departure));
}

// Return a context that calls `Enter` on a new stack below `top`.
template <void (*Enter)(void*)>
Context make_context(char* top, size_t size) {
  return boost::context::detail::make_fcontext(
      top, size, [](boost::context::detail::transfer_t transfer) { Enter(note_departure(transfer)); });
}

}  // namespace hipport::cpu
