// SPDX-License-Identifier: MIT
// `cudaLaunchHostFunc`, which HIP 5.2 declares and whose library does not have it.
#ifndef HIPPORT_COMPAT_HOST_FUNCTIONS_H
#define HIPPORT_COMPAT_HOST_FUNCTIONS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <new>

namespace hipport {
namespace compat {

// A function of the host and its argument. A captured one is called at each launch of its graphs, so that it stays.
struct HostFunction {
  hipHostFn_t function;
  void* data;
  bool stays;

  static void call(hipStream_t, hipError_t, void* given) {
    HostFunction* self = static_cast<HostFunction*>(given);
    const bool stays = self->stays;  // a launch of the same graph may run beside this one
    self->function(self->data);
    if (!stays) delete self;
  }
};

inline hipError_t launch_host_func(hipStream_t stream, hipHostFn_t function, void* data) {
  if (function == nullptr) return hipStreamAddCallback(stream, nullptr, nullptr, 0);  // it leaves the last error
  hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
  const hipError_t asked = hipStreamIsCapturing(stream, &capture);
  if (asked != hipSuccess) return asked;
  const bool stays = capture == hipStreamCaptureStatusActive;
  HostFunction* given = new (std::nothrow) HostFunction{function, data, stays};
  if (given == nullptr) return hipErrorOutOfMemory;
  const hipError_t status = hipStreamAddCallback(stream, HostFunction::call, given, 0);
  if (status != hipSuccess) delete given;
  return status;
}

}  // namespace compat
}  // namespace hipport

#endif

#endif  // HIPPORT_COMPAT_HOST_FUNCTIONS_H
