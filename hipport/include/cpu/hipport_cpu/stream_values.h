// SPDX-License-Identifier: MIT
// Stream operations that write values to memory or wait for values.
#pragma once

#include "stream.h"

inline constexpr unsigned hipStreamWaitValueGte = 0, hipStreamWaitValueEq = 1, hipStreamWaitValueAnd = 2,
                          hipStreamWaitValueNor = 3;

namespace hipport::cpu {

template <typename T>
bool is_awaited(T value, T wanted, unsigned how) {
  switch (how) {
    case hipStreamWaitValueGte: return static_cast<std::make_signed_t<T>>(value - wanted) >= 0;
    case hipStreamWaitValueEq: return value == wanted;
    case hipStreamWaitValueAnd: return (value & wanted) != 0;
    default: return T(~(value | wanted)) != 0;
  }
}

// Work runs at once: waiting for a value that is not there yet would never end.
template <typename T>
hipError_t wait_for_value(const char* caller, hipStream_t stream, void* address, T wanted, unsigned how, T mask) {
  if (address == nullptr || how > hipStreamWaitValueNor) return status(hipErrorInvalidValue);
  if (capture_of(stream) != nullptr) return status(hipErrorStreamCaptureUnsupported);
  const T value = __atomic_load_n(static_cast<T*>(address), __ATOMIC_ACQUIRE) & mask;
  return is_awaited<T>(value, wanted & mask, how) ? hipSuccess : missing(caller);
}

template <typename T>
hipError_t write_value(hipStream_t stream, void* address, T value) {
  if (address == nullptr) return status(hipErrorInvalidValue);
  if (capture_of(stream) != nullptr) return status(hipErrorStreamCaptureUnsupported);
  __atomic_store_n(static_cast<T*>(address), value, __ATOMIC_RELEASE);
  return hipSuccess;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, uint32_t value, unsigned flags,
                                                uint32_t mask = 0xffffffff) {
  return hipport::cpu::wait_for_value("hipStreamWaitValue32 for a value to come", stream, address, value, flags, mask);
}
HIPPORT_RUNTIME hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, uint64_t value, unsigned flags,
                                                uint64_t mask = ~uint64_t(0)) {
  return hipport::cpu::wait_for_value("hipStreamWaitValue64 for a value to come", stream, address, value, flags, mask);
}
HIPPORT_RUNTIME hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, uint32_t value, unsigned) {
  return hipport::cpu::write_value(stream, address, value);
}
HIPPORT_RUNTIME hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, uint64_t value, unsigned) {
  return hipport::cpu::write_value(stream, address, value);
}
