// SPDX-License-Identifier: MIT
// Attributes of pointers. HIP 6 changed the numbers of memory types, but not the names of the functions: a program gets
// those of the library that it was linked with.
#include "callers.h"

#include <hip/hip_runtime_api.h>

#define C_NAME(name) asm(#name)

namespace {

hipMemoryType type_for(void* address, hipMemoryType type) {
  if (hipport::emulate::linked_release(address) >= hipport::emulate::kRelease60) return type;
  switch (type) {
    case hipMemoryTypeDevice: return hipMemoryType(1);
    case hipMemoryTypeArray: return hipMemoryType(2);
    case hipMemoryTypeUnified: return hipMemoryType(3);
    case hipMemoryTypeManaged: return hipMemoryType(4);
    default: return hipMemoryType(0);  // of the host
  }
}

hipError_t attribute_for(void* caller, void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  const hipError_t error = ::hipPointerGetAttribute(data, attribute, pointer);
  if (error != hipSuccess || attribute != HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) return error;
  hipMemoryType& type = *static_cast<hipMemoryType*>(data);
  type = type_for(caller, type);
  return error;
}

}  // namespace

hipError_t emulated_attributes(hipPointerAttribute_t* attributes, const void* pointer) C_NAME(hipPointerGetAttributes);
hipError_t emulated_attributes(hipPointerAttribute_t* attributes, const void* pointer) {
  void* const caller = __builtin_return_address(0);
  const hipError_t error = ::hipPointerGetAttributes(attributes, pointer);
  if (error != hipSuccess) return error;
  if (attributes->type == hipMemoryTypeUnregistered &&
      hipport::emulate::linked_release(caller) < hipport::emulate::kRelease60)
    return hipport::cpu::status(hipErrorInvalidValue);
  attributes->type = type_for(caller, attributes->type);
  return hipSuccess;
}
hipError_t emulated_attribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer)
    C_NAME(hipPointerGetAttribute);
hipError_t emulated_attribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  return attribute_for(__builtin_return_address(0), data, attribute, pointer);
}
hipError_t emulated_driver_attributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t pointer) C_NAME(hipDrvPointerGetAttributes);
hipError_t emulated_driver_attributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t pointer) {
  HIPPORT_NEEDS(attributes, data, pointer);
  if (count == 0) return hipport::cpu::status(hipErrorInvalidValue);
  void* const caller = __builtin_return_address(0);
  for (unsigned i = 0; i < count; ++i) attribute_for(caller, data[i], attributes[i], pointer);
  return hipSuccess;
}
