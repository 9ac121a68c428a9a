// What tests of kernels give the device.
#ifndef HIPPORT_TESTS_UPLOADED_H
#define HIPPORT_TESTS_UPLOADED_H

#include "../../../hipport/llm/engine/device.h"

// A copy on the device of what the host has.
template <typename T>
hipport_llm::Buffer<T> uploaded(const T* from, size_t count) {
  hipport_llm::Buffer<T> buffer(count, "a test");
  buffer.upload(from, count, nullptr);
  return buffer;
}

#endif
