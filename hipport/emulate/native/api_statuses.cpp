// SPDX-License-Identifier: MIT
// Functions that refuse other arguments in some releases of HIP, or do so with another status: a program gets the status
// of the release that it was linked with.
#include <hip/hip_runtime_api.h>

#include "callers.h"

#define C_NAME(name) asm(#name)

using hipport::cpu::status;
using namespace hipport::emulate;

namespace {

bool is_before(unsigned release, void* caller) { return linked_release(caller) < release; }

// There were two limits, or one, before 5.3, and no status for numbers of others.
hipError_t limit_error(hipError_t error, hipLimit_t limit, void* caller) {
  return limit >= hipLimitRange && is_before(kRelease53, caller) ? status(hipErrorUnsupportedLimit) : error;
}

}  // namespace

hipError_t emulated_device_pointer(void** to, void* host, unsigned flags) C_NAME(hipHostGetDevicePointer);
hipError_t emulated_device_pointer(void** to, void* host, unsigned flags) {
  return ::hipHostGetDevicePointer(to, host, is_before(kRelease60, __builtin_return_address(0)) ? 0 : flags);
}
hipError_t emulated_bus_id(char* text, int size, int device) C_NAME(hipDeviceGetPCIBusId);
hipError_t emulated_bus_id(char* text, int size, int device) {
  constexpr int whole_size = 13;
  const bool takes_parts = is_before(kRelease56, __builtin_return_address(0));
  if (!takes_parts || text == nullptr || size <= 0 || size >= whole_size)
    return ::hipDeviceGetPCIBusId(text, size, device);
  char whole[whole_size];
  const hipError_t error = ::hipDeviceGetPCIBusId(whole, whole_size, device);
  if (error == hipSuccess) std::snprintf(text, size_t(size), "%s", whole);
  return error;
}
hipError_t emulated_limit(size_t* value, hipLimit_t limit) C_NAME(hipDeviceGetLimit);
hipError_t emulated_limit(size_t* value, hipLimit_t limit) {
  const hipError_t error = ::hipDeviceGetLimit(value, limit);
  return value == nullptr ? error : limit_error(error, limit, __builtin_return_address(0));
}
hipError_t emulated_set_limit(hipLimit_t limit, size_t value) C_NAME(hipDeviceSetLimit);
hipError_t emulated_set_limit(hipLimit_t limit, size_t value) {
  return limit_error(::hipDeviceSetLimit(limit, value), limit, __builtin_return_address(0));
}

// Up to HIP 6 these say that they do nothing.
hipError_t emulated_profiler_start() C_NAME(hipProfilerStart);
hipError_t emulated_profiler_start() {
  return status(is_before(kRelease70, __builtin_return_address(0)) ? hipErrorNotSupported : hipSuccess);
}
hipError_t emulated_profiler_stop() C_NAME(hipProfilerStop);
hipError_t emulated_profiler_stop() {
  return status(is_before(kRelease70, __builtin_return_address(0)) ? hipErrorNotSupported : hipSuccess);
}
hipError_t emulated_valid_devices(int* devices, int count) C_NAME(hipSetValidDevices);
hipError_t emulated_valid_devices(int* devices, int count) {
  if (is_before(kRelease70, __builtin_return_address(0))) return status(hipErrorNotSupported);
  return ::hipSetValidDevices(devices, count);
}
