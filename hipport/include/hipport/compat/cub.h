// SPDX-License-Identifier: MIT
// Utilities of CUB that hipCUB lacks: `CubDebugExit`, `cub::CurrentDevice`, `cub::SwitchDevice` and the like, limits of
// bfloat16.
#ifndef HIPPORT_COMPAT_CUB_H
#define HIPPORT_COMPAT_CUB_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <stdio.h>
#include <stdlib.h>

namespace hipport {
namespace compat {

inline void exit_on_error(hipError_t error, const char* file, int line) {
  if (error == hipSuccess) return;
  fprintf(stderr, "HIP error %d [%s, %d]: %s\n", int(error), file, line, hipGetErrorString(error));
  exit(1);
}

}  // namespace compat
}  // namespace hipport

namespace hipcub {

inline int CurrentDevice() {
  int device = -1;
  return hipGetDevice(&device) == hipSuccess ? device : -1;
}
// Selects a device as long as it lives.
class SwitchDevice {
  int before_;
  bool switched_;

 public:
  explicit SwitchDevice(int device)
      : before_(CurrentDevice()), switched_(device != before_ && hipSetDevice(device) == hipSuccess) {}
  SwitchDevice(const SwitchDevice&) = delete;
  SwitchDevice& operator=(const SwitchDevice&) = delete;
  ~SwitchDevice() {
    if (switched_) (void)hipSetDevice(before_);
  }
};

inline int DeviceCount() {
  int count = -1;
  return hipGetDeviceCount(&count) == hipSuccess ? count : -1;
}
inline int DeviceCountUncached() { return DeviceCount(); }

// Return the compute capability that HIP reports as CUB does: 900 for 9.0.
inline hipError_t SmVersion(int& version, int device = CurrentDevice()) {
  int major = 0, minor = 0;
  hipError_t error = hipDeviceGetAttribute(&major, hipDeviceAttributeComputeCapabilityMajor, device);
  if (error == hipSuccess) error = hipDeviceGetAttribute(&minor, hipDeviceAttributeComputeCapabilityMinor, device);
  if (error == hipSuccess) version = major * 100 + minor * 10;
  return error;
}
inline hipError_t SmVersionUncached(int& version, int device = CurrentDevice()) { return SmVersion(version, device); }
inline hipError_t PtxVersion(int& version, int device = CurrentDevice()) { return SmVersion(version, device); }
inline hipError_t PtxVersionUncached(int& version, int device = CurrentDevice()) { return SmVersion(version, device); }

inline hipError_t SyncStream(hipStream_t stream) { return hipStreamSynchronize(stream); }

}  // namespace hipcub

#define CubDebugExit(error) ::hipport::compat::exit_on_error((hipError_t)(error), __FILE__, __LINE__)

#endif

#endif
