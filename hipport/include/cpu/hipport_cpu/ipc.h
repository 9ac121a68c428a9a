// SPDX-License-Identifier: MIT
// Handles for sharing memory and events between processes. Here only the process that created a handle can open it.
#pragma once

#include "memory.h"

#define HIP_IPC_HANDLE_SIZE 64
struct hipIpcMemHandle_t {
  char reserved[HIP_IPC_HANDLE_SIZE];
};
struct hipIpcEventHandle_t {
  char reserved[HIP_IPC_HANDLE_SIZE];
};
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = 1;

namespace hipport::cpu {

// The contents of a handle.
struct Shared {
  pid_t process;
  void* address;
};

template <typename Handle>
hipError_t share(Handle* handle, void* address) {
  if (handle == nullptr || address == nullptr) return status(hipErrorInvalidValue);
  const Shared shared{getpid(), address};
  std::memset(handle, 0, sizeof(Handle));
  std::memcpy(handle, &shared, sizeof(shared));
  return hipSuccess;
}

template <typename Handle>
hipError_t open_shared(const char* caller, const Handle& handle, void** address) {
  Shared shared;
  std::memcpy(&shared, &handle, sizeof(shared));
  if (shared.process != getpid()) return missing(caller);
  *address = shared.address;
  return hipSuccess;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  char* base = nullptr;
  hipport::cpu::Allocation found{};
  if (!hipport::cpu::Allocations::instance().find(pointer, &base, &found))
    return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::share(handle, base);
}
template <typename T>
hipError_t hipIpcOpenMemHandle(T** pointer, hipIpcMemHandle_t handle, unsigned) {
  return hipport::cpu::open_shared("hipIpcOpenMemHandle of another process's memory", handle,
                                   reinterpret_cast<void**>(pointer));
}
HIPPORT_RUNTIME hipError_t hipIpcCloseMemHandle(void* pointer) {
  return hipport::cpu::status(pointer == nullptr ? hipErrorInvalidValue : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  if (handle == nullptr || event == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  HIPPORT_NEEDS(event);
  if ((event->flags & hipEventInterprocess) == 0) return hipport::cpu::status(hipErrorInvalidHandle);
  return hipport::cpu::share(handle, event);
}
HIPPORT_RUNTIME hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::open_shared("hipIpcOpenEventHandle of another process's event", handle,
                                   reinterpret_cast<void**>(event));
}
