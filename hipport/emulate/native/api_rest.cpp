// SPDX-License-Identifier: MIT
// Functions of AMD's library that the CPU target has as templates, by other names or not at all: a program that calls one
// of them must be loaded all the same.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "loaded.h"

#define C_NAME(name) asm(#name)

using hipport::cpu::unsupported;

hipError_t emulated_reserve(void** address, size_t size, size_t alignment, void* wanted, unsigned long long flags)
    C_NAME(hipMemAddressReserve);
hipError_t emulated_reserve(void** address, size_t size, size_t alignment, void* wanted, unsigned long long flags) {
  return hipMemAddressReserve(address, size, alignment, wanted, flags);
}
hipError_t emulated_open_memory(void** pointer, hipIpcMemHandle_t handle, unsigned flags) C_NAME(hipIpcOpenMemHandle);
hipError_t emulated_open_memory(void** pointer, hipIpcMemHandle_t handle, unsigned flags) {
  return hipIpcOpenMemHandle(pointer, handle, flags);
}
// Banks of shared memory have one size.
hipError_t emulated_set_banks(const void* kernel, int size) C_NAME(hipFuncSetSharedMemConfig);
hipError_t emulated_set_banks(const void*, int) { return hipSuccess; }
hipError_t emulated_choose(int* device, const void* wanted) C_NAME(hipChooseDeviceR0600);
hipError_t emulated_choose(int* device, const void*) { return hipChooseDevice(device, nullptr); }
hipError_t emulated_choose_old(int* device, const void* wanted) C_NAME(hipChooseDeviceR0000);
hipError_t emulated_choose_old(int* device, const void*) { return hipChooseDevice(device, nullptr); }

#define REFUSE(Status, refusal, name)      \
  Status refused_##name(...) C_NAME(name); \
  Status refused_##name(...) { return unsupported(#name, refusal); }

REFUSE(hipError_t, hipErrorNotSupported, hipHccModuleLaunchKernel)
