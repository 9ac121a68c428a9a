// SPDX-License-Identifier: MIT
// `cg::invoke_one` and `cg::invoke_one_broadcast`: one thread of a group calls a function.
#ifndef HIPPORT_COMPAT_COOPERATIVE_GROUPS_INVOKE_H
#define HIPPORT_COMPAT_COOPERATIVE_GROUPS_INVOKE_H

#include "device_compiler.h"
#if defined(HIPPORT_COMPAT_DEVICE_COMPILER)

#include "cooperative_groups_reduce.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <type_traits>
#include <utility>

namespace cooperative_groups {

// The other threads do not wait for the call.
template <typename Group, typename Function, typename... Arguments>
HIPPORT_COMPAT_DEVICE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}

// Every thread of the group gets the function's result. The group needs `shfl`; the type must be trivially copyable.
template <typename Group, typename Function, typename... Arguments>
HIPPORT_COMPAT_DEVICE auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  typename std::decay<decltype(function(std::forward<Arguments>(arguments)...))>::type result{};
  if (group.thread_rank() == 0) result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return hipport::compat::from_rank(group, result, 0);
}

}  // namespace cooperative_groups

#endif

#endif

#endif
