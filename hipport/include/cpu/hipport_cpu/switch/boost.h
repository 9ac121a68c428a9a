// SPDX-License-Identifier: MIT
// The switch of stacks by Boost.Context, for processors that have none of their own here.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace hipport::cpu {

// Where something has stopped: its stack pointer.
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

}  // namespace hipport::cpu
